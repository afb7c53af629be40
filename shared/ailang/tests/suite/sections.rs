//! Included and excluded sections, for any two sets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ailang::{Detail, Document, Level, Section};
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        what_is_excluded_is_not_told,
        what_is_included_is_told,
        a_higher_level_tells_what_a_lower_one_does
    ]
}

/// The documents of the corpus with their paths.
static DOCUMENTS: LazyLock<Vec<(String, Document)>> = LazyLock::new(|| {
    let folders = ["skills", "valid"].map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(it));
    let entries = folders.iter().flat_map(|it| std::fs::read_dir(it).expect("the folder is there"));
    let mut paths: Vec<_> = entries.map(|it| it.expect("it can be read").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        (path.display().to_string(), Document::parse(text))
    };
    paths.iter().map(read).collect()
});

type Sections = BTreeSet<Section>;

fn sections() -> impl Strategy<Value = Sections> {
    prop::sample::subsequence(Section::ALL.to_vec(), 0..=Section::ALL.len())
        .prop_map(|it| it.into_iter().collect())
}

fn reported(document: &Document, level: Level, include: &Sections, exclude: &Sections) -> String {
    document.extract(&Detail { include: include.clone(), exclude: exclude.clone(), ..Detail::from(level) })
}

/// Returns the keyword and name of each definition, and a mark for each example.
fn names(document: &Document) -> BTreeSet<String> {
    let names = document.definitions().map(|it| format!("{} {}", it.kind.keyword(), it.name.text));
    names.chain(document.examples.iter().enumerate().map(|(at, _)| format!("example {at}"))).collect()
}

fn section_of(name: &str) -> Section {
    match name.split(' ').next() {
        Some("tool") => Section::Tools,
        Some("error") => Section::Errors,
        Some("capability") => Section::Capabilities,
        Some("example") => Section::Examples,
        _ => Section::Types,
    }
}

fn case() -> impl Strategy<Value = (usize, Level, Sections, Sections)> {
    (0..DOCUMENTS.len(), prop::sample::select(Level::ALL.to_vec()), sections(), sections())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    fn what_is_excluded_is_not_told((at, level, include, exclude) in case()) {
        let (path, document) = &DOCUMENTS[at];
        let text = reported(document, level, &include, &exclude);
        let read = Document::parse(text.as_str());
        for name in names(&read) {
            prop_assert!(!exclude.contains(&section_of(&name)), "{path}: {name}\n{text}");
        }
        // Exclusion wins over inclusion.
        let without = include.difference(&exclude).copied().collect();
        prop_assert_eq!(text, reported(document, level, &without, &exclude));
        let front = (&read.front_matter, &document.front_matter);
        prop_assert_eq!(front.0.id.as_ref().map(|it| &it.value), front.1.id.as_ref().map(|it| &it.value));
        prop_assert_eq!(front.0.title.as_ref().map(|it| &it.value), front.1.title.as_ref().map(|it| &it.value));
    }

    fn what_is_included_is_told((at, level, include, more) in case()) {
        let (path, document) = &DOCUMENTS[at];
        let none = Sections::new();
        let text = reported(document, level, &include, &none);
        let read = names(&Document::parse(text.as_str()));
        for name in names(document).iter().filter(|it| include.contains(&section_of(it))) {
            prop_assert!(read.contains(name), "{path}: {name}\n{text}");
        }
        let all = reported(document, level, &include.union(&more).copied().collect(), &none);
        prop_assert!(read.is_subset(&names(&Document::parse(all.as_str()))), "{path}: {text}\n{all}");
        prop_assert_eq!(reported(document, Level::Complete, &include, &none), document.at(Level::Complete));
    }

    fn a_higher_level_tells_what_a_lower_one_does((at, level, include, exclude) in case()) {
        let (path, document) = &DOCUMENTS[at];
        let names_at = |level| names(&Document::parse(reported(document, level, &include, &exclude)));
        let below = names_at(level);
        for higher in Level::ALL.into_iter().filter(|it| *it > level) {
            prop_assert!(below.is_subset(&names_at(higher)), "{path}: {} and {}", level.name(), higher.name());
        }
    }
}
