//! Runs the chapters in `spec/`: each example is a test of its own. `UPDATE_EXPECT=1` accepts what comes out.

mod show;

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use literate::{Chapter, chapters};
use syntax::{Definition, Language, Outline, Parsed};

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests = vec![Trial::test("every language has a chapter", every_language_has_a_chapter)];
    tests.push(Trial::test("what a name means is as in the outline", named_as_in_the_outline));
    tests.extend(spec().into_iter().flat_map(|it| it.trials(show::outcome_of)));
    tests
}

fn spec() -> Vec<Chapter> {
    chapters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"))
}

/// Compares each definition of each text with the outline, also for all texts of a language in one.
fn named_as_in_the_outline() -> Result<(), Failed> {
    let mut different = Vec::new();
    for language in Language::all() {
        let cases: Vec<_> = spec().iter().flat_map(Chapter::cases).collect();
        let inputs = cases.iter().filter_map(|it| it.input(language.id()));
        let mut texts: Vec<String> = inputs.map(str::to_owned).collect();
        texts.push(texts.join("\n"));
        for text in &texts {
            let parsed = Parsed::new(language, text).expect("the text is within bounds");
            let outline = parsed.outline();
            let names: BTreeSet<_> = outline.definitions.iter().map(|it| &it.name).collect();
            for name in names {
                let of = |outline: &Outline| {
                    let named = outline.definitions.iter().filter(|it| it.name == *name);
                    let told =
                        named.map(|it| (Definition { parent: None, ..it.clone() }, outline.container(it)));
                    told.collect::<Vec<_>>()
                };
                let (wanted, found) = (of(&outline), of(&parsed.named(name)));
                if wanted != found {
                    let texts = (language.name(), text.len());
                    different.push(format!("`{name}` of {texts:?}: {wanted:?} and {found:?}"));
                }
            }
        }
    }
    if different.is_empty() { Ok(()) } else { Err(Failed::from(different.join("\n"))) }
}

/// Requires an outline and roles in each.
fn every_language_has_a_chapter() -> Result<(), Failed> {
    let all: Vec<_> = spec().iter().flat_map(Chapter::cases).collect();
    for language in Language::all() {
        for kind in ["outline", "roles"] {
            let is_one = |it: &&literate::Case| it.expected.kind == kind && it.input(language.id()).is_some();
            if !all.iter().any(|it| is_one(&it)) {
                return Err(Failed::from(format!("{} has no case of {kind}", language.name())));
            }
        }
    }
    Ok(())
}
