//! What a registry says about itself: the catalogue that an agent reads before its first program, and the
//! help that a program can ask for. Everything comes from the rows, so the same registry says the same.

use crate::registry::{Callable, Code, Registry};
use crate::{Effect, Failure, Function, Interrupt, Invocation, Library, Value};

/// A token of a language model is about so many bytes of such text.
const BYTES_PER_TOKEN: usize = 4;

/// How much is said about a function; more later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Name,
    Signature,
    Summary,
    Example,
}

const DETAILS: [Detail; 4] = [Detail::Name, Detail::Signature, Detail::Summary, Detail::Example];

/// A catalogue of every function within about so many tokens, after `preamble`, which counts.
///
/// Every function is named, whatever the budget. What is left of it gives signatures to all, then summaries,
/// then examples, to earlier functions before later ones; then the types that signatures name.
pub fn describe(registry: &Registry, preamble: &str, tokens: usize) -> String {
    let functions: Vec<&Function> = registry.callables().filter_map(row).collect();
    let mut details = vec![Detail::Name; functions.len()];
    let budget = (tokens * BYTES_PER_TOKEN).saturating_sub(preamble.len());
    let mut used: usize = functions.iter().map(|it| entry(it, Detail::Name).len()).sum();
    for detail in DETAILS {
        for (at, function) in functions.iter().enumerate() {
            let before = entry(function, details[at]).len();
            let after = entry(function, detail).len();
            if used - before + after <= budget {
                used = used - before + after;
                details[at] = detail;
            }
        }
    }
    let entries = functions.iter().zip(&details).map(|(function, detail)| entry(function, *detail));
    let mut text = preamble.to_owned();
    text.extend(entries);
    for ty in types(registry) {
        if used + ty.len() <= budget {
            used += ty.len();
            text.push_str(&ty);
        }
    }
    text
}

fn entry(function: &Function, detail: Detail) -> String {
    let Function { signature, aliases, summary, examples, .. } = function;
    if detail == Detail::Name {
        let name = signature.split('(').next().unwrap_or(signature);
        return format!("{name}\n");
    }
    let also = if aliases.is_empty() { String::new() } else { format!(" (or {})", aliases.join(", ")) };
    let mut text = format!("{signature}{also}\n");
    if detail >= Detail::Summary {
        text.push_str(&format!("  {summary}"));
        if let (Detail::Example, Some(example)) = (detail, examples.first()) {
            text.push_str(&format!(" E.g. {example}"));
        }
        text.push('\n');
    }
    text
}

fn types(registry: &Registry) -> Vec<String> {
    let types = registry.callables().filter(|it| matches!(it.code, Code::Constructor(_)));
    types.map(|it| format!("{}\n", it.signature)).collect()
}

fn row(callable: &Callable) -> Option<&Function> {
    match &callable.code {
        Code::Function(row) => Some(row),
        Code::Constructor(_) => None,
    }
}

/// The function `help(name?: string) -> string`, which tells about everything in `registry`.
///
/// It is a library of its own, to be added last: `registry.with(help(&registry))`.
pub fn help(registry: &Registry) -> Library {
    let registry = registry.clone();
    let code = move |invocation: Invocation| {
        let registry = registry.clone();
        async move { answer(&registry, &invocation) }
    };
    let row = Function::new("help(name?: string) -> string", "All functions, or all about one.", code)
        .example("help(`search`)")
        .effect(Effect::Pure);
    Library { name: "help".to_owned(), functions: vec![row], ..Library::default() }
}

fn answer(registry: &Registry, invocation: &Invocation) -> Result<Value, Interrupt> {
    let name: Option<String> = invocation.arguments.read("name")?;
    let Some(name) = name else { return Ok(describe(registry, "", usize::MAX / BYTES_PER_TOKEN).into()) };
    match registry.callable(&name) {
        Some(callable) => Ok(about(callable).into()),
        None => Err(Failure::from(registry.unknown(name)).argument("name").into()),
    }
}

/// All that a row says.
fn about(callable: &Callable) -> String {
    let Some(Function { signature, aliases, summary, docs, examples, effect, .. }) = row(callable) else {
        return constructor(callable);
    };
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
    for example in examples {
        text.push_str(&format!("E.g. {example}\n"));
    }
    text
}

fn constructor(callable: &Callable) -> String {
    let Code::Constructor(shape) = &callable.code else { unreachable!("functions have rows") };
    format!("{}\n{}\n", callable.signature, shape.row.description)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::RecordType;

    fn registry() -> Registry {
        let nothing = |_| async { Ok(Value::Null) };
        let library = Library {
            name: "test".to_owned(),
            types: vec![RecordType::new("Place(path: string, line?: number)", "A line of a file.")],
            functions: vec![
                Function::new("find(name: string) -> List<Place>", "Where it is.", nothing)
                    .alias("where")
                    .docs("All of them.")
                    .example("find(`User`)"),
                Function::new("show(place: Place) -> string", "What is there.", nothing),
            ],
            ..Library::default()
        };
        let registry = Registry::new([library]).expect("the tables fit");
        registry.with(help(&registry)).expect("nothing else is called help")
    }

    #[test]
    fn a_budget_is_spent_on_all_before_it_is_spent_on_more() {
        expect![[r#"
            Ask:
            find(name: string) -> List<Place> (or where)
              Where it is. E.g. find(`User`)
            show(place: Place) -> string
              What is there.
            help(name?: string) -> string
              All functions, or all about one. E.g. help(`search`)
            place(path: string, line?: number) -> Place
        "#]]
        .assert_eq(&describe(&registry(), "Ask:\n", 1_000));
        expect![[r#"
            find(name: string) -> List<Place> (or where)
              Where it is.
            show(place: Place) -> string
            help(name?: string) -> string
        "#]]
        .assert_eq(&describe(&registry(), "", 32));
        expect![[r#"
            find
            show
            help
        "#]]
        .assert_eq(&describe(&registry(), "", 0));
    }

    #[test]
    fn help_tells_all_about_one() {
        let ask = |name: &str| {
            let arguments = crate::Arguments([("name".to_owned(), name.into())].into_iter().collect());
            answer(&registry(), &Invocation { arguments, notes: crate::Notes::default() })
        };
        let Ok(Value::Text(text)) = ask("FIND") else { panic!("it is there") };
        expect![[r#"
            find(name: string) -> List<Place>
            Where it is.
            Also called where.
            It writes.
            All of them.
            E.g. find(`User`)
        "#]]
        .assert_eq(&text);
        assert!(ask("fnid").is_err());
    }
}
