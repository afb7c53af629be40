//! Sends a query to the server of its language; retries if the server dies or files change.

mod lent;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_protocol::{Completeness, ErrorCode, IdeError, Reason};
use tokio::time::{timeout, timeout_at};

use super::handler::Call;
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::completeness::Qualified;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::source::languages;
use crate::fallback::source::languages::Language;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;

/// The maximum number of retries after files change during a request.
const TRIES: usize = 3;

/// The maximum number of retries on a server that dies before its first answer.
const DEATHS: usize = 3;

/// Asks the server of a language, and the syntax where the query allows that.
///
/// # Errors
/// No server is available, it is not ready in time, it dies repeatedly, or it reports an error; and the
/// syntax has no answer.
pub(crate) async fn ask<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
) -> Result<Q::Answer, IdeError> {
    let (session, within) = (&call.session, call.within);
    // Boxing keeps this future small, as in `compute`.
    if let Some(answer) = Box::pin(lent::ask(call, language, query)).await {
        return answer;
    }
    let answer = match Q::SYNTAX {
        SyntacticAnswer::Never => return ask_server(call, language, query, within).await,
        SyntacticAnswer::WithoutServer => ask_server(call, language, query, within.with_reserve()).await,
        SyntacticAnswer::WhileLoading => ask_server_or_earlier(call, language, query).await,
    };
    let why = match answer {
        Err(why) if syntactic::allows_fallback(&why) => why,
        answer => return answer,
    };
    if let Some(error) = query.refuse_syntax(call, language, &why) {
        return Err(error);
    }
    let reason = FallbackReason::new(&why, session.install_hint(language), within);
    query.ask_syntax(session, language, &reason).await.ok_or(why)
}

/// Asks the server of a language. While it loads, the syntax answers if it has all of the answer. A question
/// that says how long to wait for servers waits that long.
async fn ask_server_or_earlier<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
) -> Result<Q::Answer, IdeError> {
    let (session, within) = (&call.session, call.within);
    let answer = ask_server(call, language, query, within.with_reserve());
    if within.is_waiting || !language.is_plain {
        return answer.await;
    }
    // Boxing keeps this future small, as in `compute`.
    let mut answer = Box::pin(answer);
    if let Ok(answer) = timeout(session.head_start(), answer.as_mut()).await {
        return answer;
    }
    let reason = FallbackReason::early(within);
    if session.is_loading(language)
        && let Some(early) = Box::pin(query.ask_syntax(session, language, &reason)).await
    {
        return Ok(early);
    }
    answer.await
}

/// Asks the server of a language. If the result is open, the server's reservations qualify it. A less
/// preferred server is no reservation: the source names the server, and operations note its limits.
async fn ask_server<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
    within: Deadlines,
) -> Result<Q::Answer, IdeError> {
    let (session, on_progress) = (&call.session, &call.caller.on_progress);
    let search_again = || {
        let search = async {
            session.search_again(language).await;
            session.server(language).await
        };
        in_time(search, within.deadline, on_progress)
    };
    let (mut deaths, mut moves) = (0, 0);
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
            if Arc::ptr_eq(&search_again().await?.server, &server) {
                server.renew();
            }
            continue;
        }
        if reloaded && !Arc::ptr_eq(&search_again().await?.server, &server) {
            continue;
        }
        asking.unknown = session.reservation(&serving);
        asking.sees_hidden = call.sees_hidden;
        // The question may also wait for things without a timeout of their own.
        let answered = timeout_at(within.deadline.into(), compute(call, language, query, &asking)).await;
        match answered.unwrap_or(Err(Problem::Ask(AskError::TimedOut))) {
            Ok(answer) => {
                let openness = query.openness(&answer);
                return Ok(reserved(session, &asking, openness, answer.noting(asking.left_unsaid())));
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

/// Asks the query of a server. The result is cached if the query has a key, and taken from the cache if its
/// dependencies are unchanged.
async fn compute<Q: ServerQuery>(
    call: &Call,
    language: &'static Language,
    query: &Q,
    asking: &QueryContext,
) -> Result<Q::Answer, Problem> {
    let session = &call.session;
    // Boxing keeps this future small.
    let answer = Box::pin(query.ask(asking, session));
    let Some(key) = query.cache_key() else { return answer.await };
    // The remarks are part of the cached result.
    let answer = async { Ok(answer.await?.noting(asking.left_unsaid())) };
    let question = format!("{} {key}", language.id);
    session.answers.get_or_compute(question, asking, &session.roots, answer).await
}

/// Adds the server's reservations to an answer, and to the references that come with it.
fn reserved<T: Qualified>(session: &Session, asking: &QueryContext, openness: Openness, mut answer: T) -> T {
    reserve(session, asking, openness, answer.standing());
    if let Some(references) = answer.of_references() {
        reserve(session, asking, Openness::Judged, references);
    }
    answer
}

/// Adds the server's reservations. What it cannot know of the whole workspace is also noted on the first answer that it
/// could concern, though not as a reason why that one is incomplete.
fn reserve(session: &Session, asking: &QueryContext, openness: Openness, standing: &mut Completeness) {
    if openness == Openness::Closed {
        return;
    }
    let unknown = asking.unknown.as_ref();
    let is_said = unknown.is_some_and(|it| standing.reasons().contains(it));
    let is_first = unknown.is_some() && session.is_first_reserved();
    let more = match openness {
        Openness::Open => unknown.cloned(),
        Openness::Judged if is_first && !is_said => unknown.and_then(elsewhere),
        Openness::Judged | Openness::Closed => None,
    };
    standing.extend(asking.reservations.iter().cloned().chain(asking.untracked()).chain(more));
}

/// Returns the remark for an answer that code which nobody runs does not concern.
fn elsewhere(unknown: &Reason) -> Option<Reason> {
    let Reason::Restricted { server, knows, is_asking } = unknown.clone() else { return None };
    Some(Reason::RestrictedElsewhere { server, knows, is_asking })
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
