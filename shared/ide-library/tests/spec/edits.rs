//! What the host in memory would change, and what it says to have changed.

use ide_library::{ApplyQuestion, RenameQuestion};
use ide_protocol::{
    ApplyResult, ChangedFile, Edit, EditsResult, ErrorCode, FileEdit, FileRange, IdeError, Source, Target,
};

use crate::code::{Word, location};
use crate::world::World;

impl World {
    /// Every word that uses it, and the definition; an edit is called after the names, so that it is told by its id.
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
            complete: true,
            source: Source("language-server:test".into()),
            note: None,
            edits: Some(edit).into_iter().filter(|it| !it.files.is_empty()).collect(),
            mentioned: Some(mentions.len() as u64),
            mentions,
        })
    }

    /// By the names in its id. Those of files that are gone have changed.
    pub(crate) fn applied(&self, question: &ApplyQuestion) -> Result<ApplyResult, IdeError> {
        let mut files = Vec::new();
        for id in &question.edits {
            let unknown =
                || IdeError::new(ErrorCode::NotFound, format!("there is no edit `{id}` (any more)"));
            let names = id.strip_prefix("rename-").and_then(|it| it.split_once('-')).ok_or_else(unknown)?;
            let (word, _) = self.defined().find(|(word, _)| word.text == names.0).ok_or_else(unknown)?;
            let at = Some(location(&word));
            let target = Target { name: Some(names.0.to_owned()), at };
            let (changed, _) = self.changes(&target, names.0, names.1)?;
            files.extend(changed.into_iter().map(|it| ChangedFile { path: it.path, changes: it.changes }));
        }
        Ok(ApplyResult { complete: true, source: Source("disk".into()), note: None, files })
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
        let (used, _) = self.used(&named);
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
                None => files.push(FileEdit { path: word.path.to_owned(), changes: 1, diff }),
            }
        }
        let is_used = |it: &Word<'_>| used.iter().any(|used| used.path == it.path && used.line == it.line);
        let prose = self.words().filter(|it| it.text == old && it.is_prose && !is_used(it));
        let mentions =
            prose.map(|it| FileRange { role: Some("comment".into()), ..self.range_of(&it) }).collect();
        Ok((files, mentions))
    }
}
