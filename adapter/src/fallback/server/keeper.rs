//! Keeps a server alive: starts it, watches it, and starts it again when it ends.

use std::sync::Arc;
use std::time::Instant;

use tokio::time::sleep;

use super::super::health;
use super::super::life::{self, Life, Process};
use super::super::readiness::Signal;
use super::super::restart::{Crashes, Restart};
use super::Server;

/// Starts the server, watches it, and starts it again when it ends, until it is to stop.
pub(super) async fn keep(server: Arc<Server>) {
    let mut crashes = Crashes::default();
    let mut proven = false;
    while !server.stop.is_cancelled() {
        server.signal(Signal::Spawned);
        let born = Instant::now();
        let started = tokio::select! {
            started = life::start(&server.setup, &server.readiness) => started,
            () = server.stop.cancelled() => return,
        };
        let came_to_life = started.is_ok();
        let reason = match started {
            Ok((life, process)) => {
                let life = Arc::new(life);
                let ended = live(&server, Arc::clone(&life), process).await;
                proven |= life.is_proven();
                let Some(reason) = ended else { return };
                reason
            }
            Err(reason) => reason,
        };
        tracing::warn!(server = server.name(), reason, "a language server ended");
        let restart = crashes.crashed(Instant::now(), born.elapsed());
        if !proven && (!came_to_life || crashes.count() > 1) || matches!(restart, Restart::GiveUpFor(_)) {
            server.set_unfit(Some(reason.clone()));
        }
        let pause = match restart {
            Restart::After(pause) => {
                server.signal(Signal::Ended { reason });
                pause
            }
            Restart::GiveUpFor(pause) => {
                server.signal(Signal::GivenUp { reason });
                pause
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = server.stop.cancelled() => return,
        }
    }
}

/// One life from its start to its end: why it ended, or `None` when it was stopped.
async fn live(server: &Server, life: Arc<Life>, mut process: Process) -> Option<String> {
    server.set_life(Some(Arc::clone(&life)));
    server.signal(Signal::Initialized);
    let health = &server.setup.health;
    let outgrown = process.outgrown(health);
    let unfit = tokio::select! {
        () = process.ended() => None,
        reason = health::silent(&life.pulse, &life.requests, health) => Some(reason),
        reason = outgrown => {
            // New questions wait for the next life, and those under way are answered by this one.
            life.has_ended();
            server.signal(Signal::Ended { reason: reason.clone() });
            tokio::select! {
                () = life.pulse.unused() => {}
                () = server.stop.cancelled() => {}
            }
            Some(reason)
        }
        () = server.stop.cancelled() => {
            server.set_life(None);
            life.shut_down().await;
            process.end().await;
            return None;
        }
    };
    server.set_life(None);
    if unfit.is_some() {
        process.hang_up();
    }
    let status = process.end().await;
    Some(unfit.unwrap_or_else(|| format!("it ended{}", process.last_words(status))))
}
