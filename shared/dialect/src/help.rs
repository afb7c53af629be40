//! The function `help`, by which a program can ask a registry about itself.

mod about;

use std::sync::Arc;

use about::{about_alias, about_conversion, about_function, about_type};

use crate::describe::{function, in_full};
use crate::name::{fold, is_same_name, nearest};
use crate::registry::{Callable, CallableCode, RegisteredType};
use crate::{
    Effect, Failure, FailureKind, Function, Interrupt, Invocation, Level, Library, Literal, Mismatch,
    Registry, Signature, Type, Value,
};

/// Returns the library of `help(about?: string, level?: string) -> string`. It describes everything in
/// `registry`: a function, a type, a conversion, or all of them, in the detail of a [`Level`].
///
/// Add it last: `registry.with(help(&registry))`.
pub fn help(registry: &Registry) -> Library {
    Library { name: "help".to_owned(), functions: vec![row(registry.clone())], ..Library::default() }
}

fn row(registry: Registry) -> Function {
    let code = move |invocation: Invocation| {
        let registry = registry.clone();
        async move { answer(&registry, &invocation) }
    };
    Function::new(SIGNATURE, "Everything there is, or all about one name.", code)
        .docs(
            "`about` is a function, a type, a conversion, or one of `functions`, `types`, `conversions`. `level` is \
             `minimal` (its name), `compact` (its parameters), `standard` (types, names of failures), `detailed` (docs, \
             advice, examples: the default for one name) or `complete`.",
        )
        .example("help(`search`)")
        .example("help(`types`)")
        .example("help(`search`, `complete`)")
        .effect(Effect::Pure)
}

const SIGNATURE: &str = "help(about?: string, level?: string) -> string";

fn answer(registry: &Registry, invocation: &Invocation) -> Result<Value, Interrupt> {
    let about: Option<String> = invocation.arguments.read("about")?;
    let level: Option<String> = invocation.arguments.read("level")?;
    let level = level.map(|it| Level::parse(&it).ok_or_else(|| no_level(&it))).transpose()?;
    let Some(about) = about else { return Ok(everything(registry, level).into()) };
    let text = topic(registry, &about, level);
    match text.or_else(|| named(registry, &about, level.unwrap_or(Level::Detailed))) {
        Some(text) => Ok(text.into()),
        None => Err(Failure::from(registry.unknown_function(about)).argument("about").into()),
    }
}

/// Makes the failure for an unknown level, which lists the levels.
fn no_level(name: &str) -> Failure {
    let levels = Level::ALL.map(Level::name);
    let kind = FailureKind::WrongType {
        signature: Arc::new(Signature::parse(SIGNATURE).expect("it is one, as the tests show")),
        parameter: "level".to_owned(),
        expected: Type::union(levels.map(|it| Type::Literal(Literal::Text(it.to_owned())))),
        found: Mismatch::Other {
            value: crate::quote::quoted(name),
            nearest: nearest(name, levels).first().map(|it| (*it).to_owned()),
        },
    };
    Failure::from(kind).argument("level")
}

/// Describes all functions, types and conversions; in a line each without a level.
fn everything(registry: &Registry, level: Option<Level>) -> String {
    let types = types(registry, level);
    let conversions = conversions(registry, level);
    let parts = [
        functions(registry, level),
        titled("Types", &types),
        titled("Conversions, applied where needed", &conversions),
    ];
    parts.concat()
}

fn titled(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{title}:\n{text}") }
}

/// Describes all functions, types or conversions, unless a function has that name.
fn topic(registry: &Registry, about: &str, level: Option<Level>) -> Option<String> {
    let about = fold(about);
    if registry.callable(&about).is_some() {
        return None;
    }
    match about.as_str() {
        "functions" => Some(functions(registry, level)),
        "types" => Some(types(registry, level)),
        "conversions" => Some(conversions(registry, level)),
        _ => None,
    }
}

fn functions(registry: &Registry, level: Option<Level>) -> String {
    let help_row = row(registry.clone());
    let all = registry.callables().filter_map(|it| Some((&*it.library, function(it)?)));
    let all = all.chain([("help", &help_row)]);
    let descriptions = all.map(|(library, row)| match level {
        None => in_full(row),
        Some(level) => about_function(registry, library, row, level),
    });
    listed(descriptions, level)
}

fn types(registry: &Registry, level: Option<Level>) -> String {
    let shapes = registry.callables().filter_map(|it| Some((it, shape(it)?)));
    let descriptions = shapes.map(|(it, shape)| match level {
        None => format!("{} // {}\n", it.signature.plain(), shape.row.description),
        Some(level) => about_type(registry, &it.signature, shape, level),
    });
    let aliases = registry.type_aliases().map(|it| match level {
        None => format!("{it} // {}\n", it.description),
        Some(level) => about_alias(registry, it, level),
    });
    listed(descriptions.chain(aliases), level)
}

fn conversions(registry: &Registry, level: Option<Level>) -> String {
    let descriptions = registry.conversions().iter().map(|it| match level {
        None => format!("{} // {}\n", it.signature, it.description),
        Some(level) => about_conversion(it, level),
    });
    listed(descriptions, level)
}

/// Joins descriptions, with a blank line between those of several lines.
fn listed(descriptions: impl Iterator<Item = String>, level: Option<Level>) -> String {
    let between = if level > Some(Level::Compact) { "\n" } else { "" };
    descriptions.collect::<Vec<_>>().join(between)
}

/// Describes the function, type or conversion of that name.
pub(crate) fn named(registry: &Registry, name: &str, level: Level) -> Option<String> {
    if fold(name) == "help" {
        return Some(about_function(registry, "help", &row(registry.clone()), level));
    }
    if let Some(callable) = registry.callable(name) {
        return Some(match &callable.code {
            CallableCode::Function(row) => about_function(registry, &callable.library, row, level),
            CallableCode::Constructor(shape) => about_type(registry, &callable.signature, shape, level),
        });
    }
    if let Some(alias) = registry.type_aliases().find(|it| is_same_name(&it.name, name)) {
        return Some(about_alias(registry, alias, level));
    }
    let conversion = registry.conversions().iter().find(|it| is_same_name(&it.signature.name, name))?;
    Some(about_conversion(conversion, level))
}

fn shape(callable: &Callable) -> Option<&RegisteredType> {
    match &callable.code {
        CallableCode::Constructor(shape) => Some(shape),
        CallableCode::Function(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{Arguments, Conversion, DeclaredFailure, Notes, RecordType, explain};

    fn registry() -> Registry {
        let nothing = |_| async { Ok(Value::Null) };
        let library = Library {
            aliases: Vec::new(),
            foreign_idioms: Vec::new(),
            name: "test".to_owned(),
            types: vec![
                RecordType::new("Place(path: string, at?: Line)", "A line of a file.")
                    .docs("- `at`: Else all of it."),
                RecordType::new("Line(line: int.min(1))", "Counted from 1."),
            ],
            functions: vec![
                Function::new("find(name: string) -> List<Place>", "Where it is.", nothing)
                    .alias("where")
                    .docs("All of them.")
                    .fails(DeclaredFailure {
                        name: "NotReady".to_owned(),
                        carries: "server: string, seconds: number".to_owned(),
                        message: "${server} is loading".to_owned(),
                        recovery: "Wait ${seconds} seconds.".to_owned(),
                        retryable: true,
                        user_message: "A moment".to_owned(),
                        ..DeclaredFailure::default()
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

    fn ask(about: Option<&str>, level: Option<&str>) -> Result<Value, Interrupt> {
        let given = [("about", about), ("level", level)];
        let arguments = given.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?.into())));
        let (arguments, notes) = (Arguments(arguments.collect()), Notes::default());
        let limits = crate::Limits::default();
        answer(
            &registry(),
            &Invocation { arguments, notes, limits, work: crate::Work::new(&limits), consumer: None },
        )
    }

    fn help_text(about: &str) -> String {
        let Ok(Value::Text(text)) = ask(Some(about), None) else { panic!("it is there") };
        text.to_string()
    }

    fn at(level: Level, about: Option<&str>) -> String {
        let Ok(Value::Text(text)) = ask(about, Some(level.name())) else { panic!("it is there") };
        text.to_string()
    }

    fn at_each(about: &str) -> String {
        Level::ALL.map(|level| format!("{}:\n{}", level.name(), at(level, Some(about)))).concat()
    }

    #[test]
    fn it_tells_all_about_one_name() {
        expect![[r#"
            minimal:
            find // Where it is.
            compact:
            find(name) // Where it is.
            standard:
            find(name: string) -> List<Place>
            Where it is.
            Also called where.
            It writes.
            Needs the user's permission for test/find.
            Fails with NotReady.
            Place(path: string, at?: Line)
            Line(line: int.min(1))
            detailed:
            find(name: string) -> List<Place>
            Where it is.
            Also called where.
            It writes.
            All of them.
            Needs the user's permission for test/find.
            Fails with NotReady: "<server> is loading" Wait <seconds> seconds. The same call may succeed later.
            Place(path: string, at?: Line) // A line of a file.
            Line(line: int.min(1)) // Counted from 1.
            E.g. find(`User`)
            complete:
            find(name: string) -> List<Place>
            Where it is.
            Also called where.
            It writes.
            All of them.
            Needs the user's permission for test/find.
            Fails with NotReady(server: string, seconds: number): "<server> is loading" Wait <seconds> seconds. The same call may succeed later. The user may be told "A moment".
            Place(path: string, at?: Line) // A line of a file.
            - `at`: Else all of it.
            Line(line: int.min(1)) // Counted from 1.
            E.g. find(`User`)
        "#]].assert_eq(&at_each("FIND"));
        expect![[r#"
            minimal:
            place // A line of a file.
            compact:
            place(path, at) // A line of a file.
            standard:
            place(path: string, at?: Line) -> Place
            A line of a file.
            Line(line: int.min(1))
            detailed:
            place(path: string, at?: Line) -> Place
            A line of a file.
            - `at`: Else all of it.
            From string: The place that `path:line` spells.
            Line(line: int.min(1)) // Counted from 1.
            complete:
            place(path: string, at?: Line) -> Place
            A line of a file.
            - `at`: Else all of it.
            From string: The place that `path:line` spells.
            Line(line: int.min(1)) // Counted from 1.
        "#]]
        .assert_eq(&at_each("Place"));
        expect![[r#"
            minimal:
            textToPlace // The place that `path:line` spells.
            compact:
            textToPlace(text) // The place that `path:line` spells.
            standard:
            textToPlace(text: string) -> Place
            The place that `path:line` spells.
            A conversion: applied where Place is needed.
            detailed:
            textToPlace(text: string) -> Place
            The place that `path:line` spells.
            A conversion: applied where Place is needed.
            complete:
            textToPlace(text: string) -> Place
            The place that `path:line` spells.
            A conversion: applied where Place is needed.
        "#]]
        .assert_eq(&at_each("textToPlace"));
        assert!(help_text("help").starts_with("help(about?: string, level?: string) -> string\n"));
    }

    #[test]
    fn what_suits_an_agent_is_the_default() {
        for name in ["find", "Place", "textToPlace", "help"] {
            assert_eq!(help_text(name), at(Level::Detailed, Some(name)), "{name}");
        }
    }

    #[test]
    fn each_level_tells_more_of_everything() {
        let texts = Level::ALL.map(|level| at(level, None));
        assert!(texts.is_sorted_by_key(String::len), "{texts:#?}");
        expect![[r#"
            find(name) // Where it is.
            help(about, level) // Everything there is, or all about one name.

            Types:
            place(path, at) // A line of a file.
            line(line) // Counted from 1.

            Conversions, applied where needed:
            textToPlace(text) // The place that `path:line` spells.
        "#]]
        .assert_eq(&texts[1]);
    }

    #[test]
    fn it_tells_of_everything() {
        let Ok(Value::Text(text)) = ask(None, None) else { panic!("it takes nothing") };
        expect![[r#"
            find(name: string) -> List<Place> // Where it is. E.g. find(`User`)
            help(about?: string, level?: string) -> string // Everything there is, or all about one name. E.g. help(`search`)

            Types:
            place(path: string, at?: Line) -> Place // A line of a file.
            line(line: number) -> Line // Counted from 1.

            Conversions, applied where needed:
            textToPlace(text: string) -> Place // The place that `path:line` spells.
        "#]].assert_eq(&text);
        for topic in ["functions", "types", "Conversions"] {
            assert!(text.contains(&help_text(topic)), "{topic}");
        }
    }

    #[test]
    fn an_unknown_name_has_neighbours() {
        let Err(Interrupt::Failure(failure)) = ask(Some("fnd"), None) else { panic!("nothing is called so") };
        assert_eq!(failure.kind.name(), "unknownFunction");
    }

    #[test]
    fn an_unknown_level_is_refused_with_those_that_there_are() {
        let registry = registry();
        let registry = registry.with(help(&registry)).expect("nothing else is called help");
        let program = "help(`find`, `detail`)";
        let limits = crate::Limits::default();
        let outcome = futures::executor::block_on(crate::run(&registry, program, &limits));
        expect![[r#"
            line 1, column 14: `level` of `help` takes "minimal", "compact", "standard", "detailed" or "complete", not "detail"
            1 | help(`find`, `detail`)
              |              ^^^^^^^^
            Did you mean `detailed`?"#]].assert_eq(&explain(&outcome, program).text);
    }
}
