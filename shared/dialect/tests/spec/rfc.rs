//! The tables of the language's first description: a symbol that is defined twice, a selection that names it,
//! and callables without a meaning.

use dialect::{
    Choice, Conversion, Effect, Function, Interrupt, Invocation, Library, Object, Question, RecordType,
    Registry, Value,
};
use serde_json::json;

/// The path and line of every definition of `validateToken`.
const PLACES: &[(&str, u32)] = &[("auth.ts", 42), ("utils.ts", 15)];

pub(crate) fn registry() -> Registry {
    Registry::new([shapes(), symbols()]).expect("the tables fit")
}

/// Returns callables without a meaning.
fn shapes() -> Library {
    Library {
        foreign_idioms: Vec::new(),
        name: "shapes".to_owned(),
        types: vec![
            RecordType::new(
                "CustomType(property1: string, property2: number, nestedValue: OtherType)",
                "Three properties.",
            ),
            RecordType::new("OtherType(data: string)", "One property."),
        ],
        functions: vec![
            Function::new("functionName(arg1: string, arg2: string) -> string", "Both.", |it: Invocation| async move {
                Ok(format!("{} {}", it.arguments.text("arg1")?, it.arguments.text("arg2")?).into())
            })
            .effect(Effect::Pure),
            Function::new("outerFunction(parameter: string) -> string", "Around it.", |it: Invocation| async move {
                Ok(format!("outer({})", it.arguments.text("parameter")?).into())
            })
            .effect(Effect::Pure),
            Function::new("innerFunction(arg: string) -> string", "Within.", |it: Invocation| async move {
                Ok(format!("inner({})", it.arguments.text("arg")?).into())
            })
            .effect(Effect::Pure),
        ],
        ..Library::default()
    }
}

fn symbols() -> Library {
    Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "symbols".to_owned(),
        types: vec![
            RecordType::new(
                "Symbol(name: string, file?: string, line?: number)",
                "Represents a code symbol like a function, variable, or type definition",
            ),
            RecordType::new(
                "Selection(text: string, file: string, line: number)",
                "What the user has selected.",
            ),
        ],
        functions: vec![
            Function::new(
                "findSymbol(name: string, file?: string, line?: number) -> Symbol",
                "Find a code symbol by name, optionally narrowed by file and line",
                find_symbol,
            )
            .alias("findByName")
            .effect(Effect::Reads),
            Function::new("getSelection() -> Selection", "What the user has selected.", |_| async {
                let fields = json!({ "text": "validateToken", "file": "auth.ts", "line": 42 });
                Ok(Value::from_record("Selection", &fields).expect("it is an object"))
            })
            .alias("getCurrentSelection")
            .effect(Effect::Reads),
            Function::new(
                "findReferences(symbol: Symbol) -> List<string>",
                "Where it is used.",
                find_references,
            )
            .effect(Effect::Reads),
            Function::new("findUses(target: Symbol) -> List<string>", "Where it is used.", find_references)
                .effect(Effect::Reads),
        ],
        conversions: vec![
            Conversion::new(
                "selectionToSymbol(selection: Selection) -> Symbol",
                "Extract the symbol reference from a text selection",
                selection_to_symbol,
            ),
            Conversion::new("textToSymbol(name: string) -> Symbol", "The symbol of that name.", find_symbol),
        ],
    }
}

/// Returns the symbol of that name, file and line, or asks which is meant.
async fn find_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    let name = invocation.arguments.text("name")?;
    let file: Option<String> = invocation.arguments.read("file")?;
    let line: Option<u32> = invocation.arguments.read("line")?;
    let fits = |it: &&(&str, u32)| {
        file.as_ref().is_none_or(|file| file == it.0) && line.is_none_or(|line| line == it.1)
    };
    let found: Vec<_> = PLACES.iter().filter(fits).collect();
    match found.as_slice() {
        [(file, line)] => Ok(symbol(name, file, *line)),
        _ => Err(Interrupt::Ambiguous(Question {
            question: format!("The symbol `{name}` is defined in multiple places. Which did you mean?"),
            argument: None,
            choices: found
                .iter()
                .map(|(file, line)| Choice {
                    description: format!("the `{name}` from `{file}:{line}`"),
                    value: symbol(name, file, *line),
                })
                .collect(),
        })),
    }
}

fn symbol(name: &str, file: &str, line: u32) -> Value {
    let fields = json!({ "name": name, "file": file, "line": line });
    Value::from_record("Symbol", &fields).expect("it is an object")
}

async fn selection_to_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    let selection = invocation.arguments.get("selection").and_then(Value::fields).expect("it is required");
    let fields = [("name", "text"), ("file", "file"), ("line", "line")]
        .map(|(ours, theirs)| (ours.to_owned(), selection[theirs].clone()));
    Ok(Value::record("Symbol", Object::from_iter(fields)))
}

async fn find_references(invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol = invocation.arguments.0.values().next().and_then(Value::fields).expect("it is required");
    let file = symbol["file"].as_text().expect("it is pinned");
    Ok(vec![format!("main.ts uses it from {file}").into()].into())
}
