//! Syntax facts of files as a query sees them: its texts, parsed once and cached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use ide_protocol::Point;

use super::QueryContext;
use crate::blocking;
use crate::fallback::servers::run::file_cache::FileCache;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::{Syntax, Usage};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The time in which an answer reaches the agent. What the next question may need is prepared after that, so that it takes
/// no processor from the answer.
const ANSWER: Duration = Duration::from_millis(50);

/// The number of places whose facts are read from a cached tree in less time than a thread takes to start.
const FEW: usize = 4;

/// The number of files that are read at the same time.
const AT_ONCE: usize = 8;

/// Returns the syntax facts of places in a file; `None` if the language has no syntax, or the text is too
/// large.
pub(crate) async fn usages(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    extents: &[Extent],
) -> Option<Vec<Usage>> {
    facts(asking, roots, path, extents, Syntax::usages).await
}

/// A reader of facts about places in a parsed text, whose file is spelled so.
type Reader<F> = fn(&Syntax, &Text, &str, &[Point]) -> Option<Vec<F>>;

/// Reads facts of places in a file; `None` if there is no syntax. Parsing, and many places, take a thread of their own.
async fn facts<F: Send + 'static>(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    extents: &[Extent],
    read: Reader<F>,
) -> Option<Vec<F>> {
    let text = asking.text(path).await?;
    let (place, file_cache) = (roots.place(path.to_owned()), Arc::clone(asking.file_cache()));
    let points: Vec<_> = extents.iter().map(|it| it.start).collect();
    if points.len() <= FEW
        && let Some(syntax) = file_cache.prepared(&place.path, &text)
    {
        return read(&syntax, &text, &place.spelling, &points);
    }
    let reading = blocking::spawn(move || {
        read(&*file_cache.syntax(&place.path, &text)?, &text, &place.spelling, &points)
    });
    reading.await
}

/// Starts to parse a file whose roles will be asked for, beside the questions to the server.
pub(crate) async fn parse(asking: &QueryContext, path: &Path) {
    let Some(text) = asking.text(path).await else { return };
    if asking.file_cache().is_unparsed(path, &text) {
        let (path, file_cache) = (path.to_owned(), Arc::clone(asking.file_cache()));
        drop(blocking::spawn(move || file_cache.syntax(&path, &text)));
    }
}

/// Starts to parse a file whose syntax facts will be asked for, and to make its outline.
pub(crate) async fn prepare(asking: &QueryContext, path: &Path) {
    if let Some(text) = asking.text(path).await {
        start_preparing(Arc::clone(asking.file_cache()), path.to_owned(), text);
    }
}

/// Prepares a file whose syntax facts the next question may ask for, once the answer is out.
pub(crate) async fn prepare_for_next(asking: &QueryContext, path: &Path) {
    let Some(text) = asking.text(path).await else { return };
    let (path, file_cache) = (path.to_owned(), Arc::clone(asking.file_cache()));
    drop(tokio::spawn(async move {
        tokio::time::sleep(ANSWER).await;
        start_preparing(file_cache, path, text);
    }));
}

fn start_preparing(file_cache: Arc<FileCache>, path: PathBuf, text: Arc<Text>) {
    if file_cache.lacks_outline(&path, &text) {
        drop(blocking::spawn(move || {
            if let Some(syntax) = file_cache.syntax(&path, &text) {
                syntax.outline(&text);
            }
        }));
    }
}

/// Returns the syntax of a file with its text, and with its outline made; `None` if the language has no syntax.
pub(crate) async fn syntax(asking: &QueryContext, path: &Path) -> Option<(Arc<Text>, Arc<Syntax>)> {
    let text = asking.text(path).await?;
    let (path, file_cache) = (path.to_owned(), Arc::clone(asking.file_cache()));
    let reading = blocking::spawn(move || {
        let syntax = file_cache.syntax(&path, &text)?;
        syntax.outline(&text);
        Some((text, syntax))
    });
    reading.await
}

/// Returns the places whose syntax facts satisfy `part`; none where there is no syntax.
pub(crate) async fn with_usage<'a>(
    asking: &QueryContext,
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    part: impl Fn(&Usage) -> bool,
) -> Vec<&'a (PathBuf, Extent)> {
    with_facts(asking, roots, all, Syntax::usages, part).await
}

/// Returns the places with a role, as [`with_usage`]. Roles need no outline of the file, which takes as long as parsing.
pub(crate) async fn with_role<'a>(
    asking: &QueryContext,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    role: &'static str,
) -> Vec<&'a (PathBuf, Extent)> {
    with_facts(asking, &asking.roots, all, |it, text, _, points| it.roles(text, points), |it| *it == role)
        .await
}

async fn with_facts<'a, F: Send + 'static>(
    asking: &QueryContext,
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    read: Reader<F>,
    part: impl Fn(&F) -> bool,
) -> Vec<&'a (PathBuf, Extent)> {
    let mut by_file: BTreeMap<&PathBuf, Vec<&(PathBuf, Extent)>> = BTreeMap::new();
    all.into_iter().for_each(|it| by_file.entry(&it.0).or_default().push(it));
    let files: Vec<_> = by_file.into_iter().collect();
    let mut playing = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let each = some.iter().map(async |(path, places)| {
            let extents: Vec<_> = places.iter().map(|(_, it)| *it).collect();
            facts(asking, roots, path, &extents, read).await
        });
        for ((_, places), facts) in some.iter().zip(join_all(each).await) {
            // Where no syntax is known, no place is known to play the part.
            let facts = facts.unwrap_or_default();
            playing.extend(places.iter().copied().zip(facts).filter(|(_, it)| part(it)).map(|(it, _)| it));
        }
    }
    playing
}
