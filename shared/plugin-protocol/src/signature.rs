//! The parameters of a function. The protocol has none, so they come from the best of several places: members
//! of our own, a list of names, the `def` of a source, or a help text that begins with a call.

use serde::{Deserialize, Serialize};

/// The parameters of a function, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters in the order of positional arguments.
    pub parameters: Vec<Parameter>,
    /// The type of the result, in the words of the source.
    pub returns: Option<String>,
    /// The place that the signature was read from.
    pub origin: Origin,
}

/// The place that a signature was read from, the most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The members `params` and `returns` of the schema.
    Declared,
    /// The member `args` of older schemas, which has names alone.
    Names,
    /// The `def` of the source.
    Definition,
    /// The first words of the description.
    Help,
}

/// A parameter. It is also the wire form of an entry in `params`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name, by which arguments may be given.
    pub name: String,
    /// The type, in the words of the source.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// True if it may be left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The default, in the words of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The arguments that it takes.
    #[serde(default, skip_serializing_if = "Takes::is_one")]
    pub takes: Takes,
}

/// The arguments that a parameter takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// One argument.
    #[default]
    One,
    /// One argument, by its name only.
    Keyword,
    /// The rest of the positional arguments.
    Rest,
    /// The rest of the named arguments.
    Keywords,
}

impl Takes {
    fn is_one(&self) -> bool {
        *self == Self::One
    }
}

impl Signature {
    /// Returns the signature that a list of names makes.
    pub(crate) fn of_names(names: Vec<String>) -> Self {
        let parameters = names.into_iter().map(|name| Parameter { name, ..Parameter::default() }).collect();
        Self { parameters, returns: None, origin: Origin::Names }
    }

    /// Returns the signature of `def name(…)` in a source of Python's syntax.
    pub(crate) fn of_definition(source: &str, name: &str) -> Option<Self> {
        let start = definition(source, name)?;
        Self::parse(start, Origin::Definition)
    }

    /// Returns the signature of the first method of that name in a class, without its `self`.
    pub(crate) fn of_method(source: &str, name: &str) -> Option<Self> {
        let mut signature = Self::of_definition(source, name)?;
        let has_self = signature.parameters.first().is_some_and(|it| it.takes == Takes::One);
        has_self.then(|| signature.parameters.remove(0))?;
        Some(signature)
    }

    /// Returns the signature of a help text that begins with `name(…)`.
    pub(crate) fn of_help(text: &str, name: &str) -> Option<Self> {
        let rest = text.trim_start().strip_prefix(name)?;
        rest.starts_with('(').then(|| Self::parse(rest, Origin::Help))?
    }

    /// Reads `(a, b=1) -> type …`. What cannot be read for certain is no signature.
    fn parse(text: &str, origin: Origin) -> Option<Self> {
        let (inside, after) = parentheses(text)?;
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut takes = Takes::One;
        for part in split(inside) {
            match part.trim() {
                "" | "/" => {}
                "*" => takes = Takes::Keyword,
                part => {
                    let parameter = parameter(part, takes)?;
                    if parameters.iter().any(|it| it.name == parameter.name) {
                        return None;
                    }
                    if parameter.takes == Takes::Rest {
                        takes = Takes::Keyword;
                    }
                    parameters.push(parameter);
                }
            }
        }
        Some(Self { parameters, returns: returned(after, origin), origin })
    }

    /// Returns the number of positional arguments that a call needs at least.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|it| it.takes == Takes::One && !it.optional).count()
    }
}

/// Returns the text behind `def name`, from its parenthesis on.
fn definition<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    source.match_indices("def ").find_map(|(at, matched)| {
        let starts_line = source[..at].rsplit('\n').next().is_none_or(|it| it.trim().is_empty());
        let rest = source[at + matched.len()..].trim_start().strip_prefix(name)?.trim_start();
        (starts_line && rest.starts_with('(')).then_some(rest)
    })
}

/// Returns what is between the parentheses at the start, and what follows them.
fn parentheses(text: &str) -> Option<(&str, &str)> {
    let mut scan = Scan::default();
    let (end, _) = text.char_indices().find(|(_, character)| scan.step(*character) && scan.depth == 0)?;
    Some((&text[1..end], &text[end + 1..]))
}

/// Splits at commas outside of brackets and strings.
fn split(text: &str) -> Vec<&str> {
    let mut scan = Scan::default();
    let is_comma = |character: char| scan.step(character) && scan.depth == 0 && character == ',';
    text.split(is_comma).collect()
}

/// The brackets and the string around a character.
#[derive(Default)]
struct Scan {
    depth: usize,
    quote: Option<char>,
    escaped: bool,
}

impl Scan {
    /// Takes a character. Returns true if it is outside of strings.
    fn step(&mut self, character: char) -> bool {
        match (self.quote, character) {
            (Some(_), _) if self.escaped => self.escaped = false,
            (Some(_), '\\') => self.escaped = true,
            (Some(quote), it) if it == quote => self.quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => self.quote = Some(character),
            (None, '(' | '[' | '{') => self.depth += 1,
            (None, ')' | ']' | '}') => self.depth = self.depth.saturating_sub(1),
            _ => return true,
        }
        self.quote.is_none() && matches!(character, ')' | ']' | '}')
    }
}

/// Reads `name: type = default`, `*rest` or `**keywords`.
fn parameter(part: &str, takes: Takes) -> Option<Parameter> {
    let (takes, part) = if let Some(rest) = part.strip_prefix("**") {
        (Takes::Keywords, rest)
    } else if let Some(rest) = part.strip_prefix('*') {
        (Takes::Rest, rest)
    } else {
        (takes, part)
    };
    let (declared, default) = match part.split_once('=') {
        Some((declared, default)) => (declared, Some(default.trim().to_owned())),
        None => (part, None),
    };
    let (name, kind) = match declared.split_once(':') {
        Some((name, kind)) => (name, Some(kind.trim().to_owned())),
        None => (declared, None),
    };
    let name = name.trim();
    let is_name = name.starts_with(|it: char| it.is_alphabetic() || it == '_')
        && name.chars().all(|it| it.is_alphanumeric() || it == '_');
    let optional = default.is_some() || matches!(takes, Takes::Rest | Takes::Keywords);
    is_name.then(|| Parameter { name: name.to_owned(), kind, optional, default, takes, description: None })
}

/// Returns the type after an arrow. In a help text it is one word, since prose may follow.
fn returned(after: &str, origin: Origin) -> Option<String> {
    let rest = after.trim_start().strip_prefix("->")?;
    let kind = match origin {
        Origin::Help => rest.split_whitespace().next()?,
        _ => rest.split(':').next()?,
    };
    Some(kind.trim().to_owned()).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn show(signature: Option<Signature>) -> String {
        let Some(Signature { parameters, returns, .. }) = signature else { return "none".to_owned() };
        let one = |it: &Parameter| {
            let kind = it.kind.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
            let default = it.default.as_ref().map(|it| format!(" = {it}")).unwrap_or_default();
            format!("{:?} {}{kind}{default}", it.takes, it.name)
        };
        let shown: Vec<_> = parameters.iter().map(one).collect();
        shown.join(", ") + &returns.map(|it| format!(" -> {it}")).unwrap_or_default()
    }

    #[test]
    fn a_help_text_that_begins_with_a_call_names_parameters() {
        for (text, expected) in [
            ("greet(name, x=1) - Return a greeting", "One name, One x = 1"),
            ("greet()", ""),
            (
                "greet(name: str = \"a, b\", *rest, flag=(1, 2), **more) -> dict of words",
                "One name: str = \"a, b\", Rest rest, Keyword flag = (1, 2), Keywords more -> dict",
            ),
            ("greet(a, /, b, *, c)", "One a, One b, Keyword c"),
            ("greet(name[, x])", "none"),
            ("greet(a, a)", "none"),
            ("greet(a", "none"),
            ("greeting(name)", "none"),
            ("Greets someone (by name)", "none"),
            ("greet(...)", "none"),
        ] {
            assert_eq!(show(Signature::of_help(text, "greet")), expected, "{text}");
        }
    }

    #[test]
    fn a_definition_is_found_by_its_name() {
        let source = "import x\n\ndef other(a):\n  pass\ndef greet(\n    name,\n    x = {'a': 1},\n) -> str:\n  return name";
        assert_eq!(show(Signature::of_definition(source, "greet")), "One name, One x = {'a': 1} -> str");
        assert_eq!(show(Signature::of_definition("# undef greet(name)", "greet")), "none");
        let class = "class Config:\n  def __init__(self, name, path=None):\n    pass";
        assert_eq!(show(Signature::of_method(class, "__init__")), "One name, One path = None");
        assert_eq!(show(Signature::of_method("class C:\n  def __init__(): pass", "__init__")), "none");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r#"greet\(([a-c]|,|=|:|\*|\(|\)|"|'|\\|é| |->){0,20}"#) {
            Signature::of_help(&text, "greet");
            Signature::of_definition(&format!("def {text}"), "greet");
        }
    }
}
