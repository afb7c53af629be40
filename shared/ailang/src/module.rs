//! What an import refers to.

use crate::documents::Documents;
use crate::syntax::ModuleReference;

/// Modules that are built in. What they hold is known to the runtime that offers them.
const BUILT_IN: &[&str] =
    &["runtime", "context", "http", "storage", "ai", "database", "notification", "validator"];

/// What an import refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// The document at that index.
    Document(usize),
    /// Something built in.
    BuiltIn,
    /// A package that is needed, and is not among the documents.
    Dependency,
    /// No document that is there.
    Missing,
    /// A path that leaves the package.
    Escapes,
    /// An absolute path.
    Absolute,
}

/// What the reference in the document at `from` refers to.
pub(crate) fn resolve(documents: &Documents, from: &str, reference: &ModuleReference) -> Module {
    let text = reference.text.trim();
    if !reference.quoted {
        return elsewhere(documents, from, text, &text.replace('.', "/"));
    }
    if is_absolute(text) {
        return Module::Absolute;
    }
    if !text.starts_with("./") && !text.starts_with("../") {
        return elsewhere(documents, from, text, text);
    }
    let Some(path) = join(from, text) else { return Module::Escapes };
    let found = candidates(&path).into_iter().find_map(|path| documents.index_of(&path));
    found.map_or(Module::Missing, Module::Document)
}

/// What a name stands for that is no path: something built in, a package, or a document beside the one at `from`.
fn elsewhere(documents: &Documents, from: &str, text: &str, name: &str) -> Module {
    if is_built_in(name) {
        Module::BuiltIn
    } else if documents.needs(name) {
        Module::Dependency
    } else {
        by_name(documents, from, text)
    }
}

/// The paths, relative to the package, of which the first that exists is what an import from the document at `from`
/// means; none for what is built in or no path.
///
/// Whoever loads documents asks this for each import of a document, reads the first file that is there, and adds it
/// to the [`Documents`].
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

fn is_absolute(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    path.starts_with(['/', '\\', '~']) || has_drive || path.contains("://")
}

/// The path that `relative` is, seen from the document at `from`; `None` when it leaves the package.
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

/// The path in the package that a text names, seen from its root; `None` when it leaves the package.
pub(crate) fn inside(text: &str) -> Option<String> {
    if is_absolute(text) { None } else { join("", text) }
}

fn candidates(path: &str) -> Vec<String> {
    let plain = path.to_owned();
    if path.is_empty() {
        return vec!["main.md".to_owned()];
    }
    vec![plain, format!("{path}.md"), format!("{path}/main.md")]
}

/// The document beside the one at `from` whose id or file has that name.
fn by_name(documents: &Documents, from: &str, name: &str) -> Module {
    documents.index_beside(from, name).map_or(Module::Missing, Module::Document)
}

/// `emailSkill` is `email-skill`.
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
