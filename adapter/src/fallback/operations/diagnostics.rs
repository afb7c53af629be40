//! Collects the diagnostics of the language servers for the current text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{join_all, try_join_all};
use ide_protocol::{
    Completeness, Diagnostic, DiagnosticsQuestion, DiagnosticsResult, IdeError, Operation, Reason, Source,
};

use super::every_language::{ask_each, languages_at};
use super::handler::{Call, Handler};
use super::server_query::{MergedQuery, ServerQuery};
use crate::blocking;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::{file_scan, walk};

/// The maximum number of files queried.
const FILES: usize = 200;

/// The maximum if the server has to compile each file for it.
const COSTLY_FILES: usize = 32;

/// The number of files queried concurrently.
const AT_ONCE: usize = 8;

pub(crate) struct Diagnostics;

impl Handler for Diagnostics {
    const OPERATION: Operation = Operation::Diagnostics;
    type Question = DiagnosticsQuestion;

    async fn answer(call: &Call, question: DiagnosticsQuestion) -> Result<DiagnosticsResult, IdeError> {
        let session = &call.session;
        let place = question.path.as_deref().map(|it| session.roots.resolve(it)).transpose()?;
        let mut languages = languages_at(session, place.as_ref()).await?;
        languages.retain(|it| is_of_language(it, &question.languages_of));
        let all = languages.into_iter().map(async |language| {
            let files = files_of(session, language, place.as_ref().map(|it| it.path.clone())).await;
            (!files.is_empty()).then_some((language, DiagnosticsQuery { files }))
        });
        let answer = ask_each(call, join_all(all).await.into_iter().flatten().collect()).await?;
        let starts = match place {
            Some(place) => vec![place.path],
            None => session.roots.folders().to_vec(),
        };
        let roots = Arc::clone(&session.roots);
        let look =
            move || starts.iter().filter_map(|it| roots.left_out_remark(it, false)).collect::<Vec<_>>();
        Ok(answer.noting(blocking::spawn(look).await))
    }
}

/// The diagnostics of files in one language.
struct DiagnosticsQuery {
    files: Vec<PathBuf>,
}

impl ServerQuery for DiagnosticsQuery {
    type Answer = DiagnosticsResult;

    // If the server lacks code, diagnostics may be missing, or false for uses of that code: its answers are
    // open.
    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<DiagnosticsResult, Problem> {
        diagnostics(asking, &session.roots, &self.files).await
    }
}

impl MergedQuery for DiagnosticsQuery {
    fn merge(&self, answers: Vec<DiagnosticsResult>) -> DiagnosticsResult {
        together(answers)
    }

    async fn not_answered(&self, _: &Call, language: &'static Language, error: &IdeError) -> Option<Reason> {
        let (language, message) = (language.name.to_owned(), error.message.clone());
        Some(Reason::FilesNotAnswered { language, files: self.files.len(), message })
    }
}

/// Returns `true` if one of the files is of the language or configures it, or if that is not known of one.
fn is_of_language(language: &Language, files: &[String]) -> bool {
    let may_matter = |path: &String| {
        let path = Path::new(path);
        file_scan::is_source(language, path) || languages::of_file(path).is_none_or(|it| !it.is_code)
    };
    files.is_empty() || files.iter().any(may_matter)
}

/// Returns the files of a language at a place, or in all folders of the session. Those with texts that are not on disk
/// come first, so that they are never cut off.
async fn files_of(session: &Session, language: &'static Language, place: Option<PathBuf>) -> Vec<PathBuf> {
    let roots = Arc::clone(&session.roots);
    let files = blocking::spawn(move || {
        let below = |folder: &PathBuf, root: &PathBuf| {
            let texts = roots.texts();
            let is_here = |it: &&PathBuf| it.starts_with(folder) && language.owns(it);
            let edited: Vec<_> = texts.keys().filter(is_here).cloned().collect();
            let others = walk::files(language, folder, root, roots.left_out());
            let others = others.into_iter().filter(|it| !texts.contains_key(it));
            edited.into_iter().chain(others).collect::<Vec<_>>()
        };
        match place {
            Some(file) if file.is_file() => vec![file],
            Some(folder) => {
                let root = roots.folders().iter().find(|it| folder.starts_with(it)).unwrap_or(&folder);
                below(&folder, root)
            }
            None => walk::outermost(roots.folders()).flat_map(|it| below(it, it)).collect(),
        }
    });
    files.await
}

/// Collects the diagnostics of files in one language.
async fn diagnostics(
    asking: &QueryContext,
    roots: &SessionFolders,
    files: &[PathBuf],
) -> Result<DiagnosticsResult, Problem> {
    let limit = if asking.profile().files.awaits_diagnostics { COSTLY_FILES } else { FILES };
    let looked_at = &files[..files.len().min(limit)];
    let (mut found, mut silent, mut reasons) = (Vec::new(), 0, Vec::new());
    for some in looked_at.chunks(AT_ONCE) {
        for (diagnostics, came) in try_join_all(some.iter().map(|path| of_file(asking, roots, path))).await? {
            found.extend(diagnostics);
            silent += usize::from(!came);
        }
    }
    asking.check_unchanged().await?;
    found.sort_by(|a, b| (&a.path, a.start, a.severity).cmp(&(&b.path, b.start, b.severity)));
    let name = asking.server.name();
    if silent > 0 {
        let (server, total) = (name.to_owned(), looked_at.len());
        reasons.push(Reason::DiagnosticsLate { server, files: silent, total });
    }
    if looked_at.len() < files.len() {
        reasons.push(Reason::DiagnosticsCut { shown: looked_at.len(), total: files.len() });
    }
    reasons.extend(asking.left_out.iter().cloned());
    reasons.extend(asking.server.setup.language.diagnostics_gap.map(|it| it()));
    Ok(DiagnosticsResult {
        completeness: Completeness::with(Source(format!("language-server:{name}")), reasons),
        files: looked_at.len() as u64,
        diagnostics: found,
    })
}

/// Returns the diagnostics of a file; `false` if the server published none in time.
async fn of_file(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
) -> Result<(Vec<Diagnostic>, bool), Problem> {
    let Some(raw) = asking.diagnostics(path).await? else { return Ok((Vec::new(), false)) };
    let mut found = Vec::new();
    for it in raw {
        let extent = asking.extent(&it.at).await.ok_or(Problem::FilesChanged)?;
        asking.names_import(path, extent.start.line).await;
        let (severity, message, code, source) = (it.severity, it.message, it.code, it.source);
        let path = roots.display_path(path);
        found.push(Diagnostic {
            severity,
            message,
            code,
            source,
            path,
            start: extent.start,
            end: extent.end,
        });
    }
    Ok((found, true))
}

/// Merges the results of several languages.
fn together(results: Vec<DiagnosticsResult>) -> DiagnosticsResult {
    let sources: Vec<_> = results.iter().map(|it| it.completeness.source.0.clone()).collect();
    let mut all = DiagnosticsResult {
        completeness: Completeness::merged(
            Source(sources.join(", ")),
            results.iter().map(|it| &it.completeness),
        ),
        files: results.iter().map(|it| it.files).sum(),
        diagnostics: results.into_iter().flat_map(|it| it.diagnostics).collect(),
    };
    all.diagnostics.sort_by(|a, b| (&a.path, a.start, a.severity).cmp(&(&b.path, b.start, b.severity)));
    all
}
