//! Runs one program, and says what it came to.

use std::sync::Arc;
use std::time::Duration;

use dialect::{Effect, Failure, FailureKind, Limits, Outcome, Program, Registry, Success, explain, show};
use futures::FutureExt;
use ide_library::{Answer as Answered, Host};
use ide_protocol::{ApplyQuestion, Operation};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::cut::{Cut, cut};
use crate::extension::Extensions;
use crate::permission::{Caller, Gate, Pass, Permit, Waiting};
use crate::rehearsal::{self, Rehearsed, Shown, rehearse};
use crate::tool::{Answer, Kind};
use crate::upstream::Asker;

/// How many bytes of words an answer may have: a failure that quotes a huge program, a thousand candidates.
const WORDS: usize = 16 * 1024;

/// What a program is run with.
pub(crate) struct Setting {
    /// Where its questions go.
    pub(crate) asker: Arc<Asker>,
    pub(crate) extensions: Arc<Extensions>,
    /// Who permits what needs it.
    pub(crate) gate: Arc<Gate>,
    pub(crate) waiting: Waiting,
    /// How long it may take, once it is permitted.
    pub(crate) deadline: Duration,
    /// How many bytes its value may have; the rest is cut.
    pub(crate) budget: usize,
}

/// Runs the program, when it is permitted.
pub(crate) async fn interpret(caller: Caller, setting: Setting) -> Answer {
    let pass = Pass::default();
    let registry = setting.extensions.registry(setting.asker.clone(), &pass);
    let (mut caller, budget, gate) = (caller, setting.budget, Arc::clone(&setting.gate));
    let outcome = match Program::parse(&registry, &caller.program, &Limits::default()) {
        Err(failures) => Outcome::Failure(failures),
        Ok(program) => match foresee(&mut caller, &program, &setting).await {
            Err(outcome) => outcome,
            Ok(shown) => {
                let asker = Arc::clone(&setting.asker);
                match permit(&Arc::new(caller.clone()), &program, setting).await {
                    Err(failure) => Outcome::Failure(vec![failure].into()),
                    Ok(permit) => {
                        shown.filter(|_| permit.is_for_once()).into_iter().for_each(|it| asker.bind(it));
                        pass.permit(permit);
                        program.run(&registry, &Limits::default()).await
                    }
                }
            }
        },
    };
    gate.record_breaches(&caller, pass.take_breaches()).await;
    answer(&registry, &caller.program, outcome, budget)
}

/// Learns what the program would change, where the user is to be asked about that alone. A program that ends before it
/// changes anything needs no permission for that: its outcome is the error here.
async fn foresee(
    caller: &mut Caller,
    program: &Program,
    setting: &Setting,
) -> Result<Option<Shown>, Outcome> {
    let needs = program.needs();
    if needs.is_empty() || !rehearsal::is_for(program) || !setting.gate.asks(caller, needs).await {
        return Ok(None);
    }
    match rehearse(&caller.program, &setting.asker, &setting.extensions).await {
        Rehearsed::Changes(shown) => {
            caller.changes = shown.as_ref().map(Shown::changes);
            Ok(shown)
        }
        Rehearsed::Ends(outcome) => Err(outcome),
    }
}

/// The clock stands still while the user is asked.
async fn permit(caller: &Arc<Caller>, program: &Program, setting: Setting) -> Result<Permit, Failure> {
    let Setting { asker, gate, waiting, deadline, .. } = setting;
    if program.needs().is_empty() {
        return Ok(Permit::default());
    }
    asker.postpone(Instant::now() + waiting.patience + deadline);
    let permit = gate.permit(caller, program.needs(), waiting).await;
    asker.postpone(Instant::now() + deadline);
    permit
}

fn answer(registry: &Registry, program: &str, outcome: Outcome, budget: usize) -> Answer {
    let kind = match &outcome {
        Outcome::Success(_) => Kind::Success,
        Outcome::Failure(_) => Kind::Failure,
        Outcome::Ambiguity(_) => Kind::Ambiguity,
    };
    let Outcome::Success(success) = &outcome else {
        let words = explain(&outcome, program).text;
        let words = [words.as_str()].into_iter().chain(misplaced(&outcome)).collect::<Vec<_>>().join("\n");
        return Answer { blocks: vec![shorten(words, WORDS)], kind };
    };
    let (text, cuts) = fit(success, budget);
    let notes = success.notes.iter().map(|it| it.0.clone());
    let note = notes.chain(advice(registry, program, &cuts)).collect::<Vec<_>>().join("\n");
    let blocks = [text, shorten(note, WORDS)];
    Answer { blocks: blocks.into_iter().filter(|it| !it.is_empty()).collect(), kind }
}

/// What a program says that belongs beside it.
fn misplaced(outcome: &Outcome) -> Option<&'static str> {
    let Outcome::Failure(failures) = outcome else { return None };
    let is_wait = |it: &Failure| match &*it.kind {
        FailureKind::UnknownArgument { name, .. } => name.eq_ignore_ascii_case("wait"),
        _ => false,
    };
    let told = "`wait` is an argument of the tool: {\"program\": \"…\", \"wait\": SECONDS}";
    failures.all.iter().any(is_wait).then_some(told)
}

/// The value as compact JSON within the budget.
fn fit(success: &Success, budget: usize) -> (String, Vec<Cut>) {
    let mut value = success.value.to_json();
    let cuts = cut(&mut value, budget);
    (show(&value), cuts)
}

/// What was cut, and how to see more.
fn advice(registry: &Registry, program: &str, cuts: &[Cut]) -> Option<String> {
    let mut lines: Vec<_> = cuts.iter().map(sentence).collect();
    if lines.is_empty() {
        return None;
    }
    if let [cut] = cuts
        && let Some(rest) = continuation(registry, program, cut)
    {
        lines.push(format!("The rest: {rest}"));
        return Some(lines.join(" "));
    }
    let shorter = format!("brief({})", program.trim());
    let says_more = cuts.iter().any(|it| it.unit == "items" && it.path.is_empty());
    let narrower = "narrow the program: a subfolder, an extension, one name";
    lines.push(match says_more && is_program(registry, &shorter) {
        true => format!("`{shorter}` shows more in the same space; or {narrower}."),
        false => format!("To see the rest, {narrower}."),
    });
    Some(lines.join(" "))
}

/// The program whose value is what was cut off, in the form in which the program came.
fn continuation(registry: &Registry, program: &str, cut: &Cut) -> Option<String> {
    let Cut { path, unit, shown, .. } = cut;
    // Without it an object that looks like its call would be data.
    registry.signatures().find(|it| it.name == "drop")?;
    let (program, newline) = (program.trim(), r#""\n""#);
    let candidates = match *unit {
        "items" if path.is_empty() => {
            vec![format!("({program}).drop({shown})"), format!(r#"{{"drop": [{program}, {shown}]}}"#)]
        }
        "items" => vec![format!("({program}){path}.drop({shown})")],
        "lines" => {
            vec![format!("({program}){path}.split({newline}).drop({shown}).join({newline})")]
        }
        _ => Vec::new(),
    };
    candidates.into_iter().find(|it| is_program(registry, it))
}

fn sentence(cut: &Cut) -> String {
    let Cut { path, unit, shown, total } = cut;
    let place = if path.is_empty() { "the value".to_owned() } else { format!("`{path}`") };
    format!("Cut to fit: {place} has {total} {unit}, of which the first {shown} are shown.")
}

/// A program that may be sent again: one that writes would write again.
fn is_program(registry: &Registry, program: &str) -> bool {
    let read = Program::parse(registry, program, &Limits::default());
    read.is_ok_and(|it| it.effect() != Effect::Writes)
}

/// Words are cut at the end of a line.
fn shorten(mut words: String, budget: usize) -> String {
    if words.len() > budget {
        let end = (0..=budget).rfind(|it| words.is_char_boundary(*it)).expect("0 is a boundary");
        let line_end = words[..end].rfind('\n').unwrap_or(end);
        words.truncate(line_end);
        words.push_str("\n… (cut)");
    }
    words
}

impl Host for Asker {
    fn send(&self, operation: Operation, question: Value) -> Answered<'_, Value> {
        async move {
            match operation {
                Operation::Selection => {
                    let selected = self.selected(&question).await?;
                    return Ok(serde_json::to_value(selected).expect("results are plain data with text keys"));
                }
                Operation::Apply => {
                    if let Some(shown) = self.bound() {
                        let ApplyQuestion { edits } =
                            ApplyQuestion::deserialize(&question).expect("the library wrote it of that type");
                        rehearsal::check(shown, &edits, self).await?;
                    }
                }
                _ => {}
            }
            self.ask(operation, &question).await
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Note;
    use serde_json::json;

    fn answered(value: serde_json::Value, notes: &[&str], program: &str, budget: usize) -> Answer {
        let notes = notes.iter().map(|it| Note((*it).to_owned())).collect();
        let outcome = Outcome::Success(Success { value: dialect::Value::from(value), notes });
        answer(&Registry::default(), program, outcome, budget)
    }

    #[test]
    fn a_success_is_its_value_alone() {
        let answer = answered(json!([{"a": 1.50}]), &[], "x", 100);
        assert_eq!(answer.blocks, [r#"[{"a":1.5}]"#]);
        assert_eq!(answer.kind, Kind::Success);
    }

    #[test]
    fn what_has_to_be_said_is_a_second_block() {
        let answer = answered(json!([1, 2, 3, 4]), &["Still indexing."], "xs", 5);
        assert_eq!(answer.blocks.len(), 2);
        assert_eq!(answer.blocks[0], "[1,2]");
        assert!(
            answer.blocks[1].starts_with("Still indexing.\nCut to fit: the value has 4 items"),
            "{answer:?}"
        );
    }

    #[test]
    fn what_is_cut_off_has_a_program_that_gives_it() {
        let drop = |invocation: dialect::Invocation| async move {
            let count: usize = invocation.arguments.read("count")?;
            Ok(dialect::Value::List(invocation.arguments.list("items")?[count..].to_vec().into()))
        };
        let row = dialect::Function::new("drop(items: List<any>, count: number) -> List<any>", "", drop)
            .effect(Effect::Pure);
        let library = dialect::Library { name: "test".into(), functions: vec![row], ..Default::default() };
        let registry = Registry::new([library]).expect("it fits");
        for (program, path, value) in [
            ("[1, 2, 3, 4]", "", json!([3, 4])),
            ("{\"drop\": [[0, 1, 2, 3, 4], 1]}", "", json!([3, 4])),
            ("{a: [1, 2, 3, 4]}", ".a", json!([3, 4])),
        ] {
            let cut = Cut { path: path.to_owned(), unit: "items", shown: 2, total: 4 };
            let rest = continuation(&registry, program, &cut).expect(program);
            let limits = Limits::default();
            let outcome = futures::executor::block_on(dialect::run(&registry, &rest, &limits));
            let Outcome::Success(success) = outcome else { panic!("{rest}") };
            assert_eq!(success.value.to_json(), value, "{rest}");
        }
        let cut = Cut { path: String::new(), unit: "items", shown: 2, total: 4 };
        assert_eq!(continuation(&Registry::default(), "[1, 2, 3, 4]", &cut), None);
    }

    #[test]
    fn a_shown_value_can_be_sent_back() {
        let answer = answered(json!("\u{8}\u{c}"), &[], "x", 100);
        assert_eq!(answer.blocks, [r#""\u0008\u000c""#]);
    }

    #[test]
    fn words_are_cut_at_a_line() {
        assert_eq!(shorten("short".to_owned(), 5), "short");
        assert_eq!(shorten("one\ntwo\nthree".to_owned(), 9), "one\ntwo\n… (cut)");
        assert_eq!(shorten("äöü".to_owned(), 3), "ä\n… (cut)");
    }
}
