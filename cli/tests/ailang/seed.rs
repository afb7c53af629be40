//! The command lines of the language's specification: each is in a chapter, with both spellings of its options.
//!
//! The specification is not ours to distribute. `AILANG_SEED` names its text; without it this is ignored.

use std::collections::BTreeSet;
use std::path::PathBuf;

use libtest_mimic::{Failed, Trial};
use literate::Chapter;

use super::session::lines;

const SEED: &str = "AILANG_SEED";

/// The place of the text beside a checkout.
const BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/seeds/003-ailang-specification.txt");

pub(crate) fn trial(chapters: &[Chapter]) -> Trial {
    let name = "the command lines of the specification are in the chapters";
    let path = std::env::var_os(SEED).map(PathBuf::from);
    let path = path.or_else(|| Some(PathBuf::from(BESIDE)).filter(|it| it.exists()));
    let Some(path) = path else {
        let name = format!("{name} ({SEED} does not say where its text is)");
        return Trial::test(name, || Ok(())).with_ignored_flag(true);
    };
    let cases = chapters.iter().flat_map(Chapter::cases);
    let tested: BTreeSet<String> = cases.flat_map(|case| lines(&case)).collect();
    Trial::test(name, move || check(&std::fs::read_to_string(&path)?, &tested))
}

fn check(page: &str, tested: &BTreeSet<String>) -> Result<(), Failed> {
    let wanted: BTreeSet<&str> = page.lines().filter(|line| line.starts_with("ailang ")).collect();
    assert_eq!(wanted.len(), 11, "{wanted:?}");
    let apart = wanted.iter().map(|line| line.replace('=', " "));
    let missing: Vec<String> = wanted
        .iter()
        .map(|&line| line.to_owned())
        .chain(apart)
        .filter(|line| !tested.contains(line))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no chapter has these: {missing:#?}").into()) }
}
