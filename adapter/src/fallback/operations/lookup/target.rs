//! Resolves the target of a question to the position of a symbol's name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide_protocol::{Column, ErrorCode, IdeError, Location, Point, Target};

use super::follow;
use super::mentions::mentions;
use super::positions::{line_of, not_there, points};
use crate::fallback::servers::run::macros;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of lines with the name that are resolved.
const USES: usize = 64;

/// The symbol that a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) path: PathBuf,
    pub(crate) point: Point,
    pub(crate) name: String,
}

/// Returns the error for a target without a symbol.
pub(crate) fn nothing_there(target: &Target) -> IdeError {
    let place = target.at.as_ref().map_or_else(String::new, |at| {
        let column = at.column.map_or(String::new(), |it| format!(":{it}"));
        format!(" at {}:{}{column}", at.path, at.line)
    });
    IdeError::new(ErrorCode::NotFound, format!("no symbol's name stands{place}"))
        .recovery("Ask about a symbol by its name: findReferences(findDefinition(`NAME`)).")
}

/// Returns the possible positions of the target symbol's name, the most likely first.
pub(crate) async fn subjects(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<Vec<Subject>, Problem> {
    match (&target.at, &target.name) {
        (None, _) => Err(nothing_there(target).into()),
        (Some(at), None) => {
            let place = roots.resolve(&at.path)?;
            let Some(text) = asking.text(&place.path).await else {
                return Err(nothing_there(target).into());
            };
            let line = line_of(&text, at)?;
            let points = points(asking, &place.path, line, at).await?;
            Ok(points.into_iter().filter_map(|it| subject(asking, &text, &place.path, it)).collect())
        }
        (Some(at), Some(name)) => {
            let place = roots.resolve(&at.path)?;
            let name = read(asking, name, Name::parse_known)?;
            let near = named_near(asking, &place.path, &name, at).await?;
            if !near.is_empty() && !is_written_by_macro(asking, &near[0]).await {
                return Ok(near);
            }
            let used = used(asking, roots, &place.path, &name, at).await?.or(near.into_iter().next());
            used.map(|it| vec![it]).ok_or_else(|| not_there(&name.last, &place.spelling).into())
        }
    }
}

fn subject(asking: &QueryContext, text: &Text, path: &Path, point: Point) -> Option<Subject> {
    let line = text.line(point.line.index())?;
    let (name, _) = asking.server.setup.language.word_at(line, point.column.index())?;
    Some(Subject { path: path.to_owned(), point, name })
}

/// Returns the positions of a name at or near a place: at the column, then the nearest definition (the file may
/// have changed), then on the line.
async fn named_near(
    asking: &QueryContext,
    path: &Path,
    name: &Name,
    at: &Location,
) -> Result<Vec<Subject>, Problem> {
    let Some(text) = asking.text(path).await else { return Ok(Vec::new()) };
    let line = text.line(at.line.index()).unwrap_or_default();
    let language = asking.server.setup.language;
    let point = |column| Point { line: at.line, column: Column::from_index(column) };
    let here = at.column.and_then(|column| language.word_at(line, column.index()));
    let here = here.filter(|(word, _)| *word == name.last).map(|(_, columns)| point(columns.start));
    let nodes = asking.outline(path).await?;
    let all = outline::all(&nodes);
    let named = all.iter().filter(|it| it.node.name.trim_start_matches("r#") == name.last);
    let nearest =
        named.map(|it| it.node.name_at.start).min_by_key(|it| it.line.get().abs_diff(at.line.get()));
    let on_line = language.words(line).into_iter().filter(|(word, _)| *word == name.last);
    let on_line = on_line.map(|(_, columns)| point(columns.start));
    let mut points: Vec<_> = here.into_iter().chain(nearest).chain(on_line).collect();
    let mut seen = BTreeSet::new();
    points.retain(|it| seen.insert(*it));
    let subject = |point| Subject { path: path.to_owned(), point, name: name.last.clone() };
    Ok(points.into_iter().map(subject).collect())
}

/// Returns `true` if another name is at that position, such as that of the macro that expands to the
/// definition.
pub(crate) async fn is_written_by_macro(asking: &QueryContext, subject: &Subject) -> bool {
    if !asking.profile().guesses {
        return false;
    }
    let Some(text) = asking.text(&subject.path).await else { return false };
    macros::writes(asking.server.setup.language, &text, (&subject.name, subject.point))
}

/// Finds a use that resolves to a definition on this line. A macro writes the definition, so its text lacks the
/// name.
async fn used(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    name: &Name,
    at: &Location,
) -> Result<Option<Subject>, Problem> {
    let lines = mentions(asking, roots, &name.last).await.lines;
    for (file, line) in follow::spread(&lines).into_iter().take(USES) {
        for extent in follow::named(asking, roots, file, line, &name.last).await {
            let targets = asking.definition(file, extent.start).await?;
            for target in targets.iter().filter(|it| it.name.path == path) {
                if asking.extent(&target.name).await.is_some_and(|it| it.start.line == at.line) {
                    return Ok(Some(Subject {
                        path: file.clone(),
                        point: extent.start,
                        name: name.last.clone(),
                    }));
                }
            }
        }
    }
    Ok(None)
}

/// Parses a symbol name in the server's language.
///
/// # Errors
/// The text cannot be a name in that language.
pub(crate) fn read(
    asking: &QueryContext,
    name: &str,
    as_name: impl Fn(&str, &Language) -> Option<Name>,
) -> Result<Name, IdeError> {
    let language = asking.server.setup.language;
    as_name(name, language).ok_or_else(|| {
        let error = IdeError::new(
            ErrorCode::InvalidRequest,
            format!("`{name}` is no name of a {} symbol", language.name),
        );
        let raw = name.rsplit(language.separator).next().map(|it| format!("{}{it}", language.raw));
        match raw.filter(|it| !language.raw.is_empty() && Name::parse(it, language).is_some()) {
            Some(raw) => error.recovery(format!("What is called as a keyword is asked for by `{raw}`.")),
            None => error
                .recovery("Give a symbol's name, such as `User` or `auth::User`; `search` finds any text."),
        }
    })
}
