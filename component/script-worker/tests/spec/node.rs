//! Expressions whose values Node.js has told, in `tests/node/table.json`; `table.mjs` beside it makes them.

use libtest_mimic::{Failed, Trial};
use script_protocol::{FromRuntime, ToRuntime};
use serde::Deserialize;

use crate::{Worker, start};

/// The expressions of one program.
const AT_ONCE: usize = 100;

/// Each expression with the value that Node.js has; `None` for an error.
type Expressions = Vec<(String, Option<String>)>;

#[derive(Deserialize)]
struct Table {
    /// Expressions that have the same value here.
    same: Expressions,
    /// Expressions that have the same value or are refused.
    refused: Expressions,
}

pub(crate) fn trials() -> Vec<Trial> {
    let table: Table = serde_json::from_str(include_str!("../node/table.json")).unwrap();
    let chunks = |all: Expressions, name: &'static str, may_refuse: bool| {
        let chunks: Vec<Expressions> = all.chunks(AT_ONCE).map(<[_]>::to_vec).collect();
        let each = chunks.into_iter().enumerate();
        each.map(move |(index, it)| {
            Trial::test(format!("node/{name}/{index}"), move || compare(&it, may_refuse))
        })
    };
    let members = Trial::test("members of modules", members);
    let table = chunks(table.same, "same", false).chain(chunks(table.refused, "refused", true));
    table.chain([members]).collect()
}

/// Returns the value of a program.
fn value(code: &str) -> Result<String, Failed> {
    let mut worker = Worker::start();
    worker.send(&ToRuntime::Start(Box::new(start(code))));
    loop {
        match worker.next() {
            Some(FromRuntime::Ready { .. }) => {}
            Some(FromRuntime::Done(done)) => return Ok(done.value.unwrap().get().to_owned()),
            other => return Err(format!("{other:?}").into()),
        }
    }
}

/// Checks that the modules of the prelude have the names that the checks before a run know.
fn members() -> Result<(), Failed> {
    for module in typescript::MODULES.iter().filter(|it| !it.members.is_empty()) {
        let names = value(&format!("return Object.keys({}).sort()", module.expression))?;
        let names: Vec<String> = serde_json::from_str(&names).unwrap();
        // The functions of the host are those of its stubs, and there are none of files here.
        let of_host = ["read", "exists", "list", "write", "edit", "remove", "commit"];
        let is_files = module.names.contains(&"fs");
        let mut known: Vec<&str> =
            module.members.iter().copied().filter(|it| !(is_files && of_host.contains(it))).collect();
        known.sort_unstable();
        if names != known {
            return Err(format!("{}: {names:?} are not {known:?}", module.expression).into());
        }
    }
    Ok(())
}

/// Runs expressions, and compares their values.
fn compare(expressions: &Expressions, may_refuse: bool) -> Result<(), Failed> {
    let thunks: String = expressions.iter().map(|(it, _)| format!("() => ({it}),\n")).collect();
    let code = format!(
        "const {{ path }} = $modules;
         const shown = (it) => (typeof it === 'string' ? it : JSON.stringify(it, (_, it) =>
           (typeof it === 'bigint' ? `${{it}}n` : Object.is(it, -0) ? '-0' : it)) ?? 'undefined');
         const value = (thunk) => {{ try {{ return [shown(thunk())] }} catch (e) {{ return [null, String(e)] }} }};
         return [{thunks}].map(value)"
    );
    let values: Vec<Vec<Option<String>>> = serde_json::from_str(&value(&code)?).unwrap();
    let mut wrong = Vec::new();
    for ((expression, expected), actual) in expressions.iter().zip(values) {
        let is_refusal = |it: &Option<String>| it.as_ref().is_some_and(|it| it.contains(" is not here; "));
        let is_right = match (&actual[0], actual.get(1)) {
            (None, Some(why)) if may_refuse => is_refusal(why),
            (None, Some(why)) => expected.is_none() && !is_refusal(why),
            (value, _) => value == expected,
        };
        if !is_right {
            wrong.push(format!("{expression}\n  is {actual:?}\n  not {expected:?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
