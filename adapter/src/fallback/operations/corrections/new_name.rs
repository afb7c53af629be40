//! Checks of a new name in the files that get it: conflicts with existing names, and broken syntax.

use std::sync::Arc;

use ide_protocol::{ErrorCode, IdeError, Line, Listing, Location, Operation, Point, Reason};
use syntax::Parsed;

use super::correction::{Correction, Query, Renamed, Scope};
use crate::blocking;
use crate::fallback::edits::FileChange;
use crate::fallback::session::query_context::Problem;
use crate::fallback::source::languages;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::workspace::buffers::Texts;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "new-name", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "Every server accepts a new name that another symbol of the file already has; some accept names \
          that the language does not allow",
    renamed: Some(|query, renamed| Box::pin(conflicts(query, renamed))),
    ..Correction::NONE
};

async fn conflicts(query: &Query<'_>, renamed: Renamed<'_>) -> Result<Vec<Reason>, Problem> {
    Ok(check(renamed.new, renamed.files, query.roots().texts()).await?.into_iter().collect())
}

/// The maximum number of places in the reason.
const SHOWN: usize = 5;

/// Returns `true` if `new` may replace `old`. An identifier must replace an identifier; a name that is no
/// identifier accepts any text without whitespace.
pub(crate) fn may_follow(new: &str, old: &str) -> bool {
    let is_word = |it: &str| {
        let it = it.trim_start_matches("r#");
        !it.starts_with(|it: char| it.is_numeric())
            && it.trim_start_matches('#').chars().all(|it| it.is_alphanumeric() || it == '_' || it == '$')
    };
    !new.is_empty() && !new.contains(char::is_whitespace) && (is_word(new) || !is_word(old))
}

/// Returns the reason that lists where the new name already stands in the changed files.
///
/// # Errors
/// The new name would break the syntax of a file.
pub(crate) async fn check(new: &str, files: &[FileChange], texts: Texts) -> Result<Option<Reason>, IdeError> {
    let (new, files) = (Arc::<str>::from(new), files.to_vec());
    let checking = blocking::spawn(move || {
        files.iter().try_for_each(|it| is_code_still(&new, it, &texts))?;
        Ok(taken(&new, &files, &texts))
    });
    checking.await
}

fn is_code_still(new: &str, file: &FileChange, texts: &Texts) -> Result<(), IdeError> {
    let Some((before, after)) = both(file, texts) else { return Ok(()) };
    let Some(language) = languages::language_of(&file.place.path) else { return Ok(()) };
    let is_whole = |text: &Text| Parsed::new(language, text.as_str()).is_some_and(|it| it.is_whole());
    if is_whole(&before) && !is_whole(&after) {
        let message = format!("with the name `{new}`, `{}` would be no code any more", file.place.spelling);
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery("Give another name."));
    }
    Ok(())
}

/// Returns the file's text before and after the changes.
fn both(file: &FileChange, texts: &Texts) -> Option<(Text, Text)> {
    let bytes = file.before(texts)?;
    let text = |bytes: &[u8]| Text::from(String::from_utf8_lossy(bytes).into_owned());
    Some((text(&bytes), text(&file.applied(&bytes))))
}

fn taken(new: &str, files: &[FileChange], texts: &Texts) -> Option<Reason> {
    let places = Listing::of(files.iter().flat_map(|it| taken_in(new, it, texts)), SHOWN);
    (!places.is_empty()).then(|| Reason::NameTaken { name: new.to_owned(), places })
}

/// Returns the places where the name stands in code, not in a comment or string.
fn taken_in(new: &str, file: &FileChange, texts: &Texts) -> Vec<Location> {
    let Some((text, _)) = both(file, texts) else { return Vec::new() };
    let lines = (0..text.line_count()).filter_map(|line| {
        let (_, columns) =
            languages::words(&file.place.path, text.line(line)?).into_iter().find(|(word, _)| word == new)?;
        Some(Point { line: Line::from_index(line), column: ide_protocol::Column::from_index(columns.start) })
    });
    let points: Vec<Point> = lines.collect();
    let usages = syntax_facts::read(&file.place.path, &text, &file.place.spelling, &points);
    let is_code = |index: usize| {
        let role = usages.as_ref().map_or("", |it| it[index].role);
        !matches!(role, "documentation" | "comment" | "string")
    };
    let place = |(_, point): (usize, &Point)| {
        let path = file.place.spelling.clone();
        Location { path, line: point.line, column: None }
    };
    points.iter().enumerate().filter(|(index, _)| is_code(*index)).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_followed_by_a_word() {
        for new in ["b", "_", "r#type", "$x", "größe", "x2"] {
            assert!(may_follow(new, "a"), "{new}");
        }
        for new in ["", "2x", "a b", "a-b", "a.b", "a(", "\"x\""] {
            assert!(!may_follow(new, "a"), "{new}");
        }
        assert!(may_follow("is-it?", "was-it?"));
    }
}
