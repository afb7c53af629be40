//! Definitions that programs call or construct by name.

use std::collections::HashSet;

use crate::syntax::{Definition, DefinitionKind, MemberKind, TypeDefinition, TypeKind};

/// A definition: the index of its document, and its offset there.
pub(super) type DefinitionKey = (usize, usize);

/// Returns `true` if programs know the definition by name: a tool or a struct.
pub fn is_registered(definition: &Definition) -> bool {
    match &definition.kind {
        DefinitionKind::Tool(_) => true,
        DefinitionKind::Type(it) => is_record(it),
        _ => false,
    }
}

/// Returns `true` if a type is registered by name: a struct without type parameters and methods, whose fields
/// are names that programs can tell apart.
pub(super) fn is_record(it: &TypeDefinition) -> bool {
    let TypeKind::Struct(members) = &it.ty.kind else { return false };
    // Programs ignore case and underscores.
    let folded =
        |name: &str| name.chars().filter(|it| *it != '_').flat_map(char::to_lowercase).collect::<String>();
    let mut seen = HashSet::new();
    it.parameters.is_empty()
        && members.iter().all(|member| {
            matches!(member.kind, MemberKind::Field { .. })
                && member.name.text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
                && member.name.text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
                && seen.insert(folded(&member.name.text))
        })
}
