//! The answers of the user that hold for a session or a turn. Pure.

use super::demand::CapabilityDemand;
use super::grants::{Grant, Grants};

/// The answers of one session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    grants: Grants,
    refusals: Vec<Refusal>,
    unused: Vec<UnusedApproval>,
}

#[derive(Debug)]
struct Refusal {
    demands: Vec<CapabilityDemand>,
    for_session: bool,
}

/// An approval for one call that had ended before the user answered.
#[derive(Debug)]
struct UnusedApproval {
    program: String,
    demands: Vec<CapabilityDemand>,
}

impl Memory {
    pub(super) fn grant(&mut self, grants: Vec<Grant>) {
        grants.into_iter().for_each(|it| self.grants.add(it));
    }

    pub(super) fn covers(&self, demand: &CapabilityDemand, fingerprint: &str) -> bool {
        self.grants.cover(demand, fingerprint)
    }

    pub(super) fn refuse(&mut self, demands: Vec<CapabilityDemand>, for_session: bool) {
        self.refusals.push(Refusal { demands, for_session });
    }

    /// Returns whether all of a refused question is wanted again: `true` when it was refused for the session,
    /// `false` for this turn. A smaller question than the refused one is a new one.
    pub(super) fn refused(&self, wanted: &[CapabilityDemand]) -> Option<bool> {
        let holds = |refusal: &&Refusal| refusal.demands.iter().all(|it| asks_for(wanted, it));
        self.refusals.iter().filter(holds).map(|it| it.for_session).max()
    }

    /// Keeps an approval whose call has ended, for the same program sent again in this turn.
    pub(super) fn keep(&mut self, program: &str, demands: Vec<CapabilityDemand>) {
        self.unused.push(UnusedApproval { program: program.to_owned(), demands });
    }

    /// Takes the approval that was kept for a program, if it covers everything that is wanted.
    pub(super) fn take(
        &mut self,
        program: &str,
        wanted: &[CapabilityDemand],
    ) -> Option<Vec<CapabilityDemand>> {
        let suffices = |it: &UnusedApproval| {
            it.program == program && wanted.iter().all(|demand| it.demands.contains(demand))
        };
        let index = self.unused.iter().position(suffices)?;
        Some(self.unused.swap_remove(index).demands)
    }

    /// Begins a turn: forgets what held only for the turn before.
    pub(super) fn turn_begins(&mut self) {
        self.refusals.retain(|it| it.for_session);
        self.unused.clear();
    }
}

fn asks_for(wanted: &[CapabilityDemand], refused: &CapabilityDemand) -> bool {
    wanted.iter().any(|it| it.capability == refused.capability && it.bounds.cover(&refused.bounds))
}

#[cfg(test)]
mod tests {
    use dialect::Requirement;

    use super::*;
    use crate::permission::demand::Demands;

    fn demand(requirement: &Requirement) -> CapabilityDemand {
        Demands::one(requirement).into_each().next().expect("one")
    }

    fn demands(names: &[&str]) -> Vec<CapabilityDemand> {
        names.iter().map(|it| demand(&Requirement::new(*it))).collect()
    }

    #[test]
    fn the_same_or_more_is_refused_and_less_is_another_question() {
        let mut memory = Memory::default();
        memory.refuse(demands(&["d/A", "d/B"]), false);
        assert_eq!(memory.refused(&demands(&["d/B", "d/A"])), Some(false));
        assert_eq!(memory.refused(&demands(&["d/A", "d/B", "d/C"])), Some(false));
        assert_eq!(memory.refused(&demands(&["d/A"])), None);
        memory.refuse(demands(&["d/A"]), true);
        assert_eq!(memory.refused(&demands(&["d/A", "d/B"])), Some(true));
        memory.turn_begins();
        assert_eq!(memory.refused(&demands(&["d/B"])), None);
        assert_eq!(memory.refused(&demands(&["d/A"])), Some(true));
    }

    #[test]
    fn what_is_limited_more_is_another_question() {
        let mut memory = Memory::default();
        let limited = |paths: &[&'static str]| {
            vec![demand(&Requirement::new("d/A").restricted("paths", paths.iter().copied()))]
        };
        memory.refuse(limited(&["src/**"]), false);
        assert_eq!(memory.refused(&limited(&["src/**"])), Some(false));
        assert_eq!(memory.refused(&demands(&["d/A"])), Some(false));
        assert_eq!(memory.refused(&limited(&["src/a"])), None);
    }

    #[test]
    fn once_is_used_up_by_the_same_program_in_the_same_turn() {
        let mut memory = Memory::default();
        memory.keep("p", demands(&["d/A"]));
        assert_eq!(memory.take("q", &demands(&["d/A"])), None);
        assert_eq!(memory.take("p", &demands(&["d/A", "d/B"])), None);
        assert_eq!(memory.take("p", &demands(&["d/A"])), Some(demands(&["d/A"])));
        assert_eq!(memory.take("p", &demands(&["d/A"])), None);
        memory.keep("p", demands(&["d/A"]));
        memory.turn_begins();
        assert_eq!(memory.take("p", &demands(&["d/A"])), None);
    }
}
