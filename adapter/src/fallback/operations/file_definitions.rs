//! Lists the definitions of files as data: from their syntax, or from the outline of a server where that is not known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ide_protocol::{
    Completeness, Counted, Definition, ErrorCode, FileDefinitionsQuestion, FileDefinitionsResult, IdeError,
    Listing, Operation, OutlineQuestion, OutlineResult, Reason, Source,
};
use syntax::Kind;

use super::code_files::{CodeFiles, code_files};
use super::handler::{Call, Handler};
use super::outline::Outline;
use crate::fallback::source::languages;
use crate::fallback::source::parallel;
use crate::fallback::source::parallel::threads;
use crate::fallback::source::top_matches::TopMatches;
use crate::fallback::syntactic::file_definitions::{DefinitionsInFile, file_definitions as in_file};
use crate::fallback::workspace::session_folders::SessionFolders;
use unpoisoned::lock;

/// The maximum number of definitions in one result.
const LIMIT: usize = 1000;

/// The maximum number of files that a reason names.
const NAMED_FILES: usize = 10;

pub(crate) struct FileDefinitions;

impl Handler for FileDefinitions {
    const OPERATION: Operation = Operation::FileDefinitions;
    type Question = FileDefinitionsQuestion;

    async fn answer(
        call: &Call,
        question: FileDefinitionsQuestion,
    ) -> Result<FileDefinitionsResult, IdeError> {
        if needs_server(&call.session.roots, &question.path) {
            let outline = Outline::answer(call, OutlineQuestion { path: question.path.clone() }).await?;
            return of_outline(outline, &question);
        }
        call.walk(move |roots, deadline, cancelled| answer(roots, &question, deadline, cancelled)).await
    }
}

fn answer(
    roots: &SessionFolders,
    request: &FileDefinitionsQuestion,
    deadline: Instant,
    cancelled: &AtomicBool,
) -> Result<FileDefinitionsResult, IdeError> {
    let kind = request.kind.as_deref();
    let files = code_files(roots, &request.path, deadline, cancelled)?;
    let sum = Sum::of(roots, &files, kind, deadline);
    if let Some(kind) = kind.filter(|it| Kind::of_word(it).is_none()) {
        return Err(unknown_kind(kind, &request.path, &sum.kinds));
    }
    Ok(sum.result(roots, request, &files))
}

/// Returns whether a path is a file of code without a grammar, so that only its server knows its definitions.
fn needs_server(roots: &SessionFolders, path: &str) -> bool {
    let Ok(place) = roots.resolve(path) else { return false };
    let is_file = place.path.is_file() && languages::language_of(&place.path).is_none();
    is_file && languages::of_file(&place.path).is_some_and(|it| it.is_code)
}

/// Returns the definitions of an outline.
///
/// # Errors
/// No definition can have the kind.
fn of_outline(
    outline: OutlineResult,
    request: &FileDefinitionsQuestion,
) -> Result<FileDefinitionsResult, IdeError> {
    let OutlineResult { mut completeness, mut definitions } = outline;
    let mut kinds = BTreeMap::new();
    definitions.iter().for_each(|it| *kinds.entry(it.kind.clone()).or_default() += 1);
    if let Some(kind) = request.kind.as_deref() {
        if Kind::of_word(kind).is_none() && !kinds.contains_key(kind) {
            return Err(unknown_kind(kind, &request.path, &kinds));
        }
        definitions.retain(|it| it.kind == kind);
    }
    let total = definitions.len();
    if total > LIMIT {
        completeness.lead_with(Reason::DefinitionsCut { shown: LIMIT, total });
        definitions.truncate(LIMIT);
    }
    Ok(FileDefinitionsResult { completeness, total: total as u64, definitions })
}

fn unknown_kind(kind: &str, path: &str, kinds: &BTreeMap<String, usize>) -> IdeError {
    let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{count} `{kind}`")).collect();
    let there = match kinds.is_empty() {
        true => format!("`{path}` defines nothing."),
        false => format!("In `{path}` there are {}.", kinds.join(", ")),
    };
    IdeError::new(ErrorCode::InvalidRequest, format!("`{kind}` is no kind of definition")).recovery(there)
}

/// The accumulated definitions of all files.
#[derive(Default)]
struct Sum {
    found: TopMatches<Definition>,
    total: usize,
    /// The number of definitions of each kind.
    kinds: BTreeMap<String, usize>,
    /// Files that are partly no code of their language.
    torn: Vec<PathBuf>,
    unread: Vec<PathBuf>,
    /// The number of files that were looked into.
    files: usize,
}

impl Sum {
    fn of(roots: &SessionFolders, files: &CodeFiles, kind: Option<&str>, deadline: Instant) -> Self {
        let sum = Mutex::new(Self::default());
        parallel::map(&files.files, threads(), deadline, |path| {
            let found = in_file(roots, path);
            lock(&sum).add(path, found, kind);
            None::<()>
        });
        unpoisoned::into_inner(sum)
    }

    fn add(&mut self, path: &Path, found: Option<DefinitionsInFile>, kind: Option<&str>) {
        self.files += 1;
        let Some(DefinitionsInFile { mut definitions, is_partial }) = found else {
            self.unread.push(path.to_owned());
            return;
        };
        if is_partial {
            self.torn.push(path.to_owned());
        }
        for it in &definitions {
            *self.kinds.entry(it.kind.clone()).or_default() += 1;
        }
        definitions.retain(|it| kind.is_none_or(|kind| it.kind == kind));
        self.total += definitions.len();
        self.found.add(path, definitions, LIMIT);
    }

    fn result(
        self,
        roots: &SessionFolders,
        request: &FileDefinitionsQuestion,
        files: &CodeFiles,
    ) -> FileDefinitionsResult {
        let mut reasons = self.reasons(roots, files);
        let total = self.total;
        if let Some(kind) = request.kind.clone().filter(|_| total == 0 && !self.kinds.is_empty()) {
            let counted = |(kind, count): (&String, &usize)| Counted { name: kind.clone(), count: *count };
            let kinds = self.kinds.iter().map(counted).collect();
            reasons.push(Reason::NoSuchKind { kind, path: request.path.clone(), kinds });
        }
        if files.files.is_empty() && !files.is_cut {
            reasons.push(Reason::NoKnownSyntax { path: request.path.clone() });
        }
        let mut definitions: Vec<_> = self.found.into_files().into_values().flatten().collect();
        let mut completeness = Completeness::with(Source("syntax".into()), reasons);
        if let Some(first) = definitions.get(LIMIT) {
            let path = first.name_at.path.clone();
            completeness.lead_with(Reason::DefinitionsCutFrom { shown: LIMIT, total, path });
            definitions.truncate(LIMIT);
        } else if total > LIMIT {
            let path = definitions.last().map_or(String::new(), |it| it.name_at.path.clone());
            completeness.lead_with(Reason::DefinitionsCutAfter { shown: LIMIT, total, path });
        }
        FileDefinitionsResult { completeness, total: total as u64, definitions }
    }

    /// Returns what keeps the answer from being complete, but for its length.
    fn reasons(&self, roots: &SessionFolders, files: &CodeFiles) -> Vec<Reason> {
        let is_late = files.is_cut || self.files < files.files.len();
        let named = |paths: &[PathBuf]| {
            let mut names: Vec<_> = paths.iter().map(|it| roots.display_path(it)).collect();
            names.sort();
            (!names.is_empty()).then(|| Listing::of(names, NAMED_FILES))
        };
        let reasons = [
            is_late.then_some(Reason::TimeUp { files: self.files as u64 }),
            named(&self.torn).map(|paths| Reason::PartlyRead { paths }),
            named(&self.unread).map(|paths| Reason::NotParsed { paths }),
            files.unknown_syntax(),
        ];
        reasons.into_iter().flatten().chain(files.left_out.iter().cloned()).collect()
    }
}

#[cfg(test)]
#[path = "file_definitions_tests.rs"]
mod tests;
