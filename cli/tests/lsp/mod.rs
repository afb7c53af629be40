//! `ailang lsp` as editors run it: the chapters in `chapters/`, whose examples are sessions with the real process, and a
//! real editor.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;
mod neovim;
mod session;

use std::path::Path;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/chapters");
    let chapters = literate::chapters(&folder).into_iter();
    let mut trials: Vec<Trial> = chapters.flat_map(|chapter| chapter.trials(session::outcome)).collect();
    trials.extend(session::trials());
    trials.extend(neovim::trials());
    trials
}
