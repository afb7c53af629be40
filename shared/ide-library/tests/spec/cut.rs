//! Results that do not fit continue in the next one: a note holds the program that goes on, and nothing is lost.

use std::sync::Arc;

use dialect::{Limits, Outcome, Registry, Success, Value, run};
use futures::executor::block_on;
use literate::{Case, Expectation, Input};

use super::world::World;

/// More lines than three results hold.
const LINES: usize = 900;

fn registry() -> Registry {
    let line = |number| format!("let v{number} = \"{}\";", "\\\"".repeat(number % 30));
    let text = (1..=LINES).map(line).collect::<Vec<_>>().join("\n");
    let input = |path: &str| Input { kind: "world".into(), subject: path.into(), text: text.clone() };
    let expected = Expectation { kind: String::new(), text: String::new(), line: 0 };
    let case = Case { name: String::new(), inputs: vec![input("a.rs"), input("b.rs")], expected };
    Registry::new([ide_library::library(Arc::new(World::of(&case)))]).expect("the tables fit")
}

fn success(registry: &Registry, program: &str) -> Success {
    match block_on(run(registry, program, &Limits::default())) {
        Outcome::Success(success) => success,
        other => panic!("{program}\n{other:?}"),
    }
}

/// Returns the results of a program and of those that continue it, one after another.
fn followed(program: &str) -> Vec<Value> {
    let registry = registry();
    let (mut answers, mut next) = (Vec::new(), Some(program.to_owned()));
    while let Some(program) = next.take() {
        let success = success(&registry, &program);
        let size = success.value.to_json().to_string().len();
        assert!(size <= 16 * 1024, "{program} gives {size} bytes");
        next = success.notes.first().map(|note| {
            let (_, rest) = note.text.split_once("the rest is ").expect("it says how to go on");
            rest.trim_end_matches('.').to_owned()
        });
        answers.push(success.value);
        assert!(answers.len() < 50, "it does not end");
    }
    answers
}

pub(crate) fn lines_go_on() {
    let answers = followed("lines(`a.rs`)");
    let text = answers.iter().map(|it| it.fields().expect("a range")["text"].as_text().expect("text"));
    let numbers = text.flat_map(str::lines).map(|line| line.split(' ').nth(1).expect("a name").to_owned());
    let expected = (1..=LINES).map(|number| format!("v{number}"));
    assert!(answers.len() > 2);
    assert!(numbers.eq(expected));
}

pub(crate) fn source_goes_on() {
    let answers = followed("source([`a.rs:2-899`, `b.rs:1`, `b.rs:5-9`])");
    let numbers: Vec<usize> = answers
        .iter()
        .flat_map(|it| it.as_text().expect("text").lines())
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect();
    assert!(answers.len() > 2);
    assert_eq!(numbers, (2..=899).chain([1]).chain(5..=9).collect::<Vec<_>>());
}

pub(crate) fn brief_goes_on() {
    let places = (1..=LINES).map(|line| format!("`a.rs:{line}`")).collect::<Vec<_>>().join(", ");
    for program in [
        format!("brief([{places}])"),
        format!("{{\"brief\": [[{}]]}}", places.replace('`', "\"")),
        format!("xs = [{places}]\nbrief(xs)"),
        format!("{{shown: brief([{places}])}}.shown"),
    ] {
        let answers = followed(&program);
        let lines = answers.iter().flat_map(|it| it.as_text().expect("text").lines());
        let numbers = lines.map(|line| line.split(':').nth(1).expect("a number").to_owned());
        assert!(answers.len() > 2);
        assert!(numbers.eq((1..=LINES).map(|number| number.to_string())), "{}", &program[..40]);
    }
}

pub(crate) fn source_of_many_places_goes_on() {
    let places = (1..=LINES).step_by(2).map(|line| format!("`a.rs:{line}`")).collect::<Vec<_>>().join(", ");
    let answers = followed(&format!("source([{places}])"));
    let lines = answers.iter().flat_map(|it| it.as_text().expect("text").lines());
    let numbers = lines.filter_map(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    assert!(answers.len() > 1);
    assert!(numbers.eq((1..=LINES).step_by(2)));
}

/// Tests that there is no such program inside a lambda, where the call runs several times.
pub(crate) fn inside_a_lambda_there_is_no_program() {
    let places = (1..=LINES).map(|line| format!("`a.rs:{line}`")).collect::<Vec<_>>().join(", ");
    let registry = registry();
    let success = success(&registry, &format!("f = xs => brief(xs)\nf([{places}])"));
    let note = &success.notes.first().expect("it is cut").text;
    assert!(note.ends_with("ask about fewer."), "{note}");
}
