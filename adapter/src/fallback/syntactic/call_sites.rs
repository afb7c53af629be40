//! The calls in a definition, the definition around a call, and which kinds a call can mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use syntax::{Kind, Parsed, Role};

use super::found_definition::{FoundDefinition, ParsedFile, definitions_in, occurrences_on_line};
use crate::fallback::source::languages;
use crate::fallback::source::languages::ids;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;

/// Returns the names that a definition calls, with the places.
pub(super) fn calls(of: &FoundDefinition) -> BTreeMap<String, Vec<(Arc<ParsedFile>, Extent)>> {
    let source = &of.source;
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { return found };
    let Extent { start, end } = of.candidate.whole;
    for line in start.line.index()..=end.line.index() {
        let Some(text) = source.text.line(line) else { continue };
        for (word, columns) in languages::words(&source.path, text) {
            let extent = Extent::within(line, columns);
            let offset = source.offset(extent.start);
            let is_inside = start <= extent.start && extent.end <= end && extent != of.candidate.name_at;
            if is_inside && parsed.role(offset).is_call() {
                found.entry(word).or_default().push((Arc::clone(source), extent));
            }
        }
    }
    found
}

/// Languages in which a method call always has a receiver.
const RECEIVERS: &[&str] =
    &[ids::RUST, ids::PYTHON, ids::TYPESCRIPT, ids::TSX, ids::JAVASCRIPT, ids::GO, ids::PHP];

/// Returns whether a call can mean this kind: `draw()` is no method call, and in Rust `x.draw()` calls no
/// function.
pub(super) fn may_call(source: &ParsedFile, offset: usize, kind: Kind) -> bool {
    let before = source.text.as_str()[..offset].trim_end();
    let language = source.language.id();
    if before.ends_with(['.', ':', '>']) {
        return language != ids::RUST || !before.ends_with('.') || kind != Kind::Function;
    }
    !(RECEIVERS.contains(&language) && kind == Kind::Method)
}

/// Returns the definition around a place: the function, otherwise the field, constant or type.
pub(super) fn around(source: &Arc<ParsedFile>, offset: usize) -> Option<FoundDefinition> {
    let around = source.outline.enclosing(offset)?;
    if around.is_code() {
        return wrap(source, around);
    }
    // A field's value makes the call, not the type. With several fields on a line, the owner is unknown.
    let innermost = source.outline.at(offset)?;
    let is_alone = source.outline.definitions.iter().filter(|it| it.whole == innermost.whole).count() == 1;
    let field = wrap(source, innermost).filter(|it| is_alone && !it.candidate.is_local);
    field.or_else(|| wrap(source, around).filter(|_| is_alone || around.kind.is_type()))
}

/// Returns whether a name is a parameter or local variable of a definition, such as a callback.
pub(super) fn is_local(of: &FoundDefinition, name: &str) -> bool {
    let (source, Extent { start, end }) = (&of.source, of.candidate.whole);
    let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else { return false };
    let lines = start.line.index()..=end.line.index();
    let all = lines
        .flat_map(|line| occurrences_on_line(&source.path, &source.text, line, name))
        .filter(|it| start <= it.start && it.end <= end);
    let mut roles = all.map(|it| parsed.role(source.offset(it.start)));
    roles.any(|it| matches!(it, Role::Definition | Role::Write))
        || source.text.as_str()[of.definition().signature.start..of.definition().signature.end]
            .split(|it: char| !(it.is_alphanumeric() || it == '_'))
            .any(|it| it == name)
}

/// Wraps one definition of a file.
pub(super) fn wrap(source: &Arc<ParsedFile>, definition: &syntax::Definition) -> Option<FoundDefinition> {
    definitions_in(source, &Name::any(), |it| std::ptr::eq(it, definition)).pop()
}
