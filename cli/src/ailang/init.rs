//! `ailang init`: creates a package to start from.

use std::path::{Path, PathBuf};

use ailang::is_built_in;
use ailang::syntax::ModuleReference;
use clap::Args;
use source_text::Span;

use super::outcome::ExitResult;
use crate::output::say;

#[derive(Debug, Args)]
pub(super) struct Init {
    /// The folder; it is created if it does not exist
    pub(super) folder: PathBuf,
    /// The author for `ailang.json`; by default git's author in the environment, or else your user name
    #[arg(long)]
    author: Option<String>,
}

/// The files of a new package with their contents. `NAME` stands for the folder's name, and `AUTHOR` for the author.
const FILES: &[(&str, &str)] = &[
    ("ailang.json", include_str!("init/ailang.json")),
    ("README.md", include_str!("init/README.md")),
    ("main.md", include_str!("init/main.md")),
    ("lib/helpers.md", include_str!("init/helpers.md")),
    ("lib/types.md", include_str!("init/types.md")),
    ("examples/usage.md", include_str!("init/usage.md")),
];

/// The variables of the environment that may name the user, the best first.
const AUTHORS: [&str; 3] = ["GIT_AUTHOR_NAME", "USER", "USERNAME"];

/// The author where nothing names one: a package without an author is not valid.
const ANONYMOUS: &str = "Anonymous";

/// Writes the files, and overwrites none.
pub(super) fn run(arguments: &Init) -> ExitResult {
    let folder = arguments.folder.as_path();
    if let Some((taken, _)) = FILES.iter().find(|(path, _)| folder.join(path).exists()) {
        return Err(format!("{} already exists, so nothing was written", folder.join(taken).display()).into());
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    let (name, author) = (name(folder), in_json(&author(arguments)));
    for (path, text) in FILES {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&path, text.replace("NAME", &name).replace("AUTHOR", &author)))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    say(&format!("{} is a package; see {}", folder.display(), folder.join("main.md").display()))?;
    Ok(0)
}

fn author(arguments: &Init) -> String {
    let user = || AUTHORS.iter().find_map(|name| std::env::var(name).ok().filter(|it| !it.trim().is_empty()));
    arguments.author.clone().or_else(user).unwrap_or_else(|| ANONYMOUS.to_owned())
}

/// Returns a text as it stands between the quotes of JSON.
fn in_json(text: &str) -> String {
    serde_json::Value::from(text).to_string().trim_matches('"').to_owned()
}

/// Returns the folder's name as an id: lowercase letters and digits, `-` between words, a letter first.
fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let text = whole.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("-");
    if is_built_in(&ModuleReference { text: id.clone(), quoted: true, span: Span::default() }) {
        // No import could mean a package that has the name of a built-in module.
        return format!("{id}-tools");
    }
    if id.starts_with(|char: char| char.is_ascii_lowercase()) {
        id
    } else {
        format!("tools-{id}").trim_end_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use ailang::{Manifest, Severity, Strictness, validate_all};

    use super::super::folder::Folder;
    use super::*;

    #[test]
    fn a_new_package_is_valid_strictly() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("My 2 Tools");
        let arguments = Init { folder: folder.clone(), author: Some("Ada \"NAME\" L.".to_owned()) };
        assert_eq!(run(&arguments).unwrap(), 0);
        let package = Folder::read(&folder).unwrap();
        let manifest: Manifest = package.manifest.unwrap();
        assert_eq!(manifest.author.as_ref().unwrap().value, "Ada \"NAME\" L.");
        assert_eq!(manifest.validate(&package.documents, Strictness::Strict), []);
        for (path, found) in validate_all(&package.documents, Strictness::Strict) {
            assert!(found.iter().all(|it| it.severity == Severity::Info), "{path}: {found:?}");
        }
        let id = &package.documents.get("main.md").unwrap().front_matter.id;
        assert_eq!(id.as_ref().unwrap().value, "my-2-tools");
        assert!(run(&arguments).is_err(), "nothing is overwritten");
    }

    #[test]
    fn a_package_has_a_name_that_can_be_imported() {
        for (folder, expected) in
            [("http", "http-tools"), ("2 x", "tools-2-x"), ("é", "tools"), ("A_b", "a-b")]
        {
            assert_eq!(name(Path::new(folder)), expected);
        }
    }
}
