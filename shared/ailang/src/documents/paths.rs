//! Paths of documents, relative to the package.

/// The start of the paths of built-in modules. No path of a package has two slashes side by side.
const BUILT_IN_ROOT: &str = "ailang://";

/// Returns the path of a built-in module among documents: `ailang://http.md`.
pub(crate) fn built_in_path(module: &str) -> String {
    format!("{BUILT_IN_ROOT}{module}.md")
}

/// Returns the short name of the built-in module whose document is at a path; `None` for any other path.
pub fn built_in_at(path: &str) -> Option<&str> {
    path.strip_prefix(BUILT_IN_ROOT)?.strip_suffix(".md")
}

/// Joins `relative` to the folder of `from`; `None` if the result leaves the folder `root`.
pub(crate) fn join(root: &str, from: &str, relative: &str) -> Option<String> {
    let least = root.split('/').filter(|part| !part.is_empty()).count();
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.len() > least => {
                parts.pop();
            }
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the paths that an import of a path may mean.
pub(crate) fn candidates(path: &str) -> Vec<String> {
    let plain = path.to_owned();
    if path.is_empty() {
        return vec!["main.md".to_owned()];
    }
    vec![plain, format!("{path}.md"), format!("{path}/main.md")]
}
