//! How to correct a mistake, where there is one way.

use source_text::Span;

use crate::lex::is_name_part;
use crate::print::print_text;
use crate::{Expected, Failure, FailureKind};

/// So many bytes of a corrected program are worth telling.
const LONGEST: usize = 2_000;
/// Correcting what is found first may show what else is wrong; so often it is tried.
const ROUNDS: usize = 3;

/// The program without its mistakes, where there is one way to correct each: `read` says what is wrong.
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
    // What holds another mistake is corrected in the next round.
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
    /// The stretch of the program to replace, and by what.
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
                let mut text = String::new();
                print_text(&mut text, word);
                Some((span, text))
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

/// What other languages call null: whether that or the word is meant, nobody knows.
pub(crate) fn is_nothing(word: &str) -> bool {
    matches!(word, "None" | "undefined" | "nil" | "NULL" | "Null")
}

/// Whether what was written without quotes looks like text, and not like a piece of some program.
fn is_text(word: &str) -> bool {
    let is_placeholder = word.starts_with(['$', '@']) || word.starts_with("_.");
    word.len() <= 80
        && word.contains(char::is_alphanumeric)
        && !is_placeholder
        && !word.contains(['=', ';', '(', ')', '{', '}', '<', '`', '"', '\''])
}
