//! The restart loop of a server.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio::time::sleep;

use super::Server;
use super::admission::Ending;
use super::idle_tracker::NextRequest;
use crate::fallback::servers::run::readiness::Signal;
use crate::fallback::servers::run::restart::{Crashes, Restart};
use crate::fallback::servers::run::server_process::{ProcessHandle, ServerProcess};
use crate::fallback::servers::run::{health, server_process};
use unpoisoned::lock;

/// The reason why a process ended.
enum ProcessEnd {
    /// The server was stopped for good.
    Stopped,
    /// No request came for a while; the next one starts the server again.
    Rests(NextRequest),
    /// It has to read anew what it was not told of.
    Outdated,
    /// It failed, with the reason.
    Failed(String),
}

/// Starts the server, watches it, and restarts it when it ends, until it is stopped.
pub(crate) async fn keep(server: Arc<Server>) {
    let mut crashes = Crashes::default();
    let mut proven = false;
    while !server.stop.is_cancelled() {
        tokio::select! {
            () = server.admission.wait(&server.demand, || server.signal(Signal::Spawned)) => {}
            () = server.stop.cancelled() => return,
        }
        server.signal(Signal::Spawned);
        server.loading.begin();
        let born = Instant::now();
        let started = tokio::select! {
            started = server_process::start(&server.setup, &server.readiness) => started,
            () = server.stop.cancelled() => return,
        };
        let came_to_life = started.is_ok();
        let ended = match started {
            Ok((process, handle)) => {
                tracing::info!(server = server.name(), "a language server has started");
                let process = Arc::new(process);
                let ended = live(&server, Arc::clone(&process), handle).await;
                proven |= process.is_proven();
                ended
            }
            Err(reason) => ProcessEnd::Failed(reason),
        };
        server.admission.leave();
        let reason = match ended {
            ProcessEnd::Stopped => return,
            ProcessEnd::Outdated => continue,
            ProcessEnd::Failed(reason) => reason,
            ProcessEnd::Rests(next) => {
                server.has_rested.store(true, Ordering::Relaxed);
                if server.demand.is_active() {
                    continue; // a question came before it was told to rest
                }
                tokio::select! {
                    () = next.come() => continue,
                    () = server.stop.cancelled() => return,
                }
            }
        };
        tracing::warn!(server = server.name(), reason, "a language server ended");
        server.hear_denial(&reason);
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

/// Runs one process from its start to its end.
async fn live(server: &Server, process: Arc<ServerProcess>, mut handle: ProcessHandle) -> ProcessEnd {
    server.set_process(Some(Arc::clone(&process)));
    server.signal(Signal::Initialized);
    let health = &server.setup.health;
    let memory_exceeded = handle.memory_exceeded(health);
    *lock(&server.group) = handle.group();
    let unfit = tokio::select! {
        () = handle.ended() => None,
        reason = health::silent(&process.pulse, &process.requests, health) => Some(reason),
        never = super::background_rescan::look(&server.setup, &process) => match never {},
        never = server.loading.observe(server.readiness.subscribe()) => match never {},
        reason = memory_exceeded => {
            last_answers(server, &process, Signal::Ended { reason: reason.clone() }).await;
            Some(reason)
        }
        next = server.demand.ceased(server.rests_after()) => {
            last_answers(server, &process, Signal::Spawned).await;
            tracing::debug!(server = server.name(), "nobody asks; it rests");
            leave(server, &process, &mut handle).await;
            return ProcessEnd::Rests(next);
        }
        next = told_to_end(server) => {
            last_answers(server, &process, Signal::Spawned).await;
            tracing::info!(server = server.name(), "it makes room for others in the memory that all may take");
            leave(server, &process, &mut handle).await;
            return ProcessEnd::Rests(next);
        }
        () = server.outdated.notified() => {
            last_answers(server, &process, Signal::Spawned).await;
            tracing::info!(server = server.name(), "a language server starts anew, because what it lacked may be there");
            leave(server, &process, &mut handle).await;
            return ProcessEnd::Outdated;
        }
        () = server.stop.cancelled() => {
            leave(server, &process, &mut handle).await;
            return ProcessEnd::Stopped;
        }
    };
    server.set_process(None);
    *lock(&server.group) = None;
    if unfit.is_some() {
        handle.disconnect();
    }
    let status = handle.end().await;
    ProcessEnd::Failed(unfit.unwrap_or_else(|| format!("it ended{}", handle.last_words(status))))
}

/// Waits until the server is to make room for others; one that is only to rest does so if no request waits for it.
async fn told_to_end(server: &Server) -> NextRequest {
    loop {
        let ending = server.admission.told_to_end().await;
        let next = server.demand.next();
        if ending == Ending::Yield || !server.is_working() {
            return next;
        }
    }
}

/// Lets this process answer the requests under way; new ones wait for the next process, as the signal makes
/// them.
async fn last_answers(server: &Server, process: &ServerProcess, signal: Signal) {
    process.has_ended();
    server.admission.begin_to_leave();
    server.signal(signal);
    tokio::select! {
        () = process.pulse.unused() => {}
        () = server.stop.cancelled() => {}
    }
}

/// Ends a process cleanly.
async fn leave(server: &Server, process: &ServerProcess, handle: &mut ProcessHandle) {
    server.set_process(None);
    *lock(&server.group) = None;
    process.shut_down().await;
    handle.end().await;
}
