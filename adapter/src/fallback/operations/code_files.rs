//! The files of code at a path: a file, a folder or a glob.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ide_protocol::{Counted, ErrorCode, IdeError, Reason};
use syntax::Language;

use super::files;
use super::search::{left_out, root_of, starts};
use crate::fallback::source::languages;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk;
use unpoisoned::lock;

/// The files of code at a path.
#[derive(Debug, Default)]
pub(crate) struct CodeFiles {
    /// The files with a grammar, in order of path.
    pub(crate) files: Vec<PathBuf>,
    /// The number of files of programming languages without a grammar, by language.
    pub(crate) unknown: BTreeMap<&'static str, usize>,
    /// The remarks on other trees that were left out.
    pub(crate) left_out: Vec<Reason>,
    /// `true` if the time was up before all were found.
    pub(crate) is_cut: bool,
}

/// Finds the files; blocking.
///
/// # Errors
/// There is no such path, or it is a file without a grammar.
pub(crate) fn code_files(
    roots: &SessionFolders,
    path: &str,
    deadline: Instant,
    cancelled: &AtomicBool,
) -> Result<CodeFiles, IdeError> {
    let path = if path.is_empty() { "." } else { path };
    let glob = files::glob(roots, path)?;
    let found = Mutex::new(CodeFiles::default());
    let places = starts(roots, if glob.is_some() { "." } else { path })?;
    for place in &places {
        if place.path.is_file() && languages::language_of(&place.path).is_none() {
            return Err(no_grammar(path));
        }
        let root = root_of(roots, &place.path);
        let globbed = glob.as_deref().map(|it| files::matcher(&root, it)).transpose()?;
        let look = |path: &Path| {
            if cancelled.load(Ordering::Relaxed) || Instant::now() >= deadline {
                lock(&found).is_cut = true;
                return false;
            }
            if globbed.as_ref().is_none_or(|it| it.matched(path, false).is_whitelist()) {
                lock(&found).add(path);
            }
            true
        };
        walk::visit(&place.path, &root, roots.left_out(), &|| Box::new(look));
        // Files that exist only in the editor.
        let texts = roots.texts();
        texts.keys().filter(|it| it.starts_with(&place.path) && !it.exists()).all(|it| look(it));
    }
    let mut found = unpoisoned::into_inner(found);
    found.left_out = left_out(roots, &places);
    found.files.sort_by_cached_key(|it| roots.display_path(it));
    Ok(found)
}

impl CodeFiles {
    fn add(&mut self, path: &Path) {
        if languages::language_of(path).is_some() {
            self.files.push(path.to_owned());
        } else if let Some(language) = languages::of_file(path).filter(|it| it.is_code) {
            *self.unknown.entry(language.name).or_default() += 1;
        }
    }

    /// Returns the reason for files that were not read for lack of a grammar.
    pub(crate) fn unknown_syntax(&self) -> Option<Reason> {
        let counted = |(name, count): (&&str, &usize)| Counted { name: (*name).to_owned(), count: *count };
        let languages: Vec<_> = self.unknown.iter().map(counted).collect();
        (!languages.is_empty()).then_some(Reason::UnknownSyntax { languages })
    }
}

fn no_grammar(path: &str) -> IdeError {
    let known: Vec<_> = Language::all().map(Language::name).collect();
    IdeError::new(ErrorCode::InvalidRequest, format!("the syntax of `{path}` is not known"))
        .recovery(format!("Known are {}; outline(`{path}`) may know others.", known.join(", ")))
}
