//! Compilation database for clangd: merges those of the workspace, and adds the sources that none of them
//! names.
//!
//! Without a database clangd knows only open files, and with several it indexes one after the other. So it
//! gets one merged database, in a folder of Dialect's. There it also keeps its index, which it would
//! otherwise write into the workspace. No command of a database is run: clangd reads them as options.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

use ide_protocol::Reason;
use serde_json::{Value, json};

use super::confined::{CompilationFolders, link};
use super::projects::Projects;
use crate::fallback::source::languages::Language;
use crate::fallback::workspace::walk;
use crate::xdg_dirs;

/// The folders in which builds leave databases, relative to a project's folder.
pub(super) const BUILD_FOLDERS: &[&str] =
    &["", "build", "out", "builddir", "cmake-build-debug", "cmake-build-release"];

/// The maximum number of sources to add that have no command of their own.
const SOURCE_LIMIT: usize = 20_000;

/// Folders that projects look for headers in.
const HEADER_FOLDERS: &[&str] = &["include", "src", "inc", "lib"];

/// Writes the database and adds the option that names its folder to the server's arguments; blocking. A
/// failure is added to `projects.left_out`. `kept` names the folders of a confined server, which may not
/// change the database.
pub(crate) fn prepare(language: &Language, projects: &mut Projects, kept: Option<&CompilationFolders>) {
    let found = databases(projects);
    let mut entries: Vec<Value> = found.iter().flat_map(|it| read(it)).collect();
    projects.manifests.extend(found);
    let named: BTreeSet<PathBuf> = entries.iter().filter_map(file_of).collect();
    let sources = sources(language, projects);
    // One is enough: with it clangd reads the database, and indexes everything in that.
    projects.anchors = sources.first().cloned().into_iter().collect();
    let guessed = sources.into_iter().filter(|it| !named.contains(it)).map(|it| guess(&it, projects));
    entries.extend(guessed.collect::<Vec<_>>());
    match write(projects, &entries, kept) {
        Ok(folder) => {
            let mut option = std::ffi::OsString::from("--compile-commands-dir=");
            option.push(folder);
            projects.args.push(option);
        }
        Err(error) => projects.left_out.push(Reason::NoCompilationDatabase { cause: error.to_string() }),
    }
}

fn databases(projects: &Projects) -> BTreeSet<PathBuf> {
    let marked = projects.manifests.iter().filter_map(|it| it.parent());
    let folders: BTreeSet<_> = marked.chain(projects.folders.iter().map(PathBuf::as_path)).collect();
    let places = folders.iter().flat_map(|it| BUILD_FOLDERS.iter().map(|below| it.join(below)));
    places.map(|it| it.join("compile_commands.json")).filter(|it| it.is_file()).collect()
}

/// Reads a database's entries, with absolute folders; none if it cannot be read.
fn read(database: &Path) -> Vec<Value> {
    let text = fs::read_to_string(database);
    let read = text.and_then(|text| Ok(serde_json::from_str::<Vec<Value>>(&text)?));
    let mut entries = read.unwrap_or_else(|error| {
        tracing::warn!(database = %database.display(), %error, "a compilation database cannot be read");
        Vec::new()
    });
    entries.retain(|it| it["file"].is_string());
    let beside = database.parent().unwrap_or(Path::new("/"));
    for entry in &mut entries {
        let folder = beside.join(entry["directory"].as_str().unwrap_or(""));
        entry["directory"] = json!(folder);
    }
    entries
}

fn file_of(entry: &Value) -> Option<PathBuf> {
    let path = Path::new(entry["directory"].as_str()?).join(entry["file"].as_str()?);
    Some(path.canonicalize().unwrap_or(path))
}

/// Returns every source that is compiled on its own, without headers.
fn sources(language: &Language, projects: &Projects) -> Vec<PathBuf> {
    let is_header = |path: &Path| {
        path.extension()
            .and_then(|it| it.to_str())
            .is_none_or(|it| it.starts_with('h') || it == "inl" || it == "cuh")
    };
    let files = projects.folders.iter().flat_map(|it| walk::builder(it, it).build().filter_map(Result::ok));
    let sources = files.map(ignore::DirEntry::into_path).filter(|it| language.owns(it) && !is_header(it));
    let mut sources: Vec<_> = sources.take(SOURCE_LIMIT).collect();
    sources.sort();
    sources
}

/// Returns a compile command for a source that no database names. It has the flags of the nearest
/// `compile_flags.txt` above, and the usual folders of headers.
fn guess(source: &Path, projects: &Projects) -> Value {
    let compiler =
        if source.extension().is_some_and(|it| it == "c" || it == "m") { "clang" } else { "clang++" };
    let root = projects.folders.iter().find(|it| source.starts_with(it));
    let root = root.map_or_else(|| source.parent().unwrap_or(Path::new("/")), PathBuf::as_path);
    let above = source.ancestors().skip(1).take_while(|it| it.starts_with(root));
    let flags = above
        .clone()
        .map(|it| it.join("compile_flags.txt"))
        .find_map(|it| Some((fs::read_to_string(&it).ok()?, it)));
    let mut arguments = vec![compiler.to_owned()];
    let mut directory = root.to_owned();
    if let Some((flags, file)) = flags {
        arguments.extend(flags.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned));
        directory = file.parent().unwrap_or(root).to_owned();
    }
    for folder in above {
        let below = HEADER_FOLDERS.iter().map(|it| folder.join(it)).filter(|it| it.is_dir());
        arguments
            .extend([folder.to_owned()].into_iter().chain(below).map(|it| format!("-I{}", it.display())));
    }
    arguments.push(source.to_string_lossy().into_owned());
    json!({ "directory": directory, "file": source, "arguments": arguments })
}

/// Writes the database into a folder named by a hash of the manifests. A changed build has another folder, so
/// that clangd is restarted.
fn write(projects: &Projects, entries: &[Value], kept: Option<&CompilationFolders>) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    projects.folders.hash(&mut hasher);
    for manifest in &projects.manifests {
        // One that cannot be read counts as empty: once it can be, the hash differs.
        fs::read(manifest).unwrap_or_default().hash(&mut hasher);
    }
    let all = kept.map_or_else(cache, |it| Ok(it.databases.clone()))?;
    let folder = all.join(format!("{:016x}", hasher.finish()));
    fs::create_dir_all(&folder)?;
    if let Some(kept) = kept {
        link(&kept.index, &folder.join(".cache"))?;
    }
    let file = folder.join("compile_commands.json");
    let text = serde_json::to_string(entries)?;
    if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
        let new = folder.join(format!("new-{}", std::process::id()));
        fs::write(&new, text)?;
        fs::rename(&new, &file)?;
    }
    Ok(folder)
}

fn cache() -> io::Result<PathBuf> {
    let folder = xdg_dirs::cache();
    let folder = folder.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no home folder"))?;
    Ok(folder.join("dialect/clangd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_cannot_be_written_is_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.c"), "int f(void) { return 1; }\n").unwrap();
        // A file stands where its folder would.
        let databases = dir.path().join("a.c");
        let kept = CompilationFolders { databases, index: dir.path().join("index") };
        let language = crate::fallback::source::languages::rows().find(|it| it.id == "c").unwrap();
        let mut projects = Projects { folders: [dir.path().to_owned()].into(), ..Projects::default() };
        prepare(language, &mut projects, Some(&kept));
        let [Reason::NoCompilationDatabase { cause }] = &projects.left_out[..] else {
            panic!("{projects:?}")
        };
        assert!(cause.contains("Not a directory") && projects.args.is_empty(), "{projects:?}");
    }
}
