//! Sends requests to the server of their language; retries if the server dies or files change.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_protocol::{
    CodeActionsQuestion, CodeActionsResult, DefinitionsResult, DescriptionResult, DiagnosticsResult, Edit,
    EditsResult, ErrorCode, FormatQuestion, Hierarchy, HierarchyResult, IdeError, Navigation,
    OrganizeImportsQuestion, OutlineResult, ReferencesQuestion, ReferencesResult, RenameQuestion,
    SymbolsQuestion, SymbolsResult, Target,
};
use serde::Serialize;
use tokio::time::{timeout, timeout_at};

use super::{
    code_actions, definitions, description, diagnostics, hierarchy, layout, navigation, outline, references,
    rename, symbols, take_action,
};
use crate::fallback::edits::code_action_cache::CachedAction;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::ServerDefinitions;
use crate::fallback::workspace::word_scan::WordOccurrences;

/// The maximum number of retries after files change during a request.
const TRIES: usize = 3;

/// The maximum number of retries on a server that dies before its first answer.
const DEATHS: usize = 3;

/// Requests the definitions of a symbol. `mentions` holds the lines with its name, if already scanned.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn definitions(
    session: &Session,
    language: &'static Language,
    target: &Arc<Target>,
    mentions: Option<Arc<WordOccurrences>>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<ServerDefinitions, IdeError> {
    // A resolved place is complete; a name may have further definitions, such as generated ones.
    let open =
        |it: &ServerDefinitions| Openness::open_if(target.at.is_none() || it.result.definitions.is_empty());
    let answer = ask(session, language, within.with_reserve(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(target));
        again(session, Arc::clone(&asking), ("definitions", language.id, Arc::clone(&target)), async move {
            definitions::definitions(&asking, &roots, &target).await
        })
    });
    let lower = async |reason: &FallbackReason| {
        syntactic::definitions(&session.roots, language, target, mentions.clone(), reason).await
    };
    let answer = or_earlier(session, language, within, answer, lower).await;
    or_lower(session, language, answer, within, lower).await
}

/// Requests the references of the symbol at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn references(
    session: &Session,
    language: &'static Language,
    request: ReferencesQuestion,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<ReferencesResult, IdeError> {
    let request = Arc::new(request);
    let judged = |_: &ReferencesResult| Openness::Judged;
    let answer = ask(session, language, within.with_reserve(), on_progress, judged, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(&request));
        let question = ("references", request.target.clone(), request.include_declaration);
        again(session, Arc::clone(&asking), question, async move {
            references::references(&asking, &roots, &request).await
        })
    });
    let answer = answer.await;
    // A question that limits the wait takes what there is.
    let failure = answer.as_ref().err().filter(|_| !within.is_limited);
    if let Some(error) = failure.and_then(|why| listed_before(session, language, &request, why)) {
        return Err(error);
    }
    or_lower(session, language, answer, within, async |instead| {
        syntactic::references(&session.roots, language, &request, instead).await
    })
    .await
}

/// Returns the error of a server that still loads, if a list of text answered the question before: once is enough.
fn listed_before(
    session: &Session,
    language: &'static Language,
    request: &ReferencesQuestion,
    why: &IdeError,
) -> Option<IdeError> {
    let question = || serde_json::to_string(request).expect("a question of the wire is JSON");
    let is_early = why.kind == ErrorCode::NotReady && session.is_loading(language);
    let is_first = !is_early || session.is_first_list(question());
    let message = || format!("{}; an earlier answer has its uses in the text", why.message);
    (!is_first).then(|| IdeError { message: message(), ..why.clone() })
}

/// Requests the declarations, type definitions or implementations of the symbol at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn navigation(
    session: &Session,
    language: &'static Language,
    way: Navigation,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DefinitionsResult, IdeError> {
    let target = Arc::new(target);
    // Declarations and type definitions are complete if present; there may always be another implementation.
    let open = |it: &DefinitionsResult| match way {
        Navigation::Implementations => Openness::Judged,
        _ => Openness::open_if(it.definitions.is_empty()),
    };
    let answer = ask(session, language, within.with_reserve(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(&target));
        again(session, Arc::clone(&asking), (way.operation().method(), Arc::clone(&target)), async move {
            navigation::navigation(&asking, &roots, way, &target).await
        })
    });
    or_lower(session, language, answer.await, within, async |instead| match way {
        Navigation::Implementations => {
            syntactic::implementations(&session.roots, language, &target, instead).await
        }
        // Syntax cannot infer types, nor tell separate declarations apart.
        Navigation::Declarations | Navigation::TypeDefinitions => None,
    })
    .await
}

/// Requests the call or type hierarchy of the symbol at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn hierarchy(
    session: &Session,
    way: Hierarchy,
    target: Target,
    depth: u32,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<HierarchyResult, IdeError> {
    let nowhere = || IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given");
    let language = language_of(session, &target.at.as_ref().ok_or_else(nowhere)?.path)?;
    let target = Arc::new(target);
    let open = |_: &HierarchyResult| match way {
        Hierarchy::Callers | Hierarchy::Subtypes => Openness::Judged,
        Hierarchy::Callees | Hierarchy::Supertypes => Openness::Open,
    };
    let answer = ask(session, language, within.with_reserve(), on_progress, open, |asking| {
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

/// Requests the diagnostics of files in a language.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn diagnostics(
    session: &Session,
    language: &'static Language,
    files: Vec<PathBuf>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DiagnosticsResult, IdeError> {
    let files = Arc::new(files);
    // If the server lacks code, diagnostics may be missing, or false for uses of that code.
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, files) = (Arc::clone(&session.roots), Arc::clone(&files));
        async move { diagnostics::diagnostics(&asking, &roots, &files).await }
    })
    .await
}

/// Requests the description of the symbol at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn description(
    session: &Session,
    language: &'static Language,
    target: Target,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<DescriptionResult, IdeError> {
    let target = Arc::new(target);
    // A description is complete if the server has one; if not, missing code may be the reason.
    let open = |it: &DescriptionResult| Openness::open_if(!it.completeness.complete);
    let answer = ask(session, language, within.with_reserve(), on_progress, open, |asking| {
        let (roots, target) = (Arc::clone(&session.roots), Arc::clone(&target));
        again(session, Arc::clone(&asking), ("description", Arc::clone(&target)), async move {
            description::description(&asking, &roots, &target).await
        })
    });
    let lower = async |reason: &FallbackReason| {
        syntactic::description(&session.roots, language, &target, reason).await
    };
    let answer = or_earlier(session, language, within, answer, lower).await;
    or_lower(session, language, answer, within, lower).await
}

/// Requests the outline of a file.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn outline(
    session: &Session,
    path: String,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<OutlineResult, IdeError> {
    let language = language_of_file(session, &path)?;
    let path = Arc::new(path);
    // Servers need only the text of the file, unless they do not know the file.
    let open = |it: &OutlineResult| Openness::open_if(!it.completeness.complete);
    let answer = ask(session, language, within.with_reserve(), on_progress, open, |asking| {
        let (roots, path) = (Arc::clone(&session.roots), Arc::clone(&path));
        async move { outline::outline(&asking, &roots, &path).await }
    });
    let lower =
        async |reason: &FallbackReason| syntactic::outline(&session.roots, language, &path, reason).await;
    let answer = or_earlier(session, language, within, answer, lower).await;
    or_lower(session, language, answer, within, lower).await
}

/// Requests the symbols of a language with similar names.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn symbols(
    session: &Session,
    language: &'static Language,
    request: &Arc<SymbolsQuestion>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<SymbolsResult, IdeError> {
    let answer = ask(session, language, within.with_reserve(), on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        let question = ("symbols", language.id, request.query.clone(), request.path.clone());
        again(session, Arc::clone(&asking), question, async move {
            symbols::symbols(&asking, &roots, &request).await
        })
    });
    let lower =
        async |reason: &FallbackReason| syntactic::symbols(&session.roots, language, request, reason).await;
    let answer = or_earlier(session, language, within, answer, lower).await;
    or_lower(session, language, answer, within, lower).await
}

/// Requests the edits that rename the symbol at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn rename(
    session: &Session,
    language: &'static Language,
    request: RenameQuestion,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    let request = Arc::new(request);
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(&request));
        async move { rename::rename(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// Requests the code actions at a place.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn code_actions(
    session: &Session,
    language: &'static Language,
    request: &Arc<CodeActionsQuestion>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<CodeActionsResult, IdeError> {
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { code_actions::code_actions(&asking, &roots, &session.offers, &request).await }
    })
    .await
}

/// Requests the edits of an offered action.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn take_action(
    session: &Session,
    offer: &Arc<CachedAction>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // A fix is local and fully visible in the preview; a refactoring depends on all uses.
    let is_fix = |it: &Edit| it.kind.as_deref().is_some_and(|it| it.starts_with("quickfix"));
    let open = |it: &EditsResult| Openness::open_if(!it.edits.iter().all(is_fix));
    ask(session, offer.language, within, on_progress, open, |asking| {
        let (roots, offer) = (Arc::clone(&session.roots), Arc::clone(offer));
        async move { take_action::take_action(&asking, &roots, &session.previews, &offer).await }
    })
    .await
}

/// Requests the edits that format a file.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn format(
    session: &Session,
    language: &'static Language,
    request: &Arc<FormatQuestion>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // Formatting depends only on the text of the file.
    let never = |_: &EditsResult| Openness::Closed;
    ask(session, language, within, on_progress, never, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { layout::format(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// Requests the edits that organize the imports of a file.
///
/// # Errors
/// Same as [`ask`].
pub(crate) async fn organize_imports(
    session: &Session,
    language: &'static Language,
    request: &Arc<OrganizeImportsQuestion>,
    within: Deadlines,
    on_progress: &OnProgress,
) -> Result<EditsResult, IdeError> {
    // Imports that seem unused are removed, so missing code matters.
    ask(session, language, within, on_progress, always, |asking| {
        let (roots, request) = (Arc::clone(&session.roots), Arc::clone(request));
        async move { layout::organize_imports(&asking, &roots, &session.previews, &request).await }
    })
    .await
}

/// Falls back to the syntactic tier if the server cannot answer and that tier has a result.
async fn or_lower<T>(
    session: &Session,
    language: &'static Language,
    answer: Result<T, IdeError>,
    within: Deadlines,
    lower: impl AsyncFnOnce(&FallbackReason) -> Option<T>,
) -> Result<T, IdeError> {
    match answer {
        Err(why) if syntactic::allows_fallback(&why) => {
            let instead = FallbackReason::new(&why, session.install_hint(language), within);
            lower(&instead).await.ok_or(why)
        }
        answer => answer,
    }
}

/// The time that a server gets to load before the syntax answers.
const HEAD_START: Duration = Duration::from_millis(500);

/// The languages whose definitions say their own kinds and types, and each make one symbol. Elsewhere servers merge
/// several to one symbol (overloads in TypeScript, properties in Python), or lead from one to another (headers of C).
const EARLY: [&str; 4] = ["rust", "go", "java", "csharp"];

/// Answers from the syntax while the server of the language loads, if the syntax has all of the answer. A question
/// that says how long to wait for servers waits that long.
async fn or_earlier<T>(
    session: &Session,
    language: &'static Language,
    within: Deadlines,
    answer: impl Future<Output = Result<T, IdeError>>,
    early: impl AsyncFnOnce(&FallbackReason) -> Option<T>,
) -> Result<T, IdeError> {
    if within.is_waiting || !EARLY.contains(&language.id) {
        return answer.await;
    }
    // Boxing keeps this future small, as in `again`.
    let mut answer = Box::pin(answer);
    if let Ok(answer) = timeout(HEAD_START, answer.as_mut()).await {
        return answer;
    }
    if session.is_loading(language)
        && let Some(early) = Box::pin(early(&FallbackReason::early(within))).await
    {
        return Ok(early);
    }
    answer.await
}

/// Returns the cached result for the same question if its dependencies are unchanged; otherwise computes it.
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
    // The note is part of the cached result. Boxing keeps this future small.
    let answer = Box::pin(answer);
    let answer = async { Ok(answer.await?.noting(asking.unread().as_deref())) };
    session.answers.get_or_compute(question, &asking, &session.roots, answer).await
}

/// The degree to which a result may lack what its server does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Openness {
    /// It lacks nothing.
    Closed,
    /// It may lack an entry. The operation itself has judged the code that only macros and build scripts make.
    Judged,
    /// It may lack an entry, also of code that only macros and build scripts make.
    Open,
}

impl Openness {
    fn open_if(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::Closed }
    }
}

/// Returns [`Openness::Open`]: such a result may always lack an entry.
fn always<T>(_: &T) -> Openness {
    Openness::Open
}

/// Sends a question to the server of a language. If the result is open, the server's reservations qualify it. A less preferred server is no reservation: the source names the server, and operations note its
/// limits.
///
/// # Errors
/// No server is available, it is not ready in time, it dies repeatedly, or it reports an error.
async fn ask<T, F>(
    session: &Session,
    language: &'static Language,
    within: Deadlines,
    on_progress: &OnProgress,
    openness: impl Fn(&T) -> Openness,
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
        let (mut asking, reloaded) = begun?;
        let is_missing = !asking.reservations.is_empty() || !asking.left_out.is_empty();
        if server.is_remedied(is_missing).await {
            drop(asking); // it keeps the process
            on_progress(format!("{}: reading what was installed", server.name()), None);
            let looked = async {
                session.search_again(language).await;
                session.server(language).await
            };
            if Arc::ptr_eq(&in_time(looked, within.deadline, on_progress).await?.server, &server) {
                server.renew();
            }
            continue;
        }
        if reloaded {
            let looked = async {
                session.search_again(language).await;
                session.server(language).await
            };
            if !Arc::ptr_eq(&in_time(looked, within.deadline, on_progress).await?.server, &server) {
                continue;
            }
        }
        asking.unknown = session.reservation(&serving);
        let asking = Arc::new(asking);
        // The question may also wait for things without a timeout of their own.
        let answered = timeout_at(within.deadline.into(), question(Arc::clone(&asking))).await;
        match answered.unwrap_or(Err(Problem::Ask(AskError::TimedOut))) {
            Ok(answer) => {
                let openness = openness(&answer);
                return Ok(reserved(session, &asking, openness, answer.noting(asking.unread().as_deref())));
            }
            Err(Problem::Reported(error)) => return Err(error),
            // Questions have no side effects, so a retry is safe. A server that never answered is retried until
            // it counts as unfit.
            Err(Problem::Ask(AskError::Died)) if deaths == 0 || !asking.is_proven() && deaths < DEATHS => {
                deaths += 1;
            }
            Err(Problem::Ask(error)) => return Err(asking.failed(&error).await),
            Err(Problem::FilesChanged) if moves < TRIES => moves += 1,
            Err(Problem::FilesChanged) => return Err(server.keeps_changing()),
        }
    }
}

/// Adds the server's reservations to an answer. What it cannot know of the whole workspace is also noted on the
/// first answer that it could concern, though not as a reason why that one is incomplete.
fn reserved<T: Qualified>(session: &Session, asking: &QueryContext, openness: Openness, mut answer: T) -> T {
    if openness == Openness::Closed {
        return answer;
    }
    let unknown = asking.unknown.as_deref();
    let is_said =
        answer.standing().note.as_ref().is_some_and(|note| unknown.is_some_and(|it| note.contains(it)));
    let reservations = asking.reservations.iter().cloned().chain(asking.untracked());
    let reservations: Vec<_> = match openness {
        Openness::Open => reservations.chain(asking.unknown.clone()).collect(),
        Openness::Judged | Openness::Closed => reservations.collect(),
    };
    let answer = answer.qualified(reservations.iter().map(String::as_str));
    let is_first = unknown.is_some() && session.is_first_reserved();
    let remark = unknown.filter(|_| is_first && !is_said && openness == Openness::Judged);
    answer.noting(remark.map(|it| format!("{it}, and an answer that may lack some of it says so")).as_deref())
}

/// Limits the search for servers by a deadline, since it runs programs that may hang.
async fn in_time<T>(
    search: impl Future<Output = Result<T, IdeError>>,
    until: Instant,
    on_progress: &OnProgress,
) -> Result<T, IdeError> {
    let mut search = pin!(search);
    let soon = Instant::now() + Duration::from_millis(200);
    if let Ok(found) = timeout_at(soon.into(), search.as_mut()).await {
        return found;
    }
    on_progress("looking for language servers".into(), None);
    timeout_at(until.into(), search).await.unwrap_or_else(|_| {
        let message = "the language servers of this machine were not found in time";
        Err(IdeError::new(ErrorCode::NotReady, message).recovery("Ask again in a while."))
    })
}

/// Returns the language of a file of the session. A missing file is reported before an unknown language.
///
/// # Errors
/// The path is outside the session's folders, missing, a folder, or of an unknown language.
pub(crate) fn language_of_file(session: &Session, path: &str) -> Result<&'static Language, IdeError> {
    if session.roots.resolve(path)?.path.is_dir() {
        let message = format!("expected a file, got the folder `{path}`");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery(format!("files(`{path}`) lists the files in it.")));
    }
    language_of(session, path)
}

/// Returns the language of a file.
///
/// # Errors
/// No language has such files.
pub(crate) fn language_of(session: &Session, path: &str) -> Result<&'static Language, IdeError> {
    // The name is enough for a path that leads nowhere; whoever answers says so.
    let absolute = session.roots.resolve(path).map_or_else(|_| PathBuf::from(path), |it| it.path);
    languages::of_file(&absolute).ok_or_else(|| {
        let known = languages::names();
        let message = format!("no language server is known for `{path}`: known are those for {known}");
        IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work in every file.")
    })
}
