//! The functions that programs of the chapters call beside those of the library.

use core_library::library;
use dialect::{Choice, Effect, Failure, Function, Interrupt, Invocation, Library, Question, Registry, Value};
use serde_json::json;

/// Returns the core library, and a small world.
pub(crate) fn registry() -> Registry {
    Registry::new([library(), world()]).expect("the tables fit")
}

pub(crate) fn world() -> Library {
    let uses = |it: Invocation| async move { found(it.arguments.text("name")?, "let user = User::new();") };
    let definitions = |it: Invocation| async move {
        let name = it.arguments.text("name")?;
        Ok(json!([{ "name": name, "kind": "struct", "definedAt": place("src/models.rs", 3, "") }]).into())
    };
    Library {
        name: "world".to_owned(),
        functions: vec![
            Function::new("findReferences(name: string) -> List<any>", "Where it is used.", uses)
                .effect(Effect::Reads),
            Function::new("findDefinitions(name: string) -> List<any>", "Where it is defined.", definitions)
                .effect(Effect::Reads),
            Function::new("delete(path: string) -> boolean", "Deletes it.", |_| async { Ok(true.into()) }),
        ],
        ..Library::default()
    }
}

/// Returns the uses of a name. `Nobody` is unknown, and `Twin` is ambiguous.
fn found(name: &str, text: &str) -> Result<Value, Interrupt> {
    match name {
        "Nobody" => Err(Failure::raised("notFound", format!("nothing is called `{name}`")).into()),
        "Twin" => Err(Interrupt::Ambiguous(Question {
            question: "The name `Twin` is defined in 2 places.".to_owned(),
            argument: Some("name".to_owned()),
            choices: ["Castor", "Pollux"]
                .map(|it| Choice { description: format!("`{it}`"), value: it.into() })
                .into(),
        })),
        _ => Ok(json!([
            place("src/main.rs", 12, text),
            place("src/auth.rs", 4, "use User;"),
            place("tests/sign_in.rs", 9, text),
            place("src/main.rs", 3, "use auth::User;"),
        ])
        .into()),
    }
}

fn place(path: &str, line: u32, text: &str) -> serde_json::Value {
    let point = |column| json!({ "line": line, "column": column });
    json!({ "path": path, "start": point(1), "end": point(5), "text": text })
}
