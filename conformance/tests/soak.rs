//! A short soak, with whichever language servers this machine has; `src/bin/soak.rs` is the long one.

use conformance::soak::{Plan, soak};
use libtest_mimic::{Completion, Failed, Trial};

pub(crate) fn trials() -> Vec<Trial> {
    let name = "every_call_has_an_outcome_while_servers_are_killed";
    vec![Trial::ignorable_test(name, every_call_has_an_outcome_while_servers_are_killed).with_kind("soak")]
}

fn every_call_has_an_outcome_while_servers_are_killed() -> Result<Completion, Failed> {
    let plan = Plan { calls: 300, kills: 3, sessions: 3, seed: 7, records: true };
    let figures = crate::runtime()?.block_on(soak(crate::programs()?, plan));
    let figures = figures.map_err(|error| Failed::from(format!("{error:#}")))?;
    eprintln!("{figures}");
    assert_eq!(figures.complaints(), Vec::<String>::new());
    assert_eq!(figures.n_outcomes(), plan.calls);
    if figures.n_killed() == 0 && std::env::var_os("DIALECT_REQUIRE_SERVERS").is_none() {
        return Ok(Completion::ignored_with("no language server is installed that could be killed"));
    }
    assert_eq!(figures.n_killed(), plan.kills, "servers were to be killed");
    assert!(figures.n_left() > 0, "nothing ran when the chain itself was killed");
    let (answered, least) = (figures.n_answered(), plan.calls / 2);
    assert!(answered >= least, "only {answered} calls were answered");
    Ok(Completion::Completed)
}
