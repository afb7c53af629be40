//! The meanings of names in documents, for programs that run.

use std::collections::HashMap;
use std::sync::Arc;

use dialect::{Type, Value};

use crate::documents::Documents;
use crate::lower::{Lowering, payload_name};
use crate::names::{DocumentSymbols, Symbol, SymbolTable};
use crate::syntax::{
    Definition, DefinitionKind, Enum, LiteralKind, Payload, Type as SyntaxType, TypeDefinition, TypeKind,
};
use crate::throwable::Throwable;
use crate::values::number;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A tool, by the name of its row.
    Tool(Arc<str>),
    /// An error.
    Error(Arc<Throwable>),
    /// An enum, with the values of its variants.
    Enum(Arc<Vec<(String, Value)>>),
    /// A type, with `any` for its type parameters.
    Type(Arc<Type>),
    /// A type with methods, whose values a tool makes.
    Constructed(Arc<str>),
    /// A variant of an enum, or the value of a type that has only one.
    Value(Value),
    /// A variant of a union, with the names of its payload.
    Variant(Arc<str>, Arc<Vec<String>>),
    /// A document, by index.
    Module(usize),
    /// A name without a value: a capability, or a part of a document that is not here.
    Nothing,
}

/// The names of one document.
pub(super) type Meanings = HashMap<String, Meaning>;

/// Returns the names of each document; the last are those of the prelude.
pub(super) fn meanings(documents: &Documents) -> Vec<Meanings> {
    let table = SymbolTable::new(documents);
    let mut lowering = Lowering::new(&table);
    (0..=documents.len()).map(|home| names(table.names(home), &mut lowering)).collect()
}

fn names<'a>(symbols: &DocumentSymbols<'a>, lowering: &mut Lowering<'_, 'a>) -> Meanings {
    let mut meanings = Meanings::new();
    let mut variants = Vec::new();
    for (name, symbol) in &symbols.symbols {
        let meaning = match symbol {
            Symbol::Definition(definition, home) => {
                variants.extend(variants_of(definition));
                meaning_of(definition, *home, lowering)
            }
            Symbol::Module(home) => Meaning::Module(*home),
            Symbol::Opaque => Meaning::Nothing,
        };
        meanings.insert((*name).to_owned(), meaning);
    }
    for (name, meaning) in variants {
        meanings.entry(name).or_insert(meaning);
    }
    meanings
}

fn meaning_of<'a>(definition: &'a Definition, home: usize, lowering: &mut Lowering<'_, 'a>) -> Meaning {
    match &definition.kind {
        DefinitionKind::Tool(_) => Meaning::Tool(definition.name.text.as_str().into()),
        DefinitionKind::Error(_) => match lowering.throwable(definition, home) {
            Some(throwable) => Meaning::Error(Arc::new(throwable)),
            None => Meaning::Nothing,
        },
        DefinitionKind::Enum(it) => Meaning::Enum(Arc::new(enum_values(it))),
        DefinitionKind::Type(it) => {
            if let Some((constructor, _)) = lowering.document(home).constructor(definition) {
                return Meaning::Constructed(constructor.name.text.as_str().into());
            }
            match literal(it) {
                Some(value) => Meaning::Value(value),
                None => Meaning::Type(Arc::new(lowering.defined_type(definition, home))),
            }
        }
        DefinitionKind::Capability(_) => Meaning::Nothing,
    }
}

/// Returns the value of a type that has only one, such as `type MOST = 3`.
fn literal(definition: &TypeDefinition) -> Option<Value> {
    let TypeKind::Literal(literal) = &definition.ty.kind else { return None };
    match &literal.kind {
        LiteralKind::Text(text) => Some(text.as_str().into()),
        LiteralKind::Number(value) => number(*value).map(Value::Number),
        LiteralKind::Bool(value) => Some((*value).into()),
        _ => None,
    }
}

/// Returns the variants of an enum with their values on the wire.
fn enum_values(it: &Enum) -> Vec<(String, Value)> {
    let value = |name: &str, literal: Option<&LiteralKind>| match literal {
        Some(LiteralKind::Text(text)) => text.as_str().into(),
        Some(LiteralKind::Number(value)) => number(*value).map_or_else(|| name.into(), Value::Number),
        _ => name.into(),
    };
    let each = it.variants.iter().map(|variant| {
        let name = variant.name.text.clone();
        let value = value(&name, variant.value.as_ref().map(|it| &it.kind));
        (name, value)
    });
    each.collect()
}

/// Returns the variants of a definition, which are visible without it.
fn variants_of(definition: &Definition) -> Vec<(String, Meaning)> {
    match &definition.kind {
        DefinitionKind::Enum(it) => {
            enum_values(it).into_iter().map(|(name, value)| (name, Meaning::Value(value))).collect()
        }
        DefinitionKind::Type(it) => match &it.ty.kind {
            TypeKind::Union(members) => union_variants(members),
            _ => union_variants(std::slice::from_ref(&it.ty)),
        },
        _ => Vec::new(),
    }
}

fn union_variants(members: &[SyntaxType]) -> Vec<(String, Meaning)> {
    let has_payload = members.iter().any(|it| matches!(it.kind, TypeKind::Variant { .. }));
    let each = members.iter().filter_map(|member| match &member.kind {
        TypeKind::Variant { name, payload } => Some((name.text.clone(), variant(&name.text, payload))),
        TypeKind::Named { path, arguments }
            if has_payload && arguments.is_empty() && path.qualifiers.is_empty() =>
        {
            Some((path.name.text.clone(), variant(&path.name.text, &[])))
        }
        _ => None,
    });
    each.collect()
}

fn variant(name: &str, payload: &[Payload]) -> Meaning {
    let part = |(index, part): (usize, &Payload)| match &part.name {
        Some(name) => name.text.clone(),
        None => payload_name(index),
    };
    Meaning::Variant(name.into(), Arc::new(payload.iter().enumerate().map(part).collect()))
}
