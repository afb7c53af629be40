//! Outlines, roles and trees as lines.

use literate::{Actual, Case};
use source_text::{Encoding, LineIndex};
use syntax::{Definition, Language, Outline, Parsed, Pattern};

/// Returns the outcome of a block of a language, by its expectation: `outline`, `roles` of the name behind the
/// language, or `matches` of the block `pattern` before it.
pub(crate) fn outcome_of(case: &Case) -> Actual {
    let pattern = case.input("pattern");
    let input = case.inputs.iter().find(|it| it.kind != "pattern").expect("the case has a text");
    let language = Language::of_id(&input.kind).expect("the block is of a known language");
    let kind = case.expected.kind.as_str();
    let shown = match kind {
        "outline" => outline(language, &input.text),
        "roles" => roles(language, &input.text, &input.subject),
        "matches" => matches(language, &input.text, pattern.expect("the case has a pattern")),
        other => panic!("nothing is shown as `{other}`"),
    };
    Actual::new(kind, shown)
}

fn outline(language: Language, text: &str) -> String {
    let (outline, lines) = (syntax::outline(language, text), LineIndex::new(text));
    let shown = outline.definitions.iter().map(|it| {
        let indent = "  ".repeat(outline.around(it).len());
        format!("{indent}{}", definition(text, &lines, it))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// `1-3 public test struct User at 2:12 of Owner, from Base = struct User`
fn definition(text: &str, lines: &LineIndex, it: &Definition) -> String {
    let line = |offset| lines.position(text, offset, Encoding::Utf32).0 + 1;
    let (at, column) = lines.position(text, it.name_at.start, Encoding::Utf32);
    let test = if it.is_test { " test" } else { "" };
    let owner = it.owner.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
    let bases =
        if it.bases.is_empty() { String::new() } else { format!(", from {}", it.bases.join(" and ")) };
    format!(
        "{}-{} {}{test} {} {} at {}:{}{owner}{bases} = {}",
        line(it.whole.start),
        line(it.whole.end.saturating_sub(1).max(it.whole.start)),
        it.visibility,
        it.kind,
        it.name,
        at + 1,
        column + 1,
        it.signature(text),
    )
}

/// `3:5 call in User.hello`, for each place of the word.
fn roles(language: Language, text: &str, word: &str) -> String {
    let parsed = Parsed::new(language, text).expect("the text is within bounds");
    let (outline, lines) = (parsed.outline(), LineIndex::new(text));
    let places = text.match_indices(word).map(|(at, _)| at).filter(|at| is_whole(text, *at, word));
    let shown = places.map(|at| {
        let (line, column) = lines.position(text, at, Encoding::Utf32);
        let role = parsed.role(at);
        format!("{}:{} {role}{}", line + 1, column + 1, inside(&outline, at))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// `2:5 x.unwrap() | X = x`, for each match of the pattern; or the error of the pattern.
fn matches(language: Language, text: &str, pattern: &str) -> String {
    let pattern = match Pattern::new(language, pattern) {
        Ok(pattern) => pattern,
        Err(error) => return format!("{error}: {error:?}"),
    };
    let parsed = Parsed::new(language, text).expect("the text is within bounds");
    let lines = LineIndex::new(text);
    let matches = pattern.matches(&parsed);
    let shown = matches.found.iter().map(|it| {
        let (line, column) = lines.position(text, it.span.start, Encoding::Utf32);
        let names = pattern.names().iter().zip(&it.bindings);
        let names = names.map(|(name, span)| format!("{name} = {}", on_one_line(&text[span.range()])));
        let names: Vec<_> = names.collect();
        let bar = if names.is_empty() { "" } else { " | " };
        format!(
            "{}:{} {}{bar}{}",
            line + 1,
            column + 1,
            on_one_line(&text[it.span.range()]),
            names.join(", ")
        )
    });
    let doubt = if matches.is_doubtful { vec!["some of it is no code".to_owned()] } else { Vec::new() };
    shown.chain(doubt).collect::<Vec<_>>().join("\n")
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn inside(outline: &Outline, at: usize) -> String {
    let test = if outline.is_test(at) { ", test" } else { "" };
    let Some(it) = outline.enclosing(at) else { return test.to_owned() };
    let signature = if outline.is_signature(at) { ", signature" } else { "" };
    let mut path = outline.container(it);
    path.push(it.name.clone());
    format!(" in {} {} {}{signature}{test}", it.visibility, it.kind, path.join("."))
}

fn is_whole(text: &str, at: usize, word: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
}
