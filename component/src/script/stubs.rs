//! The functions that programs find: those of the registry by library, and those of files.

use ailang_formats::typescript::FoundFunction;
use dialect::{Effect, Registry, Signature, Type};
use script_protocol::Stub;

use super::file_functions;
use crate::plugins::tables::Objects;

/// The namespace for whole programs of Dialect.
pub(super) const DIALECT: &str = "dialect";

/// The only function of [`DIALECT`].
pub(super) const RUN: &str = "run";

/// The function that reads earlier outputs.
pub(super) const OUTPUT: &str = "output";

/// The namespace of the functions about code.
const IDE: &str = "ide";

/// The namespace of the functions about values.
const CORE: &str = "core";

/// The library of the function that explains the others.
const HELP: &str = "help";

/// Returns the stubs of everything that a program can call.
pub(super) fn stubs(registry: &Registry, objects: &Objects) -> Vec<Stub> {
    let declared = registry.functions().map(|(library, signature, _)| {
        let FoundFunction { namespace, name, takes_functions, of, is_property } =
            found(library, signature, objects);
        Stub {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            parameters: signature.parameters.iter().map(|it| it.name.clone()).collect(),
            takes_functions,
            is_open: signature.is_open,
            of: of.map(str::to_owned),
            is_property,
        }
    });
    let own = [(RUN, &["program"][..]), (OUTPUT, &["id", "first", "last"])];
    let own = own.into_iter().map(|(name, parameters)| Stub {
        namespace: DIALECT.into(),
        name: name.into(),
        parameters: parameters.iter().map(|it| (*it).to_owned()).collect(),
        ..Stub::default()
    });
    declared.chain(file_functions::stubs()).chain(own).collect()
}

/// The functions of whole programs and of files, in TypeScript.
const OWN: &str = include_str!("own.d.ts");

/// Returns TypeScript declarations of everything that a program can call.
pub(crate) fn declarations(registry: &Registry, objects: &Objects) -> String {
    let functions = ailang_formats::typescript::declarations(registry, |library, signature| {
        found(library, signature, objects)
    });
    functions + OWN
}

/// Returns the way in which programs find a function of the registry.
fn found<'r>(library: &'r str, signature: &'r Signature, objects: &Objects) -> FoundFunction<'r> {
    let (namespace, name) = split(library, &signature.name);
    let of = object_of(signature).filter(|it| objects.is_object(it));
    FoundFunction {
        namespace,
        name,
        takes_functions: ![IDE, CORE].contains(&namespace),
        of,
        is_property: of.is_some_and(|of| objects.has_property(of, last(name))),
    }
}

/// Returns the namespaces of plugins and extensions.
pub(super) fn plugins(registry: &Registry) -> impl Iterator<Item = &str> {
    let all = registry.functions().map(|(library, signature, _)| split(library, &signature.name).0);
    all.filter(|it| ![IDE, CORE, crate::skills::OWNER].contains(it))
}

/// Returns whether plugins and extensions have methods of objects.
pub(super) fn have_objects(registry: &Registry) -> bool {
    registry.functions().any(|(_, signature, _)| object_of(signature).is_some())
}

/// Returns the type that a function is a method of: `hello.CRef` for `hello.CRef.get(self: hello.CRef)`.
fn object_of(signature: &Signature) -> Option<&str> {
    let Type::Named(of) = &signature.parameters.first()?.ty else { return None };
    let is_method = signature.name.strip_prefix(&**of).is_some_and(|it| it.starts_with('.'));
    is_method.then_some(&**of)
}

/// Returns the last part of a name with dots.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the namespace and the name of a function in TypeScript.
pub(super) fn split<'a>(library: &'a str, name: &'a str) -> (&'a str, &'a str) {
    match name.split_once('.') {
        Some((namespace, name)) => (namespace, name),
        None if library == core_library::NAME => (CORE, name),
        None if [ide_library::NAME, HELP].contains(&library) => (IDE, name),
        None => (library, name),
    }
}

/// Returns the name in Dialect, and the effect, of the function with that name in TypeScript.
pub(super) fn find<'r>(registry: &'r Registry, namespace: &str, name: &str) -> Option<(&'r str, Effect)> {
    registry.functions().find_map(|(library, signature, row)| {
        (split(library, &signature.name) == (namespace, name))
            .then_some((signature.name.as_str(), row.effect))
    })
}
