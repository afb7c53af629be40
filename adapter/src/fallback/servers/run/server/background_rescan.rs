//! Rescans all files in the background, to find changes that the watches missed.
//!
//! Writes through memory maps, or under another name of a file, may cause no event. After requests that were
//! answered without a full scan, one runs in the background. Its result counts for the next request.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::sleep;

use crate::fallback::servers::run::server_process::ServerProcess;
use crate::fallback::servers::run::server_setup::ServerSetup;
use crate::fallback::workspace::file_scan;

/// The delay after such a request, and so the minimum interval of scans.
const PAUSE: Duration = Duration::from_secs(5);

/// Runs a rescan after each request that skipped one; never returns.
pub(crate) async fn look(setup: &ServerSetup, process: &ServerProcess) -> Infallible {
    loop {
        process.unscanned.notified().await;
        sleep(PAUSE).await;
        let (language, folders) = (setup.language, setup.watched());
        let look = tokio::task::spawn_blocking(move || file_scan::scan(language, &folders).0);
        let seen = match look.await {
            Ok(seen) => seen,
            // The server's keeper runs this too, and must outlive a bug of the scan.
            Err(error) => {
                tracing::error!(server = setup.launch.server.name, %error, "the scan of changed files broke down");
                process.doubt();
                continue;
            }
        };
        if process.documents.lock().await.differ(&seen) {
            tracing::debug!(
                server = setup.launch.server.name,
                "files changed that were not told of, or are changing"
            );
            process.doubt();
        }
    }
}
