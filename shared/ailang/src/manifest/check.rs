//! Checks of a manifest against the documents of its package.

use source_text::{Severity, Span};

use super::model::Manifest;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::documents::Documents;
use crate::front_matter::Field;
use crate::module::is_taken;
use crate::validate::Strictness;

impl Manifest {
    /// Returns the mistakes of syntax and of meaning for a package with these documents, by place.
    pub fn validate(&self, documents: &Documents, strictness: Strictness) -> Vec<Diagnostic> {
        let diagnostics = self.diagnostics.iter().cloned().collect();
        let mut checker = Checker { manifest: self, strictness, diagnostics };
        if self.span.start < self.span.end {
            checker.required();
            checker.importable();
            checker.described();
            checker.main(documents);
        }
        checker.diagnostics.into_sorted()
    }
}

struct Checker<'a> {
    manifest: &'a Manifest,
    strictness: Strictness,
    diagnostics: Diagnostics,
}

impl Checker<'_> {
    /// Reports required fields that are missing.
    fn required(&mut self) {
        let each = [
            ("name", Code::PACKAGE_NAME, "my-tools"),
            ("version", Code::PACKAGE_VERSION, "1.0.0"),
            ("main", Code::PACKAGE_MAIN, "main.md"),
        ];
        for (name, code, example) in each {
            if !self.is_given(name) {
                self.diagnostics
                    .error(code, self.start(), format!("the manifest has no `{name}`"))
                    .help(format!("write `\"{name}\": \"{example}\"`"));
            }
        }
    }

    /// Reports a name that no import can mean.
    fn importable(&mut self) {
        let Some(name) = self.manifest.name.as_ref().filter(|it| is_taken(&it.value)) else { return };
        let severity =
            if self.strictness == Strictness::Strict { Severity::Error } else { Severity::Warning };
        let message = format!("`{}` is built in, so nobody can import the package", name.value);
        self.diagnostics
            .report(severity, Code::PACKAGE_NAME, name.span, message)
            .help("give it another name, or one with a scope");
    }

    /// Reports descriptive fields that are missing, which people need to choose a package.
    fn described(&mut self) {
        let severity = match self.strictness {
            Strictness::Loose => return,
            Strictness::Normal => Severity::Warning,
            Strictness::Strict => Severity::Error,
        };
        let it = self.manifest;
        for (name, value) in
            [("description", &it.description), ("author", &it.author), ("license", &it.license)]
        {
            let is_blank = |field: &Field<String>| field.value.is_empty();
            let message = match value {
                None if !self.is_given(name) => format!("the manifest has no `{name}`"),
                Some(field) if is_blank(field) && self.strictness == Strictness::Strict => {
                    format!("`{name}` says nothing")
                }
                _ => continue,
            };
            let span = value.as_ref().map_or(self.start(), |field| field.span);
            self.diagnostics.report(severity, Code::MANIFEST_FIELD, span, message);
        }
    }

    fn main(&mut self, documents: &Documents) {
        let Some(main) = self.manifest.main.as_ref().filter(|main| documents.get(&main.value).is_none())
        else {
            return;
        };
        let known: Vec<&str> = documents.iter().map(|(path, _)| path).collect();
        let span = Span::new(main.span.start + 1, main.span.end - 1);
        self.diagnostics
            .error(Code::PACKAGE_MAIN, main.span, format!("the package has no document `{}`", main.value))
            .help("`main` is the path of the document with which the package starts")
            .nearest(&main.value, span, known);
    }

    fn is_given(&self, name: &str) -> bool {
        self.manifest.given.iter().any(|given| given == name)
    }

    /// Returns the place of the opening brace.
    fn start(&self) -> Span {
        let start = self.manifest.span.start;
        Span::new(start, start + 1)
    }
}
