//! Renames: edits in all documents that name a symbol, and the reasons why there are none.

use std::collections::BTreeMap;
use std::fmt;

use source_text::{Severity, Span};

use super::Analysis;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Document;
use crate::documents::{Documents, built_in_at};
use crate::names::{Occurrence, OccurrenceKind, SymbolId};
use crate::validate::Strictness;
use crate::validate::member::unresolved;

/// A replacement in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameEdit {
    /// The path of the document.
    pub path: String,
    /// The bytes to replace.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

/// The reason why a symbol cannot be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameError {
    /// The prelude defines it.
    Prelude,
    /// A built-in module defines it.
    BuiltIn,
    /// A value whose type is not known has a member of that name.
    Member {
        /// The kind of symbol.
        kind: OccurrenceKind,
        /// The path of the document with the value.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// The new name is no name of such a symbol; the text says what is.
    Name(&'static str),
    /// A document that may name it has mistakes of syntax, so that uses may be missed.
    Unparsed(String),
    /// The new name means something else in a document, or a rule forbids it; the text says which.
    Conflict {
        /// The path of the document.
        path: String,
        /// The problem.
        problem: String,
    },
}

impl fmt::Display for RenameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prelude => write!(formatter, "it belongs to the prelude, which every document shares"),
            Self::BuiltIn => write!(formatter, "a built-in module defines it, which every package shares"),
            Self::Member { kind, path, line } => write!(
                formatter,
                "line {line} of `{path}` may name this {}: the type of the value is not known there; change it by hand",
                kind.noun()
            ),
            Self::Name(rule) => formatter.write_str(rule),
            Self::Unparsed(path) => {
                write!(
                    formatter,
                    "`{path}` has syntax errors, so uses in it would be missed; correct them first"
                )
            }
            Self::Conflict { path, problem } => write!(formatter, "in `{path}`: {problem}"),
        }
    }
}

impl Analysis<'_> {
    /// Checks that a symbol can be renamed.
    ///
    /// # Errors
    /// It is part of the prelude or of a built-in module, it is a member and a value of unknown type has one of that name,
    /// or a document with syntax errors may name it.
    pub fn can_rename(&self, symbol: SymbolId) -> Result<(), RenameError> {
        let Some(home) = self.path_of(symbol) else { return Err(RenameError::Prelude) };
        if built_in_at(home).is_some() {
            return Err(RenameError::BuiltIn);
        }
        let readers = if symbol.kind.is_local() { Vec::new() } else { self.importers(home) };
        let mut read = [home].into_iter().chain(readers.iter().copied());
        match read.clone().find(|path| self.table.documents.get(path).is_some_and(has_syntax_errors)) {
            Some(path) => Err(RenameError::Unparsed(path.to_owned())),
            None if symbol.kind.is_member() => read.try_for_each(|path| self.knows_members(path, symbol)),
            None => Ok(()),
        }
    }

    /// Checks that no value of unknown type in a document has a member with the name of a symbol.
    fn knows_members(&self, path: &str, symbol: SymbolId) -> Result<(), RenameError> {
        let Some((home, document)) =
            self.home(path).and_then(|home| Some((home, self.table.document(home)?)))
        else {
            return Ok(());
        };
        let name = self.document_of(symbol).map_or("", |it| it.text(symbol.span));
        let name = name.trim_matches(['"', '\'', '`']);
        match unresolved(&self.table, home).into_iter().find(|it| it.name == name) {
            Some(found) => Err(RenameError::Member {
                kind: symbol.kind,
                path: path.to_owned(),
                line: document.source[..found.span.start].matches('\n').count() + 1,
            }),
            None => Ok(()),
        }
    }

    /// Returns the edits that give the symbol of an occurrence in the document at `path` another name.
    ///
    /// For an alias only the alias changes, in that document. The edits are checked: afterwards each name means what
    /// it meant, and there are no new errors.
    ///
    /// # Errors
    /// As [`Analysis::can_rename`]; and if the new name is malformed or means something else.
    pub fn rename(&self, path: &str, at: Occurrence, name: &str) -> Result<Vec<RenameEdit>, RenameError> {
        self.can_rename(at.target)?;
        well_formed(name, at.target.kind)?;
        let uses = self.named_alike(path, at);
        let edits: Vec<RenameEdit> = uses.iter().map(|(path, it)| self.edit(path, it, name)).collect();
        self.check_edits(&edits)?;
        Ok(edits)
    }

    /// Returns the occurrences that have the spelling of `at`.
    fn named_alike(&self, path: &str, at: Occurrence) -> Vec<(&str, Occurrence)> {
        let text = |path: &str, it: &Occurrence| {
            self.table.documents.get(path).map(|document| document.text(it.span).to_owned())
        };
        let spelling = text(path, &at);
        let mut uses = self.uses_of(at.target);
        uses.retain(|(other, it)| {
            it.is_alias == at.is_alias && (!at.is_alias || *other == path) && text(other, it) == spelling
        });
        uses
    }

    fn edit(&self, path: &str, it: &Occurrence, name: &str) -> RenameEdit {
        let old = self.table.documents.get(path).map_or("", |document| document.text(it.span));
        let text = match it.is_shorthand {
            true if it.target.kind.is_member() => format!("{name}: {old}"),
            true => format!("{old}: {name}"),
            false => name.to_owned(),
        };
        RenameEdit { path: path.to_owned(), span: it.span, text }
    }

    /// Makes the edits in copies of the documents, and compares what all names mean before and after.
    fn check_edits(&self, edits: &[RenameEdit]) -> Result<(), RenameError> {
        let mut after = self.table.documents.clone();
        RenameEdit::apply(&mut after, edits);
        let changed = by_path(edits);
        let renamed = Analysis::new(&after);
        for (path, edits) in &changed {
            self.compare(&renamed, path, edits)?;
        }
        Ok(())
    }

    fn compare(&self, after: &Analysis<'_>, path: &str, edits: &[&RenameEdit]) -> Result<(), RenameError> {
        let conflict = |problem: String| RenameError::Conflict { path: path.to_owned(), problem };
        let (old, new) = (self.errors(path), after.errors(path));
        if let Some(error) = new.get(old.len()..).and_then(<[_]>::first) {
            let is_new = |it: &&Diagnostic| !old.iter().any(|old| old.code == it.code);
            return Err(conflict(new.iter().find(is_new).unwrap_or(error).message.clone()));
        }
        let is_changed = |own: SymbolId| self.path_of(own) == Some(path);
        let mut old = self.occurrences(path);
        // The parts of `{ name }` in the order that they have in `{ name: value }`.
        old.sort_by_key(|it| (it.span, !it.target.kind.is_member()));
        let before: Vec<(Span, Span)> = old
            .iter()
            .filter(|it| is_changed(it.target))
            .map(|it| (moved(it.span, edits), moved(it.target.span, edits)))
            .collect();
        let now: Vec<(Span, Span)> = after
            .occurrences(path)
            .iter()
            .filter(|it| after.path_of(it.target) == Some(path))
            .map(|it| (it.span, it.target.span))
            .collect();
        if before.len() != now.len() || before.iter().zip(&now).any(|(old, new)| old.1.start != new.1.start) {
            return Err(conflict("the new name has another meaning there already".to_owned()));
        }
        Ok(())
    }

    fn errors(&self, path: &str) -> Vec<Diagnostic> {
        let mut found = self.diagnostics(path, Strictness::Normal);
        found.retain(|it| it.severity == Severity::Error);
        found
    }
}

fn by_path(edits: &[RenameEdit]) -> BTreeMap<&str, Vec<&RenameEdit>> {
    let mut by_path: BTreeMap<&str, Vec<&RenameEdit>> = BTreeMap::new();
    for edit in edits {
        by_path.entry(&edit.path).or_default().push(edit);
    }
    by_path
}

fn has_syntax_errors(document: &Document) -> bool {
    let is_syntax = |code: Code| (Code::UNTERMINATED_COMMENT..=Code::TOO_DEEP).contains(&code);
    document.diagnostics.iter().any(|it| it.severity == Severity::Error && is_syntax(it.code))
}

/// Checks a name against the rules of its kind.
fn well_formed(name: &str, kind: OccurrenceKind) -> Result<(), RenameError> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let first = name.chars().next().filter(|first| first.is_ascii_alphabetic() || *first == '_');
    let first_letter = name.trim_start_matches('_').chars().next();
    if first.is_none() || !name.chars().all(is_part) || matches!(name, "true" | "false" | "null") {
        return Err(RenameError::Name("a name has letters, digits and `_`, and starts with a letter"));
    }
    let is_capital = first_letter.is_some_and(|first| first.is_ascii_uppercase());
    match kind {
        OccurrenceKind::Module
        | OccurrenceKind::Variable
        | OccurrenceKind::Field
        | OccurrenceKind::Method => Ok(()),
        OccurrenceKind::Tool | OccurrenceKind::Parameter if is_capital => {
            Err(RenameError::Name("the names of tools and parameters start with a small letter"))
        }
        OccurrenceKind::Tool | OccurrenceKind::Parameter => Ok(()),
        _ if !is_capital => Err(RenameError::Name(
            "the names of types, errors, capabilities and variants start with a capital",
        )),
        _ => Ok(()),
    }
}

/// Returns a text with edits, which do not overlap.
fn edited(source: &str, edits: &[&RenameEdit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.span);
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for edit in edits {
        text.push_str(&source[at..edit.span.start]);
        text.push_str(&edit.text);
        at = edit.span.end;
    }
    text + &source[at..]
}

/// Returns a place after the edits, for a name that they replace or leave.
fn moved(span: Span, edits: &[&RenameEdit]) -> Span {
    let before = edits.iter().filter(|edit| edit.span.end <= span.start);
    let shift: isize = before
        .map(|edit| edit.text.len().cast_signed() - (edit.span.end - edit.span.start).cast_signed())
        .sum();
    let start = span.start.saturating_add_signed(shift);
    Span::new(start, start + (span.end - span.start))
}

impl RenameEdit {
    /// Makes edits in documents.
    pub fn apply(documents: &mut Documents, edits: &[Self]) {
        for (path, edits) in by_path(edits) {
            let Some(document) = documents.get(path) else { continue };
            let text = edited(&document.source, &edits);
            documents.insert(path, Document::parse(text));
        }
    }
}
