//! A small library for the chapters: a code base of a few symbols, in memory.

use std::sync::Arc;

use dialect::{
    Choice, Conversion, Effect, Failure, FailureKind, Flow, Function, Gap, GapCause, Interrupt, Invocation,
    Library, List, Object, Question, RecordType, Registry, Value, help,
};
use serde::Deserialize;
use serde_json::json;

/// The name, kind, path and line of every definition.
const DEFINITIONS: &[(&str, &str, &str, u32)] = &[
    ("User", "struct", "src/models.rs", 3),
    ("User", "type", "src/auth.rs", 12),
    ("validateToken", "function", "src/auth.rs", 42),
    ("Session", "struct", "src/session.rs", 7),
];

const FILE: &[&str] = &["use std::fmt;", "", "struct User;", "fn main() {}"];

pub(crate) fn registry() -> Registry {
    let registry = Registry::new([symbols(), values(), mistakes()]).expect("the tables fit");
    registry.with(help(&registry)).expect("nothing else is called help")
}

fn symbols() -> Library {
    Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "symbols".to_owned(),
        types: vec![
            RecordType::new("Place(path: string, line: number)", "A line of a file."),
            RecordType::new("Symbol(name: string, path?: string, line?: number)", "Something with a name."),
            RecordType::new(
                "Definition(name: string, kind: string, definedAt: Place)",
                "Where it is defined.",
            )
            .label(label),
        ],
        functions: vec![
            Function::new(
                "findDefinitions(name: string) -> List<Definition>",
                "Where a name is defined.",
                find_definitions,
            )
            .alias("findDefinition")
            .example("findDefinitions(`User`)")
            .effect(Effect::Reads),
            Function::new(
                "findReferences(symbol: Symbol, includeDeclaration?: boolean) -> List<Place>",
                "Where a symbol is used.",
                find_references,
            )
            .example("findReferences(`validateToken`)")
            .docs("Leaves out the declaration unless told otherwise.")
            .effect(Effect::Reads),
            Function::new(
                "search(path: string, pattern: string, extension?: string) -> List<Place>",
                "Which lines match.",
                search,
            )
            .effect(Effect::Reads),
            Function::new(
                "lines(path: string, first: number, last?: number) -> List<string>",
                "Some lines.",
                lines,
            )
            .effect(Effect::Reads),
            Function::new("describe(place: Place) -> string", "A place in words.", describe)
                .effect(Effect::Pure),
            Function::new("deleteFile(path: string) -> boolean", "Deletes a file.", |_| async {
                Ok(true.into())
            }),
        ],
        conversions: vec![
            Conversion::new(
                "nameToSymbol(name: string) -> Symbol",
                "A name means its symbol.",
                name_to_symbol,
            ),
            Conversion::new(
                "definitionToSymbol(definition: Definition) -> Symbol",
                "Itself.",
                definition_to_symbol,
            ),
            Conversion::new(
                "definitionToPlace(definition: Definition) -> Place",
                "Its place.",
                definition_to_place,
            ),
            Conversion::new("placeOfText(text: string) -> Place", "`path:line`.", place_of_text),
        ],
    }
}

fn label(definition: &Object) -> String {
    let place = definition["definedAt"].fields().expect("a place");
    format!(
        "the {} `{}` at {}:{}",
        definition["kind"].as_text().expect("a kind"),
        definition["name"].as_text().expect("a name"),
        place["path"].as_text().expect("a path"),
        place["line"].to_json(),
    )
}

#[derive(Deserialize)]
struct Symbol {
    path: Option<String>,
    line: Option<u32>,
}

fn definitions(name: &str) -> Vec<Value> {
    let named = DEFINITIONS.iter().filter(|it| it.0 == name);
    named
        .map(|(name, kind, path, line)| {
            json!({ "name": name, "kind": kind, "definedAt": { "path": path, "line": line } }).into()
        })
        .collect()
}

fn unknown(name: &str) -> Interrupt {
    Failure::raised("notFound", format!("nothing is called `{name}`"))
        .recovery("Search for a part of the name: search(`src`, `part`).")
        .into()
}

async fn find_definitions(invocation: Invocation) -> Result<Value, Interrupt> {
    let name = invocation.arguments.text("name")?;
    if name == "nothing" {
        return Ok(Value::List(List::default()));
    }
    let found = definitions(name);
    if found.is_empty() { Err(unknown(name)) } else { Ok(found.into()) }
}

async fn find_references(invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let declaration: Option<bool> = invocation.arguments.read("includeDeclaration")?;
    let path = symbol.path.unwrap_or_else(|| "src/main.rs".to_owned());
    let line = symbol.line.unwrap_or(1);
    let mut uses = vec![json!({ "path": path, "line": line + 10 })];
    if declaration == Some(true) {
        uses.insert(0, json!({ "path": path, "line": line }));
    }
    Ok(serde_json::Value::Array(uses).into())
}

async fn search(invocation: Invocation) -> Result<Value, Interrupt> {
    let (path, pattern) = (invocation.arguments.text("path")?, invocation.arguments.text("pattern")?);
    let extension: Option<String> = invocation.arguments.read("extension")?;
    if path == "src" {
        invocation.notes.add("Binary files were left out.");
    }
    let gap = match path {
        "late" => Some(Gap::new(GapCause::Time, "the time was up after 1 file")),
        "partial" => Some(Gap::new(GapCause::Unknown, "some files are not known")),
        _ => None,
    };
    if let Some(gap) = gap {
        invocation.notes.add_gap(format!("The answer to `search` is not complete: {}.", gap.reason), gap);
    }
    Ok(json!([{ "path": format!("{path}/{pattern}{}", extension.unwrap_or_default()), "line": 1 }]).into())
}

async fn lines(invocation: Invocation) -> Result<Value, Interrupt> {
    let path = invocation.arguments.text("path")?;
    if path != "src/main.rs" {
        return Err(Failure::raised("notFound", format!("there is no file `{path}`")).into());
    }
    let first: usize = invocation.arguments.read("first")?;
    let last: Option<usize> = invocation.arguments.read("last")?;
    let lines = FILE.iter().skip(first.saturating_sub(1)).take(last.unwrap_or(first) + 1 - first);
    Ok(Value::List(lines.map(|line| Value::from(*line)).collect()))
}

async fn describe(invocation: Invocation) -> Result<Value, Interrupt> {
    let place = invocation.arguments.get("place").expect("it is required").to_json();
    Ok(format!("line {} of {}", place["line"], place["path"]).into())
}

/// Returns the symbol of that name, or asks which is meant.
async fn name_to_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    let name = invocation.arguments.text("name")?;
    let found = definitions(name);
    let choice = |definition: &Value| Choice {
        description: label(definition.fields().expect("a record")),
        value: symbol(definition),
    };
    match found.as_slice() {
        [] => Err(unknown(name)),
        [one] => Ok(symbol(one)),
        several => Err(Interrupt::Ambiguous(Question {
            question: format!("The name `{name}` is defined in {} places.", several.len()),
            argument: None,
            choices: several.iter().map(choice).collect(),
        })),
    }
}

fn symbol(definition: &Value) -> Value {
    let json = definition.to_json();
    let place = &json["definedAt"];
    let fields = json!({ "name": json["name"], "path": place["path"], "line": place["line"] });
    Value::from_record("Symbol", &fields).expect("it is an object")
}

async fn definition_to_symbol(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(symbol(invocation.arguments.get("definition").expect("it is required")))
}

async fn definition_to_place(invocation: Invocation) -> Result<Value, Interrupt> {
    let definition = invocation.arguments.get("definition").expect("it is required");
    Ok(definition.to_json()["definedAt"].clone().into())
}

async fn place_of_text(invocation: Invocation) -> Result<Value, Interrupt> {
    let text = invocation.arguments.text("text")?;
    match text.split_once(':').and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?))) {
        Some((path, line)) => Ok(json!({ "path": path, "line": line }).into()),
        None => Err(Failure::raised("noPlace", format!("`{text}` is no place"))
            .recovery("Write path:line.")
            .into()),
    }
}

/// Returns functions of plain values.
fn values() -> Library {
    Library {
        aliases: Vec::new(),
        foreign_idioms: Vec::new(),
        name: "values".to_owned(),
        types: vec![
            RecordType::new("Celsius(degrees: number)", "A temperature."),
            RecordType::new("Fahrenheit(degrees: number)", "A temperature."),
            RecordType::new("Warmth(words: string)", "How warm that is."),
        ],
        functions: vec![
            Function::new("echo(value: any) -> any", "Its argument.", echo).effect(Effect::Pure),
            Function::new("size(text: string) -> number", "How long it is.", size).effect(Effect::Pure),
            Function::new("twice(number: number) -> number", "Two times it.", twice).effect(Effect::Pure),
            Function::new("isOn(flag: boolean) -> string", "A flag in words.", is_on).effect(Effect::Pure),
            Function::new(
                "concat(parts: List<string>, separator?: string) -> string",
                "One of many.",
                concat,
            )
            .effect(Effect::Pure),
            Function::new("keysOf(object: object) -> List<string>", "Its keys.", keys_of)
                .effect(Effect::Pure),
            Function::new("range(count: number) -> List<number>", "Counts.", range).effect(Effect::Pure),
            Function::new("map(list: List<any>, f: (item: any) -> any) -> List<any>", "f of each.", map)
                .effect(Effect::Pure)
                .flow(Flow::Each),
            Function::new(
                "filter(list: List<any>, f: (item: any) -> boolean) -> List<any>",
                "Those with f.",
                filter,
            )
            .effect(Effect::Pure)
            .flow(Flow::Chosen),
            Function::new("count(list: List<any>) -> number", "How many.", count).effect(Effect::Pure),
            Function::new("hello.greet(name: string) -> string", "Greets.", greet).effect(Effect::Pure),
            Function::new("now() -> string", "When it is.", |_| async { Ok("noon".into()) })
                .effect(Effect::Reads),
            Function::new(
                "Celsius.after(celsius: Celsius, hours: number) -> string",
                "Later.",
                |it: Invocation| after(it, "celsius"),
            )
            .effect(Effect::Pure),
            Function::new(
                "Fahrenheit.after(fahrenheit: Fahrenheit, hours: number) -> string",
                "Later.",
                |it: Invocation| after(it, "fahrenheit"),
            )
            .effect(Effect::Pure),
            Function::new(
                "Celsius.size(celsius: Celsius) -> string",
                "How much.",
                |it: Invocation| async move {
                    let celsius: serde_json::Value = it.arguments.read("celsius")?;
                    Ok(format!("{} degrees", celsius["degrees"]).into())
                },
            )
            .effect(Effect::Pure),
            Function::new("feels(warmth: Warmth) -> string", "How warm.", warmth).effect(Effect::Pure),
            Function::new("paint(thing: string, color?: string) -> string", "Paints it.", paint)
                .effect(Effect::Pure),
        ],
        conversions: vec![
            Conversion::new("measured(degrees: number) -> Celsius", "As Europe does.", |it: Invocation| {
                degrees(it, "Celsius")
            }),
            Conversion::new("read(degrees: number) -> Fahrenheit", "As America does.", |it: Invocation| {
                degrees(it, "Fahrenheit")
            }),
            Conversion::new("feel(celsius: Celsius) -> Warmth", "In words.", |it: Invocation| {
                feel(it, "celsius", 25.0)
            }),
            Conversion::new("sense(fahrenheit: Fahrenheit) -> Warmth", "In words.", |it: Invocation| {
                feel(it, "fahrenheit", 77.0)
            }),
        ],
    }
}

async fn echo(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(invocation.arguments.get("value").cloned().unwrap_or_default())
}

async fn size(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(json!(invocation.arguments.text("text")?.chars().count()).into())
}

async fn twice(invocation: Invocation) -> Result<Value, Interrupt> {
    let number: f64 = invocation.arguments.read("number")?;
    Ok(json!(number * 2.0).into())
}

async fn is_on(invocation: Invocation) -> Result<Value, Interrupt> {
    let flag: bool = invocation.arguments.read("flag")?;
    Ok(if flag { "on" } else { "off" }.into())
}

async fn concat(invocation: Invocation) -> Result<Value, Interrupt> {
    let parts: Vec<String> = invocation.arguments.read("parts")?;
    let separator: Option<String> = invocation.arguments.read("separator")?;
    Ok(parts.join(&separator.unwrap_or_default()).into())
}

async fn keys_of(invocation: Invocation) -> Result<Value, Interrupt> {
    let object = invocation.arguments.get("object").and_then(Value::fields).expect("it is required");
    Ok(Value::List(object.keys().cloned().map(Value::from).collect()))
}

async fn range(invocation: Invocation) -> Result<Value, Interrupt> {
    /// The most elements, more than the limit on lists and few enough for memory.
    const MOST: u32 = 200_000;
    let count: u32 = invocation.arguments.read("count")?;
    Ok(Value::List((0..count.min(MOST)).map(Value::from).collect()))
}

async fn map(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    Ok(f.call_each(list).await?.into())
}

async fn filter(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let kept = f.call_each(list).await?;
    let both = list.iter().zip(kept).filter(|(_, kept)| *kept == Value::Bool(true));
    Ok(Value::List(both.map(|(item, _)| item.clone()).collect()))
}

async fn count(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(json!(invocation.arguments.list("list")?.len()).into())
}

async fn greet(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(format!("hello, {}", invocation.arguments.text("name")?).into())
}

async fn degrees(invocation: Invocation, ty: &'static str) -> Result<Value, Interrupt> {
    Ok(Value::record(
        ty,
        Object::from_iter([("degrees".to_owned(), invocation.arguments.0["degrees"].clone())]),
    ))
}

async fn feel(invocation: Invocation, parameter: &'static str, warm: f64) -> Result<Value, Interrupt> {
    let temperature: serde_json::Value = invocation.arguments.read(parameter)?;
    let is_warm = temperature["degrees"].as_f64().expect("a number") >= warm;
    Ok(json!({ "words": if is_warm { "warm" } else { "cold" } }).into())
}

async fn after(invocation: Invocation, parameter: &'static str) -> Result<Value, Interrupt> {
    let temperature: serde_json::Value = invocation.arguments.read(parameter)?;
    let hours: f64 = invocation.arguments.read("hours")?;
    Ok(format!("{} {parameter} after {hours} hours", temperature["degrees"]).into())
}

async fn warmth(invocation: Invocation) -> Result<Value, Interrupt> {
    let warmth: serde_json::Value = invocation.arguments.read("warmth")?;
    Ok(warmth["words"].clone().into())
}

/// Asks for a color if none is given.
async fn paint(invocation: Invocation) -> Result<Value, Interrupt> {
    let thing = invocation.arguments.text("thing")?;
    let Some(color) = invocation.arguments.read::<Option<String>>("color")? else {
        let choice = |color: &str| Choice { description: color.to_owned(), value: color.into() };
        return Err(Interrupt::Ambiguous(Question {
            question: "Which color?".to_owned(),
            argument: Some("color".to_owned()),
            choices: vec![choice("red"), choice("blue")],
        }));
    };
    Ok(format!("{color} {thing}").into())
}

/// Returns functions that fail.
fn mistakes() -> Library {
    Library {
        name: "mistakes".to_owned(),
        functions: vec![
            Function::new("liar() -> number", "Promises a number.", |_| async { Ok("three".into()) })
                .effect(Effect::Pure),
            Function::new("indexing() -> string", "Is not ready.", |_| async {
                Err(Failure::raised("notReady", "the index is being built").retryable().into())
            })
            .effect(Effect::Reads),
            Function::new("asker() -> string", "Asks among one.", |_| async {
                let choices = vec![Choice { description: "this".to_owned(), value: Value::Null }];
                Err(Interrupt::Ambiguous(Question { question: "Which?".to_owned(), argument: None, choices }))
            })
            .effect(Effect::Pure),
            silent(),
        ],
        ..Library::default()
    }
}

/// Returns a row that fails without declaring it.
fn silent() -> Function {
    let undeclared = |failure: Failure| match *failure.kind {
        FailureKind::Raised { name, message, .. } => {
            let (callable, problems) = ("silent".to_owned(), Vec::new());
            FailureKind::Undeclared { callable, name, message, problems }.into()
        }
        _ => failure,
    };
    let code = |_| async { Err(Failure::thrown("Jammed", []).into()) };
    let row = Function::new("silent() -> string", "Fails with what it does not declare.", code);
    Function { error_template: Some(Arc::new(undeclared)), ..row.effect(Effect::Pure) }
}
