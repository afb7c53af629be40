//! The standard library: the examples of each module run against the fixtures in `standard.json`, or else the module's own
//! code.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ailang::{
    CapabilityMode, Document, Documents, Fixtures, Runtime, RuntimeSettings, RuntimeSetup, standard_library,
};
use built_in_modules::BuiltInModules;
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

/// A document for the examples.
const MAIL: &str = "---\nid: mail\ntitle: Mail\nsummary: Sends messages.\n---\n\n<define>\n\
                    tool sendMail(to: Email, subject: string) -> string\n</define>\n";

/// Returns a runtime for a module, which lets every call pass, over the files of a folder.
fn runtime(name: &str, documents: Documents, folder: &Path) -> Runtime {
    let path = format!("ailang://{name}.md");
    let own = &fixtures()[name];
    let fixtures = own.is_object().then(|| Fixtures::parse(&own.to_string()).expect("they are fixtures"));
    let settings = RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() };
    std::fs::write(folder.join("mail.md"), MAIL).expect("there is room");
    let setup = RuntimeSetup {
        settings,
        fixtures,
        modules: Some(Arc::new(BuiltInModules::new(folder, folder))),
        libraries: vec![core_library::library()],
        ..RuntimeSetup::default()
    };
    Runtime::new(documents, &path, setup).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn examples_of_the_modules_print_what_they_say() {
    for (name, document) in modules() {
        let mut documents = Documents::new();
        let path = format!("ailang://{name}.md");
        documents.insert(path.as_str(), document.clone());
        let folder = tempfile::tempdir().expect("there is room");
        let runtime = runtime(&name, documents, folder.path());
        assert!(!runtime.examples().is_empty(), "{name}");
        for index in 0..runtime.examples().len() {
            let result = block_on(runtime.run_example(index)).expect("it has an example");
            assert!(result.error.is_none(), "{name}: {}\n{:?}", result.output, result.error);
        }
    }
}

fn examples_call_every_tool() {
    for (name, document) in modules() {
        let code = |it: &ailang::Example| it.code.iter().map(|it| document.text(*it)).collect::<String>();
        let code: String = document.examples.iter().map(code).collect();
        // The tool that makes values of a type is called by the name of the type.
        let made: BTreeMap<&str, &str> = document
            .definitions()
            .filter_map(|it| Some((document.constructor(it)?.0.name.text.as_str(), it.name.text.as_str())))
            .collect();
        for tool in document.definitions().filter(|it| it.kind.keyword() == "tool") {
            let called = made.get(tool.name.text.as_str()).copied().unwrap_or(&tool.name.text);
            assert!(code.contains(&format!("{called}(")), "{name}: no example calls `{called}`");
        }
    }
}
