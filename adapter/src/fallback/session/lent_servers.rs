//! The language servers that the editor lends to a session: found, connected to, and left for a while when they fail.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use super::Session;
use super::serving::Serving;
use crate::fallback::servers::find::launch::{Environment, Launch};
use crate::fallback::servers::find::outside_sources::OutsideSources;
use crate::fallback::servers::run::lent::{Lender, Offer, offer};
use crate::fallback::servers::run::server::Server;
use crate::fallback::servers::run::server_setup::ServerSetup;
use crate::fallback::source::languages::Language;
use crate::fallback::trust::level::Level;

/// The time for which an editor that lends none is not asked again: it may start one at any moment.
const DISBELIEF: Duration = Duration::from_secs(5);

/// The time for which a server that failed is not asked again.
const REST: Duration = Duration::from_secs(60);

/// The editor's servers, by the ids of their languages.
#[derive(Debug, Default)]
pub(crate) struct LentServers(Mutex<HashMap<&'static str, Lent>>);

#[derive(Debug)]
enum Lent {
    Connected(Serving),
    /// None is asked until then.
    Absent(Instant),
}

impl Session {
    /// Returns the server of a language that the editor lends; `None` if it lends none now. Nothing is started for it, so
    /// that the level of trust has no say.
    pub(crate) async fn lent_server(
        &self,
        language: &'static Language,
        lender: &Arc<dyn Lender>,
    ) -> Option<Serving> {
        let mut all = self.lent_servers.0.lock().await;
        match all.get(language.id) {
            Some(Lent::Connected(serving)) => return Some(serving.clone()),
            Some(Lent::Absent(until)) if Instant::now() < *until => return None,
            Some(Lent::Absent(_)) | None => {}
        }
        let (lent, serving) = match offer(lender, language, self.roots.folders()).await {
            Ok(Some(offer)) => {
                let serving = self.connect(language, offer).await;
                (Lent::Connected(serving.clone()), Some(serving))
            }
            Ok(None) => (Lent::Absent(Instant::now() + DISBELIEF), None),
            Err(reason) => {
                tracing::warn!(language = language.name, reason, "the editor lists no language servers");
                (Lent::Absent(Instant::now() + REST), None)
            }
        };
        all.insert(language.id, lent);
        serving
    }

    async fn connect(&self, language: &'static Language, offer: Offer) -> Serving {
        let launch = Launch {
            server: offer.profile,
            program: PathBuf::new(),
            args: Vec::new(),
            version: String::new(),
            passed_over: Vec::new(),
            environment: Environment::default(),
            options: Value::Null,
        };
        let setup = ServerSetup {
            language,
            launch,
            supervisor: PathBuf::new(),
            projects: Vec::new(),
            folders: self.roots.folders().iter().cloned().collect(),
            beside: OutsideSources::default(),
            anchors: Vec::new(),
            // It runs what the user's editor lets it run.
            level: Level::Trusted,
            health: self.config.health,
            // What it knows changes with each key that the user presses, so that no reply outlives its question.
            stillness: Duration::MAX,
            times: None,
            remedies: Arc::default(),
            switched_off: self.config.switched_off.clone(),
        };
        let server = Server::connect(setup, offer.server, offer.capabilities).await;
        Serving { server, left_out: Vec::new(), unknown: None }
    }

    /// Asks the editor's server of a language no more for a while.
    pub(crate) async fn leave_lent_server(&self, language: &'static Language) {
        let absent = Lent::Absent(Instant::now() + REST);
        self.lent_servers.0.lock().await.insert(language.id, absent);
    }

    /// Returns the time that the editor and its servers have for one answer.
    pub(crate) fn lent_patience(&self) -> Duration {
        self.config.lent_patience
    }
}
