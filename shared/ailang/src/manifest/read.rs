//! Parsing of manifests, field by field.

use std::collections::HashMap;
use std::sync::LazyLock;

use dialect::Refinement;
use regex::Regex;
use source_text::Span;

use super::dependency::{Dependency, DependencySource};
use super::json::{JsonField, JsonPiece};
use super::model::Manifest;
use crate::diagnostic::{Code, Diagnostics};
use crate::front_matter::Field;
use crate::module;

/// The names of the fields.
const FIELDS: [&str; 10] = [
    "name",
    "version",
    "description",
    "author",
    "license",
    "repository",
    "keywords",
    "main",
    "files",
    "dependencies",
];

static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(@[a-z0-9-]+/)?[a-z0-9-]+$").expect("the pattern is tested"));

const NAME_HELP: &str = "a name has small letters, digits and `-`, and may start with a scope: `@scope/name`";

pub(super) fn is_name(text: &str) -> bool {
    NAME.is_match(text)
}

pub(super) fn read(source: String) -> Manifest {
    let mut manifest = Manifest::default();
    let mut reader = Reader { source: &source, diagnostics: Diagnostics::default() };
    if let Some((span, fields)) = reader.object() {
        manifest.span = span;
        for (name, place, value) in fields {
            reader.field(&name, place, value, &mut manifest);
            manifest.given.push(name);
        }
        reader.itself(&manifest);
    }
    manifest.diagnostics = reader.diagnostics.into_sorted();
    manifest.source = source;
    manifest
}

struct Reader<'a> {
    source: &'a str,
    diagnostics: Diagnostics,
}

impl<'a> Reader<'a> {
    /// Returns the fields of the manifest; reports and drops duplicates.
    fn object(&mut self) -> Option<(Span, Vec<JsonField<'a>>)> {
        if self.source.len() > Manifest::LARGEST {
            let message = format!("the manifest has {} bytes", self.source.len());
            self.diagnostics
                .error(Code::MANIFEST_JSON, Span::default(), message)
                .help(format!("{} are read at most", Manifest::LARGEST));
            return None;
        }
        let whole = match JsonPiece::read(self.source) {
            Ok(whole) => whole,
            Err((span, problem)) => {
                let message = format!("the manifest is not JSON: {problem}");
                self.diagnostics.error(Code::MANIFEST_JSON, span, message);
                return None;
            }
        };
        let Some(fields) = whole.fields(self.source) else {
            let message = format!("a manifest is an object, not {}", whole.kind());
            self.diagnostics
                .error(Code::MANIFEST_JSON, whole.span, message)
                .help("write `{ \"name\": \"…\", \"version\": \"1.0.0\", \"main\": \"main.md\" }`");
            return None;
        };
        Some((whole.span, self.once(fields)))
    }

    fn once(&mut self, fields: Vec<JsonField<'a>>) -> Vec<JsonField<'a>> {
        let mut seen: HashMap<String, Span> = HashMap::new();
        let mut first = Vec::new();
        for (name, span, value) in fields {
            if let Some(before) = seen.get(&name) {
                let message = format!("`{name}` is given twice");
                self.diagnostics.error(Code::MANIFEST_TWICE, span, message).related(*before, "before here");
                continue;
            }
            seen.insert(name.clone(), span);
            first.push((name, span, value));
        }
        first
    }

    fn field(&mut self, name: &str, place: Span, value: JsonPiece<'a>, manifest: &mut Manifest) {
        match name {
            "name" => manifest.name = self.name(value),
            "version" => manifest.version = self.version(value),
            "description" => manifest.description = self.text(value, Code::MANIFEST_FIELD, name),
            "author" => manifest.author = self.text(value, Code::MANIFEST_FIELD, name),
            "license" => manifest.license = self.text(value, Code::MANIFEST_FIELD, name),
            "repository" => manifest.repository = self.repository(value),
            "keywords" => manifest.keywords = self.texts(value, name),
            "main" => manifest.main = self.main(value),
            "files" => manifest.files = self.files(value),
            "dependencies" => manifest.dependencies = self.dependencies(value),
            name => {
                let message = format!("a manifest has no `{name}`");
                self.diagnostics
                    .warning(Code::MANIFEST_UNKNOWN, place, message)
                    .help(format!("it has {}", FIELDS.map(|it| format!("`{it}`")).join(", ")))
                    .nearest(name, place, FIELDS);
            }
        }
    }

    /// Returns the text of a string; reports other values.
    fn text(&mut self, value: JsonPiece<'a>, code: Code, what: &str) -> Option<Field<String>> {
        let text = value.text().map(|text| Field { value: text.trim().to_owned(), span: value.span });
        if text.is_none() {
            let message = format!("`{what}` is a text, not {}", value.kind());
            self.diagnostics.error(code, value.span, message);
        }
        text
    }

    fn texts(&mut self, value: JsonPiece<'a>, what: &str) -> Vec<Field<String>> {
        let Some(elements) = value.elements(self.source) else {
            let message = format!("`{what}` is a list of texts, not {}", value.kind());
            self.diagnostics.error(Code::MANIFEST_FIELD, value.span, message);
            return Vec::new();
        };
        let what = format!("an element of `{what}`");
        elements.into_iter().filter_map(|it| self.element(it, &what)).collect()
    }

    fn element(&mut self, value: JsonPiece<'a>, what: &str) -> Option<Field<String>> {
        if let Some(text) = value.text() {
            return Some(Field { value: text, span: value.span });
        }
        let message = format!("{what} is a text, not {}", value.kind());
        self.diagnostics.error(Code::MANIFEST_FIELD, value.span, message);
        None
    }

    fn name(&mut self, value: JsonPiece<'a>) -> Option<Field<String>> {
        let name = self.text(value, Code::PACKAGE_NAME, "name")?;
        if is_name(&name.value) {
            return Some(name);
        }
        let message = format!("`{}` is no name of a package", name.value);
        let error = self.diagnostics.error(Code::PACKAGE_NAME, name.span, message).help(NAME_HELP);
        let suggestion = suggested_name(&name.value);
        if is_name(&suggestion) {
            error.replace(format!("write `{suggestion}`"), name.span, format!("\"{suggestion}\""));
        }
        None
    }

    fn version(&mut self, value: JsonPiece<'a>) -> Option<Field<semver::Version>> {
        let text = self.text(value, Code::PACKAGE_VERSION, "version")?;
        match semver::Version::parse(&text.value) {
            Ok(version) => Some(Field { value: version, span: text.span }),
            Err(error) => {
                let message = format!("`{}` is no semantic version: {error}", text.value);
                let suggestion = suggested_version(&text.value);
                let help = format!("write `{}`", suggestion.as_deref().unwrap_or("1.0.0"));
                let error =
                    self.diagnostics.error(Code::PACKAGE_VERSION, text.span, message).help(help.clone());
                if let Some(suggestion) = suggestion {
                    error.replace(help, text.span, format!("\"{suggestion}\""));
                }
                None
            }
        }
    }

    fn repository(&mut self, value: JsonPiece<'a>) -> Option<Field<String>> {
        let text = self.text(value, Code::MANIFEST_FIELD, "repository")?;
        if !Refinement::Url.holds(&dialect::Value::from(text.value.as_str())) {
            let message = format!("`{}` is no URL", text.value);
            self.diagnostics
                .error(Code::MANIFEST_FIELD, text.span, message)
                .help("write where the package is developed: `https://…`");
        }
        Some(text)
    }

    fn main(&mut self, value: JsonPiece<'a>) -> Option<Field<String>> {
        let text = self.text(value, Code::PACKAGE_MAIN, "main")?;
        match module::path_in_package(&text.value).filter(|path| !path.is_empty()) {
            Some(path) => Some(Field { value: path, span: text.span }),
            None => {
                let message = format!("`{}` is no path of a document in the package", text.value);
                self.diagnostics
                    .error(Code::PACKAGE_MAIN, text.span, message)
                    .help("write the path of the document with which it starts: `main.md`");
                None
            }
        }
    }

    fn files(&mut self, value: JsonPiece<'a>) -> Vec<Field<String>> {
        let files = self.texts(value, "files");
        for file in &files {
            let pattern = file.value.strip_prefix('!').unwrap_or(&file.value);
            if module::path_in_package(pattern).is_none() {
                let message = format!("`{}` leaves the package", file.value);
                self.diagnostics
                    .error(Code::PACKAGE_PATH, file.span, message)
                    .help("what is published stands below the manifest: `lib/**`");
            }
        }
        files
    }

    fn dependencies(&mut self, value: JsonPiece<'a>) -> Vec<Dependency> {
        let Some(fields) = value.fields(self.source) else {
            let message = format!("`dependencies` is an object, not {}", value.kind());
            self.diagnostics
                .error(Code::DEPENDENCY, value.span, message)
                .help("write a range of versions for each name: `{ \"@scope/name\": \"^1.0.0\" }`");
            return Vec::new();
        };
        let fields = self.once(fields);
        fields.into_iter().map(|(name, span, value)| self.dependency(name, span, value)).collect()
    }

    fn dependency(&mut self, name: String, span: Span, value: JsonPiece<'a>) -> Dependency {
        if !is_name(&name) {
            let message = format!("`{name}` is no name of a package");
            self.diagnostics.error(Code::DEPENDENCY, span, message).help(NAME_HELP);
        } else if name != module::BUILT_IN_PACKAGE && module::is_taken(&name) {
            let message =
                format!("`{name}` is a built-in module, so no package of that name can be imported");
            self.diagnostics
                .error(Code::DEPENDENCY, span, message)
                .help("every program has the built-in modules; leave it out");
        }
        let text = self.text(value, Code::DEPENDENCY, &name);
        let source = text.and_then(|text| self.source(&name, &text));
        Dependency { name: Field { value: name, span }, source }
    }

    fn source(&mut self, name: &str, text: &Field<String>) -> Option<Field<DependencySource>> {
        match DependencySource::parse(&text.value) {
            Ok(value) => Some(Field { value, span: text.span }),
            Err(problem) => {
                let shown = DependencySource::without_secrets(&text.value);
                let message = format!("`{name}` cannot be `{shown}`: {problem}");
                self.diagnostics.error(Code::DEPENDENCY, text.span, message).help(
                    "write a range of versions: `1.2.3` is that one, `^1.2.0` what is compatible with it",
                );
                None
            }
        }
    }

    /// Reports a package that depends on itself.
    fn itself(&mut self, manifest: &Manifest) {
        let Some(name) = &manifest.name else { return };
        for it in manifest.dependencies.iter().filter(|it| it.name.value == name.value) {
            let message = format!("`{}` cannot depend on itself", name.value);
            self.diagnostics.error(Code::DEPENDENCY, it.name.span, message);
        }
    }
}

/// Suggests a package name: `@example/bad-name` for `@Example/Bad Name`.
fn suggested_name(text: &str) -> String {
    let folded = |part: &str| {
        let words = part.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
    };
    match text.strip_prefix('@').and_then(|text| text.split_once('/')) {
        Some((scope, name)) => format!("@{}/{}", folded(scope), folded(name)),
        None => folded(text),
    }
}

/// Suggests a version: `1.2.0` for `v1.2`.
fn suggested_version(text: &str) -> Option<String> {
    let mut version = text.trim_start_matches(['v', 'V']).to_owned();
    while version.split('.').count() < 3 {
        version.push_str(".0");
    }
    semver::Version::parse(&version).is_ok().then_some(version)
}
