//! A name in one file: which file a path means.

use std::collections::BTreeSet;

use dialect::Failure;
use ide_protocol::{Definition, ErrorCode, IdeError, Line};

use super::Resolver;
use crate::LinesQuestion;
use crate::failure::unknown;
use crate::spelling::{is_end_of, spell};
use crate::symbol::start_of;

impl Resolver<'_> {
    /// The definitions of a name in a file; at least one. Where no file has that path, those in files whose paths end
    /// so, with a note.
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
            Err(_) => path.to_owned(),
        };
        let here = there(&file);
        if here.is_empty() { Err(not_there(name, &format!("`{path}`"), &all[0])) } else { Ok(here) }
    }

    /// Those that are in the file that a path means.
    pub(super) async fn in_file(&self, path: &str, mut found: Vec<Definition>) -> Vec<Definition> {
        let mut file = path.to_owned();
        if found.iter().all(|it| it.name_at.path != path) && !found.is_empty() {
            file = self.file(path).await.unwrap_or(file);
        }
        found.retain(|it| it.name_at.path == file);
        found
    }

    /// The path of a file as definitions spell it: what leads there over a link or from the root of the disk may not.
    async fn file(&self, path: &str) -> Result<String, IdeError> {
        let question = LinesQuestion { path: path.to_owned(), first: Line::FIRST, last: Line::FIRST };
        Ok(self.host.lines(question).await?.path)
    }

    /// Of all definitions of a name those in files whose paths end so; no file has that path itself.
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
}

/// The name is defined elsewhere only; `where_not` goes on after "in".
pub(super) fn not_there(name: &str, where_not: &str, other: &Definition) -> Failure {
    unknown(format!("`{name}` is not defined in {where_not}"), name)
        .recovery(format!("It is defined at {}.", spell(&start_of(&other.name_at))))
}
