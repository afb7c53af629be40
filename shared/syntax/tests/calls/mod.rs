//! Calls in every place of every language: each call of a chapter in `places` is put into each place. The
//! name that is called must have the role `call`, and the pattern of the call must find it.
//!
//! Likewise, each of the block `constructions` must have the role `construct` in each place, and `Hit` in the lines of
//! `patterns` is a `read`.
//!
//! The chapter's block `calls` has a call of `hit` a line, and behind ` ~ ` its pattern if it is not the call
//! without type arguments; `-` for none. Its block `places` has code in which `@` stands for a call,
//! separated by empty lines.
#![expect(clippy::disallowed_methods, reason = "tests read chapters and run compilers")]

mod chapter;
mod judges;

use chapter::{Chapter, NAME, TYPE};
use libtest_mimic::{Failed, Trial};
use syntax::{Language, Parsed, Pattern, Role};

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests: Vec<_> = Language::all()
        .map(|it| Trial::test(format!("calls in every place of {}", it.name()), move || every_place(it)))
        .collect();
    tests.extend(judges::trials());
    tests
}

fn every_place(language: Language) -> Result<(), Failed> {
    let chapter = Chapter::read(language);
    let mut wrong = Vec::new();
    for call in &chapter.calls {
        let pattern = call.pattern.as_deref().map(|it| {
            Pattern::new(language, it).unwrap_or_else(|error| panic!("`{it}` is no pattern: {error}"))
        });
        for place in &chapter.places {
            let text = chapter.program(place, call);
            let parsed = Parsed::new(language, &text).expect("the text is within bounds");
            let names: Vec<_> = text.match_indices(NAME).map(|(at, _)| at).collect();
            assert!(!names.is_empty(), "`{place}` has no place");
            if let Some(wrong_role) = names.iter().map(|it| parsed.role(*it)).find(|it| *it != Role::Call) {
                wrong.push(format!("{wrong_role} instead of call: {text}"));
            }
            let starts = pattern.as_ref().map(|it| starts(it, &parsed));
            if starts.is_some_and(|it| !names.iter().all(|name| it.contains(&call.start(*name)))) {
                let pattern = call.pattern.as_deref().unwrap_or_default();
                wrong.push(format!("not found by `{pattern}`: {text}"));
            }
        }
    }
    let is_role = |wanted: Role, name: &str, text: String| {
        let parsed = Parsed::new(language, &text).expect("the text is within bounds");
        let mut roles = text.match_indices(name).map(|(at, _)| parsed.role(at));
        let wrong_role = roles.find(|it| *it != wanted)?;
        Some(format!("{wrong_role} instead of {wanted}: {text}"))
    };
    wrong.extend(chapter.nested().filter_map(|it| is_role(Role::Call, NAME, it)));
    wrong.extend(chapter.constructing().filter_map(|it| is_role(Role::Construct, TYPE, it)));
    wrong.extend(chapter.taking_apart().filter_map(|it| is_role(Role::Read, TYPE, it)));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failed::from(format!(
        "{} wrong:\n{}",
        wrong.len(),
        wrong.iter().map(|it| it.trim().replace("\n", "\n  ")).collect::<Vec<_>>().join("\n")
    )))
}

fn starts(pattern: &Pattern, parsed: &Parsed<'_>) -> Vec<usize> {
    pattern.matches(parsed).found.iter().map(|it| it.span.start).collect()
}
