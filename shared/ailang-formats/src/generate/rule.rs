//! Refinements as simple rules, so that every target checks the same.

use ailang::schema::text;
use dialect::{Pattern, Refinement};
use serde_json::Number;

use super::model::Kind;

/// A rule for values of one kind.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    Min(Number),
    Max(Number),
    Positive,
    Negative,
    /// Without a fraction, and exact as a float.
    Integer,
    /// A multiple, of the decimal digits.
    MultipleOf(Number),
    /// Counts Unicode scalar values.
    MinLength(usize),
    MaxLength(usize),
    StartsWith(String),
    EndsWith(String),
    /// The pattern is found in the text.
    Matches(Pattern),
    /// The pattern is not found in the text.
    Lacks(Pattern),
    /// Counts elements or keys.
    MinCount(usize),
    MaxCount(usize),
    /// No two elements are equal.
    Unique,
}

/// The kinds that rules are about.
pub(super) const KINDS: [Kind; 4] = [Kind::Number, Kind::Text, Kind::List, Kind::Map];

/// Returns the rules for values of a kind; none if the refinement does not apply to them.
pub(super) fn rules(refinement: &Refinement, kind: Kind) -> Vec<Rule> {
    match kind {
        Kind::Number => of_number(refinement).into_iter().collect(),
        Kind::Text => of_text(refinement),
        Kind::List | Kind::Map => of_count(refinement, kind).into_iter().collect(),
        Kind::Mixed => Vec::new(),
    }
}

fn of_number(refinement: &Refinement) -> Option<Rule> {
    Some(match refinement {
        Refinement::Min(least) => Rule::Min(least.clone()),
        Refinement::Max(most) => Rule::Max(most.clone()),
        Refinement::MultipleOf(step) => Rule::MultipleOf(step.clone()),
        Refinement::Integer => Rule::Integer,
        Refinement::Positive => Rule::Positive,
        Refinement::Negative => Rule::Negative,
        _ => return None,
    })
}

fn of_text(refinement: &Refinement) -> Vec<Rule> {
    match refinement {
        Refinement::NonEmpty => vec![Rule::MinLength(1)],
        Refinement::MinLength(least) => vec![Rule::MinLength(*least)],
        Refinement::MaxLength(most) => vec![Rule::MaxLength(*most)],
        Refinement::StartsWith(start) => vec![Rule::StartsWith(start.clone())],
        Refinement::EndsWith(end) => vec![Rule::EndsWith(end.clone())],
        Refinement::Regex(pattern) => vec![Rule::Matches(pattern.clone())],
        Refinement::Email => vec![Rule::MaxLength(254), Rule::Matches(pattern(&text::email()))],
        Refinement::Url => {
            vec![Rule::Matches(pattern(&text::url())), Rule::Lacks(pattern(text::WITHOUT_HOST))]
        }
        Refinement::Uuid => vec![Rule::Matches(pattern(text::UUID))],
        _ => Vec::new(),
    }
}

fn of_count(refinement: &Refinement, kind: Kind) -> Option<Rule> {
    Some(match refinement {
        Refinement::NonEmpty => Rule::MinCount(1),
        Refinement::MinItems(least) => Rule::MinCount(*least),
        Refinement::MaxItems(most) => Rule::MaxCount(*most),
        Refinement::Unique if kind == Kind::List => Rule::Unique,
        _ => return None,
    })
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text, "").expect("the patterns of named forms are portable")
}

/// Returns what a refinement demands, for messages.
pub(super) fn demand(refinement: &Refinement) -> String {
    match refinement {
        Refinement::Min(least) => format!("at least {least}"),
        Refinement::Max(most) => format!("at most {most}"),
        Refinement::MultipleOf(step) => format!("a multiple of {step}"),
        Refinement::Integer => "a whole number".to_owned(),
        Refinement::Positive => "more than 0".to_owned(),
        Refinement::Negative => "less than 0".to_owned(),
        Refinement::MinLength(least) => format!("at least {}", counted(*least, "character")),
        Refinement::MaxLength(most) => format!("at most {}", counted(*most, "character")),
        Refinement::NonEmpty => "something that is not empty".to_owned(),
        Refinement::StartsWith(start) => format!("a text that starts with {start:?}"),
        Refinement::EndsWith(end) => format!("a text that ends with {end:?}"),
        Refinement::Regex(pattern) => format!("a text that matches {pattern}"),
        Refinement::Email => "an email address".to_owned(),
        Refinement::Url => "an absolute URL".to_owned(),
        Refinement::Uuid => "a UUID".to_owned(),
        Refinement::MinItems(least) => format!("at least {}", counted(*least, "item")),
        Refinement::MaxItems(most) => format!("at most {}", counted(*most, "item")),
        Refinement::Unique => "items that differ".to_owned(),
        other => other.to_string(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
