//! `storage`: the text files below one folder. No path and no symbolic link leads out of it, and none into the folders of
//! version control, whose files can name programs that run.

use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use dialect::{Failure, Value};
use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;
use source_text::is_of_version_control;

use crate::call::Call;

/// The most bytes of a file.
const LARGEST: u64 = 8 << 20;

/// The most files that a pattern is matched against.
const MOST_FILES: usize = 100_000;

pub(crate) fn read_file(call: &Call) -> Result<Value, Failure> {
    let path = call.text("path")?;
    let (folder, name) = place(call, path, false)?;
    let mut text = Vec::new();
    let read = folder.open(&name).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut text));
    read.map_err(|error| failed(call, path, &error))?;
    if text.len() as u64 > LARGEST {
        return Err(refused(call, path, &format!("it has more than {LARGEST} bytes")));
    }
    let text = String::from_utf8(text).map_err(|_| refused(call, path, "it is no text in UTF-8"))?;
    Ok(text.into())
}

pub(crate) fn write_file(call: &Call) -> Result<Value, Failure> {
    let (path, text) = (call.text("path")?, call.text("text")?);
    let (folder, name) = place(call, path, true)?;
    if folder.symlink_metadata(&name).is_ok_and(|it| it.is_dir()) {
        return Err(refused(call, path, "it is a folder"));
    }
    let written = replace(&folder, &name, text.as_bytes());
    written.map_err(|error| refused(call, path, &error.to_string()))?;
    Ok(Value::Null)
}

/// Writes a file beside its place, and then puts it there, so that nobody reads half of it.
fn replace(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let beside = format!(".{name}.{}.part", std::process::id());
    let mut options = OpenOptions::new();
    let mut file = folder.open_with(&beside, options.write(true).create_new(true))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let renamed = written.and_then(|()| folder.rename(&beside, folder, name));
    if renamed.is_err() {
        // What was to be written is told as an error; the rest of it is only in the way.
        let _ = folder.remove_file(&beside);
    }
    renamed
}

pub(crate) fn delete_file(call: &Call) -> Result<Value, Failure> {
    let path = call.text("path")?;
    let (folder, name) = place(call, path, false)?;
    folder.remove_file(&name).map_err(|error| failed(call, path, &error))?;
    Ok(Value::Null)
}

pub(crate) fn list_files(call: &Call) -> Result<Value, Failure> {
    let pattern = call.text("pattern")?;
    let matcher = matcher(pattern).map_err(|reason| refused(call, pattern, &reason))?;
    let folder = root(call, pattern)?;
    let mut walk = Walk { matcher, found: Vec::new(), seen: 0 };
    walk.folder(&folder, "").map_err(|reason| refused(call, pattern, &reason))?;
    walk.found.sort();
    Ok(walk.found.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let relative = pattern.strip_prefix("./").unwrap_or(pattern);
    if relative.starts_with('/') || relative.split('/').any(|it| it == "..") {
        return Err("a pattern starts in the folder of the files, and does not leave it".to_owned());
    }
    let glob = GlobBuilder::new(relative).literal_separator(true).build();
    Ok(glob.map_err(|error| error.kind().to_string())?.compile_matcher())
}

/// A walk through folders. It follows no links.
struct Walk {
    matcher: GlobMatcher,
    found: Vec<String>,
    seen: usize,
}

impl Walk {
    fn folder(&mut self, folder: &Dir, prefix: &str) -> Result<(), String> {
        let entries = folder.entries().map_err(|error| error.to_string())?;
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            self.seen += 1;
            if self.seen > MOST_FILES {
                return Err(format!("there are more than {MOST_FILES} files"));
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() && !is_of_version_control(&name) {
                let inner = folder.open_dir(&name).map_err(|error| format!("{path}: {error}"))?;
                self.folder(&inner, &format!("{path}/"))?;
            } else if kind.is_file() && self.matcher.is_match(&path) {
                self.found.push(path);
            }
        }
        Ok(())
    }
}

/// Opens the folder of the files.
fn root(call: &Call, path: &str) -> Result<Dir, Failure> {
    let opened = Dir::open_ambient_dir(&call.program.files, ambient_authority());
    opened.map_err(|error| refused(call, path, &format!("the folder of the files cannot be opened: {error}")))
}

/// Returns the open folder of a file, and its name there. With `creates`, folders that are missing are made.
///
/// # Errors
/// The path leaves the folder, or leads through a symbolic link.
fn place(call: &Call, path: &str, creates: bool) -> Result<(Dir, String), Failure> {
    let mut names = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            _ => return Err(refused(call, path, "it leaves the folder of the files")),
        }
    }
    if path.contains(['\\', '\0']) || path.ends_with('/') {
        return Err(refused(call, path, "it is no path of a file"));
    }
    if names.iter().any(|it| is_of_version_control(it)) {
        return Err(refused(call, path, "files of version control are not touched"));
    }
    let Some(name) = names.pop() else { return Err(refused(call, path, "it is no path of a file")) };
    let mut folder = root(call, path)?;
    for step in &names {
        is_no_link(call, &folder, step, path)?;
        if creates && folder.symlink_metadata(step).is_err() {
            folder.create_dir(step).map_err(|error| refused(call, path, &error.to_string()))?;
        }
        folder = folder.open_dir(step).map_err(|error| failed(call, path, &error))?;
    }
    is_no_link(call, &folder, &name, path)?;
    Ok((folder, name))
}

fn is_no_link(call: &Call, folder: &Dir, name: &str, path: &str) -> Result<(), Failure> {
    match folder.symlink_metadata(name) {
        Ok(it) if it.is_symlink() => Err(refused(call, path, "it leads through a symbolic link")),
        _ => Ok(()),
    }
}

fn failed(call: &Call, path: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            call.failure("FileNotFoundError", json!({ "path": path }))
        }
        _ => refused(call, path, &error.to_string()),
    }
}

fn refused(call: &Call, path: &str, reason: &str) -> Failure {
    call.failure("StorageError", json!({"path": path, "reason": reason}))
}
