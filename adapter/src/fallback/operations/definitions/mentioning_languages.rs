//! The languages that may define a name.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::blocking;
use crate::fallback::session::Session;
use crate::fallback::source::deadlines::Deadlines;
use crate::fallback::source::languages::{LANGUAGES, Language};
use crate::fallback::source::names::Name;
use crate::fallback::syntactic;
use crate::fallback::workspace::word_scan::WordOccurrences;

/// The maximum number of languages queried if none of their files mentions the name.
const UNMENTIONED: usize = 2;

/// Returns the languages that mention the name, or otherwise the largest; also returns the mentions.
pub(crate) async fn mentioning_languages(
    session: &Session,
    written: &str,
    within: Deadlines,
) -> (Vec<&'static Language>, Option<Arc<WordOccurrences>>) {
    let word = |languages: &[&Language]| {
        let words = languages.iter().filter(|it| it.is_code).filter_map(|it| Name::parse(written, it));
        // Languages differ in the marks that belong to a name (Ruby's `run!`); the shortest form occurs in
        // all of them.
        words.map(|it| syntax::written(&it.last).to_owned()).min_by_key(String::len)
    };
    let (tree, until) = (session.roots.search_scope(), syntactic::search_deadline(within.deadline));
    let scan = |word: String| {
        let tree = tree.clone();
        blocking::spawn(move || Arc::new(WordOccurrences::find(&tree, &word, until)))
    };
    // Usually all languages read it as the same word, so the scan need not wait for the list of languages.
    let every: Vec<_> = LANGUAGES.iter().collect();
    let words: BTreeSet<_> = every.iter().filter_map(|it| word(&[it])).collect();
    let mut mentions = match words.first().filter(|_| words.len() == 1) {
        Some(word) => Some(scan(word.clone()).await),
        None => None,
    };
    if let Some([language]) = mentions.as_ref().map(|it| it.languages()).as_deref()
        && Name::parse(written, language).is_some()
    {
        return (vec![language], mentions);
    }
    let mut all = session.languages().await;
    all.retain(|it| it.is_code);
    let Some(word) = word(&all) else {
        all.truncate(1);
        return (all, None); // its server reports the fault in the name
    };
    if mentions.is_none() {
        mentions = Some(scan(word).await);
    }
    let mentioning = mentions.as_ref().map(|it| it.languages()).unwrap_or_default();
    let is_mentioning = |it: &Language| mentioning.iter().any(|other| other.id == it.id);
    if !mentioning.is_empty() {
        // Languages that appeared after the folders were scanned come last.
        let new: Vec<_> =
            mentioning.iter().filter(|it| !all.iter().any(|old| old.id == it.id)).copied().collect();
        all.retain(|it| is_mentioning(it));
        all.extend(new);
        if let Some(mentions) = &mentions {
            all = concerned(all, |it| mentions.may_define(it));
        }
        return (all, mentions);
    }
    // The name may be defined in a dependency or by a macro.
    all.truncate(UNMENTIONED);
    (all, mentions)
}

/// Leaves out the languages that the name cannot concern: those that only mention it, and have no sources
/// outside of the workspace that could define it. Their servers may load for long. Keeps all if none is left.
pub(crate) fn concerned(
    languages: Vec<&'static Language>,
    may_define: impl Fn(&Language) -> bool,
) -> Vec<&'static Language> {
    let kept: Vec<_> =
        languages.iter().copied().filter(|it| !it.given.is_empty() || may_define(it)).collect();
    if kept.is_empty() { languages } else { kept }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_language_without_sources_elsewhere_is_asked_only_where_it_may_define_the_name() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("a.c", "int tune(void) { return 1; }\n"),
            ("b.py", "print(tune)\n"),
            ("run.sh", "echo tune\nhelp() { echo; }\n"),
            ("page.html", "<p>tune help</p>\n"),
        ] {
            std::fs::write(dir.path().join(file), text).unwrap();
        }
        let roots = crate::fallback::workspace::session_folders::SessionFolders::new(vec![dir.path().into()]);
        let asked = |word: &str| {
            let until = Instant::now() + std::time::Duration::from_secs(60);
            let mentions = WordOccurrences::find(&roots.search_scope(), word, until);
            let all = concerned(mentions.languages(), |it| mentions.may_define(it));
            all.iter().map(|it| it.id).collect::<Vec<_>>()
        };
        // Shell only mentions it; Python may have it from a package.
        assert_eq!(asked("tune"), ["python", "c"]);
        assert_eq!(asked("help"), ["shell"]);
        assert_eq!(asked("echo"), ["shell"]);
    }
}
