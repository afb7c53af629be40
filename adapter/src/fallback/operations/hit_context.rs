//! The code around the hits of a search: the enclosing definition, the role, and whether it is test code.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_protocol::{
    Completeness, FileRange, HitContextQuestion, HitContextResult, IdeError, Operation, Reason, Source,
};

use super::handler::{Call, Handler};
use crate::fallback::source::languages::language_of;
use crate::fallback::source::parallel;
use crate::fallback::source::text::{Text, excerpt};
use crate::fallback::syntactic::syntax_facts::{self, Usage};
use crate::fallback::workspace::line_search::LINE_KEPT;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum size of all files that are parsed for one question, in bytes: a few tenths of a second.
const PARSED: usize = 4 * 1024 * 1024;

/// The least time for that, also when the search took until its deadline: what it found is completed.
const LEAST: Duration = Duration::from_secs(2);

pub(crate) struct HitContext;

impl Handler for HitContext {
    const OPERATION: Operation = Operation::HitContext;
    type Question = HitContextQuestion;

    async fn answer(call: &Call, question: HitContextQuestion) -> Result<HitContextResult, IdeError> {
        let until = call.within.deadline;
        Ok(call.blocking(move |session| answer(&session.roots, question, until)).await)
    }
}

/// Adds the code around hits; blocks on file access.
fn answer(roots: &SessionFolders, question: HitContextQuestion, until: Instant) -> HitContextResult {
    let mut hits = question.hits;
    let files = hits.chunk_by_mut(|a, b| a.path == b.path).filter_map(|hits| {
        // A file that has gone stays without.
        let place = roots.resolve(&hits[0].path).ok()?;
        Some(FileHits { path: place.path, hits })
    });
    let unknown = add_context(roots, files.collect(), until);
    HitContextResult { completeness: Completeness::with(Source("text".into()), unknown), hits }
}

/// The hits in one file, which has a canonical path.
pub(crate) struct FileHits<'a> {
    pub(crate) path: PathBuf,
    pub(crate) hits: &'a mut [FileRange],
}

/// Adds the code around hits, on several threads; blocks on file access. Hits in languages without a syntax stay as they
/// are. Returns the reason why others do.
pub(crate) fn add_context(
    roots: &SessionFolders,
    mut files: Vec<FileHits<'_>>,
    until: Instant,
) -> Option<Reason> {
    let (mut left, mut unknown) = (PARSED, 0);
    let (shown, mut texts) = (roots.texts(), Vec::new());
    for (index, FileHits { path, .. }) in files.iter().enumerate() {
        if language_of(path).is_none() {
            continue;
        }
        let text = match shown.get(path) {
            Some(text) => Arc::clone(text),
            None => match Text::read(path) {
                Ok(text) => Arc::new(text),
                Err(_) => continue, // it was there a moment ago; its hits are told without
            },
        };
        match left.checked_sub(text.as_str().len()) {
            Some(rest) => {
                left = rest;
                texts.push((index, text));
            }
            None => unknown += 1,
        }
    }
    let until = until.max(Instant::now() + LEAST);
    let known = parallel::map(&texts, parallel::threads(), until, |(index, text)| {
        Some((*index, in_text(text, &files[*index])))
    });
    unknown += texts.len() - known.len();
    for (index, hits) in known {
        if let Some(hits) = hits {
            files[index].hits.clone_from_slice(&hits);
        }
    }
    (unknown > 0).then_some(Reason::UnknownContext { files: unknown })
}

/// Parses a file, and returns its hits with the code around them; `None` if it cannot be parsed.
fn in_text(text: &Text, file: &FileHits<'_>) -> Option<Vec<FileRange>> {
    let FileHits { path, hits } = file;
    let spelling = &hits.first()?.path;
    tracing::debug!(path = spelling, "parsing a file for the code around hits");
    let points: Vec<_> = hits.iter().map(|it| it.start).collect();
    let usages = syntax_facts::read(path, text, spelling, &points)?;
    let known = |(hit, usage): (&FileRange, Usage)| match matched(text, hit) {
        None => hit.clone(),
        Some(matched) => {
            let has_role = usage.is_name && is_name(&matched) || is_no_code(usage.role);
            let known = usage.add_to(hit.clone());
            FileRange { role: known.role.clone().filter(|_| has_role), ..known }
        }
    };
    Some(hits.iter().zip(usages).map(known).collect())
}

/// Returns the text that a hit matched; `None` if its line is no longer what it was.
fn matched(text: &Text, hit: &FileRange) -> Option<String> {
    let (start, end) = (hit.start.column.index(), hit.end.column.index());
    let line = text.line(hit.start.line.index())?;
    // The search holds no more of a line than that.
    let is_same = line.len() > LINE_KEPT || hit.text.as_ref().is_none_or(|it| *it == excerpt(line, start));
    is_same.then(|| line.chars().skip(start).take(end.saturating_sub(start)).collect())
}

/// Returns `true` if the match is one name. The role of anything else in code is not known.
fn is_name(matched: &str) -> bool {
    let first = matched.chars().next();
    first.is_some_and(|it| !it.is_numeric()) && matched.chars().all(|it| it.is_alphanumeric() || it == '_')
}

/// Returns `true` for the roles of what is no code.
fn is_no_code(role: &str) -> bool {
    matches!(role, "documentation" | "comment" | "string")
}
