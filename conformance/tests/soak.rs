//! A short soak, with whichever language servers this machine has; `src/bin/soak.rs` is the long one.

#![cfg(target_os = "linux")]

use std::path::Path;

use conformance::chain::Programs;
use conformance::soak::{Plan, soak};

#[test]
fn every_call_has_an_outcome_while_servers_are_killed() {
    let programs = Programs::beside(Path::new(env!("CARGO_BIN_EXE_mock-agent"))).unwrap();
    let plan = Plan { calls: 300, kills: 3, sessions: 3, seed: 7, records: true };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let figures = runtime.block_on(soak(programs, plan)).unwrap_or_else(|error| panic!("{error:#}"));
    eprintln!("{figures}");
    assert_eq!(figures.complaints(), Vec::<String>::new());
    assert_eq!(figures.n_outcomes(), plan.calls);
    if figures.n_killed() < plan.kills {
        eprintln!("hardly any language server is installed here: {} were killed", figures.n_killed());
    }
}
