//! Values that are printed, shown or written as JSON, and read again as programs.

use dialect::{
    Form, GivenArgument, Limits, Object, Outcome, Program, Value, explain, print, print_call, print_json,
    show,
};
use futures::executor::block_on;
use libtest_mimic::Trial;
use proptest::prelude::*;

use super::properties::{outcome, place, values};
use crate::spec::world;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        a_value_printed_is_a_program_that_makes_it,
        a_call_with_values_is_the_call_that_is_written,
        an_answer_is_the_json_of_its_value,
        every_json_text_reads,
        a_value_shown_is_the_value_as_json,
        what_was_shown_can_be_sent_back
    ]
}

/// Returns the value, or which outcome it is.
fn kind(outcome: &Outcome) -> Result<&Value, &'static str> {
    match outcome {
        Outcome::Success(success) => Ok(&success.value),
        Outcome::Failure(_) => Err("failure"),
        Outcome::Ambiguity(_) => Err("ambiguity"),
    }
}

/// Spells JSON in one of the ways that it has: escapes and blanks vary with `style`.
fn spelled(json: &serde_json::Value, style: u8) -> String {
    use serde_json::Value as Json;
    let blank = ["", " ", "\n", "\t\r\n"][usize::from(style % 4)];
    let separated = |parts: Vec<String>| parts.join(&format!("{blank},{blank}"));
    match json {
        Json::String(text) => spelled_text(text, style),
        Json::Array(items) => {
            format!("[{blank}{}{blank}]", separated(items.iter().map(|it| spelled(it, style)).collect()))
        }
        Json::Object(fields) => {
            let field = |(key, it): (&String, &Json)| {
                format!("{}{blank}:{blank}{}", spelled_text(key, style), spelled(it, style))
            };
            format!("{{{blank}{}{blank}}}", separated(fields.iter().map(field).collect()))
        }
        other => other.to_string(),
    }
}

fn spelled_text(text: &str, style: u8) -> String {
    let spell = |(index, char): (usize, char)| match (char, (index + usize::from(style)) % 3) {
        (_, 0) => {
            let mut units = [0; 2];
            char.encode_utf16(&mut units).iter().map(|it| format!("\\u{it:04X}")).collect()
        }
        ('/', _) => "\\/".to_owned(),
        _ => {
            let quoted = serde_json::to_string(&char).expect("a character is text");
            quoted[1..quoted.len() - 1].to_owned()
        }
    };
    format!("\"{}\"", text.chars().enumerate().map(spell).collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    fn a_value_printed_is_a_program_that_makes_it(value in values()) {
        let registry = world::registry();
        for printed in [print(&registry, &value), print_json(&registry, &value)] {
            match outcome(&registry, &printed) {
                Outcome::Success(success) => prop_assert_eq!(&success.value, &value, "{}", printed),
                other => prop_assert!(false, "{}\n{:?}", printed, other),
            }
        }
    }

    fn a_call_with_values_is_the_call_that_is_written(values in prop::collection::vec(values(), 0..3), named in any::<bool>()) {
        let (registry, limits) = (world::registry(), Limits::default());
        let names = ["path", "pattern"].map(|it| named.then(|| it.to_owned()));
        let given: Vec<GivenArgument> =
            names.into_iter().zip(values).map(|(name, value)| GivenArgument { name, value }).collect();
        for function in ["search", "size", "twice", "describe"] {
            let made = Program::of_call(&registry, function, &given, &Object::default(), &limits);
            let [text, json] = Form::ALL.map(|form| print_call(&registry, form, function, &given));
            let read = Program::parse(&registry, &text, &limits);
            prop_assert_eq!(format!("{made:?}"), format!("{read:?}"), "{}", text);
            let made = made.map_or_else(Outcome::Failure, |it| block_on(it.run(&registry, &limits)));
            let of_json = outcome(&registry, &json);
            prop_assert_eq!(kind(&made), kind(&of_json), "{} {}", text, json);
        }
    }

    fn an_answer_is_the_json_of_its_value(value in values()) {
        let registry = world::registry();
        let answer = explain(&outcome(&registry, &print(&registry, &value)), "").text;
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).ok(), Some(value.to_json()), "{}", answer);
    }

    fn every_json_text_reads(value in values(), style in any::<u8>()) {
        let registry = world::registry();
        let json = value.to_json();
        let text = spelled(&json, style);
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(json.clone()), "{}", text);
        let expected = Value::from(json);
        for program in [format!("quote({text})"), print_json(&registry, &expected), print(&registry, &expected)] {
            match outcome(&registry, &program) {
                Outcome::Success(success) => prop_assert_eq!(&success.value, &expected, "{}", program),
                other => prop_assert!(false, "{}\n{:?}", program, other),
            }
        }
        // Alone it may be a call in JSON form, but it is read.
        if let Outcome::Failure(failures) = outcome(&registry, &text) {
            let is_unread = |name: &str| ["unexpected", "missingComma", "malformedNumber"].contains(&name);
            prop_assert!(!failures.all.iter().any(|it| is_unread(it.kind.name())), "{}\n{:?}", text, failures);
        }
    }

    fn a_value_shown_is_the_value_as_json(value in values()) {
        let json = value.to_json();
        prop_assert_eq!(serde_json::to_value(&value).ok(), Some(json.clone()));
        prop_assert_eq!(Value::from(json.clone()).to_json(), json);
    }

    fn what_was_shown_can_be_sent_back(place in place()) {
        let registry = world::registry();
        let shown = show(&place);
        let again = outcome(&registry, &format!("describe({shown})"));
        let first = outcome(&registry, &format!("describe({})", print(&registry, &place)));
        prop_assert_eq!(again, first);
    }
}
