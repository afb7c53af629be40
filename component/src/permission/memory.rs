//! What is remembered of a session's questions until it ends: pure.

use super::demand::Atom;
use super::grants::{Grant, Grants};

/// Of one session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    grants: Grants,
    refusals: Vec<Refusal>,
    unused: Vec<Unused>,
}

#[derive(Debug)]
struct Refusal {
    atoms: Vec<Atom>,
    for_session: bool,
}

/// Permission for one call, given when that call had ended.
#[derive(Debug)]
struct Unused {
    program: String,
    atoms: Vec<Atom>,
}

impl Memory {
    pub(super) fn grant(&mut self, grants: Vec<Grant>) {
        grants.into_iter().for_each(|it| self.grants.add(it));
    }

    pub(super) fn covers(&self, atom: &Atom, fingerprint: &str) -> bool {
        self.grants.cover(atom, fingerprint)
    }

    pub(super) fn refuse(&mut self, atoms: Vec<Atom>, for_session: bool) {
        self.refusals.push(Refusal { atoms, for_session });
    }

    /// Whether all of that was refused, alone or with more: for the session, or for this turn.
    /// A smaller question than the one that was refused is another one.
    pub(super) fn refused(&self, wanted: &[Atom]) -> Option<bool> {
        let holds = |refusal: &&Refusal| refusal.atoms.iter().all(|it| asks_for(wanted, it));
        self.refusals.iter().filter(holds).map(|it| it.for_session).max()
    }

    /// The call that was asked for is gone: the very same one, sent again in this turn, is it.
    pub(super) fn keep(&mut self, program: &str, atoms: Vec<Atom>) {
        self.unused.push(Unused { program: program.to_owned(), atoms });
    }

    /// What was kept for that program, if it is all that it needs. It is used up by that.
    pub(super) fn take(&mut self, program: &str, wanted: &[Atom]) -> Option<Vec<Atom>> {
        let suffices =
            |it: &Unused| it.program == program && wanted.iter().all(|atom| it.atoms.contains(atom));
        let index = self.unused.iter().position(suffices)?;
        Some(self.unused.swap_remove(index).atoms)
    }

    /// The user has spoken: what held for the turn before does not any more.
    pub(super) fn turn_begins(&mut self) {
        self.refusals.retain(|it| it.for_session);
        self.unused.clear();
    }
}

fn asks_for(wanted: &[Atom], refused: &Atom) -> bool {
    wanted.iter().any(|it| it.capability == refused.capability && it.bounds.cover(&refused.bounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::demand::Demand;
    use dialect::Requirement;

    fn atom(requirement: &Requirement) -> Atom {
        Demand::of(requirement).into_atoms().next().expect("one")
    }

    fn atoms(names: &[&str]) -> Vec<Atom> {
        names.iter().map(|it| atom(&Requirement::new(*it))).collect()
    }

    #[test]
    fn the_same_or_more_is_refused_and_less_is_another_question() {
        let mut memory = Memory::default();
        memory.refuse(atoms(&["d/A", "d/B"]), false);
        assert_eq!(memory.refused(&atoms(&["d/B", "d/A"])), Some(false));
        assert_eq!(memory.refused(&atoms(&["d/A", "d/B", "d/C"])), Some(false));
        assert_eq!(memory.refused(&atoms(&["d/A"])), None);
        memory.refuse(atoms(&["d/A"]), true);
        assert_eq!(memory.refused(&atoms(&["d/A", "d/B"])), Some(true));
        memory.turn_begins();
        assert_eq!(memory.refused(&atoms(&["d/B"])), None);
        assert_eq!(memory.refused(&atoms(&["d/A"])), Some(true));
    }

    #[test]
    fn what_is_limited_more_is_another_question() {
        let mut memory = Memory::default();
        let limited = |paths: &[&'static str]| {
            vec![atom(&Requirement::new("d/A").restricted("paths", paths.iter().copied()))]
        };
        memory.refuse(limited(&["src/**"]), false);
        assert_eq!(memory.refused(&limited(&["src/**"])), Some(false));
        assert_eq!(memory.refused(&atoms(&["d/A"])), Some(false));
        assert_eq!(memory.refused(&limited(&["src/a"])), None);
    }

    #[test]
    fn once_is_used_up_by_the_same_program_in_the_same_turn() {
        let mut memory = Memory::default();
        memory.keep("p", atoms(&["d/A"]));
        assert_eq!(memory.take("q", &atoms(&["d/A"])), None);
        assert_eq!(memory.take("p", &atoms(&["d/A", "d/B"])), None);
        assert_eq!(memory.take("p", &atoms(&["d/A"])), Some(atoms(&["d/A"])));
        assert_eq!(memory.take("p", &atoms(&["d/A"])), None);
        memory.keep("p", atoms(&["d/A"]));
        memory.turn_begins();
        assert_eq!(memory.take("p", &atoms(&["d/A"])), None);
    }
}
