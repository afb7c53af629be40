//! The functions that programs find: those of the registry by library, and those of files.

use dialect::{Effect, Registry};
use script_protocol::Stub;

use super::file_functions;

/// The namespace for whole programs of Dialect.
pub(super) const DIALECT: &str = "dialect";

/// The only function of [`DIALECT`].
pub(super) const RUN: &str = "run";

/// The function that reads earlier outputs.
pub(super) const OUTPUT: &str = "output";

/// The namespace of the functions about code.
const IDE: &str = "ide";

/// The library of the function that explains the others.
const HELP: &str = "help";

/// Returns the stubs of everything that a program can call.
pub(super) fn stubs(registry: &Registry) -> Vec<Stub> {
    let declared = registry.functions().map(|(library, signature, _)| {
        let (namespace, name) = split(library, &signature.name);
        let parameters = signature.parameters.iter().map(|it| it.name.clone()).collect();
        Stub { namespace: namespace.to_owned(), name: name.to_owned(), parameters }
    });
    let own = [(RUN, &["program"][..]), (OUTPUT, &["id", "first", "last"])];
    let own = own.into_iter().map(|(name, parameters)| Stub {
        namespace: DIALECT.into(),
        name: name.into(),
        parameters: parameters.iter().map(|it| (*it).to_owned()).collect(),
    });
    declared.chain(file_functions::stubs()).chain(own).collect()
}

/// The functions of whole programs and of files, in TypeScript.
const OWN: &str = include_str!("own.d.ts");

/// Returns TypeScript declarations of everything that a program can call.
pub(crate) fn declarations(registry: &Registry) -> String {
    format!("{}{OWN}", ailang_formats::typescript::declarations(registry, split))
}

/// Returns the namespaces of plugins and extensions.
pub(super) fn plugins(registry: &Registry) -> impl Iterator<Item = &str> {
    let all = registry.functions().map(|(library, signature, _)| split(library, &signature.name).0);
    all.filter(|it| ![IDE, "core"].contains(it))
}

/// Returns the namespace and the name of a function in TypeScript.
pub(super) fn split<'a>(library: &'a str, name: &'a str) -> (&'a str, &'a str) {
    match name.split_once('.') {
        Some((namespace, name)) => (namespace, name),
        None if library == core_library::NAME => ("core", name),
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
