//! Admission of servers to the memory that all may take together: which one starts, which one makes room, and which one
//! waits for its turn.

use std::cmp::Reverse;
use std::time::Duration;

/// The time after its last question in which a server that does not work keeps its memory.
pub(crate) const RECENT: Duration = Duration::from_secs(10);

/// A server whose process runs or is to start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tenant {
    pub(crate) stage: Stage,
    /// The memory that it takes now, in bytes.
    pub(crate) taken: u64,
    /// The memory that it takes or will take, in bytes.
    pub(crate) needed: u64,
    /// `true` if a question waits for it or is being answered.
    pub(crate) is_working: bool,
    /// The time since its last question.
    pub(crate) idle: Duration,
}

/// The stage of a server in the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has waited that long for its start.
    Waiting(Duration),
    /// It starts, or loads its projects.
    Loading,
    /// It answers.
    Answering {
        /// The time for which it has done so.
        so_far: Duration,
        /// The time for which it may do so while another waits.
        turn: Duration,
    },
    /// It was told to end, and still takes its memory.
    Leaving,
}

/// A step for one server, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It ends until its next question.
    Rest(usize),
    /// It ends after the answers under way, and then waits for its next turn.
    Yield(usize),
    /// It starts.
    Admit(usize),
}

/// Plans the steps by which the servers come to take no more than the budget.
///
/// Servers that nobody uses make room first, and of them the one that was used longest ago. One with questions makes room
/// for another once its turn is over, or at once where all take more than the budget. Nobody ends whose memory is not
/// needed, nor several where one will be enough after its turn. Those that wait are admitted in order; a small one passes
/// a large one where that delays it by nothing. One server may always run, whatever it takes.
pub(crate) fn plan(tenants: &[Tenant], budget: u64) -> Vec<Step> {
    let waiting = waiting(tenants);
    // One that was not asked takes nothing from others.
    let next = waiting.first().filter(|(_, it)| it.is_working).map(|(_, it)| it.needed);
    let mut steps = make_room(tenants, budget, next);
    let ends =
        |index: usize| steps.iter().any(|it| matches!(it, Step::Rest(at) | Step::Yield(at) if *at == index));
    let stays = |(index, it): &(usize, &Tenant)| it.runs() && !ends(*index);
    let mut staying: u64 = tenants.iter().enumerate().filter(stays).map(|(_, it)| it.needed).sum();
    if let Some(next) = next.filter(|_| steps.is_empty()) {
        // It starts once one has had its turn.
        staying -= enough_alone(tenants, budget, next).max().unwrap_or_default();
    }
    let mut taken: u64 = tenants.iter().filter(|it| !it.waits()).map(|it| it.needed).sum();
    for (place, (index, tenant)) in waiting.into_iter().enumerate() {
        let reserved = if place == 0 { 0 } else { next.unwrap_or_default() };
        let fits = taken + tenant.needed <= budget && staying + reserved + tenant.needed <= budget;
        if fits || taken == 0 {
            taken += tenant.needed;
            staying += if place == 0 && next.is_some() { 0 } else { tenant.needed };
            steps.push(Step::Admit(index));
        }
    }
    steps
}

/// Returns the servers that wait in the order of their turns, with their indexes: those that were asked come first.
fn waiting(tenants: &[Tenant]) -> Vec<(usize, &Tenant)> {
    let waited = |it: &Tenant| match it.stage {
        Stage::Waiting(waited) => waited,
        _ => Duration::ZERO,
    };
    let mut waiting: Vec<_> = tenants.iter().enumerate().filter(|(_, it)| it.waits()).collect();
    waiting.sort_by_key(|(_, it)| (!it.is_working, Reverse(waited(it))));
    waiting
}

/// Returns which servers end, for one that needs so much memory, or because all take too much.
fn make_room(tenants: &[Tenant], budget: u64, next: Option<u64>) -> Vec<Step> {
    let is_exceeded = tenants.iter().map(|it| it.taken).sum::<u64>() > budget;
    // One that may grow is left alone until it does, if nobody waits.
    let memory = |it: &Tenant| if next.is_some() { it.needed } else { it.taken };
    let running = || tenants.iter().filter(|it| it.runs());
    let mut left: u64 = running().map(memory).sum::<u64>() + next.unwrap_or_default();
    let mut count = running().count();

    let answers_since = |it: &Tenant| match it.stage {
        Stage::Answering { so_far, turn } if is_exceeded || so_far >= turn => Some(so_far),
        _ => None,
    };
    let (mut unused, mut used) = (Vec::new(), Vec::new());
    for (index, tenant) in tenants.iter().enumerate() {
        if tenant.runs() && !tenant.is_working && tenant.idle >= RECENT {
            unused.push((Reverse(tenant.idle), Step::Rest(index)));
        } else if let Some(time) = answers_since(tenant) {
            used.push((Reverse(time), Step::Yield(index)));
        }
    }
    unused.sort_by_key(|(order, _)| *order);
    used.sort_by_key(|(order, _)| *order);

    let mut steps = Vec::new();
    for (_, step) in unused.into_iter().chain(used) {
        let is_last = count == 1 && next.is_none();
        if left <= budget || is_last {
            break;
        }
        left -= memory(&tenants[step.index()]);
        count -= 1;
        steps.push(step);
    }
    // A large one alone may have been enough.
    steps.retain(|it| {
        let with_it = left + memory(&tenants[it.index()]);
        let is_needed = with_it > budget;
        left = if is_needed { left } else { with_it };
        is_needed
    });
    // Several that work do not end for one, where one alone would be enough after its turn.
    let several = steps.iter().filter(|it| matches!(it, Step::Yield(_))).count() > 1;
    if several && !is_exceeded && next.is_some_and(|it| enough_alone(tenants, budget, it).next().is_some()) {
        steps.retain(|it| matches!(it, Step::Rest(_)));
    }
    steps
}

/// Returns the memory of each running server that would be enough for one that needs so much.
fn enough_alone(tenants: &[Tenant], budget: u64, next: u64) -> impl Iterator<Item = u64> {
    let running = tenants.iter().filter(|it| it.runs()).map(|it| it.needed);
    let all = running.clone().sum::<u64>() + next;
    running.filter(move |it| all - it <= budget)
}

impl Tenant {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting(_))
    }

    fn runs(&self) -> bool {
        matches!(self.stage, Stage::Loading | Stage::Answering { .. })
    }
}

impl Step {
    fn index(self) -> usize {
        match self {
            Self::Rest(index) | Self::Yield(index) | Self::Admit(index) => index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const TURN: Duration = Duration::from_secs(10);

    fn working(stage: Stage, memory: u64) -> Tenant {
        let taken = if matches!(stage, Stage::Waiting(_)) { 0 } else { memory };
        Tenant { stage, taken, needed: memory, is_working: true, idle: Duration::ZERO }
    }

    fn answering(seconds: u32, memory: u64) -> Tenant {
        working(Stage::Answering { so_far: SECOND * seconds, turn: TURN }, memory)
    }

    fn waiting(seconds: u32, memory: u64) -> Tenant {
        working(Stage::Waiting(SECOND * seconds), memory)
    }

    fn unused(seconds: u32, memory: u64) -> Tenant {
        Tenant { is_working: false, idle: SECOND * seconds, ..answering(seconds, memory) }
    }

    fn leaving(tenant: Tenant) -> Tenant {
        Tenant { stage: Stage::Leaving, ..tenant }
    }

    #[test]
    fn what_fits_starts_at_once() {
        assert_eq!(plan(&[answering(1, 60), waiting(0, 40)], 100), [Step::Admit(1)]);
    }

    #[test]
    fn what_one_will_take_is_kept_for_it() {
        let loading = Tenant { taken: 5, ..working(Stage::Loading, 70) };
        assert_eq!(plan(&[loading, waiting(0, 40)], 100), []);
        assert_eq!(plan(&[loading, waiting(0, 30)], 100), [Step::Admit(1)]);
    }

    #[test]
    fn the_one_used_longest_ago_makes_room_first() {
        let (new, old, next) = (unused(20, 50), unused(90, 50), waiting(1, 40));
        assert_eq!(plan(&[new, old, next], 100), [Step::Rest(1)]);
        assert_eq!(plan(&[new, leaving(old), next], 100), [], "it still takes its memory");
        assert_eq!(plan(&[new, next], 100), [Step::Admit(1)]);
    }

    #[test]
    fn one_that_works_makes_room_after_its_turn() {
        let next = waiting(1, 40);
        assert_eq!(plan(&[answering(9, 90), next], 100), []);
        assert_eq!(plan(&[answering(11, 45), answering(12, 45), next], 100), [Step::Yield(1)]);
        let not_asked = Tenant { is_working: false, ..next };
        assert_eq!(plan(&[answering(11, 45), answering(12, 45), not_asked], 100), []);
    }

    #[test]
    fn nobody_ends_whose_memory_is_not_needed() {
        let tenants = [answering(30, 5), unused(60, 5), answering(20, 80), waiting(1, 80)];
        assert_eq!(plan(&tenants, 100), [Step::Yield(2)]);
    }

    #[test]
    fn several_do_not_end_for_one_that_has_another_to_wait_for() {
        let small = [answering(30, 15), answering(20, 15)];
        let next = waiting(1, 60);
        assert_eq!(plan(&[small[0], small[1], working(Stage::Loading, 60), next], 100), []);
        assert_eq!(plan(&[small[0], small[1], answering(11, 60), next], 100), [Step::Yield(2)]);
        let alone = [answering(30, 30), answering(20, 30), answering(25, 30), next];
        assert_eq!(plan(&alone, 100), [Step::Yield(0), Step::Yield(2)]);
    }

    #[test]
    fn one_that_may_grow_is_left_alone() {
        let grows = |seconds| Tenant { taken: 40, ..answering(seconds, 90) };
        assert_eq!(plan(&[grows(60), grows(90)], 100), []);
        assert_eq!(plan(&[grows(60), waiting(1, 20)], 100), [Step::Yield(0)], "both would be too much");
    }

    #[test]
    fn those_that_wait_start_in_order() {
        let tenants = [
            answering(1, 50),
            waiting(1, 20),
            waiting(2, 60),
            Tenant { is_working: false, ..waiting(3, 10) },
        ];
        assert_eq!(
            plan(&tenants, 100),
            [Step::Admit(1), Step::Admit(3)],
            "they fit beside the large one, too"
        );
        assert_eq!(plan(&tenants, 75), [Step::Admit(3)], "the other one does not");
        assert_eq!(plan(&tenants, 110), [Step::Admit(2)]);
        let [first, small, large, _] = tenants;
        let leaves = [leaving(first), answering(1, 10), small, large];
        assert_eq!(plan(&leaves, 100), [Step::Admit(2)], "the large one has to wait in any case");
        let loads = [working(Stage::Loading, 60), small, large];
        assert_eq!(plan(&loads, 100), [Step::Admit(1)], "both fit once the first has had its turn");
        assert_eq!(plan(&tenants, 140), [Step::Admit(2), Step::Admit(1), Step::Admit(3)]);
    }

    #[test]
    fn one_may_always_run() {
        assert_eq!(plan(&[waiting(1, 1000), waiting(1, 1000)], 100), [Step::Admit(0)]);
        assert_eq!(plan(&[answering(60, 1000)], 100), []);
        assert_eq!(plan(&[unused(60, 1000)], 100), []);
        assert_eq!(plan(&[answering(60, 1000), waiting(1, 1000)], 100), [Step::Yield(0)]);
    }

    #[test]
    fn more_than_the_budget_is_given_back_at_once() {
        assert_eq!(plan(&[answering(2, 70), answering(1, 70)], 100), [Step::Yield(0)]);
        assert_eq!(plan(&[unused(60, 70), answering(70, 70)], 100), [Step::Rest(0)]);
        assert_eq!(plan(&[answering(2, 70), working(Stage::Loading, 70)], 100), [Step::Yield(0)]);
        assert_eq!(plan(&[answering(2, 70), leaving(answering(3, 70))], 100), [], "one leaves already");
    }
}
