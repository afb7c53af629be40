//! Text around a program, as agents send it: prose, Markdown fences, comments of other languages, a second program.

use source_text::Span;

use crate::lex::{is_name_part, lex};
use crate::{Failure, FailureKind, Registry, fix::LONGEST};

/// The words with which lines of programs begin.
const KEYWORDS: [&str; 14] = [
    "import", "from", "use", "using", "require", "const", "let", "var", "val", "return", "print", "await",
    "def", "if",
];

/// The most lines around a program that are looked at.
const LINES: usize = 200;

/// Returns the failure and the program alone, if a text that does not read is a program with something around it.
/// `read` returns `true` for a program that reads.
pub(crate) fn program_within(
    registry: &Registry,
    source: &str,
    read: &dyn Fn(&str) -> bool,
) -> Option<(Failure, Option<String>)> {
    if let Some(fence) = fence_in_prose(source) {
        let program = source[fence.range()].trim();
        let corrected = read(program).then(|| program.to_owned());
        return Some((Failure::at(fence, FailureKind::ProseAround), corrected));
    }
    if source.len() > LONGEST {
        return None;
    }
    foreign_comments(source, read)
        .or_else(|| several_in_json(source, read))
        .or_else(|| among_prose(registry, source, read))
}

/// Returns the inside of the only Markdown fence in a text that has more than that.
fn fence_in_prose(source: &str) -> Option<Span> {
    let mut marks = source.match_indices("```").map(|(at, _)| at);
    let (opening, closing) = (marks.next()?, marks.next()?);
    let starts_line = source[..opening].trim_end_matches([' ', '\t']).ends_with('\n') || opening == 0;
    let prose = [&source[..opening], &source[closing + 3..]];
    if marks.next().is_some() || !starts_line || prose.iter().all(|it| it.trim().is_empty()) {
        return None;
    }
    let start = opening + source[opening..closing].find('\n')? + 1;
    Some(Span::new(start, closing))
}

/// Returns the program with comments as they are written here, if that is all that is wrong with it.
fn foreign_comments(source: &str, read: &dyn Fn(&str) -> bool) -> Option<(Failure, Option<String>)> {
    let mut program = String::new();
    let mut first = None;
    let mut rest = source;
    while !rest.is_empty() {
        let line = &rest[..rest.find('\n').map_or(rest.len(), |it| it + 1)];
        let start = source.len() - rest.len() + line.len() - line.trim_start().len();
        let of_markup = rest.trim_start_matches([' ', '\t']).strip_prefix("<!--");
        let mark = ["--", "#", ";", "<!--"].into_iter().find(|it| line.trim_start().starts_with(it));
        // A line that is inside a text is no comment.
        let Some(mark) = mark.filter(|_| is_code(&program)) else {
            program.push_str(line);
            rest = &rest[line.len()..];
            continue;
        };
        if let Some(inside) = of_markup {
            let end = inside.find("-->")?;
            program.push_str("/*");
            program.push_str(&inside[..end]);
            program.push_str("*/");
            rest = &inside[end + 3..];
        } else {
            let words = line.trim_start().trim_start_matches(mark).trim_start_matches(['#', ';', '-']);
            program.push_str("//");
            program.push_str(words);
            rest = &rest[line.len()..];
        }
        first.get_or_insert((Span::new(start, start + mark.len()), mark));
    }
    let (span, mark) = first?;
    let kind = FailureKind::ForeignComment { mark: mark.to_owned() };
    read(&program).then(|| (Failure::at(span, kind), Some(program.trim().to_owned())))
}

/// Returns `true` if a text ends outside of texts and comments.
fn is_code(text: &str) -> bool {
    !lex(text)
        .failures
        .iter()
        .any(|it| matches!(*it.kind, FailureKind::UnterminatedText { .. } | FailureKind::UnterminatedComment))
}

/// Returns the program that has the results of several programs in JSON, which stand one after the other.
fn several_in_json(source: &str, read: &dyn Fn(&str) -> bool) -> Option<(Failure, Option<String>)> {
    let mut values = serde_json::Deserializer::from_str(source).into_iter::<serde_json::Value>();
    let mut programs = Vec::new();
    let mut start = 0;
    while let Some(value) = values.next() {
        let is_composed = value.ok().is_some_and(|it| it.is_object() || it.is_array());
        let end = values.byte_offset();
        programs.push(source[start..end].trim());
        start = end;
        if !is_composed {
            return None;
        }
    }
    let second = source.find(programs.get(1)?)?;
    let program = format!("[{}]", programs.join(", "));
    let all_read = programs.iter().all(|it| read(it)) && read(&program);
    let kind = FailureKind::SeveralPrograms { program };
    all_read.then(|| (Failure::at(Span::new(second, source.len()), kind), None))
}

/// Returns the program between lines of prose, or behind the words of the first line.
fn among_prose(
    registry: &Registry,
    source: &str,
    read: &dyn Fn(&str) -> bool,
) -> Option<(Failure, Option<String>)> {
    let lines: Vec<&str> = source.split_inclusive('\n').take(LINES + 1).collect();
    if lines.len() > LINES {
        return None;
    }
    let is_around = |line: &&&str| line.trim().is_empty() || is_prose(registry, line);
    let before = lines.iter().take_while(is_around).count();
    let after = lines[before..].iter().rev().take_while(is_around).count();
    let length = |lines: &[&str]| lines.iter().map(|it| it.len()).sum::<usize>();
    let (start, end) = (length(&lines[..before]), source.len() - length(&lines[lines.len() - after..]));
    let whole = Span::new(start, end);
    // `Sure! f(x)`, `The program: f(x)`
    let line = lines.get(before)?;
    let behind = ["! ", ": ", ". ", "… "].into_iter().filter_map(|mark| {
        let (words, _) = line.split_once(mark)?;
        let at = start + words.len() + mark.len();
        (is_words(registry, words)).then(|| Span::new(at, end))
    });
    let found = std::iter::once(whole).chain(behind).find(|span| {
        let program = source[span.range()].trim();
        program.len() < source.trim().len() && calls(registry, program) && read(program)
    })?;
    let program = source[found.range()].trim();
    let start = found.start + source[found.range()].len() - source[found.range()].trim_start().len();
    let span = Span::new(start, start + program.len());
    Some((Failure::at(span, FailureKind::ProseAround), Some(program.to_owned())))
}

/// Returns `true` for a line of prose: several words, or one with a mark behind it, and nothing that programs have.
fn is_prose(registry: &Registry, line: &str) -> bool {
    let line = line.trim();
    let is_sentence = line.contains(' ') || line.ends_with([':', '!', '.', ',', '…', '?']);
    is_sentence && is_words(registry, line)
}

/// Returns `true` for words that are no part of a program.
fn is_words(registry: &Registry, text: &str) -> bool {
    let first = text.split(|it| !is_name_part(it)).find(|it| !it.is_empty());
    let is_command = |word: &str| {
        registry.callable_or_foreign(word).is_some() && text.trim_start().starts_with(word)
            || !registry.foreign_idioms(word).is_empty()
            || KEYWORDS.contains(&word)
    };
    let is_of_program = |it: char| matches!(it, '(' | '[' | '{' | '=' | '<' | '|' | '&' | '+' | '"');
    first.is_some_and(|it| it.starts_with(char::is_alphabetic) && !is_command(it))
        && !text.contains(is_of_program)
}

/// Returns `true` if a program calls a function that there is.
fn calls(registry: &Registry, program: &str) -> bool {
    let names = program.split(|it| !is_name_part(it)).filter(|it| !it.is_empty());
    names.take(LINES).any(|it| registry.callable_or_foreign(it).is_some())
}
