//! Resolution of imports.

use crate::documents::Documents;
use crate::syntax::ModuleReference;

/// The built-in modules. The runtime that offers them knows their contents.
const BUILT_IN: &[&str] =
    &["runtime", "context", "http", "storage", "ai", "database", "notification", "validator"];

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
    if !reference.quoted {
        return resolve_name(documents, from, text, &text.replace('.', "/"));
    }
    if is_absolute(text) {
        return Module::Absolute;
    }
    if !text.starts_with("./") && !text.starts_with("../") {
        return resolve_name(documents, from, text, text);
    }
    let Some(path) = join(from, text) else { return Module::Escapes };
    let found = candidates(&path).into_iter().find_map(|path| documents.index_of(&path));
    found.map_or(Module::Missing, Module::Document)
}

/// Resolves a name that is no path: a built-in module, a dependency, or a document in the folder of `from`.
fn resolve_name(documents: &Documents, from: &str, text: &str, name: &str) -> Module {
    if is_built_in(name) {
        let document = documents.index_of(&built_in_path(short(name)));
        document.map_or(Module::BuiltIn, Module::Document)
    } else if documents.needs(name) {
        Module::Dependency
    } else {
        by_name(documents, from, text)
    }
}

/// Returns the candidate paths of an import in the document at `from`, relative to the package.
///
/// The import means the first path that exists. Built-in modules and other names without a path have none. A
/// loader calls this for each import, reads the first existing file, and adds it to the [`Documents`].
pub fn import_paths(from: &str, reference: &ModuleReference) -> Vec<String> {
    let text = reference.text.trim();
    if reference.quoted && (text.starts_with("./") || text.starts_with("../")) {
        return join(from, text).map(|path| candidates(&path)).unwrap_or_default();
    }
    if reference.quoted || is_built_in(&text.replace('.', "/")) {
        return Vec::new();
    }
    let kebab = kebab(text);
    let names = [text.to_owned(), kebab.clone(), kebab.replace('-', "_")];
    let paths = names.iter().filter_map(|name| join(from, &format!("./{name}.md")));
    let mut paths: Vec<String> = paths.collect();
    paths.dedup();
    paths
}

fn is_built_in(name: &str) -> bool {
    let name = name.strip_prefix("@").unwrap_or(name);
    name.starts_with("ailang/") || BUILT_IN.contains(&name)
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

/// Joins `relative` to the folder of `from`; `None` if the result leaves the package.
fn join(from: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Normalizes a path relative to the root of the package; `None` if it leaves the package.
pub(crate) fn path_in_package(text: &str) -> Option<String> {
    if is_absolute(text) { None } else { join("", text) }
}

fn candidates(path: &str) -> Vec<String> {
    let plain = path.to_owned();
    if path.is_empty() {
        return vec!["main.md".to_owned()];
    }
    vec![plain, format!("{path}.md"), format!("{path}/main.md")]
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
        assert_eq!(join("lib/a.md", "../main").as_deref(), Some("main"));
        assert_eq!(join("a.md", "./lib/b.md").as_deref(), Some("lib/b.md"));
        assert_eq!(join("lib/a.md", "../../x"), None);
        assert_eq!(kebab("emailSkill"), "email-skill");
        assert!(is_absolute("C:\\x") && is_absolute("/etc") && !is_absolute("./x"));
    }
}
