//! Types that may contain themselves without a struct between.

use std::collections::HashMap;

use super::registered::{DefinitionKey, is_registered};
use crate::names::{PRELUDE, Scope, Symbol, SymbolTable, circular as circular_nodes};
use crate::syntax::{Definition, DefinitionKind, Type, TypeKind};

/// Returns the definitions that lead to themselves, or lie between two that do, in the order of the documents.
pub(super) fn circular<'a>(table: &SymbolTable<'a>) -> Vec<(DefinitionKey, &'a Definition)> {
    let all = table.documents.iter().map(|(_, it)| it).chain([&*PRELUDE]).enumerate();
    let types: Vec<(&'a Definition, usize, &'a Type)> = all
        .flat_map(|(home, document)| {
            document.definitions().filter_map(move |it| match &it.kind {
                // Structs have names wherever they are used, so that they end every circle.
                DefinitionKind::Type(ty) if !is_registered(it) => Some((it, home, &ty.ty)),
                _ => None,
            })
        })
        .collect();
    let index: HashMap<DefinitionKey, usize> =
        types.iter().enumerate().map(|(at, (it, home, _))| ((*home, it.span.start), at)).collect();
    let targets: Vec<Vec<usize>> = types
        .iter()
        .map(|(_, home, ty)| {
            let mentioned = mentioned(ty, Scope::new(table, *home)).into_iter();
            mentioned.filter_map(|key| index.get(&key).copied()).collect()
        })
        .collect();
    let stays = circular_nodes(&targets);
    let keys = types.iter().zip(stays).filter(|(_, stays)| *stays);
    keys.map(|((it, home, _), _)| ((*home, it.span.start), *it)).collect()
}

/// Returns the definitions that a type names.
fn mentioned(ty: &Type, scope: Scope<'_, '_>) -> Vec<DefinitionKey> {
    let (mut keys, mut pending) = (Vec::new(), vec![ty]);
    while let Some(ty) = pending.pop() {
        if let TypeKind::Named { path, .. } = &ty.kind
            && let Some(Symbol::Definition(definition, home)) = scope.find_type(path)
        {
            keys.push((home, definition.span.start));
        }
        pending.extend(ty.children());
    }
    keys
}
