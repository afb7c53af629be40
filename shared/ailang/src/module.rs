//! Resolution of imports.

use source_text::Span;

use crate::documents::{Documents, PackageName, built_in_path, candidates, join};
use crate::syntax::ModuleReference;

/// The name of the package of all built-in modules. Every program has it, so it is never fetched.
pub const BUILT_IN_PACKAGE: &str = "@ailang/builtin";

/// The built-in modules that are known by their bare names. Nothing else can have these names.
pub(crate) const BUILT_IN: &[&str] =
    &["runtime", "context", "http", "storage", "ai", "database", "notification", "validator"];

/// The built-in modules that are known with a prefix alone: `ailang.errors`, `@ailang/builtin`.
const PREFIXED: &[&str] = &["errors", "generator", "media", "parser", INDEX];

/// The module that offers what all others define.
pub(crate) const INDEX: &str = "builtin";

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// The document at that index.
    Document(usize),
    /// A built-in module.
    BuiltIn,
    /// A declared dependency, which is not among the documents.
    Dependency,
    /// No such document.
    Missing,
    /// A path that leaves the package.
    Escapes,
    /// An absolute path.
    Absolute,
}

/// Resolves a reference in the document at `from`.
pub(crate) fn resolve(documents: &Documents, from: &str, reference: &ModuleReference) -> Module {
    let text = reference.text.trim();
    if reference.quoted && is_absolute(text) {
        return Module::Absolute;
    }
    if reference.quoted && is_relative(text) {
        return match documents.join(from, text) {
            Some(path) => first(documents, &candidates(&path)),
            None => Module::Escapes,
        };
    }
    let name = package_name(reference);
    if let Some(module) = built_in(&name) {
        return match documents.index_of(&built_in_path(module)) {
            Some(index) => Module::Document(index),
            None if is_offered(module) => Module::BuiltIn,
            None => Module::Missing,
        };
    }
    match documents.dependency(from, &name) {
        PackageName::Installed(paths) => first(documents, &paths),
        PackageName::Absent => Module::Dependency,
        PackageName::Unknown => by_name(documents, from, text),
    }
}

/// Returns the first of some paths that exists.
fn first(documents: &Documents, paths: &[String]) -> Module {
    let found = paths.iter().find_map(|path| documents.index_of(path));
    match found {
        Some(index) => Module::Document(index),
        None if paths.iter().any(|path| documents.leads_outside(path)) => Module::Escapes,
        None => Module::Missing,
    }
}

/// Returns the candidate paths of an import in the document at `from`, relative to the package.
///
/// Use [`Documents::import_paths`] where packages are installed: here, names of packages have no paths.
pub fn import_paths(from: &str, reference: &ModuleReference) -> Vec<String> {
    Documents::new().import_paths(from, reference)
}

impl Documents {
    /// Returns the candidate paths of an import in the document at `from`.
    ///
    /// The import means the first path that exists. Built-in modules and packages that are not installed have
    /// none. A loader calls this for each import, reads the first existing file, and adds it.
    pub fn import_paths(&self, from: &str, reference: &ModuleReference) -> Vec<String> {
        let text = reference.text.trim();
        if reference.quoted && is_relative(text) {
            return self.join(from, text).map(|path| candidates(&path)).unwrap_or_default();
        }
        let name = package_name(reference);
        if built_in(&name).is_some() {
            return Vec::new();
        }
        match self.dependency(from, &name) {
            PackageName::Installed(paths) => paths,
            PackageName::Unknown if !reference.quoted => self.sibling_paths(from, text),
            PackageName::Absent | PackageName::Unknown => Vec::new(),
        }
    }

    /// Returns the paths beside `from` that a bare name may mean by the name of the file.
    fn sibling_paths(&self, from: &str, name: &str) -> Vec<String> {
        let kebab = kebab(name);
        let names = [name.to_owned(), kebab.clone(), kebab.replace('-', "_")];
        let mut paths: Vec<String> =
            names.iter().filter_map(|name| self.join(from, &format!("./{name}.md"))).collect();
        paths.dedup();
        paths
    }

    /// Joins `relative` to the folder of `from`; `None` if the result leaves the package of `from`.
    fn join(&self, from: &str, relative: &str) -> Option<String> {
        join(self.package_of(from).map_or("", |package| package.root.as_str()), from, relative)
    }
}

fn is_relative(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../")
}

/// Returns `true` for a quoted name that a package may have, `clock` or `@example/clock`, without a path behind it.
pub(crate) fn is_package_name(reference: &ModuleReference) -> bool {
    let name = reference.text.split_once('/').filter(|(scope, _)| scope.starts_with('@'));
    let name = name.map_or(reference.text.as_str(), |(_, name)| name);
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    reference.quoted && !name.is_empty() && name.chars().all(is_plain)
}

/// Returns the name of the module if the reference is no path: `ailang/runtime` for `ailang.runtime`.
fn package_name(reference: &ModuleReference) -> String {
    let text = reference.text.trim();
    if reference.quoted { text.to_owned() } else { text.replace('.', "/") }
}

/// Returns `true` for a reference to a module of the runtime, such as `ailang.runtime` or `@ailang/builtin`. It has
/// precedence over packages and documents of that name.
pub fn is_built_in(reference: &ModuleReference) -> bool {
    built_in(&package_name(reference)).is_some()
}

/// Returns the path of the built-in module that a reference means; `None` for any other, and for one that does not
/// exist. It is the path of the module's document after [`Documents::add_standard_library`].
pub fn built_in_module(reference: &ModuleReference) -> Option<String> {
    let name = package_name(reference);
    built_in(&name).filter(|module| is_offered(module)).map(built_in_path)
}

/// Returns `true` for a name of a package that no import can mean, because it is built in.
pub(crate) fn is_taken(package: &str) -> bool {
    built_in(package).is_some()
}

/// Returns the short name of a built-in module: `http` for `@ailang/builtin/http`. In the scope `@ailang`, other names
/// are packages; behind `ailang/` and `@ailang/builtin/`, they are modules that do not exist.
fn built_in(name: &str) -> Option<&str> {
    if let Some(rest) = name.strip_prefix(BUILT_IN_PACKAGE) {
        match rest.strip_prefix('/') {
            None if rest.is_empty() => return Some(INDEX),
            None => {}
            Some("") => return Some(INDEX),
            Some(module) => return Some(module),
        }
    }
    if let Some(module) = name.strip_prefix("@ailang/") {
        return Some(module).filter(|module| is_offered(module));
    }
    name.strip_prefix("ailang/").or_else(|| Some(name).filter(|name| BUILT_IN.contains(name)))
}

fn is_offered(module: &str) -> bool {
    BUILT_IN.contains(&module) || PREFIXED.contains(&module)
}

/// Returns the last part of a reference that may be a misspelt built-in module, with its place, and the names that
/// may be meant.
pub(crate) fn meant_modules(reference: &ModuleReference) -> Option<(&str, Span, Vec<&'static str>)> {
    let text = reference.text.as_str();
    if reference.quoted && (is_relative(text) || is_absolute(text)) {
        return None;
    }
    let start = text.rfind(['/', '.']).map_or(0, |at| at + 1);
    let is_prefixed = is_built_in(reference) || text.starts_with("@ailang/");
    if start > 0 && !is_prefixed {
        return None;
    }
    let end = reference.span.end - usize::from(reference.quoted);
    let last = &text[start..];
    let more = if is_prefixed { PREFIXED } else { &[] };
    Some((last, Span::new(end - last.len(), end), BUILT_IN.iter().chain(more).copied().collect()))
}

fn is_absolute(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    path.starts_with(['/', '\\', '~']) || has_drive || path.contains("://")
}

/// Normalizes a path relative to the root of the package; `None` if it leaves the package.
pub(crate) fn path_in_package(text: &str) -> Option<String> {
    if is_absolute(text) { None } else { join("", "", text) }
}

/// Returns the document in the folder of `from` whose id or file name is `name`.
fn by_name(documents: &Documents, from: &str, name: &str) -> Module {
    documents.index_beside(from, name).map_or(Module::Missing, Module::Document)
}

/// Converts camel case to kebab case: `emailSkill` to `email-skill`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for char in name.chars() {
        if char.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(char.to_ascii_lowercase());
    }
    kebab.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_its_package() {
        assert_eq!(join("", "lib/a.md", "../main").as_deref(), Some("main"));
        assert_eq!(join("", "a.md", "./lib/b.md").as_deref(), Some("lib/b.md"));
        assert_eq!(join("", "lib/a.md", "../../x"), None);
        assert_eq!(join("m/clock", "m/clock/lib/a.md", "../../zones/main"), None);
        assert_eq!(join("m/clock", "m/clock/lib/a.md", "../b").as_deref(), Some("m/clock/b"));
        assert_eq!(kebab("emailSkill"), "email-skill");
        assert!(is_absolute("C:\\x") && is_absolute("/etc") && !is_absolute("./x"));
    }

    #[test]
    fn built_in_modules_have_many_spellings_and_their_scope_has_packages_too() {
        for (name, module) in [
            ("http", Some("http")),
            ("ailang/http", Some("http")),
            ("@ailang/http", Some("http")),
            ("@ailang/builtin/http", Some("http")),
            ("@ailang/builtin", Some("builtin")),
            ("@ailang/builtin/", Some("builtin")),
            ("@ailang/errors", Some("errors")),
            ("errors", None),
            ("builtin", None),
            ("ailang/htpp", Some("htpp")),
            ("@ailang/builtin/htpp", Some("htpp")),
            ("@ailang/builtins", None),
            ("@ailang/scheduling", None),
            ("@ailang/scheduling/http", None),
            ("example/http", None),
        ] {
            assert_eq!(built_in(name), module, "{name}");
        }
    }
}
