//! Descriptions of a function, type or conversion, in the detail of a level.

use std::sync::Arc;

use crate::registry::{RegisteredConversion, RegisteredType, Registry};
use crate::{DeclaredFailure, Effect, Function, Level, Requirement, Signature, Type, TypeAlias};

/// Describes a function of the library `library`.
pub(super) fn about_function(registry: &Registry, library: &str, row: &Function, level: Level) -> String {
    let signature = Signature::parse(&row.signature);
    let Ok(signature) = signature else { unreachable!("the rows of a registry have signatures that parse") };
    if level <= Level::Compact {
        return short(&signature, &row.summary, level);
    }
    let Function { aliases, docs, examples, effect, asks, fails, notes, .. } = row;
    let mut lines = vec![row.signature.clone(), row.summary.clone()];
    lines.extend((!aliases.is_empty()).then(|| format!("Also called {}.", aliases.join(", "))));
    lines.extend((*effect == Effect::Writes).then(|| "It writes.".to_owned()));
    if level >= Level::Detailed {
        lines.push(docs.clone());
    }
    lines.extend(needs(&row.requirements(library), asks, level));
    lines.extend(failures(fails, level));
    lines.extend(types(registry, &signature, level));
    if level >= Level::Detailed {
        lines.extend(examples.iter().map(|it| format!("E.g. {it}")));
    }
    if level == Level::Complete {
        lines.push(notes.clone());
    }
    joined(lines)
}

/// Describes a type: its constructor, its parts, and the types that convert to it.
pub(super) fn about_type(
    registry: &Registry,
    constructor: &Signature,
    shape: &RegisteredType,
    level: Level,
) -> String {
    if level <= Level::Compact {
        return short(constructor, &shape.row.description, level);
    }
    let mut lines = vec![constructor.to_string(), shape.row.description.clone()];
    if level >= Level::Detailed {
        lines.push(shape.row.docs.clone());
        lines.extend(sources(registry, shape));
    }
    let parts: Vec<String> = types(registry, &shape.signature, level).collect();
    lines.extend(parts);
    joined(lines)
}

/// Describes a type that is no record: what it stands for, and its parts.
pub(super) fn about_alias(registry: &Registry, alias: &TypeAlias, level: Level) -> String {
    if level <= Level::Compact {
        return format!("{} // {}\n", alias.name, alias.description);
    }
    let signature = Signature {
        name: alias.name.clone(),
        parameters: Vec::new(),
        returns: alias.ty.clone(),
        is_open: false,
    };
    let mut lines = vec![alias.to_string(), alias.description.clone()];
    lines.extend(types(registry, &signature, level));
    joined(lines)
}

/// Describes a conversion: its types, and where it applies.
pub(super) fn about_conversion(route: &RegisteredConversion, level: Level) -> String {
    let RegisteredConversion { signature, description, requires, fails, .. } = route;
    if level <= Level::Compact {
        return short(signature, description, level);
    }
    let mut lines = vec![signature.to_string(), description.clone()];
    lines.push(format!("A conversion: applied where {} is needed.", signature.returns));
    lines.extend(needs(requires, &[], level));
    lines.extend(failures(fails, level));
    joined(lines)
}

/// Describes a callable in one line: its name, or its signature without types.
fn short(signature: &Signature, summary: &str, level: Level) -> String {
    let names: Vec<&str> = signature.parameters.iter().map(|it| it.name.as_str()).collect();
    let arguments = if level == Level::Minimal { String::new() } else { format!("({})", names.join(", ")) };
    format!("{}{arguments} // {summary}\n", signature.name)
}

/// Describes the permissions that calling it needs, and the questions to the user.
fn needs(requires: &[Requirement], asks: &[String], level: Level) -> Vec<String> {
    if requires.is_empty() {
        return Vec::new();
    }
    let each: Vec<String> = requires.iter().map(ToString::to_string).collect();
    let mut lines = vec![format!("Needs the user's permission for {}.", each.join(", "))];
    if level >= Level::Detailed {
        lines.extend_from_slice(asks);
    }
    lines
}

fn failures(fails: &[DeclaredFailure], level: Level) -> Vec<String> {
    let descriptions = fails.iter().map(|it| it.describe(level));
    if level >= Level::Detailed {
        return descriptions.map(|it| format!("Fails with {it}")).collect();
    }
    let names: Vec<String> = descriptions.collect();
    if names.is_empty() { names } else { vec![format!("Fails with {}.", names.join(", "))] }
}

/// Describes the types of a signature, and their parts, in a line each.
fn types(registry: &Registry, signature: &Signature, level: Level) -> impl Iterator<Item = String> {
    let line_of = move |shape: Reached<'_>| {
        let shape = match shape {
            Reached::Record(shape) => shape,
            Reached::Alias(alias) if level >= Level::Detailed && !alias.description.is_empty() => {
                return format!("{alias} // {}", alias.description);
            }
            Reached::Alias(alias) => return alias.to_string(),
        };
        let signature = shape.signature.to_string();
        let line = signature.trim_end_matches(" -> any").to_owned();
        match level {
            Level::Complete => {
                joined(vec![format!("{line} // {}", shape.row.description), shape.row.docs.clone()])
                    .trim_end()
                    .to_owned()
            }
            Level::Detailed => format!("{line} // {}", shape.row.description),
            _ => line,
        }
    };
    reached(registry, signature).into_iter().map(line_of)
}

/// Returns the types that a signature names, and their parts. Each occurs once, in order, without the type
/// itself.
fn reached<'r>(registry: &'r Registry, signature: &Signature) -> Vec<Reached<'r>> {
    let names = |signature: &Signature| -> Vec<Arc<str>> {
        let types = signature.parameters.iter().map(|it| &it.ty).chain([&signature.returns]);
        types.flat_map(Type::names).cloned().collect()
    };
    let mut found: Vec<Reached<'r>> = Vec::new();
    let mut seen: Vec<Arc<str>> = vec![signature.name.as_str().into()];
    let mut open = names(signature);
    open.reverse();
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        if let Some(shape) = registry.registered_type(&name) {
            found.push(Reached::Record(shape));
            open.extend(names(&shape.signature).into_iter().rev());
        } else if let Some(alias) = registry.types().alias(&name) {
            found.push(Reached::Alias(alias));
            open.extend(alias.ty.names().into_iter().rev().cloned());
        }
        seen.push(name);
    }
    found
}

/// A type that a signature leads to.
enum Reached<'r> {
    Record(&'r RegisteredType),
    Alias(&'r TypeAlias),
}

/// Describes the types that convert to this one.
fn sources(registry: &Registry, shape: &RegisteredType) -> Vec<String> {
    let gives =
        |route: &&Arc<RegisteredConversion>| route.signature.returns == Type::Named(Arc::clone(&shape.name));
    let line_of = |route: &Arc<RegisteredConversion>| {
        format!("From {}: {}", route.signature.parameters[0].ty, route.description)
    };
    registry.conversions().iter().filter(gives).map(line_of).collect()
}

/// Joins the lines that are not empty.
fn joined(lines: Vec<String>) -> String {
    lines.into_iter().filter(|it| !it.is_empty()).map(|it| it + "\n").collect()
}
