//! Templates of other languages, `uses of ${name}`: raw text here.

use super::Resolver;
use crate::ast::{Expression, ExpressionKind};
use crate::{Limits, quote};

/// The most bytes of an expression in a template.
const LONGEST: usize = 2_000;

/// The most expressions in a template that are read.
const MANY: usize = 20;

impl Resolver<'_> {
    /// Returns the first `${…}` of raw text that is a program here, and the sum that says what was meant.
    pub(super) fn without_interpolation(&self, text: &str) -> Option<(String, String)> {
        let (mut found, mut parts, mut texts) = (None, Vec::new(), Vec::new());
        let mut raw = 0;
        for (start, inside) in interpolations(text) {
            let Some(operand) = self.operand(inside) else { continue };
            let end = start + "${".len() + inside.len() + "}".len();
            found.get_or_insert_with(|| text[start..end].to_owned());
            if raw < start {
                texts.push(parts.len());
                parts.push(quote::text(&text[raw..start]));
            }
            parts.push(operand);
            raw = end;
        }
        if raw < text.len() {
            texts.push(parts.len());
            parts.push(quote::text(&text[raw..]));
        }
        // Without a text among the first two, numbers would be added.
        if parts.len() > 1 && texts.first().is_none_or(|first| *first > 1) {
            parts.insert(0, "``".to_owned());
        }
        found.map(|found| (found, parts.join(" + ")))
    }

    /// Returns the expression as an operand of `+`, if it calls something or uses a bound name.
    fn operand(&self, text: &str) -> Option<String> {
        let (expression, failures) = crate::parse::parse(text, &Limits::default());
        let expression = expression.filter(|it| failures.is_empty() && self.is_about_something(it))?;
        let is_whole = matches!(
            expression.kind,
            ExpressionKind::Name(_)
                | ExpressionKind::Call(_)
                | ExpressionKind::Member { .. }
                | ExpressionKind::Index { .. }
        );
        let text = text.trim();
        Some(if is_whole { text.to_owned() } else { format!("({text})") })
    }

    fn is_about_something(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Name(name) => self.scope.find(name).is_some(),
            ExpressionKind::Call(call) if self.registry.callable(&call.name.text).is_some() => true,
            kind => {
                let mut is_about = false;
                kind.each_child(&mut |child| is_about |= self.is_about_something(child));
                is_about
            }
        }
    }
}

/// Returns the text inside each `${…}`, with the offset of the dollar sign.
fn interpolations(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = text.match_indices("${").take(MANY);
    starts.filter_map(|(start, opener)| {
        let rest = &text[start + opener.len()..];
        let mut open = 0_usize;
        let closer = |(at, char): (usize, char)| {
            match char {
                '{' => open += 1,
                '}' if open == 0 => return Some(at),
                '}' => open -= 1,
                _ => {}
            }
            None
        };
        let length = rest.char_indices().take(LONGEST).find_map(closer)?;
        Some((start, &rest[..length]))
    })
}
