//! `ailang` as a user runs it: the chapters in `chapters/`, whose examples are command lines with their output.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod registry;
mod seed;
mod session;

use std::path::Path;

use libtest_mimic::Trial;
use literate::Chapter;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![seed::trial(&chapters())];
    trials.extend(chapters().into_iter().flat_map(|chapter| chapter.trials(session::outcome)));
    trials
}

fn chapters() -> Vec<Chapter> {
    literate::chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ailang/chapters"))
}
