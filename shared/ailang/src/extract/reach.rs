//! The types that the tools of a document reach.

use std::collections::{HashMap, HashSet};

use dialect::Level;

use crate::Document;
use crate::syntax::{DefinitionKind, MemberKind, Parameters, Tool, Type, TypeKind};

/// Returns the names of the types and enums to include. [`Level::Standard`] leaves out those that no tool
/// needs.
pub(super) fn shown_types(document: &Document, tools: Option<Level>, types: Option<Level>) -> HashSet<&str> {
    let all = || document.definitions().map(|definition| definition.name.text.as_str());
    if types > Some(Level::Standard) || tools < Some(Level::Standard) {
        return all().collect();
    }
    let definitions: HashMap<&str, &DefinitionKind> =
        document.definitions().map(|it| (it.name.text.as_str(), &it.kind)).collect();
    let mut pending = Vec::new();
    for definition in document.definitions() {
        if let DefinitionKind::Tool(tool) = &definition.kind {
            collect_tool(tool, &mut pending);
        }
    }
    let mut reached = HashSet::new();
    while let Some(name) = pending.pop() {
        if reached.insert(name)
            && let Some(DefinitionKind::Type(it)) = definitions.get(name)
        {
            collect_type(&it.ty, &mut pending);
        }
    }
    reached
}

fn collect_tool<'a>(tool: &'a Tool, names: &mut Vec<&'a str>) {
    collect_parameters(&tool.parameters, names);
    tool.returns.iter().for_each(|ty| collect_type(ty, names));
}

fn collect_parameters<'a>(parameters: &'a Parameters, names: &mut Vec<&'a str>) {
    parameters.list.iter().filter_map(|it| it.ty.as_ref()).for_each(|ty| collect_type(ty, names));
}

/// Collects every name in a type.
fn collect_type<'a>(ty: &'a Type, names: &mut Vec<&'a str>) {
    match &ty.kind {
        TypeKind::Literal(_) | TypeKind::Broken => {}
        TypeKind::Choice(inner) | TypeKind::List(inner) | TypeKind::Refined { base: inner, .. } => {
            collect_type(inner, names);
        }
        TypeKind::Union(members) => members.iter().for_each(|it| collect_type(it, names)),
        TypeKind::Variant { payload, .. } => payload.iter().for_each(|it| collect_type(&it.ty, names)),
        TypeKind::Function { parameters, returns } => {
            collect_parameters(parameters, names);
            collect_type(returns, names);
        }
        TypeKind::Named { path, arguments } => {
            names.push(&path.name.text);
            arguments.iter().for_each(|it| collect_type(it, names));
        }
        TypeKind::Struct(members) => {
            for member in members {
                match &member.kind {
                    MemberKind::Field { ty, .. } => collect_type(ty, names),
                    MemberKind::Method { parameters, returns } => {
                        collect_parameters(parameters, names);
                        returns.iter().for_each(|ty| collect_type(ty, names));
                    }
                }
            }
        }
    }
}
