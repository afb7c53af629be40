//! The functions of files, which see and make the changes of the program.

use futures::{StreamExt, TryStreamExt};
use ide_protocol::{
    Completeness, ErrorCode, FilesQuestion, FilesResult, IdeError, Operation, Reason, TextQuestion,
    TextResult,
};
use script_protocol::{CallOutcome, ErrorKind};
use serde_json::{Map, Value, json};

use super::Calls;
use super::outcomes::{failed, invalid, read_only, returned};
use crate::audit::Ending;
use crate::call_metrics::Said;
use crate::script::file_functions::{self, FileArguments, FileFunction};
use crate::script::overlay::Known;
use unpoisoned::lock;

/// The files of one call that are read at a time.
const READS: usize = 8;

/// The most new text of one program, in bytes: that of one edit.
const CHANGES: usize = 16 * 1024 * 1024;

impl Calls {
    /// Calls a function of files, and measures it.
    pub(super) async fn file_function(
        &self,
        label: &str,
        name: &str,
        positional: Vec<Value>,
        named: Map<String, Value>,
    ) -> CallOutcome {
        let Some(function) = FileFunction::find(name) else {
            return invalid(label, "there is no such function");
        };
        let given = || Said::Text(json!([positional, named]).to_string());
        let call = self.environment.meter.begin(label, given);
        let outcome = match function.arguments(positional, named) {
            Ok(arguments) => self.file(function, label, arguments).await,
            Err(message) => invalid(label, &message),
        };
        if let Some(call) = call {
            let (ending, said) = measured(&outcome);
            call.end_as(ending, said);
        }
        outcome
    }

    async fn file(&self, function: FileFunction, label: &str, arguments: FileArguments) -> CallOutcome {
        if function.changes() && self.environment.read_only {
            return read_only(label);
        }
        let mut notes = Vec::new();
        let done = match function {
            FileFunction::Read => match arguments.paths {
                None => self.read(&arguments.path).await.map(|(_, text, _)| json!(text)),
                Some(paths) => self.read_all(paths).await.map(|it| json!(it)),
            },
            FileFunction::Exists => self.exists(&arguments.path).await.map(|it| json!(it)),
            FileFunction::List => {
                let listed = self.list(arguments.glob.as_deref().unwrap_or(".")).await;
                listed.map(|(paths, note)| {
                    notes.extend(note);
                    json!(paths)
                })
            }
            FileFunction::Write => self.write(arguments.path, arguments.text).await.map(|()| Value::Null),
            FileFunction::Edit => self.edit(label, arguments).await,
            FileFunction::Remove => self.remove(&arguments.path).await.map(|()| Value::Null),
            FileFunction::Rename => self.rename(&arguments.from, &arguments.to).await.map(|()| Value::Null),
            FileFunction::Commit => return self.commit(label).await,
        };
        notes.append(&mut lock(&self.tree_notes));
        match done {
            Ok(value) => returned(label, &value, notes),
            Err(why) => failed(label, why),
        }
    }

    /// Returns the path of a file as answers spell it, its text, and its text on disk if it is not changed here.
    async fn read(&self, path: &str) -> Result<(String, String, Option<String>), IdeError> {
        let normal = self.normal(path);
        match lock(&self.overlay).known(&normal) {
            Known::Text(text) => return Ok((normal, text.to_owned(), None)),
            Known::Gone => {
                let message = format!("this program has removed or moved `{normal}`");
                return Err(IdeError::new(ErrorCode::NotFound, message));
            }
            Known::No => {}
        }
        let question = TextQuestion { path: path.to_owned() };
        let found: TextResult = self.environment.client().ask(Operation::Text, &question).await?;
        self.note_trees(&found.completeness);
        let TextResult { path, text, .. } = found;
        match lock(&self.overlay).known(&path) {
            Known::Text(text) => Ok((path, text.to_owned(), None)),
            _ => Ok((path, text.clone(), Some(text))),
        }
    }

    /// Keeps what an answer says about work trees, for the notes of the call.
    fn note_trees(&self, answer: &Completeness) {
        let is_tree = |it: &&Reason| matches!(it, Reason::OtherTree { .. } | Reason::TreesLeftOut { .. });
        let said = answer.reasons().iter().filter(is_tree).map(ToString::to_string);
        let mut notes = lock(&self.tree_notes);
        let new: Vec<_> = said.filter(|it| !notes.contains(it)).collect();
        notes.extend(new);
    }

    /// Returns the texts of files, in their order.
    async fn read_all(&self, paths: Vec<String>) -> Result<Vec<String>, IdeError> {
        let each = paths.into_iter().map(|path| async move { Ok(self.read(&path).await?.1) });
        futures::stream::iter(each).buffered(READS).try_collect().await
    }

    fn normal(&self, path: &str) -> String {
        let workspace = self.environment.caller.workspace.as_ref().and_then(|it| it.to_str());
        file_functions::normal(path, workspace)
    }

    async fn exists(&self, path: &str) -> Result<bool, IdeError> {
        match self.read(path).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorCode::NotFound => Ok(false),
            // A folder, or a file that is no text.
            Err(error) if error.kind == ErrorCode::InvalidRequest => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Returns the paths, and a note if there may be more.
    async fn list(&self, glob: &str) -> Result<(Vec<String>, Option<String>), IdeError> {
        let question = FilesQuestion { glob: glob.to_owned() };
        let found: Result<FilesResult, IdeError> =
            self.environment.client().ask(Operation::Files, &question).await;
        found.iter().for_each(|it| self.note_trees(&it.completeness));
        let overlay = lock(&self.overlay);
        let (new, gone) = overlay.listed();
        let new: Vec<_> = new.into_iter().filter(|it| matches(glob, it)).map(str::to_owned).collect();
        let (found, note) = match found {
            Ok(found) => {
                let may_lack = !found.completeness.is_complete();
                let why = found.completeness.note().unwrap_or_else(|| format!("of {}", found.total));
                (found.paths, may_lack.then(|| format!("fs.list(`{glob}`) has not all paths: {why}")))
            }
            Err(error) if error.kind == ErrorCode::NotFound && !new.is_empty() => (Vec::new(), None),
            Err(error) => return Err(error),
        };
        let mut paths: Vec<String> = found.into_iter().filter(|it| !gone.contains(&it.as_str())).collect();
        paths.extend(new);
        paths.sort();
        paths.dedup();
        Ok((paths, note))
    }

    async fn write(&self, path: String, text: String) -> Result<(), IdeError> {
        let (path, found) = match self.read(&path).await {
            Ok((path, _, found)) => (path, found),
            Err(error) if error.kind == ErrorCode::NotFound => (self.normal(&path), None),
            Err(error) => return Err(error),
        };
        self.put(&path, text, found)
    }

    /// Gives a file of the overlay a text.
    fn put(&self, path: &str, text: String, found: Option<String>) -> Result<(), IdeError> {
        let mut overlay = lock(&self.overlay);
        if overlay.size() + text.len() > CHANGES {
            let message = format!("`{path}` would bring the changes of this program above 16 MiB");
            return Err(IdeError::new(ErrorCode::InvalidRequest, message)
                .recovery("Write the changes so far with `await fs.commit()`, or change less."));
        }
        overlay.write(path, text, found);
        Ok(())
    }

    async fn edit(&self, label: &str, arguments: FileArguments) -> Result<Value, IdeError> {
        let (path, text, found) = self.read(&arguments.path).await?;
        let (text, count) = file_functions::replaced(&text, &arguments)
            .map_err(|message| IdeError::new(ErrorCode::InvalidRequest, format!("{label}: {message}")))?;
        self.put(&path, text, found)?;
        Ok(json!(count))
    }

    async fn remove(&self, path: &str) -> Result<(), IdeError> {
        let (path, _, found) = self.read(path).await?;
        lock(&self.overlay).remove(&path, found);
        Ok(())
    }

    async fn rename(&self, from: &str, to: &str) -> Result<(), IdeError> {
        let (from, _, found) = self.read(from).await?;
        if self.exists(to).await? {
            let message = format!("`{to}` is there already");
            return Err(IdeError::new(ErrorCode::InvalidRequest, message)
                .recovery("Remove it first, or choose another path."));
        }
        lock(&self.overlay).rename(&from, &self.normal(to), found);
        Ok(())
    }
}

/// Returns the outcome of a call of a file, and its words.
fn measured(outcome: &CallOutcome) -> ((Ending, Option<String>), Said) {
    match outcome {
        CallOutcome::Success { value, .. } => ((Ending::Success, None), Said::Text(value.get().to_owned())),
        CallOutcome::Error(error) => {
            let said = Said::Text(error.message.clone());
            match error.kind {
                ErrorKind::Denied => ((Ending::Denied, None), said),
                ErrorKind::Ambiguous => ((Ending::Ambiguity, None), said),
                kind => ((Ending::Failure, Some(format!("{kind:?}").to_lowercase())), said),
            }
        }
    }
}

/// Returns whether a glob of `files` matches a path: a name in any folder, a path, or a folder.
fn matches(glob: &str, path: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    if glob.is_empty() || glob == "." || path == glob || path.starts_with(&format!("{glob}/")) {
        return true;
    }
    let pattern = if glob.contains('/') { glob.to_owned() } else { format!("**/{glob}") };
    let matcher = globset::GlobBuilder::new(&pattern).literal_separator(true).build();
    matcher.is_ok_and(|it| it.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_listed_by_the_same_globs() {
        for (glob, path, expected) in [
            ("**/*", "a/b.ts", true),
            ("*.ts", "a/b.ts", true),
            ("src/*.ts", "src/a/b.ts", false),
            ("src/**/*.ts", "src/a/b.ts", true),
            ("src", "src/a/b.ts", true),
            (".", "x", true),
            ("sr", "src/a", false),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
    }
}
