//! Syntax facts of files as a query sees them: its texts, parsed once and cached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::join_all;

use super::QueryContext;
use crate::blocking;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::{Syntax, Usage};
use crate::fallback::workspace::session_folders::SessionFolders;

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
    let text = asking.text(path).await?;
    let (place, file_cache) = (roots.place(path.to_owned()), Arc::clone(asking.file_cache()));
    let points: Vec<_> = extents.iter().map(|it| it.start).collect();
    let reading = blocking::spawn(move || {
        file_cache.syntax(&place.path, &text)?.usages(&text, &place.spelling, &points)
    });
    reading.await
}

/// Starts to parse files whose syntax will be asked for, beside the questions to the server.
pub(crate) async fn prepare(asking: &QueryContext, paths: impl IntoIterator<Item = &Path>) {
    for path in paths.into_iter().take(AT_ONCE) {
        let Some(text) = asking.text(path).await else { continue };
        let file_cache = asking.file_cache();
        if file_cache.is_unparsed(path, &text) {
            let (path, file_cache) = (path.to_owned(), Arc::clone(file_cache));
            drop(blocking::spawn(move || file_cache.syntax(&path, &text)));
        }
    }
}

/// Returns the syntax of a file with its text; `None` if the language has no syntax.
pub(crate) async fn syntax(asking: &QueryContext, path: &Path) -> Option<(Arc<Text>, Arc<Syntax>)> {
    let text = asking.text(path).await?;
    let (path, file_cache) = (path.to_owned(), Arc::clone(asking.file_cache()));
    let reading = blocking::spawn(move || Some((Arc::clone(&text), file_cache.syntax(&path, &text)?)));
    reading.await
}

/// Returns the places whose syntax facts satisfy `part`; none where there is no syntax.
pub(crate) async fn with_usage<'a>(
    asking: &QueryContext,
    roots: &SessionFolders,
    all: impl IntoIterator<Item = &'a (PathBuf, Extent)>,
    part: impl Fn(&Usage) -> bool,
) -> Vec<&'a (PathBuf, Extent)> {
    let mut by_file: BTreeMap<&PathBuf, Vec<&(PathBuf, Extent)>> = BTreeMap::new();
    all.into_iter().for_each(|it| by_file.entry(&it.0).or_default().push(it));
    let files: Vec<_> = by_file.into_iter().collect();
    let mut playing = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let usages = some.iter().map(async |(path, places)| {
            let extents: Vec<_> = places.iter().map(|(_, it)| *it).collect();
            usages(asking, roots, path, &extents).await
        });
        for ((_, places), usages) in some.iter().zip(join_all(usages).await) {
            // Where no syntax is known, no place is known to play the part.
            let usages = usages.unwrap_or_default();
            playing.extend(places.iter().copied().zip(usages).filter(|(_, it)| part(it)).map(|(it, _)| it));
        }
    }
    playing
}
