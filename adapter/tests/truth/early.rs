//! A question that comes too early is answered right, or says that it is not.

use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::languages::Language;
use super::project::{Dice, Project};
use super::verdict::{Figures, WHOLE};

/// Moments after each start at which it is asked, beside the very first.
const MOMENTS: usize = 3;

/// The timeouts of early questions, in milliseconds. Longer ones show nothing new: no server is asked before it is
/// ready.
const IMPATIENCE: [u64; 3] = [1, 300, WHOLE];

/// Starts and asks at once, and at moments of the time that loading takes, again and again.
pub(crate) fn start_and_ask(
    runtime: &Runtime,
    language: &'static Language,
    server: &str,
    starts: usize,
) -> Result<(), Failed> {
    // Large enough that loading takes a moment.
    let project = Project::new(language, 150, 10, 11);
    let mut dice = Dice::new(5);
    let mut figures = Figures::default();
    let mut loading = Duration::from_secs(1);
    for start in 0..starts {
        let world = language.world(server);
        for (path, text) in project.files() {
            world.write(&path, &text);
        }
        let mut project = project.clone();
        let mut moments: Vec<_> =
            (0..MOMENTS).map(|_| loading.mul_f64(dice.below(100) as f64 / 100.0)).collect();
        moments.push(Duration::ZERO);
        moments.sort();
        let asked: Vec<_> = moments
            .into_iter()
            .map(|moment| {
                let question = project.any_question(dice.below(2));
                (moment, question, IMPATIENCE[dice.below(IMPATIENCE.len())])
            })
            .collect();
        let started = Instant::now();
        world.open(runtime);
        runtime.block_on(async {
            let asking = asked.iter().map(async |(moment, question, patience)| {
                tokio::time::sleep(*moment).await;
                let mut figures = Figures::default();
                let when = format!("start {start}, after {moment:.0?}, for {patience} ms");
                figures.judge(&world, question, Some(*patience), &when).await;
                figures
            });
            futures::future::join_all(asking).await.into_iter().for_each(|it| figures.add(it));
            let last = project.any_question(dice.below(2));
            figures.judge(&world, &last, Some(WHOLE), &format!("start {start}, at last")).await;
            if start == 0 {
                loading = started.elapsed();
            }
            world.stop().await;
        });
    }
    figures.report(&format!("{server}, {starts} starts, which take {loading:.0?}"));
    // Two of three that come too early cannot wait; the others, and the last one, have to be right anyway.
    figures.outcome(40)
}
