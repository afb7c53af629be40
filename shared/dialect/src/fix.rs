//! Correction of mistakes that have one obvious correction.

use source_text::Span;

use crate::lex::is_name_part;
use crate::{Expected, Failure, FailureKind, quote};

/// The most bytes of a corrected program that are worth showing.
const LONGEST: usize = 2_000;
/// The number of attempts: a correction may reveal other mistakes.
const ROUNDS: usize = 3;

/// Returns the program without its mistakes, if each has one correction. `read` returns the mistakes of a
/// program.
pub(crate) fn corrected(
    source: &str,
    failures: &[Failure],
    read: impl Fn(&str) -> Result<(), Vec<Failure>>,
) -> Option<String> {
    if source.len() > LONGEST {
        return None;
    }
    let mut program = replace_all(source, failures)?;
    for _ in 0..ROUNDS {
        match read(&program) {
            Ok(()) => return Some(program.trim().to_owned()),
            Err(failures) => program = replace_all(&program, &failures)?,
        }
    }
    None
}

fn replace_all(source: &str, failures: &[Failure]) -> Option<String> {
    let mut fixes = failures.iter().map(Failure::fix).collect::<Option<Vec<_>>>()?;
    // A mistake around another one is corrected in the next round.
    let places: Vec<Span> = fixes.iter().map(|(span, _)| *span).collect();
    let holds =
        |outer: &Span, inner: &Span| outer != inner && outer.start <= inner.start && inner.end <= outer.end;
    fixes.retain(|(span, _)| !places.iter().any(|inner| holds(span, inner)));
    fixes.sort_by_key(|(span, _)| *span);
    let mut program = String::new();
    let mut at = 0;
    for (span, instead) in fixes {
        program.push_str(source.get(at..span.start)?);
        let is_quoted_name = source[span.range()].starts_with('"') && instead.chars().all(is_name_part);
        program.push_str(&if is_quoted_name { format!("\"{instead}\"") } else { instead });
        at = span.end;
    }
    program.push_str(&source[at..]);
    Some(program)
}

impl Failure {
    /// Returns the span to replace, and its new text.
    pub(crate) fn fix(&self) -> Option<(Span, String)> {
        let span = self.span?;
        match &*self.kind {
            FailureKind::UnknownEscape { literal, instead, .. } => Some((*literal, instead.clone())),
            FailureKind::UnterminatedText { over_lines, .. } => over_lines.clone(),
            FailureKind::Unexpected { expected: Expected::Comma, found } if found == ";" => {
                Some((span, ",".to_owned()))
            }
            FailureKind::Unexpected { expected: Expected::Colon, found } if found == "=" || found == "=>" => {
                Some((span, ":".to_owned()))
            }
            FailureKind::MissingComma { after } => Some((Span::new(*after, *after), ",".to_owned())),
            FailureKind::MalformedNumber { instead, .. } => Some((span, instead.clone()?)),
            FailureKind::Unclosed { at_end: Some((end, missing)), .. } => {
                Some((Span::new(*end, *end), missing.clone()))
            }
            FailureKind::Unopened { .. } => Some((span, String::new())),
            FailureKind::NotDialect { instead, .. } if !instead.contains('…') => {
                Some((span, instead.clone()))
            }
            FailureKind::WithoutBrackets { name, arguments } if !arguments.is_empty() => {
                Some((span, format!("{name}({})", arguments.join(", "))))
            }
            FailureKind::BareWord { nearest: Some(nearest), .. } => Some((span, nearest.clone())),
            FailureKind::BareWord { word, callable: None, .. } if is_text(word) && !is_nothing(word) => {
                Some((span, quote::text(word)))
            }
            FailureKind::QuotedProgram { program } => Some((span, program.clone())),
            FailureKind::UnknownFunction { nearest, .. } => match nearest.as_slice() {
                [nearest] => Some((span, nearest.name.clone())),
                _ => None,
            },
            FailureKind::TooManyArguments { as_list, .. } => as_list.clone(),
            FailureKind::NotBoolean { instead, .. } => Some((span, instead.clone())),
            FailureKind::RepeatedArgument { meant, .. } => meant.clone(),
            FailureKind::UnknownArgument { nearest, .. } => Some((span, nearest.clone()?)),
            _ => None,
        }
    }
}

/// Returns `true` for other languages' null. The author may have meant null or the word.
pub(crate) fn is_nothing(word: &str) -> bool {
    matches!(word, "None" | "undefined" | "nil" | "NULL" | "Null")
}

/// Returns `true` if an unquoted word looks like text, and not like a piece of a program.
fn is_text(word: &str) -> bool {
    let is_placeholder = word.starts_with(['$', '@']) || word.starts_with("_.");
    word.len() <= 80
        && word.contains(char::is_alphanumeric)
        && !is_placeholder
        && !word.contains(['=', ';', '(', ')', '{', '}', '<', '`', '"', '\''])
}
