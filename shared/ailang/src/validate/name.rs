//! Spelling and uniqueness of names.

use std::collections::HashMap;

use source_text::Span;

use super::Checker;
use crate::diagnostic::Code;
use crate::standard::module_with;
use crate::syntax::{Definition, DefinitionKind, Member, Name, Program};

/// Returns the remedy for an unknown name: a definition, or an import, of the built-in module that has it if there is
/// one. Its definition starts with one of the keywords.
pub(super) fn define_or_import(definition: &str, name: &str, keywords: &[&str]) -> String {
    match module_with(name, keywords) {
        Some(module) => {
            format!("import it, `from ailang.{module} import {name}`, or define it, `{definition}`")
        }
        None => format!("define it, `{definition}`, or import it"),
    }
}

impl<'a> Checker<'_, 'a> {
    /// Reports definitions of the same name.
    pub(super) fn duplicates(&mut self, program: &'a Program) {
        let mut seen: HashMap<&str, &Definition> = HashMap::new();
        for definition in program.definitions() {
            let name = definition.name.text.as_str();
            let Some(first) = seen.get(name) else {
                seen.insert(name, definition);
                continue;
            };
            let same = self.plain(first.span) == self.plain(definition.span);
            let message = format!("`{name}` is defined twice");
            let span = definition.name.span;
            let diagnostic = if same {
                self.diagnostics.warning(Code::DUPLICATE_DEFINITION, span, message)
            } else {
                self.diagnostics.error(Code::DUPLICATE_DEFINITION, span, message)
            };
            diagnostic.related(first.name.span, "before here").help("give one of them another name");
        }
    }

    /// Returns the text of a place without blanks.
    fn plain(&self, span: Span) -> String {
        self.document.text(span).split_whitespace().collect()
    }

    /// Checks the name of a definition.
    pub(super) fn definition_name(&mut self, definition: &Definition) {
        match definition.kind {
            DefinitionKind::Tool(_) => self.small_initial(&definition.name, "tool"),
            _ => self.capital_initial(&definition.name, definition.kind.keyword()),
        }
    }

    /// Reports a name that does not start with a small letter.
    pub(super) fn small_initial(&mut self, name: &Name, what: &str) {
        let first = name.text.trim_start_matches('_').chars().next();
        if first.is_some_and(|char| char.is_ascii_uppercase()) {
            self.naming(name, what, "small letter", char::to_ascii_lowercase);
        }
    }

    /// Reports a field that starts with a capital. In quotes a name is written as others gave it.
    pub(super) fn field_initial(&mut self, name: &Name, all: &[Member]) {
        let mut chars = name.text.trim_start_matches('_').chars();
        if !chars.next().is_some_and(|char| char.is_ascii_uppercase()) {
            return;
        }
        let small = first_changed(&name.text, char::to_ascii_lowercase);
        let quoted = format!("{:?}", name.text);
        let message = format!("`{}`: the name of a field starts with a small letter", name.text);
        let is_taken = all.iter().any(|it| it.name.text == small);
        let (help, better) = if is_taken {
            (format!("write `{quoted}`: there is `{small}` already"), quoted)
        } else {
            (format!("write `{small}`, or `{quoted}` if others gave it that name"), small)
        };
        self.unknown(Code::NAMING, name.span, message).replace(help, name.span, better);
    }

    /// Reports a name that does not start with a capital.
    pub(super) fn capital_initial(&mut self, name: &Name, what: &str) {
        let first = name.text.trim_start_matches('_').chars().next();
        if first.is_some_and(|char| !char.is_ascii_uppercase()) {
            self.naming(name, what, "capital", char::to_ascii_uppercase);
        }
    }

    fn naming(&mut self, name: &Name, what: &str, how: &str, change: impl Fn(&char) -> char) {
        let better = first_changed(&name.text, change);
        let article = if what.starts_with(['e', 'a']) { "an" } else { "a" };
        let message = format!("`{}`: the name of {article} {what} starts with a {how}", name.text);
        let span = name.span;
        self.unknown(Code::NAMING, span, message).replace(format!("write `{better}`"), span, better);
    }

    /// Reports duplicate names.
    pub(super) fn no_duplicates<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n Name>,
        code: Code,
        what: &str,
    ) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in names {
            if let Some(first) = seen.insert(&name.text, name.span) {
                self.error(code, name.span, format!("the {what} `{}` is there twice", name.text))
                    .related(first, "before here");
            }
        }
    }
}

/// Returns a name with another first character.
fn first_changed(name: &str, change: impl Fn(&char) -> char) -> String {
    let mut chars = name.chars();
    chars.next().iter().map(change).chain(chars).collect()
}
