//! Looks behind the watches: whether a file changed that nobody told of.
//!
//! Writes through memory maps, or under another name of a file, may not be told. After questions that were answered
//! without a look at all files, one is made in the background; what it finds counts for the next question.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::sleep;

use super::Server;
use crate::fallback::servers::run::server_process::ServerProcess;
use crate::fallback::workspace::file_scan;

/// How long after such a question, and so how often at most.
const PAUSE: Duration = Duration::from_secs(5);

/// Goes on for ever.
pub(crate) async fn look(server: &Server, life: &ServerProcess) -> Infallible {
    loop {
        life.unlooked.notified().await;
        sleep(PAUSE).await;
        let (language, folders) = (server.setup.language, server.setup.watched());
        let look = tokio::task::spawn_blocking(move || file_scan::look(language, &folders).0);
        let seen = match look.await {
            Ok(seen) => seen,
            // The server's keeper runs this too, and must outlive a bug of the scan.
            Err(error) => {
                tracing::error!(server = server.name(), %error, "the scan of changed files broke down");
                life.doubt();
                continue;
            }
        };
        if life.documents.lock().await.differ(&seen) {
            tracing::debug!(server = server.name(), "files changed that were not told of, or are changing");
            life.doubt();
        }
    }
}
