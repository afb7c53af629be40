//! Diagnostics of many files that take long to check: all of them, or a note that there may be more.

use std::collections::BTreeSet;

use ide_protocol::{DiagnosticsQuestion, Envelope, Operation, Request, Severity};
use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::languages::Language;

const FILES: usize = 8;

/// A file that takes a while to be checked, with something wrong at its end where it is to be.
fn file(language: &str, is_wrong: bool) -> Option<(&'static str, String)> {
    let (extension, n_functions, function, wrong): (_, _, fn(usize) -> String, _) = match language {
        "python" => ("py", 20, python, "WRONG: str = 7\n"),
        "typescript" => ("ts", 100, typescript, "export const wrong: string = 7;\n"),
        "c" => ("c", 200, c, "int *wrong(void) { return missing; }\n"),
        _ => return None,
    };
    let text: String = (0..n_functions).map(function).collect();
    Some((extension, if is_wrong { text + wrong } else { text }))
}

/// Returns `true` if [`file`] can write the language.
pub(crate) fn is_known(language: &Language) -> bool {
    file(language.name, true).is_some()
}

fn python(index: usize) -> String {
    format!(
        "def f{index}(a: int, b: dict[str, list[tuple[int, str]]]) -> int:\n    \
         m = {{k: [(n + a, s.upper()) for n, s in v if n > {index}] for k, v in sorted(b.items())}}\n    \
         return sum(n for v in m.values() for n, s in zip([x[0] for x in v], [x[1] for x in v]) if s)\n\n"
    )
}

fn typescript(index: usize) -> String {
    format!(
        "export function f{index}(a: number, b: {{ x: number, y: string[] }}) {{\n  \
         const m = b.y.map(v => ({{ v, n: v.length + a, w: [{{ v, n: b.x }}] }}));\n  \
         return m.filter(q => q.n > {index}).map(q => q.w.map(it => ({{ ...q, ...it }}))).reduce((s, q) => s + q.length, 0);\n}}\n"
    )
}

fn c(index: usize) -> String {
    format!("static inline int f{index}(int a) {{ int s = 0; while (a--) s += a * {index}; return s; }}\n")
}

/// Asks what is wrong in all files, time and again with something wrong in others of them.
pub(crate) fn ask_about_all(
    runtime: &Runtime,
    language: &'static Language,
    server: &str,
    rounds: usize,
) -> Result<(), Failed> {
    let fixed = language.fixed.iter().filter(|(path, _)| !path.contains('/'));
    let world = language.world(server);
    fixed.for_each(|(path, text)| world.write(path, text));
    let (mut outcome, mut n_exact) = (Ok(()), 0);
    for round in 0..=rounds {
        let mut expected = BTreeSet::new();
        for index in 0..FILES {
            let is_wrong = round == 0 || (index + round) % 3 == 0;
            let (extension, text) = file(language.id, is_wrong).expect("it is known");
            let path = format!("src/file{index}.{extension}");
            world.write(&path, &text);
            expected.extend(is_wrong.then_some(path));
        }
        if round == 0 {
            world.open(runtime);
        }
        let request = Request {
            envelope: Envelope { deadline_ms: Some(600_000), ..Envelope::new("s") },
            question: DiagnosticsQuestion::default(),
        };
        let answer = runtime.block_on(world.ask(Operation::Diagnostics, request))?;
        let errors = answer.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let found: BTreeSet<_> = errors.map(|it| it.path.clone()).collect();
        let is_right =
            if answer.completeness.is_complete() { found == expected } else { found.is_subset(&expected) };
        if !is_right {
            let (complete, note) = (answer.completeness.is_complete(), answer.completeness.note());
            let message =
                format!("round {round}: {found:?} for {expected:?}, complete: {complete}, {note:?}");
            outcome = Err(Failed::from(message));
            break;
        }
        n_exact += usize::from(found == expected);
    }
    runtime.block_on(world.stop());
    if outcome.is_ok() && n_exact == 0 {
        return Err("something was left out each time".into());
    }
    outcome
}
