//! Resolution of imports.

use crate::documents::{Documents, PackageName, candidates, join};
use crate::syntax::ModuleReference;

/// The built-in modules whose short name needs no `ailang.`. The runtime that offers them knows their contents.
const BUILT_IN: &[&str] =
    &["runtime", "context", "http", "storage", "ai", "database", "notification", "validator"];

/// The others in the scope `ailang`. All other packages of that scope are packages like any other.
const SCOPED: &[&str] = &["builtin", "errors", "media"];

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
    if is_built_in_name(&name) {
        let document = documents.index_of(&built_in_path(short(&name)));
        return document.map_or(Module::BuiltIn, Module::Document);
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
        if is_built_in_name(&name) {
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

/// Returns the name of the module if the reference is no path: `ailang/runtime` for `ailang.runtime`.
fn package_name(reference: &ModuleReference) -> String {
    let text = reference.text.trim();
    if reference.quoted { text.to_owned() } else { text.replace('.', "/") }
}

/// Returns `true` for a module that the runtime offers, such as `ailang.runtime` or `@ailang/builtin`.
pub fn is_built_in(reference: &ModuleReference) -> bool {
    is_built_in_name(&package_name(reference))
}

fn is_built_in_name(name: &str) -> bool {
    let name = name.strip_prefix("@").unwrap_or(name);
    let is_scoped = |name: &str| BUILT_IN.contains(&name) || SCOPED.contains(&name);
    BUILT_IN.contains(&name) || name.strip_prefix("ailang/").is_some_and(is_scoped)
}

/// Returns the path of a built-in module among documents: `@ailang/http.md`.
pub(crate) fn built_in_path(name: &str) -> String {
    format!("@ailang/{name}.md")
}

/// Returns the name of a built-in module without the prefix of all of them.
fn short(name: &str) -> &str {
    let name = name.strip_prefix("@").unwrap_or(name);
    name.strip_prefix("ailang/").unwrap_or(name)
}

/// Returns the name of the built-in module that a reference may mean.
pub(crate) fn built_in_name(reference: &ModuleReference) -> Option<&str> {
    let text = reference.text.trim();
    let name = short(text.strip_prefix("ailang.").unwrap_or(text));
    let is_path = reference.quoted && text.starts_with('.');
    (!is_path && !name.is_empty()).then_some(name)
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
    fn a_package_of_the_scope_may_be_no_built_in_module() {
        for name in ["http", "ailang/http", "@ailang/errors", "@ailang/builtin"] {
            assert!(is_built_in_name(name), "{name}");
        }
        for name in ["errors", "@ailang/github-workflow", "ailang", "@example/http"] {
            assert!(!is_built_in_name(name), "{name}");
        }
        let is_known = |(name, _): (&str, _)| is_built_in_name(&format!("ailang/{name}"));
        assert!(crate::standard_library().all(is_known));
    }

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
}
