//! Names in one file: the file that a path means, what it defines and what it uses, and the check that it lacks the
//! name.

use std::collections::BTreeSet;

use dialect::Failure;
use ide_protocol::{
    Definition, ErrorCode, IdeError, Line, LinesQuestion, Operation, OutlineQuestion, SearchQuestion,
};

use super::Resolver;
use crate::failure::{from_wire, not_there, sentence};
use crate::naming::{is_here, known_inside};
use crate::spelling::{display_location, is_end_of, own_name, split_qualified};

impl Resolver<'_> {
    /// Returns the definitions of a name in a file; at least one. If no file has that path, files whose paths end
    /// with it count, with a note.
    pub(super) async fn name_in_file(&self, name: &str, path: &str) -> Result<Vec<Definition>, Failure> {
        let all = self.name(name).await?;
        let there =
            |path: &str| -> Vec<_> { all.iter().filter(|it| it.name_at.path == path).cloned().collect() };
        let here = there(path);
        if !here.is_empty() {
            return Ok(here);
        }
        let file = match self.file(path).await {
            Ok(file) => file,
            Err(error) if error.kind == ErrorCode::NotFound => return self.by_end_of_path(name, path, all),
            Err(error) => return Err(unreadable_file(name, path, error, &all[0])),
        };
        let here = there(&file);
        if here.is_empty() { self.outlined(name, path, &file, &all[0]).await } else { Ok(here) }
    }

    /// Returns the definitions in the file that a path means.
    pub(super) async fn in_file(&self, path: &str, mut found: Vec<Definition>) -> Vec<Definition> {
        let mut file = path.to_owned();
        if found.iter().all(|it| it.name_at.path != path) && !found.is_empty() {
            file = self.file(path).await.unwrap_or(file);
        }
        found.retain(|it| it.name_at.path == file);
        found
    }

    /// Returns the path of a file as definitions spell it. A path over a link or from the root of the disk differs.
    async fn file(&self, path: &str) -> Result<String, IdeError> {
        let question = LinesQuestion { path: path.to_owned(), first: Line::FIRST, last: Line::FIRST };
        Ok(self.host.ask(Operation::Lines, &question).await?.path)
    }

    /// Returns the definitions in files whose paths end with `path`; no file has that path itself.
    fn by_end_of_path(
        &self,
        name: &str,
        path: &str,
        mut all: Vec<Definition>,
    ) -> Result<Vec<Definition>, Failure> {
        if all.iter().all(|it| !is_end_of(path, &it.name_at.path)) {
            let where_not = format!("`{path}`: there is no such file");
            return Err(not_there(name, &where_not, &all[0]));
        }
        all.retain(|it| is_end_of(path, &it.name_at.path));
        let files: BTreeSet<&str> = all.iter().map(|it| it.name_at.path.as_str()).collect();
        let taken = match files.len() {
            1 => format!("this is from `{}`", all[0].name_at.path),
            count => format!("these are from {count} whose paths end so"),
        };
        self.notes.add(format!("There is no file `{path}`; {taken}."));
        Ok(all)
    }

    /// Returns the definitions of a name in the outline of a file. If others have the name, a question about the name
    /// alone may leave these out. `other` is defined elsewhere.
    async fn outlined(
        &self,
        name: &str,
        path: &str,
        file: &str,
        other: &Definition,
    ) -> Result<Vec<Definition>, Failure> {
        let outline = self.host.ask(Operation::Outline, &OutlineQuestion { path: file.to_owned() }).await;
        let outline = outline.map_err(|error| unreadable_file(name, path, error, other))?;
        let own = own_name(name);
        let mut here = Vec::new();
        for listed in outline.definitions.iter().filter(|it| it.name == own) {
            // Some outlines list imported names, which lead elsewhere.
            let place = listed.name_at.location();
            let found = self.at(&place).await?;
            here.extend(found.into_iter().filter(|it| it.name_at.location() == place));
        }
        if let Some((container, _)) = split_qualified(name).filter(|(container, _)| !is_here(container)) {
            here = known_inside(container, &here).unwrap_or_default();
        }
        if here.is_empty() {
            here = self.used(name, file).await;
        }
        if !here.is_empty() {
            return Ok(here);
        }
        let known = match (outline.completeness.is_complete(), outline.completeness.note()) {
            (true, _) => String::new(),
            (false, None) => " as far as is known".to_owned(),
            (false, Some(why)) => format!(" as far as is known: {why}"),
        };
        Err(not_there(name, &format!("`{path}`{known}"), other))
    }
}

impl Resolver<'_> {
    /// Returns the definitions elsewhere that a file means by a name, which it imports, with a note; none if it does not
    /// use the name.
    async fn used(&self, name: &str, file: &str) -> Vec<Definition> {
        let own = own_name(name);
        let question = SearchQuestion { context: Some(0), ..SearchQuestion::new(file, whole_word(own)) };
        let Ok(uses) = self.host.ask(Operation::Search, &question).await else { return Vec::new() };
        let (mut lines, mut elsewhere) = (Vec::new(), Vec::<Definition>::new());
        for place in uses.hits.iter().take(TRIED_USES) {
            // A comment or a text names nothing.
            let Ok(found) = self.at(&place.location()).await else { continue };
            let is_new = |it: &Definition| {
                let is_known = elsewhere.iter().any(|known| known.name_at == it.name_at);
                it.name_at.path != file && !is_known
            };
            let new: Vec<_> = found.into_iter().filter(is_new).collect();
            if !new.is_empty() {
                lines.push(place.start.line.to_string());
                elsewhere.extend(new);
            }
        }
        if !elsewhere.is_empty() {
            let (word, verb) = if lines.len() == 1 { ("line", "means") } else { ("lines", "mean") };
            let lines = lines.join(" and ");
            self.notes.add(format!(
                "`{name}` is not defined in `{file}`; this is what its {word} {lines} {verb} by it."
            ));
        }
        elsewhere
    }
}

/// The maximum number of lines of a file to try for what it means by a name.
const TRIED_USES: usize = 4;

/// Returns the pattern of a name as a whole word.
fn whole_word(name: &str) -> String {
    let is_word = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let edge = |it: Option<char>| if is_word(it) { r"\b" } else { "" };
    let escape = |it: char| if is_word(Some(it)) { it.to_string() } else { format!("\\{it}") };
    let inside: String = name.chars().map(escape).collect();
    format!("{}{inside}{}", edge(name.chars().next()), edge(name.chars().last()))
}

/// Returns the failure for a file that cannot be checked.
fn unreadable_file(name: &str, path: &str, error: IdeError, other: &Definition) -> Failure {
    let message = format!("whether `{name}` is defined in `{path}` cannot be told: {}", error.message);
    let doctor = (error.kind == ErrorCode::Unavailable).then_some("`dialect doctor` says what is missing");
    let advice = error.recovery.as_deref().or(doctor).map(|it| sentence(it) + " ").unwrap_or_default();
    let elsewhere = display_location(&other.name_at.location());
    let recovery = format!("{advice}`{name}` is defined elsewhere, at {elsewhere}.");
    from_wire(IdeError { message, recovery: Some(recovery), ..error })
}
