//! The run of one program, from its permission to its answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dialect::{Effect, Failure, FailureKind, Limits, Note, Object, Outcome, Program, Registry, explain};
use futures::FutureExt;
use ide_library::{Answer as Answered, Host, LaterContext, complete_hits};
use ide_protocol::{ApplyQuestion, Operation};
use serde::Deserialize;
use serde_json::Value;
use source_text::visible_line;
use tokio::time::Instant;

use crate::acp::upstream::CallClient;
use crate::call_metrics::Meter;
use crate::config::Form;
use crate::extension::Extensions;
use crate::permission::shown_edits::ShownEdits;
use crate::permission::{Approval, CallPermit, Caller, Changes, Gate, LaterRequests, Waiting, WhileAsking};
use crate::plugins::tables::{Objects, Surroundings};
use crate::session::bindings::{Bindings, functions_note};
use crate::tool::answer::{Answer, Kind};
use crate::tool::dry_run::{self, DryRun, dry_run};
use crate::tool::rendering::{Rendered, Style, render};
use crate::tool::truncation::Truncation;

/// The maximum size of messages and notes in an answer, in bytes.
const WORDS: usize = 16 * 1024;

/// The environment of one run.
pub(crate) struct RunContext {
    /// The client of its requests.
    pub(crate) client: Arc<CallClient>,
    pub(crate) extensions: Arc<Extensions>,
    /// The objects that live in plugins.
    pub(crate) objects: Arc<Objects>,
    /// True for a call of a script: the objects that it makes live as long as the script.
    pub(crate) is_part: bool,
    /// The plugins that are not there, a sentence each.
    pub(crate) missing: Vec<String>,
    /// The gate that permits functions.
    pub(crate) gate: Arc<Gate>,
    pub(crate) waiting: Waiting,
    /// The pause that lasts while the user decides about a program that runs already.
    pub(crate) while_asking: Option<WhileAsking>,
    /// The time that it may take, once it is permitted.
    pub(crate) deadline: Duration,
    /// The form of its value, and its maximum size in bytes; the rest is cut.
    pub(crate) form: Form,
    pub(crate) budget: usize,
    /// The names that programs keep from one to the next.
    pub(crate) bindings: Option<Bindings>,
    /// The measurements of its functions.
    pub(crate) meter: Meter,
}

/// Runs a program, once it is permitted, and prints its outcome.
pub(crate) async fn interpret(caller: Caller, context: RunContext) -> Answer {
    let (missing, bindings) = (context.missing.clone(), context.bindings.clone());
    let (form, budget) = (context.form, context.budget);
    let style = Style { form, budget, has_short_paths: context.client.takes_short_paths() };
    let source = caller.program.clone();
    let given = bindings.as_ref().map(Bindings::list).unwrap_or_default();
    let (meter, extensions) = (context.meter.clone(), Arc::clone(&context.extensions));
    let registry = extensions.tables();
    let outcome = match Program::parse_with(registry, &source, &Limits::default(), &given) {
        Ok(program) => {
            let client = Arc::clone(&context.client);
            // What a program binds may be looked at by later ones.
            if bindings.is_none() {
                client.later().begin(&program);
            }
            complete(evaluate(caller, &program, context).await, &client, style).await
        }
        Err(failures) => Outcome::Failure(failures),
    };
    meter.ended_as(&outcome);
    let missing = if names_unknown(&outcome) { missing } else { Vec::new() };
    let mut answer = answer(registry, &source, outcome, style, &given);
    answer.blocks.extend(missing.iter().map(|it| visible_line(it, usize::MAX)));
    answer
}

/// Adds the code around hits that the answer shows, if it was left out.
async fn complete(mut outcome: Outcome, client: &CallClient, style: Style) -> Outcome {
    if let Outcome::Success(success) = &mut outcome
        && client.later().is_on()
        && success.program.is_none()
    {
        let mut value = success.value.to_json();
        if let Some(notes) =
            complete_hits(client.later(), client, &mut value, |it| style.most_shown(it)).await
        {
            success.value = value.into();
            // The search may have said the same.
            let new: Vec<_> = notes.into_iter().filter(|it| !success.notes.contains(it)).collect();
            success.notes.extend(new);
        }
    }
    outcome
}

/// Runs a program of the tables of `context`, once it is permitted.
pub(crate) async fn evaluate(mut caller: Caller, program: &Program, context: RunContext) -> Outcome {
    let permit = CallPermit::measured(context.meter.clone()).asking(later_requests(&caller, &context));
    let context_objects = Arc::clone(&context.objects);
    let objects = context_objects.run();
    let registry = context.extensions.registry(context.client.clone(), &permit);
    let (keeps, client_of_run) = (!context.is_part, Arc::clone(&context.client));
    let (gate, bindings) = (Arc::clone(&context.gate), context.bindings.clone());
    let outcome = match dry_run_if_asked(&mut caller, program, &context).await {
        Err(outcome) => outcome,
        Ok(shown) => {
            let client = Arc::clone(&context.client);
            match approve(&Arc::new(caller.clone()), program, context).await {
                Err(failure) => Outcome::Failure(vec![failure].into()),
                Ok(approval) => {
                    shown.filter(|_| approval.is_for_once()).into_iter().for_each(|it| client.bind(it));
                    permit.approve(approval);
                    let limits = Limits::default();
                    let running = async {
                        let first = program.run_and_bind(&registry, &limits).await;
                        let is_short = may_show_values(&first.0) && client_of_run.later().end();
                        if is_short { program.run_and_bind(&registry, &limits).await } else { first }
                    };
                    let (outcome, bound) = Surroundings::of_program(permit.clone()).during(running).await;
                    if let Outcome::Success(success) = &outcome
                        && keeps
                    {
                        objects.keep(&success.value);
                        bound.values().filter(|_| bindings.is_some()).for_each(|it| objects.keep(it));
                    }
                    let outcome = as_program(&registry, &context_objects, outcome);
                    keep(bindings.as_ref(), outcome, bound)
                }
            }
        }
    };
    gate.record_undeclared(&caller, permit.take_undeclared()).await;
    outcome
}

/// Returns whether the words of an outcome without a value may show values: hits with the code around them.
fn may_show_values(outcome: &Outcome) -> bool {
    let is_bare = |it: &Failure| matches!(&*it.kind, FailureKind::IncompleteAnswer { .. });
    match outcome {
        Outcome::Success(_) => false,
        Outcome::Failure(failures) => failures.partial.is_some() || !failures.all.iter().all(is_bare),
        Outcome::Ambiguity(_) => true,
    }
}

/// Returns the way in which a program asks for permissions while it runs.
fn later_requests(caller: &Caller, context: &RunContext) -> LaterRequests {
    let RunContext { client, gate, waiting, while_asking, deadline, .. } = context;
    let Waiting { steps, patience } = waiting;
    LaterRequests {
        gate: Arc::clone(gate),
        caller: Arc::new(caller.clone()),
        client: Arc::clone(client),
        while_asking: while_asking.clone(),
        steps: steps.clone(),
        patience: *patience,
        deadline: *deadline,
    }
}

/// Returns whether a program names what nobody has: a function, or the name of a library before one.
fn names_unknown(outcome: &Outcome) -> bool {
    let Outcome::Failure(failures) = outcome else { return false };
    let is_unknown = |it: &Failure| match &*it.kind {
        FailureKind::UnknownFunction { .. } | FailureKind::BareWord { .. } => true,
        // `probe.count(x)`, if there is a function of that name.
        FailureKind::NotDialect { found, instead } => found.ends_with(&format!(".{instead}")),
        _ => false,
    };
    failures.all.iter().any(is_unknown)
}

/// Shows a value with objects of plugins as a program: as JSON it would not be known whose they are.
fn as_program(registry: &Registry, objects: &Objects, mut outcome: Outcome) -> Outcome {
    if let Outcome::Success(success) = &mut outcome
        && objects.are_in(&success.value)
    {
        success.program = Some(dialect::print(registry, &success.value));
    }
    outcome
}

/// Keeps what a program bound, where names are kept. Adds a note on what is not.
fn keep(bindings: Option<&Bindings>, mut outcome: Outcome, bound: Object) -> Outcome {
    if let (Some(bindings), Outcome::Success(success)) = (bindings, &mut outcome) {
        success.notes.extend(functions_note(&bindings.keep(bound)).map(Note::from));
    }
    outcome
}

/// Finds the edits of a program by a dry run, where the user is about to be asked for nothing else. A program that
/// ends before its first change needs no permission: its outcome is the error here.
async fn dry_run_if_asked(
    caller: &mut Caller,
    program: &Program,
    context: &RunContext,
) -> Result<Option<ShownEdits>, Outcome> {
    let needs = program.needs();
    if needs.is_empty() || !dry_run::applies_to(program) || !context.gate.asks(caller, needs).await {
        return Ok(None);
    }
    match dry_run(program, &context.client, &context.extensions).await {
        DryRun::Changes(shown) => {
            if let Some(shown) = &shown {
                let texts = dry_run::texts(shown, &context.client).await;
                let changes = Changes::new(shown.edits.clone(), shown.preview.clone());
                caller.changes = Some(changes.with_texts(texts));
            }
            Ok(shown)
        }
        DryRun::Ends(outcome) => Err(outcome),
    }
}

/// Asks for the permissions of a program. The deadline does not run meanwhile.
async fn approve(caller: &Arc<Caller>, program: &Program, context: RunContext) -> Result<Approval, Failure> {
    let RunContext { client, gate, waiting, deadline, .. } = context;
    if program.needs().is_empty() {
        return Ok(Approval::default());
    }
    client.postpone(Instant::now() + waiting.patience + deadline);
    let approval = Approval::request(&gate, caller, program.needs(), waiting).await;
    client.postpone(Instant::now() + deadline);
    approval
}

fn answer(registry: &Registry, program: &str, mut outcome: Outcome, style: Style, given: &Object) -> Answer {
    let partial = outcome.take_partial();
    let kind = match &outcome {
        Outcome::Success(_) => Kind::Success,
        Outcome::Failure(_) => Kind::Failure,
        Outcome::Ambiguity(_) => Kind::Ambiguity,
    };
    let Outcome::Success(success) = &outcome else {
        let words = explain(&outcome, program).text;
        let words = [words.as_str()].into_iter().chain(wait_hint(&outcome)).collect::<Vec<_>>().join("\n");
        let candidates = match &outcome {
            Outcome::Ambiguity(ambiguity) => ambiguity.candidates().to_vec(),
            _ => Vec::new(),
        };
        let mut blocks = vec![cut_at_line(words, WORDS)];
        if let Some(partial) = partial {
            let (heading, ending) = (partial.heading(), partial.ending());
            // A program for the rest would stop again.
            let cut = |cuts: &[Truncation]| Some(cuts.iter().map(truncated).collect::<Vec<_>>().join(" "));
            let rendered = render(partial.json, style);
            let notes = partial.notes.iter().cloned().chain(ending);
            let [value, notes] = value_blocks(rendered, notes, cut);
            blocks.push(format!("{heading}\n{value}"));
            blocks.push(notes);
        }
        return Answer { candidates, ..Answer::new(without_empty(blocks), kind) };
    };
    let cut = |cuts: &[Truncation]| truncation_note(registry, program, cuts, given);
    let rendered = match &success.program {
        Some(program) if program.len() <= style.budget => Rendered::whole(program.clone()),
        // A name or a path; lines of its own would look like ours.
        _ if is_member(program)
            && matches!(&success.value, dialect::Value::Text(it) if it.contains('\n')) =>
        {
            render(success.value.to_json(), Style { form: Form::Json, ..style })
        }
        _ => render(success.value.to_json(), style),
    };
    let notes = success.notes.iter().map(|it| it.text.clone());
    let blocks = without_empty(value_blocks(rendered, notes, cut));
    Answer { reasons: reasons(&success.notes), ..Answer::new(blocks, kind) }
}

/// Returns the codes of the reasons in notes, each once, with `true` for gaps.
fn reasons(notes: &[Note]) -> BTreeMap<String, bool> {
    notes.iter().flat_map(|it| &it.reasons).map(|it| (it.code.clone(), it.is_gap)).collect()
}

/// Returns `true` for a program that ends in the member of a value: `….path`.
fn is_member(program: &str) -> bool {
    let member = program.trim_end().rsplit_once('.').map(|it| it.1);
    member.is_some_and(|it| !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || it == '_'))
}

fn without_empty(blocks: impl IntoIterator<Item = String>) -> Vec<String> {
    blocks.into_iter().filter(|it| !it.is_empty()).collect()
}

/// Returns the value as text, and its notes, with that on what is cut.
fn value_blocks(
    Rendered { text, cuts, counts }: Rendered,
    notes: impl Iterator<Item = String>,
    cut: impl Fn(&[Truncation]) -> Option<String>,
) -> [String; 2] {
    let note =
        notes.chain(cut(&cuts)).chain(counts).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    [text, cut_at_line(note, WORDS)]
}

/// Returns a hint for a program that passes `wait`, which is an argument of the tool.
fn wait_hint(outcome: &Outcome) -> Option<&'static str> {
    let Outcome::Failure(failures) = outcome else { return None };
    let is_wait = |it: &Failure| match &*it.kind {
        FailureKind::UnknownArgument { name, .. } => name.eq_ignore_ascii_case("wait"),
        _ => false,
    };
    let hint = "`wait` is an argument of the tool: {\"program\": \"…\", \"wait\": SECONDS}";
    failures.all.iter().any(is_wait).then_some(hint)
}

/// Returns a note on what was cut, and how to see more.
fn truncation_note(
    registry: &Registry,
    program: &str,
    cuts: &[Truncation],
    given: &Object,
) -> Option<String> {
    let mut lines: Vec<_> = cuts.iter().map(truncated).collect();
    if lines.is_empty() {
        return None;
    }
    if let [cut] = cuts
        && let Some(rest) = continuation(registry, program, cut, given)
    {
        lines.push(format!("The rest: {rest}"));
        return Some(lines.join(" "));
    }
    let shorter = format!("brief({})", program.trim());
    let says_more = cuts.iter().any(|it| it.unit == "items" && it.path.is_empty());
    let narrower = "narrow the program: a subfolder, an extension, one name";
    lines.push(match says_more && is_program(registry, &shorter, given) {
        true => format!("`{shorter}` shows more in the same space; or {narrower}."),
        false => format!("To see the rest, {narrower}."),
    });
    Some(lines.join(" "))
}

/// Returns a program for the part that was cut off, in the same notation as the original.
fn continuation(registry: &Registry, program: &str, cut: &Truncation, given: &Object) -> Option<String> {
    let Truncation { path, unit, shown, .. } = cut;
    // Without `drop` in the registry, an object that looks like a call of it would be data.
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
    candidates.into_iter().find(|it| is_program(registry, it, given))
}

fn truncated(cut: &Truncation) -> String {
    let Truncation { path, unit, shown, total } = cut;
    let place = if path.is_empty() { "the value".to_owned() } else { format!("`{path}`") };
    format!("Cut to fit: {place} has {total} {unit}, of which the first {shown} are shown.")
}

/// Returns whether a text is a program that may run again; one that writes would write twice.
fn is_program(registry: &Registry, program: &str, given: &Object) -> bool {
    let read = Program::parse_with(registry, program, &Limits::default(), given);
    read.is_ok_and(|it| it.effect() != Effect::Writes)
}

/// Cuts a text to at most `budget` bytes, at the end of a line.
fn cut_at_line(mut words: String, budget: usize) -> String {
    if words.len() > budget {
        let end = (0..=budget).rfind(|it| words.is_char_boundary(*it)).expect("0 is a boundary");
        let line_end = words[..end].rfind('\n').unwrap_or(end);
        words.truncate(line_end);
        words.push_str("\n… (cut)");
    }
    words
}

impl Host for CallClient {
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
                        dry_run::check(shown, &edits, self).await?;
                    }
                }
                _ => {}
            }
            self.ask(operation, &question).await
        }
        .boxed()
    }

    fn later_context(&self) -> Option<&LaterContext> {
        Some(self.later()).filter(|it| it.is_on())
    }
}

#[cfg(test)]
mod tests {
    use dialect::Success;
    use serde_json::json;

    use super::*;

    fn answered(value: serde_json::Value, notes: &[&str], program: &str, budget: usize) -> Answer {
        let notes = notes.iter().map(|it| Note::from(*it)).collect();
        let outcome = Outcome::Success(Success { value: dialect::Value::from(value), notes, program: None });
        let style = Style { form: Form::Compact, budget, has_short_paths: true };
        answer(&Registry::default(), program, outcome, style, &Object::default())
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
            let cut = Truncation { path: path.to_owned(), unit: "items", shown: 2, total: 4 };
            let rest = continuation(&registry, program, &cut, &Object::default()).expect(program);
            let limits = Limits::default();
            let outcome = futures::executor::block_on(dialect::run(&registry, &rest, &limits));
            let Outcome::Success(success) = outcome else { panic!("{rest}") };
            assert_eq!(success.value.to_json(), value, "{rest}");
        }
        let cut = Truncation { path: String::new(), unit: "items", shown: 2, total: 4 };
        let none = Object::default();
        assert_eq!(continuation(&Registry::default(), "[1, 2, 3, 4]", &cut, &none), None);
    }

    #[test]
    fn a_shown_value_can_be_sent_back() {
        let answer = answered(json!("\u{8}\u{c}"), &[], "x", 100);
        assert_eq!(answer.blocks, [r#""\u0008\u000c""#]);
    }

    #[test]
    fn words_are_cut_at_a_line() {
        assert_eq!(cut_at_line("short".to_owned(), 5), "short");
        assert_eq!(cut_at_line("one\ntwo\nthree".to_owned(), 9), "one\ntwo\n… (cut)");
        assert_eq!(cut_at_line("äöü".to_owned(), 3), "ä\n… (cut)");
    }
}
