//! Functions that answer about a small world, and leave out parts of their answers.

use std::hash::{BuildHasher, Hash};

use dialect::{Effect, Function, Gap, GapCause, Invocation, Library, Notes, RecordType, Value};
use foldhash::fast::FixedState;
use serde_json::{Value as Json, json};

use super::programs::Random;

/// The answers of which parts are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    pub(crate) cause: GapCause,
    pub(crate) seed: u64,
    /// One of so many answers lacks something.
    pub(crate) every: u64,
}

impl Cuts {
    pub(crate) fn random(random: &mut Random) -> Self {
        let causes = [GapCause::Unknown, GapCause::Limit, GapCause::Failed, GapCause::Time];
        Self { cause: *random.pick(&causes), seed: random.next(), every: 1 + random.below(3) }
    }

    fn chance(self, of: impl Hash) -> u64 {
        FixedState::with_seed(self.seed).hash_one(of)
    }

    /// Leaves out some elements, or the end of the list.
    fn cut<T>(self, question: &str, all: Vec<T>, notes: &Notes) -> Vec<T> {
        if !self.chance(question).is_multiple_of(self.every) {
            return all;
        }
        let count = all.len();
        let kept = match self.cause {
            GapCause::Limit if count > 0 => {
                1 + usize::try_from(self.chance((question, "end")) % (count as u64)).unwrap_or(0)
            }
            _ => count,
        };
        let stays = |index: usize| match self.cause {
            GapCause::Limit => index < kept,
            _ => self.chance((question, index)).is_multiple_of(2) && self.every != 1,
        };
        let some = all.into_iter().enumerate().filter(|(index, _)| stays(*index)).map(|(_, it)| it).collect();
        let note = format!("The answer to `{question}` is not complete.");
        notes.add_gap(note, Gap::new(self.cause, format!("a part of {question}")));
        some
    }
}

fn hits(name: &str) -> Vec<Json> {
    let count = name.bytes().map(usize::from).sum::<usize>() % 5;
    let hit = |index: usize| {
        let path = ["x", "y", "z"][(index + count) % 3];
        json!({"path": path, "line": index + 1, "test": (index * count) % 2 == 1})
    };
    (0..count).map(hit).collect()
}

/// Returns the library. Without `cuts` all answers are whole.
pub(crate) fn host(cuts: Option<Cuts>) -> Library {
    let row = |signature: &str, answer: fn(&str) -> Vec<Json>, shape: fn(Vec<Json>, &str) -> Json| {
        let function = signature.split('(').next().unwrap_or_default().to_owned();
        let code = move |invocation: Invocation| {
            let name = invocation.arguments.text("name").map(str::to_owned);
            let function = function.clone();
            async move {
                let name = name?;
                let all = answer(&name);
                let some = match cuts {
                    Some(cuts) => cuts.cut(&format!("{function}({name})"), all, &invocation.notes),
                    None => all,
                };
                Ok(Value::from(shape(some, &name)))
            }
        };
        Function::new(signature, "Answers.", code).effect(Effect::Reads)
    };
    Library {
        name: "host".to_owned(),
        types: vec![
            RecordType::new("Hit(path: string, line: number, test: boolean)", "A place."),
            RecordType::new("Info(name: string, uses: List<string>)", "What is known."),
        ],
        functions: vec![
            row("hits(name: string) -> List<Hit>", hits, |some, _| some.into()),
            row("names(name: string) -> List<string>", paths, |some, _| some.into()),
            row("text(name: string) -> string", paths, |some, _| text(&some).into()),
            row("about(name: string) -> Info", paths, |some, name| json!({"name": name, "uses": some})),
        ],
        ..Library::default()
    }
}

fn paths(name: &str) -> Vec<Json> {
    hits(name).into_iter().map(|it| it["path"].clone()).collect()
}

fn text(lines: &[Json]) -> String {
    lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n")
}
