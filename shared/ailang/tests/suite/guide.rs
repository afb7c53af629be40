//! The guide of the language: its document is right, and it names all that there is.

use ailang::{
    BUILT_IN_FUNCTIONS, CapabilityMode, Code, Document, Documents, Fixtures, GUIDE, Runtime, RuntimeSettings,
    RuntimeSetup, Strictness, prelude, refinements, standard_library, validate,
};
use futures::executor::block_on;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        its_document_is_valid_and_formatted,
        its_example_prints_what_it_says,
        it_names_everything
    ]
}

/// Returns the content of the fence that a line opens.
fn fence(opener: &str, closer: &str) -> String {
    let (_, behind) = GUIDE.split_once(&format!("{opener}\n")).expect("the guide has this fence");
    let (content, _) = behind.split_once(&format!("\n{closer}\n")).expect("it is closed");
    format!("{content}\n")
}

fn documents() -> Documents {
    let mut documents = Documents::new();
    documents.insert("weather.md", Document::parse(fence("````markdown", "````")));
    documents
}

fn its_document_is_valid_and_formatted() {
    let found = validate(&documents(), "weather.md", Strictness::Strict).unwrap();
    // Sizes are advice of the strictest level, and a guide is easier to read without them.
    let messages: Vec<_> = found.iter().filter(|it| it.code != Code::MISSING_SIZE_HINTS).collect();
    assert_eq!(messages, Vec::<&ailang::Diagnostic>::new());
    let text = fence("````markdown", "````");
    assert_eq!(ailang::format(&text).unwrap(), text);
}

fn its_example_prints_what_it_says() {
    let settings = RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() };
    let fixtures = Fixtures::parse(&fence("```json fixtures", "```")).unwrap();
    let setup = RuntimeSetup {
        settings,
        fixtures: Some(fixtures),
        libraries: vec![core_library::library()],
        ..RuntimeSetup::default()
    };
    let runtime = Runtime::new(documents(), "weather.md", setup).unwrap();
    let result = block_on(runtime.run_example(0)).unwrap();
    assert_eq!(result.error, None);
    assert!(result.output.starts_with("Bern: take one"), "{}", result.output);
}

fn it_names_everything() {
    let is_named = |name: &String| GUIDE.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
    let modules = standard_library().map(|(path, _)| path.replace("ailang://", "").replace(".md", ""));
    let built_in = prelude().definitions().map(|it| it.name.text.clone());
    // `setInterval` never runs.
    let functions = BUILT_IN_FUNCTIONS.iter().filter(|it| **it != "setInterval").map(ToString::to_string);
    let refinements = refinements().map(str::to_owned);
    let all = modules.chain(built_in).chain(functions).chain(refinements);
    let unnamed: Vec<String> = all.filter(|name| !is_named(name)).collect();
    assert_eq!(unnamed, Vec::<String>::new());
}
