//! Answers for editors: what may be typed at a place, and what stands there.
//!
//! Texts are incomplete while they are typed, so the calls around a place are found in the text itself.

use crate::help::named;
use crate::lex::{is_name_part, lex};
use crate::token::Token;
use crate::{FailureKind, Level, Limits, Parameter, Program, Registry, Signature};

/// A call whose arguments are being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall<'text> {
    /// The name that is called; a part of the text.
    pub name: &'text str,
    /// The index of the argument that is being typed, from 0.
    pub argument: usize,
    /// The name of that argument, if one was typed.
    pub named: Option<&'text str>,
    /// `true` if a new argument may start, and `false` inside a list or an object of an argument.
    pub is_direct: bool,
}

/// Names that may be typed at the end of a text.
#[derive(Clone, Debug)]
pub struct Completions<'registry> {
    /// The offset in bytes of the name so far.
    pub start: usize,
    /// The parameters of the call around it, which are names of arguments.
    pub parameters: Vec<&'registry Parameter>,
    /// The functions and constructors.
    pub callables: Vec<&'registry Signature>,
}

/// Returns the innermost call that is open at the end of a text; `None` inside a text in quotes or a comment.
pub fn open_call(text: &str) -> Option<OpenCall<'_>> {
    let open = brackets(text)?;
    let at = open.iter().rposition(|it| it.bracket == '(' && name_before(text, it.at).is_some())?;
    let call = open[at];
    let typed = text[call.last_comma.map_or(call.at, |comma| comma) + 1..].trim_start();
    let word = typed.find(|char| !is_name_part(char)).map_or(typed, |end| &typed[..end]);
    let behind = typed[word.len()..].trim_start();
    let is_named = behind.starts_with(['=', ':']) && !behind.starts_with("==") && !behind.starts_with("=>");
    Some(OpenCall {
        name: name_before(text, call.at)?,
        argument: call.commas,
        named: (is_named && !word.is_empty()).then_some(word),
        is_direct: at + 1 == open.len() && !is_named,
    })
}

/// Returns `false` if the end of a text is inside a text in quotes or a comment.
pub fn ends_in_code(text: &str) -> bool {
    brackets(text).is_some()
}

/// Returns the parameters and the callables whose names start as the text ends, in any case.
pub fn completions<'registry>(registry: &'registry Registry, text: &str) -> Completions<'registry> {
    let start = start_of_name(text);
    let typed = text[start..].to_lowercase();
    let begins = |name: &str| name.to_lowercase().starts_with(&typed);
    let call = open_call(&text[..start]).filter(|it| it.is_direct);
    let callee = call.and_then(|call| signature(registry, call.name));
    let parameters = callee.into_iter().flat_map(|it| &it.parameters).filter(|it| begins(&it.name));
    let callables = registry.signatures().filter(|it| begins(&it.name));
    Completions { start, parameters: parameters.collect(), callables: callables.collect() }
}

/// Returns the signature of a function or a constructor, by any of its names.
pub fn signature<'registry>(registry: &'registry Registry, name: &str) -> Option<&'registry Signature> {
    registry.callable(name).map(|it| &*it.signature)
}

/// Returns the members that the value before the dot at the end of a text has, as far as its type is known.
pub fn members(registry: &Registry, text: &str) -> Vec<String> {
    /// A name that no value has.
    const ABSENT: &str = "memberThatNoValueHas";
    let Some(open) = brackets(text) else { return Vec::new() };
    let closers = open.iter().rev().map(|it| match it.bracket {
        '(' => ')',
        '[' => ']',
        _ => '}',
    });
    let program = format!("{text}{ABSENT}{}", closers.collect::<String>());
    let Err(failures) = Program::parse(registry, &program, &Limits::default()) else { return Vec::new() };
    let mut found = failures.all.into_iter().filter_map(|failure| match *failure.kind {
        FailureKind::NoMember { name, mut members, .. } if name == ABSENT => {
            members.sort();
            Some(members)
        }
        _ => None,
    });
    found.next().unwrap_or_default()
}

/// Describes a function, a type or a conversion in the detail of a level; `None` if nothing has that name.
pub fn about(registry: &Registry, name: &str, level: Level) -> Option<String> {
    named(registry, name, level)
}

/// Returns the tokens of a program, without the end. They may be wrong where the program is.
pub fn program_tokens(source: &str) -> Vec<Token> {
    let mut tokens = lex(source).tokens;
    tokens.pop();
    tokens
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
struct Open {
    bracket: char,
    at: usize,
    commas: usize,
    last_comma: Option<usize>,
}

/// Returns the brackets that are open at the end of a text; `None` inside a text in quotes or a comment.
fn brackets(text: &str) -> Option<Vec<Open>> {
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        let behind = &text[at + char.len_utf8()..];
        let length = match char {
            '`' => behind.find('`')? + 1,
            '"' | '\'' => end_of_quoted(behind, char)?,
            '/' if behind.starts_with('/') => behind.find('\n')?,
            '/' if behind.starts_with('*') => behind[1..].find("*/")? + 3,
            _ => 0,
        };
        match char {
            '(' | '[' | '{' => open.push(Open { bracket: char, at, commas: 0, last_comma: None }),
            ')' | ']' | '}' => drop(open.pop()),
            ',' => {
                if let Some(inner) = open.last_mut() {
                    inner.commas += 1;
                    inner.last_comma = Some(at);
                }
            }
            _ => {}
        }
        at += char.len_utf8() + length;
    }
    Some(open)
}

/// Returns the length of a text in quotes with the closing one, which ends with its line at the latest; `None` if it
/// is open at the end.
fn end_of_quoted(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        if char == '\n' || !is_escaped && char == quote {
            return Some(at + 1);
        }
        is_escaped = !is_escaped && char == '\\';
    }
    None
}

/// Returns the name that stands directly before an offset.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let start = start_of_name(&text[..at]);
    Some(&text[start..at]).filter(|name| !name.is_empty())
}

/// Returns the offset of the name at the end of a text, which may be empty.
fn start_of_name(text: &str) -> usize {
    let name = text.chars().rev().take_while(|char| is_name_part(*char));
    text.len() - name.map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Option<(&str, usize, Option<&str>, bool)> {
        open_call(text).map(|it| (it.name, it.argument, it.named, it.is_direct))
    }

    #[test]
    fn the_call_around_the_end_is_found() {
        for (text, expected) in [
            ("find(", Some(("find", 0, None, true))),
            ("find(`a`, b", Some(("find", 1, None, true))),
            ("find(`a, (`, limit=", Some(("find", 1, Some("limit"), false))),
            ("find(first(x), ", Some(("find", 1, None, true))),
            ("find(first(", Some(("first", 0, None, true))),
            ("find([1, ", Some(("find", 0, None, false))),
            ("find({a: 1, b: ", Some(("find", 0, None, false))),
            ("find(x == ", Some(("find", 0, None, true))),
            ("xs.map(x => ", Some(("map", 0, None, true))),
            ("é.map(x, ", Some(("map", 1, None, true))),
            ("(1 + ", None),
            ("find(\"", None),
            ("find(/* ", None),
            ("find(`a`)", None),
            ("find // (\n(", None),
        ] {
            assert_eq!(call(text), expected, "{text}");
        }
    }

    #[test]
    fn the_end_is_in_code_or_in_a_text() {
        for text in ["", "f(`a`", "\"a\\\"\" + ", "'a\n", "// a\n", "/* a */", "1 / 2"] {
            assert!(ends_in_code(text), "{text}");
        }
        for text in ["`", "f(`a", "\"a\\\"", "// a", "/* a", "/*/"] {
            assert!(!ends_in_code(text), "{text}");
        }
    }
}
