//! The catalogue of a registry, which an agent reads before its first program. It is made of the rows alone,
//! so the same registry has the same catalogue.

use crate::registry::{Callable, CallableCode, Registry};
use crate::{Function, Signature, tokens};

/// The amount of detail about a function, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Name,
    Signature,
    Summary,
    Example,
}

/// Returns a catalogue of every function in about `budget` tokens ([`tokens`]), which include the `preamble`
/// before it.
///
/// Every function is named, whatever the budget. The rest of the budget goes to the functions of the first
/// library, which is what the tool is for: signatures, summaries, the types in them, examples. Then the other
/// functions get the same, in order. Aliases are left to [`help`](crate::help).
pub fn describe(registry: &Registry, preamble: &str, budget: usize) -> String {
    let mut catalogue = Catalogue::of(registry, budget.saturating_sub(tokens(preamble)));
    catalogue.refine(Detail::Signature, Functions::OfTheFirstLibrary);
    catalogue.refine(Detail::Summary, Functions::OfTheFirstLibrary);
    catalogue.add_types(registry);
    catalogue.refine(Detail::Example, Functions::OfTheFirstLibrary);
    catalogue.refine(Detail::Signature, Functions::All);
    catalogue.refine(Detail::Summary, Functions::All);
    catalogue.refine(Detail::Example, Functions::All);
    preamble.to_owned() + &catalogue.text()
}

/// The functions that get more detail next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Functions {
    OfTheFirstLibrary,
    All,
}

struct Catalogue<'registry> {
    /// Each with the library that brings it.
    functions: Vec<(&'registry str, &'registry Function, Detail)>,
    /// The signatures of constructors.
    types: Vec<String>,
    /// The names of constructors without a signature.
    named_types: Vec<&'registry str>,
    /// Tokens that are left.
    left: usize,
}

impl<'registry> Catalogue<'registry> {
    /// Starts with the names of all functions.
    fn of(registry: &'registry Registry, budget: usize) -> Self {
        let functions: Vec<_> =
            registry.callables().filter_map(|it| Some((&*it.library, function(it)?, Detail::Name))).collect();
        let names: usize = functions.iter().map(|(_, it, detail)| tokens(&entry(it, *detail))).sum();
        let named_types: Vec<_> = constructors(registry).map(|it| &*it.signature.name).collect();
        let types: usize = named_types.iter().map(|it| tokens(&format!(", {it}"))).sum();
        let left = budget.saturating_sub(names + types + tokens("Also: \n"));
        Self { functions, types: Vec::new(), named_types, left }
    }

    /// Gives the functions with the detail below this one this detail, as far as the budget allows.
    fn refine(&mut self, detail: Detail, whose: Functions) {
        let first = self.functions.first().map(|(library, ..)| *library);
        let is_due = |library: &str| whose == Functions::All || first == Some(library);
        let due =
            self.functions.iter_mut().filter(|(library, _, so_far)| is_due(library) && *so_far < detail);
        for (_, function, so_far) in due {
            let more = tokens(&entry(function, detail)).saturating_sub(tokens(&entry(function, *so_far)));
            if more <= self.left {
                self.left -= more;
                *so_far = detail;
            }
        }
    }

    fn add_types(&mut self, registry: &Registry) {
        for constructor in constructors(registry) {
            let line = format!("{}\n", constructor.signature.plain());
            if tokens(&line) <= self.left {
                self.left -= tokens(&line);
                self.types.push(line);
                self.named_types.retain(|it| **it != constructor.signature.name);
            }
        }
        for alias in registry.type_aliases() {
            let line = format!("{} = {}\n", alias.name, alias.ty.plain());
            if tokens(&line) <= self.left {
                self.left -= tokens(&line);
                self.types.push(line);
            }
        }
    }

    fn text(&self) -> String {
        let (named, told): (Vec<_>, Vec<_>) =
            self.functions.iter().partition(|(.., detail)| *detail == Detail::Name);
        let mut text: String = told.iter().map(|(_, it, detail)| entry(it, *detail)).collect();
        let names = named.iter().map(|(_, it, _)| name(it)).chain(self.named_types.iter().copied());
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            text.push_str(&format!("Also: {}\n", names.join(", ")));
        }
        text + &self.types.concat()
    }
}

fn constructors(registry: &Registry) -> impl Iterator<Item = &Callable> {
    registry.callables().filter(|it| matches!(it.code, CallableCode::Constructor(_)))
}

/// Returns the line of a function with all details.
pub(crate) fn in_full(function: &Function) -> String {
    entry(function, Detail::Example)
}

fn entry(function: &Function, detail: Detail) -> String {
    let Function { summary, examples, .. } = function;
    let signature = plain(function);
    let mut remark = summary.clone();
    if let (Detail::Example, Some(example)) = (detail, examples.first()) {
        remark = format!("{remark} E.g. {example}").trim_start().to_owned();
    }
    match detail {
        Detail::Name => format!(", {}", name(function)),
        Detail::Summary | Detail::Example if !remark.is_empty() => format!("{signature} // {remark}\n"),
        _ => format!("{signature}\n"),
    }
}

/// Returns the signature without refinements, which [`help`](crate::help) and failures show.
fn plain(function: &Function) -> String {
    let Function { signature, .. } = function;
    let plain = Signature::parse(signature).map_or_else(|_| signature.clone(), |it| it.plain().to_string());
    shorten_unions(&plain)
}

/// The maximum number of alternatives of a union that is shown whole.
const ALTERNATIVES: usize = 3;

/// Shortens longer unions of names: `string | Symbol | …`.
fn shorten_unions(signature: &str) -> String {
    let is_name = |it: &str| it.chars().all(char::is_alphanumeric);
    let pieces: Vec<&str> = signature.split(" | ").collect();
    let (mut text, mut first) = (pieces[0].to_owned(), 0);
    while first + 1 < pieces.len() {
        // A union is the end of one piece, further pieces that are names, and the start of the last one.
        let names = pieces[first + 1..pieces.len() - 1].iter().take_while(|it| is_name(it)).count();
        let last = first + 1 + names;
        if names + 2 > ALTERNATIVES {
            let end = pieces[last].trim_start_matches(char::is_alphanumeric);
            text.push_str(&format!(" | {} | …{end}", pieces[first + 1]));
        } else {
            pieces[first + 1..=last].iter().for_each(|it| text.push_str(&format!(" | {it}")));
        }
        first = last;
    }
    text
}

fn name(function: &Function) -> &str {
    function.signature.split('(').next().unwrap_or(&function.signature)
}

/// Returns the row of a function; `None` for a constructor.
pub(crate) fn function(callable: &Callable) -> Option<&Function> {
    match &callable.code {
        CallableCode::Function(row) => Some(row),
        CallableCode::Constructor(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{Library, RecordType, Value, help};

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
                Function::new("show(place: Place, width?: int.min(1)) -> string", "What is there.", nothing),
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
            find(name: string) -> List<Place> // Where it is. E.g. find(`User`)
            show(place: Place, width?: number) -> string // What is there.
            help(about?: string, level?: string) -> string // Everything there is, or all about one name. E.g. help(`search`)
            place(path: string, line?: number) -> Place
        "#]]
        .assert_eq(&describe(&registry(), "Ask:\n", 1_000));
        expect![[r#"
            find(name: string) -> List<Place> // Where it is.
            show(place: Place, width?: number) -> string // What is there.
            Also: help, place
        "#]]
        .assert_eq(&describe(&registry(), "", 45));
        expect![[r#"
            Also: find, show, help, place
        "#]]
        .assert_eq(&describe(&registry(), "", 15));
        expect![[r#"
            Also: find, show, help, place
        "#]]
        .assert_eq(&describe(&registry(), "", 0));
    }

    #[test]
    fn long_unions_are_shortened() {
        for (signature, short) in [
            (
                "f(a: string | Symbol | Call | Location, b?: int) -> T",
                "f(a: string | Symbol | …, b?: int) -> T",
            ),
            ("f(a: string | Symbol) -> T", "f(a: string | Symbol) -> T"),
            ("f(a: A | B | C | D) -> A | B | C", "f(a: A | B | …) -> A | B | C"),
            ("f(a: \"x\" | \"y\" | \"z\")", "f(a: \"x\" | \"y\" | \"z\")"),
            ("f()", "f()"),
        ] {
            assert_eq!(shorten_unions(signature), short);
        }
    }

    #[test]
    fn it_keeps_to_its_budget_once_every_name_is_in() {
        for budget in 16..100 {
            let text = describe(&registry(), "Ask:\n", budget);
            assert!(tokens(&text) <= budget, "{budget}: {}\n{text}", tokens(&text));
        }
    }
}
