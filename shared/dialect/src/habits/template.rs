//! Templates, `uses of ${name}` and `uses of \{name}`, which are plain text here.

use super::holes::{inside, joined, unescaped};
use super::node::nodes;
use super::rewrite::Rewriter;
use super::sure::{self, read};
use crate::ast::Expression;
use crate::lex::lex;
use crate::token::TokenKind;
use crate::{printer, quote};

/// The most bytes of a template, and the most expressions in one that are read.
const LONGEST: usize = 2_000;
const MANY: usize = 20;

/// The openings of expressions in texts of other languages.
const OPENERS: [&str; 2] = ["${", "\\{"];

/// A text that was meant as a template.
pub(crate) struct Template {
    /// The first `${…}` or `\{…}` in the text.
    pub(crate) found: String,
    /// The sum that is meant, if that is certain.
    pub(crate) instead: Option<String>,
}

/// Returns the template that a raw text of the program `source` is meant as. `is_meant` tells expressions from text.
pub(crate) fn template(source: &str, raw: &str, is_meant: &dyn Fn(&Expression) -> bool) -> Option<Template> {
    let mut openers: Vec<(usize, &str)> = OPENERS.iter().flat_map(|it| raw.match_indices(it)).collect();
    if openers.is_empty() {
        return None;
    }
    openers.sort_unstable();
    let is_fraction = |kind: &TokenKind| match kind {
        TokenKind::Mark(mark) => *mark == "/",
        TokenKind::Number(number) => number.is_f64(),
        _ => false,
    };
    let has_fractions = lex(source).tokens.iter().any(|it| is_fraction(&it.kind));
    let (mut found, mut parts) = (None, Some(Vec::new()));
    let mut behind = 0;
    for (start, opener) in openers.into_iter().take(MANY) {
        let rest = &raw[start + opener.len()..];
        let Some(code) = inside(rest).filter(|it| start >= behind && it.len() <= LONGEST) else {
            continue;
        };
        let meant = hole_meant(code, has_fractions);
        if !meant.as_ref().map(|(_, it)| it).or(read(code).as_ref()).is_some_and(is_meant) {
            continue;
        }
        let end = start + opener.len() + code.len() + 1;
        found.get_or_insert_with(|| raw[start..end].to_owned());
        parts = with_text(parts, &raw[behind..start]).zip(meant).map(|(mut parts, (text, _))| {
            parts.push((false, format!("({text})")));
            parts
        });
        behind = end;
    }
    let parts = with_text(parts, &raw[behind..]);
    let instead = || printer::program(&read(&joined(parts?))?);
    found.map(|found| Template { found, instead: instead() })
}

/// Adds text, with its escapes as templates have them.
fn with_text(parts: Option<Vec<(bool, String)>>, raw: &str) -> Option<Vec<(bool, String)>> {
    let mut parts = parts?;
    let text = unescaped(raw)?;
    parts.extend((!text.is_empty()).then(|| (true, quote::text(&text))));
    Some(parts)
}

/// Returns the expression of a template's hole that is meant, in a program with fractions or without.
fn hole_meant(code: &str, has_fractions: bool) -> Option<(String, Expression)> {
    let nodes = nodes(code)?;
    let mut rewriter = Rewriter::new(&nodes);
    let text = rewriter.expression(&nodes)?;
    let mut expression = read(&text)?;
    rewriter.traits.has_fractions = has_fractions;
    sure::hole(&mut expression, rewriter.traits)?;
    Some((text, expression))
}
