//! Token budgets: loaded documents fit, and the first request matters most.

use ailang::{
    Budget, Document, Downgrade, EvictionOrder, Level, LoadedDocument, Loading, Sizes, WantedDocument,
    automatic_level, make_room, plan,
};
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        a_plan_fits,
        more_room_never_takes_from_the_first,
        going_down_makes_room_and_no_more,
        an_automatic_level_fits,
        the_longest_unused_goes_down_first,
        a_document_that_is_not_there_has_the_sizes_that_it_names,
        what_is_used_and_kept_is_not_available
    ]
}

fn sizes() -> impl Strategy<Value = Sizes> {
    prop::array::uniform5(0_usize..400).prop_map(|steps| {
        let mut sum = 0;
        Sizes::new(steps.map(|step| {
            sum += step;
            sum
        }))
    })
}

fn wants() -> impl Strategy<Value = Vec<WantedDocument>> {
    let want = (sizes(), 0_u64..50);
    prop::collection::vec(want, 0..8).prop_map(|wants| {
        let numbered = wants.into_iter().enumerate();
        numbered
            .map(|(index, (sizes, uses))| WantedDocument { path: format!("d{index}.md"), sizes, uses })
            .collect()
    })
}

fn loaded() -> impl Strategy<Value = Vec<LoadedDocument>> {
    let one = (sizes(), 0_usize..5, 0_usize..5, 0_u64..9, 0_u64..9);
    prop::collection::vec(one, 0..8).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        let one =
            |(index, (sizes, level, at_least, last_used, uses)): (usize, (Sizes, usize, usize, u64, u64))| {
                LoadedDocument {
                    path: format!("d{index}.md"),
                    sizes,
                    level: Level::ALL[level],
                    at_least: Level::ALL[at_least.min(level)],
                    last_used,
                    uses,
                }
            };
        numbered.map(one).collect()
    })
}

const ORDER: [EvictionOrder; 2] = [EvictionOrder::LeastRecentlyUsed, EvictionOrder::LeastFrequentlyUsed];

proptest! {
    fn a_plan_fits(wants in wants(), available in 0_usize..4_000) {
        let plan = plan(&wants, available);
        let taken: usize =
            wants.iter().zip(&plan.levels).map(|(want, (_, level))| want.sizes.at(*level)).sum();
        prop_assert!(taken <= available);
        prop_assert_eq!(taken, plan.tokens);
        prop_assert_eq!(plan.levels.len() + plan.missing.len(), wants.len());
        // The rest is too small for a step of any document but the first.
        for (want, (_, level)) in wants.iter().zip(&plan.levels).skip(1) {
            let next = Level::ALL.into_iter().find(|it| it > level);
            let cost = next.map(|next| want.sizes.at(next) - want.sizes.at(*level));
            prop_assert!(cost.is_none_or(|cost| cost > available - taken), "{}", want.path);
        }
    }

    fn more_room_never_takes_from_the_first(wants in wants(), available in 0_usize..3_000, more in 0_usize..1_000) {
        prop_assume!(plan(&wants, available).missing.is_empty());
        let first = |available| plan(&wants, available).levels.first().map(|(_, level)| *level);
        prop_assert!(first(available) <= first(available + more));
    }

    fn going_down_makes_room_and_no_more(loaded in loaded(), needed in 0_usize..900, available in 0_usize..4_000) {
        let level_after = |steps: &[Downgrade], document: &LoadedDocument| {
            steps.iter().rfind(|step| step.path == document.path).map_or(document.level, |step| step.to)
        };
        let total = |steps: &[Downgrade]| -> usize {
            needed + loaded.iter().map(|it| it.sizes.at(level_after(steps, it))).sum::<usize>()
        };
        match make_room(&loaded, needed, available, &ORDER) {
            Ok(steps) => {
                prop_assert!(total(&steps) <= available);
                prop_assert!(loaded.iter().all(|it| level_after(&steps, it) >= it.at_least));
                if let Some((_, before)) = steps.split_last() {
                    prop_assert!(total(before) > available, "the last step was needed");
                }
            }
            Err(missing) => {
                let least: usize = loaded.iter().map(|it| it.sizes.at(it.at_least)).sum();
                prop_assert_eq!(missing, needed + least - available);
            }
        }
    }

    fn an_automatic_level_fits(sizes in sizes(), available in 0_usize..12_000, is_approved: bool) {
        for loading in [Loading::OnDemand, Loading::ByRule, Loading::Manual, Loading::Eager] {
            match automatic_level(&sizes, loading, is_approved, available) {
                Some(level) => {
                    prop_assert!(sizes.at(level) <= available);
                    prop_assert!(loading != Loading::Manual || is_approved || level == Level::Minimal);
                }
                None => prop_assert!(sizes.at(Level::Minimal) > available),
            }
        }
    }
}

fn the_longest_unused_goes_down_first() {
    let one = |path: &str, last_used, uses| LoadedDocument {
        path: path.to_owned(),
        sizes: Sizes::new([10, 20, 40, 80, 100]),
        level: Level::Standard,
        at_least: Level::Minimal,
        last_used,
        uses,
    };
    let loaded = [one("new", 9, 1), one("old", 1, 5), one("older", 1, 2)];
    let paths = |order: &[EvictionOrder]| -> Vec<String> {
        let steps = make_room(&loaded, 40, 120, order).expect("there is room");
        steps.into_iter().map(|step| format!("{} {}", step.path, step.to.name())).collect()
    };
    assert_eq!(paths(&ORDER), ["older compact", "older minimal", "old compact"]);
    assert_eq!(paths(&[EvictionOrder::LeastFrequentlyUsed]), ["new compact", "new minimal", "older compact"]);
}

fn a_document_that_is_not_there_has_the_sizes_that_it_names() {
    let front = |hints: &str| {
        Document::parse(format!("---\nid: a\ntitle: A\nsummary: A.\n{hints}---\n")).front_matter
    };
    let all = "size_hints: { minimal: 10, compact: 20, standard: 30, detailed: 40, complete: 50 }\n";
    let sizes = Sizes::from_hints(&front(all)).expect("it names all");
    assert_eq!(Level::ALL.map(|level| sizes.at(level)), [18, 28, 38, 48, 58]);
    assert_eq!(Sizes::from_hints(&front("size_hints: { minimal: 10 }\n")), None);
}

fn what_is_used_and_kept_is_not_available() {
    assert_eq!(Budget { max: 100, used: 30, reserved: 20 }.available(), 50);
    assert_eq!(Budget { max: 100, used: 90, reserved: 20 }.available(), 0);
}
