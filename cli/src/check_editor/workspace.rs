//! The workspace of the checks: its files, what the editor is to show of them, and places in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::failure::Failure;

/// The environment variable with the path of the file that says what the editor is to show.
pub(super) const VARIABLE: &str = "DIALECT_CHECK_EDITOR";

/// The folder of a recorded exchange, which stands for the real one.
const RECORDED: &str = "/recorded";

/// The files of a workspace, as data.
#[derive(Debug, Deserialize)]
pub(super) struct Files {
    files: BTreeMap<String, String>,
    unsaved: BTreeMap<String, String>,
    outside: BTreeMap<String, String>,
    links: BTreeMap<String, String>,
    selection: Selected,
}

#[derive(Debug, Deserialize)]
struct Selected {
    place: String,
}

/// The folder of a check, which is gone when this is dropped. It holds the workspace and what lies beside it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _kept: Option<TempDir>,
}

impl Folder {
    /// Writes the files.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn write(files: &Files) -> Result<Self, Failure> {
        let kept = TempDir::with_prefix("check-editor-")?;
        let folder = Self { path: kept.path().canonicalize()?, _kept: Some(kept) };
        std::fs::create_dir(folder.outside())?;
        for (path, text) in &files.files {
            let path = folder.root().join(path);
            std::fs::create_dir_all(path.parent().expect("it has a folder"))?;
            std::fs::write(path, text)?;
        }
        for (path, text) in &files.outside {
            std::fs::write(folder.outside().join(path), text)?;
        }
        for (path, to) in &files.links {
            std::os::unix::fs::symlink(folder.outside().join(to), folder.root().join(path))?;
        }
        let shown = json!({"unsaved": files.unsaved, "selection": files.range(&files.selection.place)?});
        std::fs::write(folder.shown(), format!("{shown:#}\n"))?;
        Ok(folder)
    }

    /// Returns the folder of a recorded exchange, which is not on disk.
    pub(super) fn recorded() -> Self {
        Self { path: RECORDED.into(), _kept: None }
    }

    /// Returns the workspace.
    pub(super) fn root(&self) -> PathBuf {
        self.path.join("workspace")
    }

    /// Returns the file that says what the editor is to show.
    pub(super) fn shown(&self) -> PathBuf {
        self.path.join("shown.json")
    }

    fn outside(&self) -> PathBuf {
        self.path.join("outside")
    }

    /// Returns a value as it is recorded: with the recorded folder in place of this one.
    pub(super) fn to_recorded(&self, value: &Value) -> Value {
        let path = self.path.to_string_lossy();
        map_texts(value, &|text| Ok(json!(text.replace(&*path, RECORDED)))).expect("replacing never fails")
    }

    /// Returns a question with what its texts stand for.
    ///
    /// # Errors
    /// A place is not in the workspace, or a value was not kept: the answer that it comes from was wrong.
    pub(super) fn question(
        &self,
        files: &Files,
        ask: &Value,
        kept: &BTreeMap<String, Value>,
    ) -> Result<Value, String> {
        let outside = self.outside();
        let mut question = substituted(ask, kept)?;
        question =
            map_texts(&question, &|text| Ok(json!(text.replace("<outside>", &outside.to_string_lossy()))))?;
        expand(&mut question, files)?;
        Ok(question)
    }
}

/// Returns a value with the kept values in place of their names.
pub(super) fn substituted(value: &Value, kept: &BTreeMap<String, Value>) -> Result<Value, String> {
    map_texts(value, &|text| match text.strip_prefix('$').filter(|it| it.chars().all(char::is_alphabetic)) {
        Some(name) => kept.get(name).cloned().ok_or_else(|| format!("no answer gave the {name}")),
        None => Ok(json!(text)),
    })
}

/// Maps every text in a value.
fn map_texts(value: &Value, map: &dyn Fn(&str) -> Result<Value, String>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => map(text)?,
        Value::Array(items) => items.iter().map(|it| map_texts(it, map)).collect::<Result<_, _>>()?,
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, it)| Ok((key.clone(), map_texts(it, map)?)));
            Value::Object(fields.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

/// Puts locations and ranges in the place of their texts.
fn expand(question: &mut Value, files: &Files) -> Result<(), String> {
    let Some(fields) = question.as_object_mut() else { return Ok(()) };
    if let Some(range) = fields.remove("range") {
        let range = files.range(range.as_str().unwrap_or_default())?;
        fields.extend(["start", "end"].map(|key| (key.to_owned(), range[key].clone())));
    }
    if let Some(hits) = fields.get_mut("hits").and_then(Value::as_array_mut) {
        for hit in hits {
            *hit = files.range(hit.as_str().unwrap_or_default())?;
        }
    }
    if let Some(at) = fields.get_mut("target").and_then(|it| it.get_mut("at")) {
        let range = files.range(at.as_str().unwrap_or_default())?;
        *at = json!({"path": range["path"], "line": range["start"]["line"], "column": range["start"]["column"]});
    }
    Ok(())
}

impl Files {
    /// Returns the text of a file as the editor shows it.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.unsaved.get(path).or_else(|| self.files.get(path)).map(String::as_str)
    }

    /// Returns the line of a file, without its line break.
    pub(super) fn line(&self, path: &str, number: u64) -> Option<&str> {
        self.text(path)?.lines().nth(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the range of a place, `PATH:LINE:TEXT` or `PATH:LINE:TEXT#2`, with the text of its line.
    ///
    /// # Errors
    /// There is no such place.
    pub(super) fn range(&self, place: &str) -> Result<Value, String> {
        let found = || {
            let mut parts = place.splitn(3, ':');
            let (path, number, text) = (parts.next()?, parts.next()?.parse::<u64>().ok()?, parts.next()?);
            let (text, which) = match text.rsplit_once('#') {
                Some((text, which)) => (text, which.parse::<usize>().ok()?),
                None => (text, 1),
            };
            let line = self.line(path, number)?;
            let (at, _) = line.match_indices(text).nth(which - 1)?;
            let column = line[..at].chars().count() + 1;
            let end = column + text.chars().count();
            Some(json!({
                "path": path,
                "start": {"line": number, "column": column},
                "end": {"line": number, "column": end},
                "text": line.trim(),
            }))
        };
        found().ok_or_else(|| format!("the workspace has no place {place}"))
    }
}

/// Reads the text that a file has on disk.
pub(super) fn text_on_disk(folder: &Path, path: &str) -> Value {
    std::fs::read_to_string(folder.join(path)).map_or(Value::Null, Value::String)
}
