//! Uses of a symbol that a server would not rename: those in files that it indexes later, mostly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_protocol::{Navigation, Point};

use super::listed::places;
use super::references::{self, mentions};
use super::{missed, programs, subject::Subject};
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::buffers::Texts;
use crate::fallback::edits::FileChange;
use crate::fallback::outline::{self, Extent};
use crate::fallback::roots::Roots;

/// How many places are named.
const NAMED: usize = 5;

/// Where the name of a symbol stands, whatever it means there, and where it leads when it means the symbol.
pub(super) struct Mentioned<'a> {
    lines: BTreeMap<PathBuf, BTreeSet<usize>>,
    home: &'a BTreeSet<(PathBuf, Point)>,
}

/// Where the name of a symbol would stay.
pub(super) struct Left {
    /// Where it leads to the symbol, or is listed as a use of it.
    pub(super) uses: BTreeSet<(PathBuf, Extent)>,
    /// Where the server cannot tell where it leads.
    unclear: Vec<(PathBuf, Extent)>,
}

impl<'a> Mentioned<'a> {
    /// Looks at all files of the language, for a symbol whose own definitions have their names at `home`.
    pub(super) async fn of(
        asking: &Asking,
        roots: &Roots,
        subject: &Subject,
        home: &'a BTreeSet<(PathBuf, Point)>,
    ) -> Self {
        Self { lines: mentions(asking, roots, &subject.name).await.lines, home }
    }

    /// Where the name would stay after these changes.
    pub(super) async fn left_by(
        &self,
        (asking, roots): (&Asking, &Roots),
        subject: &Subject,
        files: &[FileChange],
    ) -> Result<Left, Problem> {
        let (mut left, changed) = (self.lines.clone(), Changed::by(asking, files));
        for (path, lines) in &mut left {
            lines.retain(|it| !changed.has(path, *it));
        }
        left.retain(|_, lines| !lines.is_empty());
        let missed = missed::uses((asking, roots), &left, self.home, &subject.name).await?;
        let (mut uses, unclear): (BTreeSet<_>, _) = (missed.uses.into_iter().collect(), missed.unclear);
        let listed = asking.references(&subject.path, subject.point, false).await?.unwrap_or_default();
        let listed = references::extents(asking, &listed).await?;
        let others = programs::others(asking, subject, self.home, &listed).await?;
        for (path, extent) in listed.into_iter().filter(|(path, _)| !others.contains(path)) {
            let word = asking.text(&path).await.and_then(|it| it.word(extent));
            if word.as_ref() == Some(&subject.name) && !changed.has(&path, extent.start.line.index()) {
                uses.insert((path, extent));
            }
        }
        // Where `{ name }` becomes `{ name: new }`, a property keeps the name, and so does `it.name`.
        let spelled_out = format!("{}: ", subject.name);
        if files.iter().flat_map(|it| &it.changes).any(|it| it.text.starts_with(&spelled_out)) {
            let mut others = BTreeSet::new();
            for (path, extent) in uses {
                if !is_member(asking, &path, extent).await {
                    others.insert((path, extent));
                }
            }
            uses = others;
        }
        Ok(Left { uses, unclear })
    }
}

/// Whether what stands there is written as a member of something.
async fn is_member(asking: &Asking, path: &Path, extent: Extent) -> bool {
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index())).unwrap_or_default();
    let before: String = line.chars().take(extent.start.column.index()).collect();
    before.trim_end().ends_with('.')
}

/// Says where a method that overrides the symbol would keep its name: not every server renames those with it.
pub(super) async fn overriding(
    asking: &Asking,
    roots: &Roots,
    subject: &Subject,
    files: &[FileChange],
) -> Result<Option<String>, Problem> {
    let is_method = async |path: &Path, point: Point| {
        let nodes = asking.outline(path).await?;
        let named = outline::named_at(&nodes, point);
        Ok::<_, Problem>(named.is_some_and(|it| matches!(it.node.kind, "function" | "method" | "property")))
    };
    if !asking.provides("implementationProvider") || !is_method(&subject.path, subject.point).await? {
        return Ok(None);
    }
    let (changed, mut kept) = (Changed::by(asking, files), Vec::new());
    for target in asking.goto(Navigation::Implementations, &subject.path, subject.point).await? {
        let Some(extent) = asking.extent(&target.name).await else { continue };
        let path = target.name.path;
        let word = asking.text(&path).await.and_then(|it| it.word(extent));
        let stays = word.as_ref() == Some(&subject.name) && !changed.has(&path, extent.start.line.index());
        if stays && is_method(&path, extent.start).await? {
            kept.push((path, extent));
        }
    }
    let at = places(roots, &kept, NAMED);
    let note = || format!("`{}` would stay where it is overridden, at {at}", subject.name);
    Ok((!kept.is_empty()).then(note))
}

/// The lines on which files change.
struct Changed(BTreeMap<PathBuf, BTreeSet<usize>>);

impl Changed {
    fn by(asking: &Asking, files: &[FileChange]) -> Self {
        let texts = asking.server.buffers.texts();
        Self(files.iter().map(|it| (it.place.path.clone(), changed_lines(it, &texts))).collect())
    }

    /// Whether a line (from 0) is one of them.
    fn has(&self, path: &PathBuf, line: usize) -> bool {
        self.0.get(path).is_some_and(|it| it.contains(&line))
    }
}

/// The lines, from 0, on which something changes.
fn changed_lines(file: &FileChange, texts: &Texts) -> BTreeSet<usize> {
    let bytes = file.before(texts).unwrap_or_default();
    let breaks: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    let line = |at: usize| breaks.partition_point(|it| *it < at);
    file.changes.iter().flat_map(|it| line(it.bytes.start)..=line(it.bytes.end)).collect()
}

impl Left {
    /// Says so.
    pub(super) async fn told(&self, asking: &Asking, roots: &Roots, name: &str) -> Vec<String> {
        let at = places(roots, &self.uses, NAMED);
        let stays = || format!("`{name}` would stay, and leads to what is renamed, at {at}");
        let unclear = match asking.server.setup.language.declares_apart {
            // There every name leads somewhere, once its file is read with all that it includes.
            true => missed::told_unclear(asking, roots, (name, "use"), &self.unclear),
            false => missed::unclear_calls(asking, roots, name, &self.unclear).await,
        };
        (!self.uses.is_empty()).then(stays).into_iter().chain(unclear).collect()
    }
}
