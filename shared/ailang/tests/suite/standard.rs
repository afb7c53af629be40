//! The standard library: the examples of each module run against the fixtures in `standard.json`.

use std::collections::BTreeSet;
use std::path::Path;

use ailang::{
    CapabilityMode, Document, Documents, Fixtures, Runtime, RuntimeSettings, RuntimeSetup, standard_library,
};
use futures::executor::block_on;
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![examples_of_the_modules_print_what_they_say, examples_call_every_tool]
}

fn fixtures() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/standard.json");
    let text = std::fs::read_to_string(path).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Returns the modules by name, but for the index of all of them, which defines nothing itself.
fn modules() -> impl Iterator<Item = (String, &'static Document)> {
    let name = |path: String| path.trim_start_matches("ailang://").trim_end_matches(".md").to_owned();
    standard_library()
        .map(move |(path, document)| (name(path), document))
        .filter(|(name, _)| name != "builtin")
}

/// Returns a runtime for a module, which lets every call pass.
fn runtime(name: &str, documents: Documents) -> Runtime {
    let fixtures = Fixtures::parse(&fixtures()[name].to_string()).expect("they are fixtures");
    let settings = RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() };
    let setup = RuntimeSetup {
        settings,
        fixtures: Some(fixtures),
        libraries: vec![core_library::library()],
        ..RuntimeSetup::default()
    };
    Runtime::new(documents, name, setup).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn examples_of_the_modules_print_what_they_say() {
    for (name, document) in modules() {
        let mut documents = Documents::new();
        documents.insert(name.as_str(), document.clone());
        let runtime = runtime(&name, documents);
        assert!(!runtime.examples().is_empty(), "{name}");
        for index in 0..runtime.examples().len() {
            let result = block_on(runtime.run_example(index)).expect("it has an example");
            assert!(result.error.is_none(), "{name}: {}\n{:?}", result.output, result.error);
        }
    }
}

fn examples_call_every_tool() {
    let fixtures = fixtures();
    for (name, document) in modules() {
        let tools = document.definitions().filter(|it| it.kind.keyword() == "tool");
        let tools: BTreeSet<&str> = tools.map(|it| it.name.text.as_str()).collect();
        let called: BTreeSet<&str> =
            fixtures[&name].as_object().expect("it has fixtures").keys().map(String::as_str).collect();
        assert_eq!(called, tools, "{name}");
    }
}
