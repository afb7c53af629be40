//! What a file defines, as its syntax says.

use std::sync::Arc;

use ide_protocol::{Completeness, OutlineResult, Source};
use syntax::{Definition, Outline};

use super::Instead;
use super::sources::{Sources, seen};
use crate::blocking;
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::workspace::session_folders::Roots;

/// Looks; `None` where the syntax of the file is not known.
pub(crate) async fn outline(
    roots: &Arc<Roots>,
    language: &'static Language,
    path: &str,
    instead: &Instead,
) -> Option<OutlineResult> {
    let (roots, path, instead) = (Arc::clone(roots), path.to_owned(), instead.clone());
    let looking = blocking::spawn(move || look(&roots, language, &path, &instead));
    looking.await
}

fn look(roots: &Roots, language: &'static Language, path: &str, instead: &Instead) -> Option<OutlineResult> {
    let path = roots.resolve(path).ok()?.path;
    let mut sources = Sources::new(roots, language, instead.until);
    let source = sources.source(&path)?;
    let told: Vec<_> = seen(&source, &Name::any(), |it| !is_inner(&source.outline, it));
    Some(OutlineResult {
        completeness: Completeness {
            complete: !source.outline.is_partial,
            source: Source("syntax".into()),
            note: Some(instead.why.clone()),
        },
        definitions: told.iter().map(|it| sources.write(it)).collect(),
    })
}

/// Whether it is data inside of a function: nothing that one could name from elsewhere.
fn is_inner(outline: &Outline, definition: &Definition) -> bool {
    let is_in_code = outline.around(definition).iter().any(|it| it.kind.is_callable());
    is_in_code && !definition.kind.is_callable() && !definition.kind.is_type()
}
