//! The outline of a file from its syntax.

use std::sync::Arc;

use ide_protocol::{OutlineResult, Reason};

use super::fallback_reason::FallbackReason;
use super::file_definitions::is_inner;
use super::found_definition::definitions_in;
use super::sources::ParsedFiles;
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::workspace::session_folders::SessionFolders;

/// Returns the outline of a file; `None` without a grammar for it.
pub(crate) async fn outline(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    path: &str,
    instead: &FallbackReason,
) -> Option<OutlineResult> {
    let (roots, path, instead) = (Arc::clone(roots), path.to_owned(), instead.clone());
    let looking = blocking::spawn(move || look(&roots, language, &path, &instead));
    looking.await
}

fn look(
    roots: &SessionFolders,
    language: &'static Language,
    path: &str,
    instead: &FallbackReason,
) -> Option<OutlineResult> {
    let path = roots.resolve(path).ok()?.path;
    let mut sources = ParsedFiles::new(roots, language, instead.until);
    let source = sources.source(&path)?;
    let shown: Vec<_> = definitions_in(&source, &Name::any(), |it| !is_inner(&source.outline, it));
    let is_partial = source.outline.is_partial;
    if instead.is_early && is_partial {
        return None;
    }
    let why = instead.why.clone();
    let reason = if is_partial { Reason::FromSyntaxAlone { why } } else { Reason::FromSyntax { why } };
    let completeness = instead.completeness([reason]);
    Some(OutlineResult { completeness, definitions: shown.iter().map(|it| sources.write(it)).collect() })
}
