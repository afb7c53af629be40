//! The function `help`: what a registry says about itself to whoever asks from within a program.

use crate::describe::{function, in_full};
use crate::name::fold;
use crate::registry::{Callable, Code, Route, Shape};
use crate::{Effect, Failure, Function, Interrupt, Invocation, Library, Registry, Value};

/// The function `help(about?: string) -> string`, which tells about everything in `registry`: a function, a type, a
/// conversion, or all of them.
///
/// It is a library of its own, to be added last: `registry.with(help(&registry))`.
pub fn help(registry: &Registry) -> Library {
    Library { name: "help".to_owned(), functions: vec![row(registry.clone())], ..Library::default() }
}

fn row(registry: Registry) -> Function {
    let code = move |invocation: Invocation| {
        let registry = registry.clone();
        async move { answer(&registry, &invocation) }
    };
    Function::new("help(about?: string) -> string", "Everything there is, or all about one name.", code)
        .docs("`about` is a function, a type, a conversion, or one of `functions`, `types`, `conversions`.")
        .example("help(`search`)")
        .example("help(`types`)")
        .effect(Effect::Pure)
}

fn answer(registry: &Registry, invocation: &Invocation) -> Result<Value, Interrupt> {
    let about: Option<String> = invocation.arguments.read("about")?;
    let Some(about) = about else { return Ok(everything(registry).into()) };
    match topic(registry, &about).or_else(|| named(registry, &about)) {
        Some(text) => Ok(text.into()),
        None => Err(Failure::from(registry.unknown(about)).argument("about").into()),
    }
}

fn everything(registry: &Registry) -> String {
    let types = types(registry);
    let conversions = conversions(registry);
    let parts = [
        functions(registry),
        titled("Types", &types),
        titled("Conversions, applied where needed", &conversions),
    ];
    parts.concat()
}

fn titled(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{title}:\n{text}") }
}

/// All of one sort. A function of that name goes before.
fn topic(registry: &Registry, about: &str) -> Option<String> {
    let about = fold(about);
    if registry.callable(&about).is_some() {
        return None;
    }
    match about.as_str() {
        "functions" => Some(functions(registry)),
        "types" => Some(types(registry)),
        "conversions" => Some(conversions(registry)),
        _ => None,
    }
}

fn functions(registry: &Registry) -> String {
    let itself = row(registry.clone());
    registry.callables().filter_map(function).chain([&itself]).map(in_full).collect()
}

fn types(registry: &Registry) -> String {
    let shapes = registry.callables().filter_map(|it| Some((it, shape(it)?)));
    shapes.map(|(it, shape)| format!("{} // {}\n", it.signature.plain(), shape.row.description)).collect()
}

fn conversions(registry: &Registry) -> String {
    registry.conversions().iter().map(|it| format!("{} // {}\n", it.signature, it.description)).collect()
}

/// All about what has that name.
fn named(registry: &Registry, name: &str) -> Option<String> {
    if fold(name) == "help" {
        return Some(about_function(&row(registry.clone())));
    }
    if let Some(callable) = registry.callable(name) {
        return Some(about(registry, callable));
    }
    let conversion = registry.conversions().iter().find(|it| fold(&it.signature.name) == fold(name))?;
    Some(about_conversion(conversion))
}

fn about(registry: &Registry, callable: &Callable) -> String {
    match (function(callable), shape(callable)) {
        (Some(row), _) => about_function(row),
        (None, Some(shape)) => about_type(registry, callable, shape),
        (None, None) => unreachable!("a callable is one of the two"),
    }
}

fn shape(callable: &Callable) -> Option<&Shape> {
    match &callable.code {
        Code::Constructor(shape) => Some(shape),
        Code::Function(_) => None,
    }
}

/// All that a row says.
fn about_function(row: &Function) -> String {
    let Function { signature, aliases, summary, docs, examples, effect, fails, .. } = row;
    let mut text = format!("{signature}\n{summary}\n");
    if !aliases.is_empty() {
        text.push_str(&format!("Also called {}.\n", aliases.join(", ")));
    }
    if *effect == Effect::Writes {
        text.push_str("It writes.\n");
    }
    if !docs.is_empty() {
        text.push_str(&format!("{docs}\n"));
    }
    for failure in fails {
        text.push_str(&format!("Fails with {failure}\n"));
    }
    for example in examples {
        text.push_str(&format!("E.g. {example}\n"));
    }
    text
}

/// Its constructor, and what becomes such a value by itself.
fn about_type(registry: &Registry, callable: &Callable, shape: &Shape) -> String {
    let mut text = format!("{}\n{}\n", callable.signature, shape.row.description);
    let gives = |it: &&std::sync::Arc<Route>| it.signature.returns == callable.signature.returns;
    for route in registry.conversions().iter().filter(gives) {
        let from = &route.signature.parameters[0].ty;
        text.push_str(&format!("From {from}: {}\n", route.description));
    }
    text
}

fn about_conversion(route: &Route) -> String {
    let Route { signature, description, .. } = route;
    format!("{signature}\n{description}\nA conversion: applied where {} is wanted.\n", signature.returns)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{Arguments, Conversion, DeclaredFailure, Notes, RecordType};

    fn registry() -> Registry {
        let nothing = |_| async { Ok(Value::Null) };
        let library = Library {
            habits: Vec::new(),
            name: "test".to_owned(),
            types: vec![RecordType::new("Place(path: string, line?: number)", "A line of a file.")],
            functions: vec![
                Function::new("find(name: string) -> List<Place>", "Where it is.", nothing)
                    .alias("where")
                    .docs("All of them.")
                    .fails(DeclaredFailure {
                        name: "NotReady".to_owned(),
                        description: String::new(),
                        message: "${server} is loading".to_owned(),
                        recovery: "Wait ${seconds} seconds.".to_owned(),
                        retryable: true,
                    })
                    .example("find(`User`)"),
            ],
            conversions: vec![Conversion::new(
                "textToPlace(text: string) -> Place",
                "The place that `path:line` spells.",
                nothing,
            )],
        };
        Registry::new([library]).expect("the tables fit")
    }

    fn ask(about: Option<&str>) -> Result<Value, Interrupt> {
        let about = about.map(|it| ("about".to_owned(), it.into()));
        let arguments = Arguments(about.into_iter().collect());
        answer(
            &registry(),
            &Invocation { arguments, notes: Notes::default(), limits: crate::Limits::default() },
        )
    }

    fn told(about: &str) -> String {
        let Ok(Value::Text(text)) = ask(Some(about)) else { panic!("it is there") };
        text.to_string()
    }

    #[test]
    fn it_tells_all_about_one_name() {
        expect![[r#"
            find(name: string) -> List<Place>
            Where it is.
            Also called where.
            It writes.
            All of them.
            Fails with NotReady: "${server} is loading" Wait ${seconds} seconds. The same call may succeed later.
            E.g. find(`User`)
        "#]]
        .assert_eq(&told("FIND"));
        expect![[r#"
            place(path: string, line?: number) -> Place
            A line of a file.
            From string: The place that `path:line` spells.
        "#]]
        .assert_eq(&told("Place"));
        expect![[r#"
            textToPlace(text: string) -> Place
            The place that `path:line` spells.
            A conversion: applied where Place is wanted.
        "#]]
        .assert_eq(&told("textToPlace"));
        assert!(told("help").starts_with("help(about?: string) -> string\n"));
    }

    #[test]
    fn it_tells_of_everything() {
        let Ok(Value::Text(text)) = ask(None) else { panic!("it takes nothing") };
        expect![[r#"
            find(name: string) -> List<Place> // Where it is. E.g. find(`User`)
            help(about?: string) -> string // Everything there is, or all about one name. E.g. help(`search`)

            Types:
            place(path: string, line?: number) -> Place // A line of a file.

            Conversions, applied where needed:
            textToPlace(text: string) -> Place // The place that `path:line` spells.
        "#]]
        .assert_eq(&text);
        for topic in ["functions", "types", "Conversions"] {
            assert!(text.contains(&told(topic)), "{topic}");
        }
    }

    #[test]
    fn an_unknown_name_has_neighbours() {
        let Err(Interrupt::Failure(failure)) = ask(Some("fnd")) else { panic!("nothing is called so") };
        assert_eq!(failure.kind.name(), "unknownFunction");
    }
}
