//! A short soak, with whichever language servers this machine has; `src/bin/soak.rs` is the long one.

use anyhow::Result;
use conformance::soak::{Plan, soak};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    tests![every_call_has_an_outcome_while_servers_are_killed]
}

fn every_call_has_an_outcome_while_servers_are_killed() -> Result<()> {
    let programs = crate::programs()?;
    let plan = Plan { calls: 300, kills: 3, sessions: 3, seed: 7, records: true };
    let runtime = tokio::runtime::Runtime::new()?;
    let figures = runtime.block_on(soak(programs, plan))?;
    eprintln!("{figures}");
    assert_eq!(figures.complaints(), Vec::<String>::new());
    assert_eq!(figures.n_outcomes(), plan.calls);
    if figures.n_killed() < plan.kills {
        eprintln!("hardly any language server is installed here: {} were killed", figures.n_killed());
    }
    Ok(())
}
