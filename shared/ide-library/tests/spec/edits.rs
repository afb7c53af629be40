//! Edits of the host in memory.

use ide_protocol::{
    ApplyQuestion, ApplyResult, ChangedFile, CodeAction, CodeActionsQuestion, CodeActionsResult,
    Completeness, Edit, EditedTextsQuestion, EditedTextsResult, EditsResult, ErrorCode, FileEdit, FileRange,
    FileTexts, IdeError, RenameQuestion, Source, Target,
};

use super::code::{Word, location};
use super::world::World;

impl World {
    /// Renames the definition and every word that uses it. The edit's id holds the names.
    pub(crate) fn renamed(&self, question: &RenameQuestion) -> Result<EditsResult, IdeError> {
        let RenameQuestion { target, new_name } = question;
        let old = target.name.as_deref().expect("the library says which");
        if !new_name.chars().all(char::is_alphanumeric) {
            let message = format!("the server refuses `{new_name}`: it is no name");
            return Err(IdeError::new(ErrorCode::InvalidRequest, message));
        }
        let (files, mentions) = self.changes(target, old, new_name)?;
        let title = format!("Rename `{old}` to `{new_name}`");
        let edit = Edit { id: format!("rename-{old}-{new_name}"), title, kind: None, files };
        Ok(EditsResult {
            completeness: Completeness::complete(Source("language-server:test".into())),
            edits: Some(edit).into_iter().filter(|it| !it.files.is_empty()).collect(),
            mentioned: Some(mentions.len() as u64),
            mentions,
        })
    }

    /// Applies edits by the names in their ids. An edit of a deleted file has changed.
    pub(crate) fn applied(&self, question: &ApplyQuestion) -> Result<ApplyResult, IdeError> {
        let mut files_of = Vec::new();
        for id in &question.edits {
            files_of.extend(self.edit_named(id)?.files.into_iter().map(changed));
        }
        Ok(ApplyResult { completeness: Completeness::complete(Source("disk".into())), files: files_of })
    }

    /// Returns the edit with an id.
    fn edit_named(&self, id: &str) -> Result<Edit, IdeError> {
        let unknown = || IdeError::new(ErrorCode::NotFound, format!("there is no edit `{id}` (any more)"));
        if let Some(path) = id.strip_prefix("layout ").or_else(|| id.strip_prefix("todo ")) {
            return Ok(self.edit_of(id, path));
        }
        let names = id.strip_prefix("rename-").and_then(|it| it.split_once('-')).ok_or_else(unknown)?;
        let (word, _) = self.defined().find(|(word, _)| word.text == names.0).ok_or_else(unknown)?;
        let target = Target { name: Some(names.0.to_owned()), at: Some(location(&word)) };
        let (files, _) = self.changes(&target, names.0, names.1)?;
        Ok(Edit { id: id.to_owned(), title: String::new(), kind: None, files })
    }

    /// Returns the texts of the files that the edits of a rename change.
    pub(crate) fn edited_texts(&self, question: &EditedTextsQuestion) -> Result<EditedTextsResult, IdeError> {
        let mut files = Vec::new();
        for id in &question.edits {
            let edit = self.edit_named(id)?;
            files.extend(edit.files.iter().map(|file| {
                let lines = &self.files[&file.path];
                let (mut after, mut at) = (lines.clone(), 0);
                for line in file.diff.lines() {
                    match (line.strip_prefix("@@ "), line.strip_prefix('+')) {
                        (Some(number), _) => at = number.parse::<usize>().expect("a number") - 1,
                        (_, Some(text)) => after[at] = text.to_owned(),
                        _ => {}
                    }
                }
                let text = |it: &[String]| Some(it.iter().map(|it| format!("{it}\n")).collect());
                FileTexts { path: file.path.clone(), before: text(lines), after: text(&after), to: None }
            }));
        }
        let source = Source("text".into());
        Ok(EditedTextsResult { completeness: Completeness::complete(source), files })
    }

    /// Offers to remove each `TODO`, and a disabled refactoring.
    pub(crate) fn offered(&self, question: &CodeActionsQuestion) -> Result<CodeActionsResult, IdeError> {
        let CodeActionsQuestion { path, start, end, kind } = question;
        self.file(path)?;
        let is_there = |it: &FileRange| {
            let from = start.is_none_or(|start| it.end >= start);
            from && end.or(*start).is_none_or(|end| it.start <= end)
        };
        let todos = self.words().filter(|it| it.text == "TODO" && it.path == path);
        let fix = |it: FileRange| CodeAction {
            id: format!("todo {path}:{}", it.start.line),
            title: "Remove the TODO".into(),
            kind: Some("quickfix".into()),
            preferred: true,
            disabled: None,
            fixes: vec![format!("{path}:{}:{}: this is not done:", it.start.line, it.start.column)],
        };
        let other = CodeAction {
            id: format!("extract {path}"),
            title: "Extract a function".into(),
            kind: Some("refactor.extract".into()),
            preferred: false,
            disabled: Some("nothing is selected".into()),
            fixes: Vec::new(),
        };
        let fixes = todos.map(|it| self.range_of(&it)).filter(is_there).map(fix);
        let is_meant = |it: &CodeAction| {
            kind.as_ref().is_none_or(|kind| it.kind.as_ref().is_some_and(|it| it.starts_with(kind)))
        };
        let actions = fixes.chain([other]).filter(is_meant).collect();
        let source = Source("language-server:test".into());
        Ok(CodeActionsResult { completeness: Completeness::complete(source), actions })
    }

    /// Returns the edit of an action, or of formatting.
    pub(crate) fn previewed(&self, id: &str) -> Result<EditsResult, IdeError> {
        if id.starts_with("extract ") {
            let message = "`Extract a function` cannot be taken: nothing is selected";
            return Err(IdeError::new(ErrorCode::InvalidRequest, message));
        }
        let path = id.strip_prefix("todo ").or_else(|| id.strip_prefix("layout "));
        let unknown =
            || IdeError::new(ErrorCode::NotFound, format!("there is no code action `{id}` (any more)"));
        let path = path.ok_or_else(unknown)?;
        self.file(path.split(':').next().unwrap_or_default())?;
        let edit = self.edit_of(id, path);
        let source = Source("language-server:test".into());
        let (mentions, mentioned) = (Vec::new(), None);
        Ok(EditsResult {
            completeness: Completeness::complete(source),
            edits: vec![edit],
            mentions,
            mentioned,
        })
    }

    /// Removes a `TODO` with its line, or blanks at the end of lines.
    fn edit_of(&self, id: &str, place: &str) -> Edit {
        let (path, line) = place.split_once(':').unwrap_or((place, ""));
        let line: Option<usize> = line.parse().ok();
        let mut diffs = Vec::new();
        for (at, text) in self.files[path].iter().enumerate() {
            if line == Some(at + 1) {
                diffs.push(format!("@@ {line}\n-{text}", line = at + 1));
            } else if line.is_none() && text.trim_end() != text {
                diffs.push(format!("@@ {}\n-{text}\n+{}", at + 1, text.trim_end()));
            }
        }
        let (title, kind) = match line {
            Some(_) => ("Remove the TODO".to_owned(), Some("quickfix".to_owned())),
            None => (format!("Lay out `{path}`"), None),
        };
        let changes = diffs.len() as u64;
        let file =
            FileEdit { path: path.into(), changes, diff: diffs.join("\n"), cut: 0, fate: None, to: None };
        let files = Some(file).into_iter().filter(|it| it.changes > 0).collect();
        Edit { id: id.to_owned(), title, kind, files }
    }

    fn changes(
        &self,
        target: &Target,
        old: &str,
        new: &str,
    ) -> Result<(Vec<FileEdit>, Vec<FileRange>), IdeError> {
        let place = target.at.as_ref().expect("the library says where");
        let gone = || IdeError::new(ErrorCode::NotFound, "that symbol is not there");
        let named = self.meant_at(place).into_iter().find(|it| it.name == old).ok_or_else(gone)?;
        let (used, ..) = self.used(&named);
        let mut files: Vec<FileEdit> = Vec::new();
        for word in &used {
            let before = &self.files[word.path][word.line];
            let diff = format!("@@ {}\n-{before}\n+{}", word.line + 1, before.replace(old, new));
            match files.last_mut().filter(|it| it.path == word.path) {
                Some(file) if file.diff.ends_with(&diff) => file.changes += 1,
                Some(file) => {
                    file.changes += 1;
                    file.diff += &format!("\n{diff}");
                }
                None => files.push(FileEdit {
                    path: word.path.to_owned(),
                    changes: 1,
                    diff,
                    cut: 0,
                    fate: None,
                    to: None,
                }),
            }
        }
        let is_used = |it: &Word<'_>| used.iter().any(|used| used.path == it.path && used.line == it.line);
        let prose = self.words().filter(|it| it.text == old && it.is_prose && !is_used(it));
        let mentions =
            prose.map(|it| FileRange { role: Some("comment".into()), ..self.range_of(&it) }).collect();
        Ok((files, mentions))
    }
}

fn changed(file: FileEdit) -> ChangedFile {
    let FileEdit { path, changes, fate, to, .. } = file;
    ChangedFile { path, changes, fate, to }
}
