//! What an embedder does: a library of tables, a registry, a program, its outcome in words.

use dialect::{
    Choice, Conversion, Effect, Failure, Function, Interrupt, Invocation, Library, Limits, Outcome, Question,
    RecordType, Registry, Value, explain, run,
};
use futures::executor::block_on;
use serde_json::json;

async fn find_definitions(invocation: Invocation) -> Result<Value, Interrupt> {
    let places = match invocation.arguments.text("name")? {
        "User" => {
            json!([{ "name": "User", "path": "a.rs", "line": 3 }, { "name": "User", "path": "b.rs", "line": 7 }])
        }
        "Item" => json!([{ "name": "Item", "path": "a.rs", "line": 9 }]),
        name => return Err(Failure::raised("notFound", format!("nothing is called `{name}`")).into()),
    };
    Ok(places.into())
}

async fn find_references(invocation: Invocation) -> Result<Value, Interrupt> {
    #[derive(serde::Deserialize)]
    struct Symbol {
        path: String,
        line: Option<u32>,
    }
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    Ok(json!([format!("{}:{}", symbol.path, symbol.line.unwrap_or(1) + 10)]).into())
}

async fn name_to_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    let Value::List(symbols) = find_definitions(invocation).await? else { unreachable!() };
    if let [symbol] = symbols.as_slice() {
        return Ok(symbol.clone());
    }
    let choice = |value: &Value| Choice {
        description: format!("line {}", value.fields().expect("a record")["line"].to_json()),
        value: Value::record("Symbol", value.fields().expect("a record").clone()),
    };
    let choices = symbols.iter().map(choice).collect();
    Err(Interrupt::Ambiguous(Question { question: "Which one?".to_owned(), argument: None, choices }))
}

fn registry() -> Registry {
    let library = Library {
        name: "test".to_owned(),
        types: vec![RecordType::new("Symbol(name: string, path: string, line?: number)", "A symbol.")],
        functions: vec![
            Function::new("findDefinitions(name: string) -> List<Symbol>", "Where.", find_definitions)
                .alias("findDefinition")
                .effect(Effect::Reads),
            Function::new("findReferences(symbol: Symbol) -> List<string>", "Uses.", find_references)
                .effect(Effect::Reads),
        ],
        conversions: vec![Conversion::new(
            "nameToSymbol(name: string) -> Symbol",
            "By name.",
            name_to_symbol,
        )],
    };
    Registry::new([library]).expect("the tables fit")
}

fn outcome(program: &str) -> Outcome {
    block_on(run(&registry(), program, &Limits::default()))
}

fn words(program: &str) -> String {
    explain(&outcome(program), program).text
}

#[test]
fn calls_compose_and_name_their_arguments_as_they_like() {
    assert_eq!(words("findReferences(findDefinition(`Item`))"), r#"["a.rs:19"]"#);
    assert_eq!(words("find_references(symbol=FINDDEFINITION('Item'),) // yes"), r#"["a.rs:19"]"#);
    assert_eq!(words(r#"findReferences({"name": "Item", "path": "c.rs", "more": [1]})"#), r#"["c.rs:11"]"#);
}

#[test]
fn every_candidate_runs_and_asks_no_more() {
    for program in ["findReferences(`User`)", "[findReferences(findDefinition(`User`)), 1]"] {
        let Outcome::Ambiguity(ambiguity) = outcome(program) else { panic!("{program}") };
        assert_eq!(ambiguity.candidates().len(), 2);
        for candidate in ambiguity.candidates() {
            assert!(candidate.program.contains("symbol(`User`, `"), "{candidate:?}");
            assert!(matches!(outcome(&candidate.program), Outcome::Success(_)), "{candidate:?}");
        }
    }
}
