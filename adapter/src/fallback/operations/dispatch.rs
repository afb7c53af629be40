//! Puts a question to the server of its language, and again when the server or the files do not hold still.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{
    CodeActionsRequest, CodeActionsResult, DefinitionsResult, DescriptionResult, DiagnosticsResult, Edit,
    EditsResult, ErrorCode, FormatRequest, Hierarchy, HierarchyResult, IdeError, Navigation,
    OrganizeImportsRequest, OutlineResult, ReferencesRequest, ReferencesResult, RenameRequest,
    SymbolsRequest, SymbolsResult, Target,
};
use serde::Serialize;
use tokio::time::timeout_at;

use super::{
    code_actions, definitions, description, diagnostics, hierarchy, layout, navigation, outline, references,
    rename, symbols, take_action,
};
use crate::fallback::edits::code_action_cache::CachedAction;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::deadlines::{OnProgress, Within};
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic;
use crate::fallback::syntactic::Instead;
use crate::fallback::syntactic::candidate::Defined;
use crate::fallback::workspace::word_scan::Mentions;

/// How often an answer is begun anew because a file changed under it.
const TRIES: usize = 3;

/// How often a question is asked of a server that dies of everything.
const DEATHS: usize = 3;

/// Asks where a symbol is defined; `mentions` says where its name stands, as far as that was looked for just now.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn definitions(
    session: &Session,
    language: &'static Language,
    target: &Arc<Target>,
    mentions: Option<Arc<Mentions>>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<Defined, IdeError> {
    // A place that leads somewhere leads nowhere else; of a name there may be one more that nobody wrote.
    let open = |it: &Defined| target.at.is_none() || it.result.definitions.is_empty();
    let answer = ask(session, language, within.before_lower(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(target));
        again(session, Arc::clone(&asking), ("definitions", language.id, Arc::clone(&target)), async move {
            definitions::definitions(&asking, &roots, &target).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::definitions(&session.roots, language, target, mentions, instead).await
    })
    .await
}

/// Asks where the symbol at a place is used.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn references(
    session: &Session,
    language: &'static Language,
    request: ReferencesRequest,
    within: Within,
    on_progress: &OnProgress,
) -> Result<ReferencesResult, IdeError> {
    let request = Arc::new(request);
    let answer = ask(session, language, within.before_lower(), on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(&request));
        let question = ("references", request.target.clone(), request.include_declaration);
        again(session, Arc::clone(&asking), question, async move {
            references::references(&asking, &roots, &request).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::references(&session.roots, language, &request, instead).await
    })
    .await
}

/// Asks where the symbol at a place leads.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn navigation(
    session: &Session,
    language: &'static Language,
    way: Navigation,
    target: Target,
    within: Within,
    on_progress: &OnProgress,
) -> Result<DefinitionsResult, IdeError> {
    let target = Arc::new(target);
    // What it is declared as, and its type, is one thing, which is there or not; what implements it may be one more.
    let open = |it: &DefinitionsResult| way == Navigation::Implementations || it.definitions.is_empty();
    let answer = ask(session, language, within.before_lower(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(&target));
        again(session, Arc::clone(&asking), (way.operation().method(), Arc::clone(&target)), async move {
            navigation::navigation(&asking, &roots, way, &target).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| match way {
        Navigation::Implementations => {
            syntactic::implementations(&session.roots, language, &target, instead).await
        }
        // A name alone leads to no type, and of declarations apart syntax cannot tell which they are.
        Navigation::Declarations | Navigation::TypeDefinitions => None,
    })
    .await
}

/// Asks who calls the symbol at a place, or which types extend it, and so on.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn hierarchy(
    session: &Session,
    way: Hierarchy,
    target: Target,
    depth: u32,
    within: Within,
    on_progress: &OnProgress,
) -> Result<HierarchyResult, IdeError> {
    let nowhere = || IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given");
    let language = language_of(&target.at.as_ref().ok_or_else(nowhere)?.path)?;
    let target = Arc::new(target);
    let answer = ask(session, language, within.before_lower(), on_progress, always, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(&target));
        again(
            session,
            Arc::clone(&asking),
            (way.operation().method(), Arc::clone(&target), depth),
            async move { hierarchy::hierarchy(&asking, &roots, way, &target, depth).await },
        )
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::hierarchy(&session.roots, language, way, (&target, depth), instead).await
    })
    .await
}

/// Asks what is wrong with files of a language.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn diagnostics(
    session: &Session,
    language: &'static Language,
    files: Vec<PathBuf>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<DiagnosticsResult, IdeError> {
    let files = Arc::new(files);
    // Beside what is missing, what uses something that is not known is called wrong.
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, files) = (Arc::clone(&session.roots), Arc::clone(&files));
        async move { diagnostics::diagnostics(&asking, &roots, &files).await }
    })
    .await
}

/// Asks what the symbol at a place is.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn description(
    session: &Session,
    language: &'static Language,
    target: Target,
    within: Within,
    on_progress: &OnProgress,
) -> Result<DescriptionResult, IdeError> {
    let target = Arc::new(target);
    // What the server says of a symbol is all of it; where it says nothing, this may be why.
    let open = |it: &DescriptionResult| !it.complete;
    let answer = ask(session, language, within.before_lower(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(&target));
        again(session, Arc::clone(&asking), ("description", Arc::clone(&target)), async move {
            description::description(&asking, &roots, &target).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::description(&session.roots, language, &target, instead).await
    })
    .await
}

/// Asks what a file defines.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn outline(
    session: &Session,
    path: String,
    within: Within,
    on_progress: &OnProgress,
) -> Result<OutlineResult, IdeError> {
    let language = language_of_file(session, &path)?;
    let path = Arc::new(path);
    // Servers read it off the text of the file alone, unless they do not know the file.
    let open = |it: &OutlineResult| !it.complete;
    let answer = ask(session, language, within.before_lower(), on_progress, open, |asking| {
        let (roots, path) = (Arc::clone(&session.roots), Arc::clone(&path));
        async move { outline::outline(&asking, &roots, &path).await }
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::outline(&session.roots, language, &path, instead).await
    })
    .await
}

/// Asks which symbols of a language have a name like this.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn symbols(
    session: &Session,
    language: &'static Language,
    request: &Arc<SymbolsRequest>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<SymbolsResult, IdeError> {
    let answer = ask(session, language, within.before_lower(), on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        let question = ("symbols", language.id, request.query.clone(), request.path.clone());
        again(session, Arc::clone(&asking), question, async move {
            symbols::symbols(&asking, &roots, &request).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| {
        syntactic::symbols(&session.roots, language, request, instead).await
    })
    .await
}

/// Asks what renaming the symbol at a place would change.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn rename(
    session: &Session,
    language: &'static Language,
    request: RenameRequest,
    within: Within,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    let request = Arc::new(request);
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(&request));
        async move { rename::rename(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// Asks what may be done about a place.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn code_actions(
    session: &Session,
    language: &'static Language,
    request: &Arc<CodeActionsRequest>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<CodeActionsResult, IdeError> {
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { code_actions::code_actions(&asking, &roots, &session.offers, &request).await }
    })
    .await
}

/// Asks what an action that was offered would change.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn take_action(
    session: &Session,
    offer: &Arc<CachedAction>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // A fix is about its place, and all of it is seen in the preview; a refactoring is about all uses.
    let is_fix = |it: &Edit| it.kind.as_deref().is_some_and(|it| it.starts_with("quickfix"));
    let open = |it: &EditsResult| !it.edits.iter().all(is_fix);
    ask(session, offer.language, within, on_progress, open, |asking| {
        let (roots, offer) = (Arc::clone(&session.roots), Arc::clone(offer));
        async move { take_action::take_action(&asking, &roots, &session.previews, &offer).await }
    })
    .await
}

/// Asks what laying out a file would change.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn format(
    session: &Session,
    language: &'static Language,
    request: &Arc<FormatRequest>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // The text of the file says all that is to be known.
    let never = |_: &EditsResult| false;
    ask(session, language, within, on_progress, never, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { layout::format(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// Asks what putting the imports of a file in order would change.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn organize_imports(
    session: &Session,
    language: &'static Language,
    request: &Arc<OrganizeImportsRequest>,
    within: Within,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // What nobody seems to use goes.
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { layout::organize_imports(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// The answer of a server; where it has none, what a lower tier says in its place, if that says anything.
async fn or_lower<T>(
    session: &Session,
    language: &'static Language,
    answer: Result<T, IdeError>,
    within: Within,
    lower: impl AsyncFnOnce(&Instead) -> Option<T>,
) -> Result<T, IdeError> {
    match answer {
        Err(why) if syntactic::is_called_for(&why) => {
            let instead = Instead::of(&why, session.install_hint(language), within);
            lower(&instead).await.ok_or(why)
        }
        answer => answer,
    }
}

/// What was answered to the same question when everything was as it is now, or else what is answered now.
async fn again<T>(
    session: &Session,
    asking: Arc<QueryContext>,
    question: impl Serialize,
    answer: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem>
where
    T: Qualified + Clone + Serialize + Send + Sync + 'static,
{
    let question = serde_json::to_string(&question).expect("a question of the wire is JSON");
    // What was kept says so as well. On the heap, it is there once.
    let answer = Box::pin(answer);
    let answer = async { Ok(answer.await?.noting(asking.unread().as_deref())) };
    session.answers.get_or_compute(question, &asking, &session.roots, answer).await
}

/// Of an answer that is about everything there is: there may always be one more.
fn always<T>(_: &T) -> bool {
    true
}

/// Asks the server of a language. `is_open` says whether an answer could lack something that the server does not know;
/// one that could not is not qualified by it. That another server would have been preferred says nothing of an answer:
/// its source names who gave it, and what that one has no notion of is said by the operation.
///
/// # Errors
/// There is no such server, it is not ready in time, it fails twice, or it says so.
async fn ask<T, F>(
    session: &Session,
    language: &'static Language,
    within: Within,
    on_progress: &OnProgress,
    is_open: impl Fn(&T) -> bool,
    question: impl Fn(Arc<QueryContext>) -> F,
) -> Result<T, IdeError>
where
    T: Qualified,
    F: Future<Output = Result<T, Problem>>,
{
    let mut deaths = 0;
    let mut moves = 0;
    loop {
        let serving = in_time(session.serving(language), within.ready, on_progress).await?;
        let server = Arc::clone(&serving.server);
        let begun = QueryContext::begin(&serving, &session.roots, within, on_progress).await;
        if let (Err(_), Some(reason)) = (&begun, server.unfit()) {
            on_progress(format!("{}: {reason}; looking for another server", server.name()), None);
            let replaced = async { Ok(session.replace(language, &server).await) };
            if in_time(replaced, within.ready, on_progress).await? {
                continue;
            }
        }
        let (asking, reloaded) = begun?;
        if reloaded {
            let looked = async {
                session.search_again(language).await;
                session.server(language).await
            };
            if !Arc::ptr_eq(&in_time(looked, within.deadline, on_progress).await?.server, &server) {
                continue;
            }
        }
        let asking = Arc::new(asking);
        // What it waits for besides the server's answers has no clock of its own.
        let answered = timeout_at(within.deadline.into(), question(Arc::clone(&asking))).await;
        match answered.unwrap_or(Err(Problem::Ask(AskError::TimedOut))) {
            Ok(answer) if !is_open(&answer) => return Ok(answer.noting(asking.unread().as_deref())),
            Ok(answer) => {
                let answer = answer.noting(asking.unread().as_deref());
                let unknown = session.reservation(&serving).into_iter().chain(asking.untracked());
                let unknown: Vec<_> = unknown.collect();
                return Ok(answer.qualified(asking.reservations.iter().chain(&unknown).map(String::as_str)));
            }
            Err(Problem::Reported(error)) => return Err(error),
            // A question about a server's state changes nothing, so it may be asked twice; and of a server that never
            // answered anything until it is known to be unfit.
            Err(Problem::Ask(AskError::Died)) if deaths == 0 || !asking.is_proven() && deaths < DEATHS => {
                deaths += 1;
            }
            Err(Problem::Ask(error)) => return Err(asking.failed(&error).await),
            Err(Problem::FilesChanged) if moves < TRIES => moves += 1,
            Err(Problem::FilesChanged) => return Err(server.keeps_changing()),
        }
    }
}

/// Finding servers runs other programs, which may hang.
async fn in_time<T>(
    search: impl Future<Output = Result<T, IdeError>>,
    until: Instant,
    on_progress: &OnProgress,
) -> Result<T, IdeError> {
    let mut search = std::pin::pin!(search);
    let soon = Instant::now() + std::time::Duration::from_millis(200);
    if let Ok(found) = timeout_at(soon.into(), search.as_mut()).await {
        return found;
    }
    on_progress("looking for language servers".into(), None);
    timeout_at(until.into(), search).await.unwrap_or_else(|_| {
        let message = "the language servers of this machine were not found in time";
        Err(IdeError::new(ErrorCode::NotReady, message).recovery("Ask again in a while."))
    })
}

/// The language of a file of the session. A file that is not there is said to be so before its language is looked for.
///
/// # Errors
/// It is outside of the session's folders, not there, a folder, or no language is known to have such files.
pub(crate) fn language_of_file(session: &Session, path: &str) -> Result<&'static Language, IdeError> {
    if session.roots.resolve(path)?.path.is_dir() {
        let message = format!("`{path}` is a folder, and a file is wanted");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery(format!("files(`{path}`) lists the files in it.")));
    }
    language_of(path)
}

/// The language of a file.
///
/// # Errors
/// No language is known to have such files.
pub(crate) fn language_of(path: &str) -> Result<&'static Language, IdeError> {
    languages::of_file(path.as_ref()).ok_or_else(|| {
        let known = languages::names();
        let message = format!("no language server is known for `{path}`: known are those for {known}");
        IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work in every file.")
    })
}
