//! Definitions of files as data, with what their syntax says of them.

use std::path::Path;
use std::sync::Arc;

use ide_protocol::Definition;
use syntax::{Kind, Outline, Visibility};

use super::found_definition::{FoundDefinition, ParsedFile, definitions_in, parse_file, to_definition};
use crate::fallback::source::names::Name;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The definitions of one file.
pub(crate) struct DefinitionsInFile {
    pub(crate) definitions: Vec<Definition>,
    /// `true` if parts of the file could not be read as code.
    pub(crate) is_partial: bool,
}

/// Returns the definitions of a file; `None` if it cannot be read or has no grammar. Blocking.
pub(crate) fn file_definitions(roots: &SessionFolders, path: &Path) -> Option<DefinitionsInFile> {
    let source = Arc::new(parse_file(roots, path, None)?);
    let is_told = |it: &syntax::Definition| {
        !is_inner(&source.outline, it) || is_parameter_property(&source.outline, it)
    };
    let shown = definitions_in(&source, &Name::any(), is_told);
    Some(DefinitionsInFile {
        definitions: shown.iter().map(|it| described(roots, it)).collect(),
        is_partial: source.outline.is_partial,
    })
}

/// Converts a definition for the agent, with its signature in place of texts.
pub(crate) fn described(roots: &SessionFolders, found: &FoundDefinition) -> Definition {
    let (source, definition) = (&found.source, found.definition());
    let mut written = to_definition(roots, &found.candidate, &source.text);
    (written.defined_at.text, written.name_at.text) = (None, None);
    let signature = definition.signature(source.text.as_str());
    if is_parameter_property(&source.outline, definition) {
        written.container = source.outline.container(definition).into_iter().rev().nth(1);
    }
    Definition {
        signature: (!signature.is_empty()).then_some(signature),
        public: definition.visibility == Visibility::Public,
        test: definition.is_test || is_test_file(source, &written.name_at.path),
        ..written
    }
}

/// Returns whether it is a property that a parameter of a TypeScript constructor declares.
pub(super) fn is_parameter_property(outline: &Outline, definition: &syntax::Definition) -> bool {
    let parent = definition.parent.map(|it| outline.definitions[it].kind);
    definition.kind == Kind::Property && parent == Some(Kind::Constructor)
}

fn is_test_file(source: &ParsedFile, spelling: &str) -> bool {
    source.language.is_test_path(spelling)
}

/// Returns whether it is data inside of a function, which nobody can name from elsewhere.
pub(super) fn is_inner(outline: &Outline, definition: &syntax::Definition) -> bool {
    let is_in_code = outline.around(definition).iter().any(|it| it.kind.is_callable());
    is_in_code && !definition.kind.is_callable() && !definition.kind.is_type()
}
