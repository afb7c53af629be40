//! Dialect, with its types checked and its limits counted as in use.

use dialect::{
    Effect, Function, Interrupt, Invocation, Library, Limits, Object, Outcome, RecordType, Registry, Value,
    run,
};
use futures::executor::block_on;

use crate::Peer;

pub(crate) struct Dialect {
    registry: Registry,
}

impl Dialect {
    pub(crate) fn new(input: &str) -> Self {
        let input: serde_json::Value = serde_json::from_str(input).expect("the input is JSON");
        let registry =
            Registry::new([host(&definitions(input)), core_library::library()]).expect("the tables fit");
        Self { registry }
    }
}

impl Peer for Dialect {
    fn answer(&self, program: &str) -> String {
        match block_on(run(&self.registry, program, &Limits::default())) {
            Outcome::Success(success) => serde_json::to_string(&success.value).expect("it is data"),
            other => panic!("{other:?}"),
        }
    }
}

type Ran = Result<Value, Interrupt>;

/// The input as values of the registered type, which is what a host has in its own.
fn definitions(input: serde_json::Value) -> Value {
    let records = input.as_array().expect("the input is a list").iter();
    records
        .map(|it| Value::from_record("Definition", it).expect("it is an object"))
        .collect::<Vec<_>>()
        .into()
}

fn host(input: &Value) -> Library {
    let (all, named) = (input.clone(), input.clone());
    Library {
        name: "host".to_owned(),
        types: vec![
            RecordType::new(
                "Definition(name: string, kind: string, path: string, line: number, exported: boolean)",
                "Where something is defined.",
            ),
            RecordType::new("Place(path: string, line: number)", "A line."),
        ],
        functions: vec![
            Function::new("definitions() -> List<Definition>", "All.", move |_: Invocation| {
                std::future::ready(Ok(all.clone()))
            })
            .effect(Effect::Reads),
            Function::new("findDefinition(name: string) -> Definition", "One.", move |it: Invocation| {
                std::future::ready(definition(&named, &it))
            })
            .effect(Effect::Reads),
            Function::new("findReferences(definition: Definition) -> List<Place>", "Uses.", references)
                .effect(Effect::Reads),
            Function::new("describe(place: Place) -> string", "In words.", describe).effect(Effect::Pure),
        ],
        ..Library::default()
    }
}

fn definition(all: &Value, invocation: &Invocation) -> Ran {
    let name = invocation.arguments.get("name");
    let mut all = all.as_list().expect("the input is a list").iter();
    let found = all.find(|it| it.fields().is_some_and(|it| it.get("name") == name));
    Ok(found.cloned().unwrap_or_default())
}

fn record<'a>(invocation: &'a Invocation, parameter: &str) -> &'a Object {
    invocation.arguments.get(parameter).and_then(Value::fields).expect("the signature says so")
}

async fn references(invocation: Invocation) -> Ran {
    let definition = record(&invocation, "definition");
    let Value::Number(line) = &definition["line"] else { panic!("the signature says so") };
    let line = line.as_u64().expect("lines are integers");
    let place = |line: u64| {
        let line = Value::Number(line.into());
        let fields = [("path".to_owned(), definition["path"].clone()), ("line".to_owned(), line)];
        Value::record("Place", Object::from_iter(fields))
    };
    Ok(Value::List([1, 2, 3].into_iter().map(|it| place(line + 10 * it)).collect()))
}

async fn describe(invocation: Invocation) -> Ran {
    let place = record(&invocation, "place");
    let Value::Number(line) = &place["line"] else { panic!("the signature says so") };
    Ok(format!("{}:{line}", place["path"].as_text().expect("the signature says so")).into())
}
