//! Puts a question to the server of its language, and again when the server or the files do not hold still.

use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{ErrorCode, IdeError, Location};

use crate::fallback::OnProgress;
use crate::fallback::asking::{Asking, Problem};
use crate::fallback::languages;
use crate::fallback::server::{AskError, Server};
use crate::fallback::session::{Servers, Session};

/// How often an answer is begun anew because a file changed under it.
const TRIES: usize = 3;

/// Asks the server that `at` belongs to, or the session's first one.
///
/// # Errors
/// There is no such server, it is not ready in time, it fails twice, or it says so.
pub(crate) async fn ask<T, F>(
    session: &Session,
    at: Option<&Location>,
    deadline: Instant,
    on_progress: &OnProgress,
    question: impl Fn(Arc<Asking>) -> F,
) -> Result<T, IdeError>
where
    F: Future<Output = Result<T, Problem>>,
{
    let mut deaths = 0;
    let mut moves = 0;
    loop {
        let servers = in_time(session.servers(), deadline, on_progress).await?;
        let server = server_for(&servers, at)?;
        let (asking, reloaded) =
            Asking::begin(Arc::clone(&server), servers.left_out, deadline, on_progress).await?;
        if reloaded {
            session.look_again().await;
            if !session.servers().await?.all.iter().any(|it| Arc::ptr_eq(it, &server)) {
                continue;
            }
        }
        let asking = Arc::new(asking);
        match question(Arc::clone(&asking)).await {
            Ok(answer) => return Ok(answer),
            Err(Problem::Said(error)) => return Err(error),
            // A question about a server's state changes nothing, so it may be asked twice.
            Err(Problem::Ask(AskError::Died)) if deaths == 0 => deaths += 1,
            Err(Problem::Ask(error)) => return Err(asking.failed(&error)),
            Err(Problem::Moved) if moves < TRIES => moves += 1,
            Err(Problem::Moved) => return Err(server.restless()),
        }
    }
}

/// Finding servers runs other programs, which may hang.
async fn in_time(
    servers: impl Future<Output = Result<Servers, IdeError>>,
    deadline: Instant,
    on_progress: &OnProgress,
) -> Result<Servers, IdeError> {
    let mut servers = std::pin::pin!(servers);
    let soon = Instant::now() + std::time::Duration::from_millis(200);
    if let Ok(found) = tokio::time::timeout_at(soon.into(), servers.as_mut()).await {
        return found;
    }
    on_progress("looking for language servers".into(), None);
    tokio::time::timeout_at(deadline.into(), servers).await.unwrap_or_else(|_| {
        let message = "the language servers of this machine were not found in time";
        Err(IdeError::new(ErrorCode::NotReady, message).recovery("Ask again in a while."))
    })
}

fn server_for(servers: &Servers, at: Option<&Location>) -> Result<Arc<Server>, IdeError> {
    let mut all = servers.all.iter();
    let server = match at {
        None => all.next(),
        Some(at) => all.find(|it| it.setup.language.owns(at.path.as_ref())),
    };
    server.cloned().ok_or_else(|| {
        let path = at.map_or("this workspace", |it| it.path.as_str());
        let message =
            format!("no language server is known for `{path}`: known are those for {}", languages::names());
        IdeError::new(ErrorCode::Unavailable, message).recovery("`search` and `lines` work in every file.")
    })
}
