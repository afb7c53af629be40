//! What expressions start with: names, literals, brackets.

use super::build::{self, call, call_of, list, node, null};
use super::known::joined;
use super::reader::Reader;
use super::scan::Kind;
use super::text::Part;
use super::value_kind::{is_keyword, is_nothing};
use crate::ast::{Expression, ExpressionKind};

impl Reader<'_> {
    pub(super) fn primary(&mut self) -> Option<Expression> {
        let token = self.peek();
        match &token.kind {
            Kind::Name => self.named(),
            Kind::Number(number) => {
                self.next();
                Some(node(ExpressionKind::Number(number.clone())))
            }
            Kind::Text(text) => {
                self.next();
                Some(build::text(text))
            }
            Kind::Template { parts, raw } => {
                self.next();
                self.template(parts, *raw)
            }
            Kind::Pattern { pattern, flags } => {
                self.next();
                Some(node(ExpressionKind::Pattern { pattern: pattern.clone(), flags: flags.clone() }))
            }
            Kind::Mark("[") => self.list(),
            Kind::Mark("{") => self.object(),
            Kind::Mark("(") => self.in_brackets(),
            _ => None,
        }
    }

    /// Reads `f"{x}"`. A text between backticks is only text if it calls nothing and uses no bound name.
    fn template(&mut self, parts: &[Part<'_>], raw: Option<&str>) -> Option<Expression> {
        let (mut shown, mut used, mut holes) = (Vec::new(), 0, 0);
        for part in parts {
            shown.push(match part {
                Part::Text(text) => build::text(text),
                Part::Hole(tokens) => {
                    let value = self.hole(tokens, raw.is_none())?;
                    let bound =
                        |it: &ExpressionKind| matches!(it, ExpressionKind::Name(name) if self.is_bound(name));
                    let uses = |it: &ExpressionKind| matches!(it, ExpressionKind::Call(_)) || bound(it);
                    used += usize::from(build::any(&value, &uses));
                    holes += 1;
                    value
                }
            });
        }
        match raw {
            Some(raw) if used == 0 => Some(build::text(raw)),
            Some(_) if used < holes => None,
            _ => Some(joined(shown)),
        }
    }

    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|(bound, _)| bound == name)
    }

    fn named(&mut self) -> Option<Expression> {
        let word = self.peek().word;
        if is_keyword(word) {
            return None;
        }
        self.next();
        if self.at_mark("(") && !self.peek().starts_line {
            let arguments = self.arguments()?;
            return Some(call_of(None, false, word, arguments));
        }
        let is_bound = self.is_bound(word);
        Some(match word {
            "true" | "True" => node(ExpressionKind::Bool(true)),
            "false" | "False" => node(ExpressionKind::Bool(false)),
            "null" => null(),
            // Alone as an argument, the word itself may be meant.
            _ if is_nothing(word) && !is_bound && !self.is_whole_argument() => null(),
            _ => build::name(word),
        })
    }

    /// Returns `true` behind a word that is all of an argument.
    fn is_whole_argument(&self) -> bool {
        let before = self.at.checked_sub(2).map(|it| &self.tokens[it]);
        let starts = before.is_some_and(|it| it.is_mark("(") || it.is_mark(","));
        starts && (self.at_mark(")") || self.at_mark(","))
    }

    /// Reads what is in round brackets: an expression, a tuple, or a generator.
    fn in_brackets(&mut self) -> Option<Expression> {
        self.next();
        let read = self.enclosed(|it| {
            let first = it.expression()?;
            if it.at_word(&["for"]) {
                return it.comprehension_of(first);
            }
            if !it.at_mark(",") {
                return Some(first);
            }
            let mut elements = vec![(false, first)];
            while it.eat(",") && !it.at_mark(")") {
                elements.push((false, it.expression()?));
            }
            Some(list(elements))
        })?;
        self.expect(")")?;
        Some(read)
    }

    fn object(&mut self) -> Option<Expression> {
        self.next();
        let (mut parts, mut fields) = (Vec::new(), Vec::new());
        let mut is_merged = false;
        self.enclosed(|it| {
            while !it.at_mark("}") {
                if it.eat("...") || it.eat("**") {
                    is_merged = true;
                    if !fields.is_empty() {
                        parts.push(node(ExpressionKind::Object(std::mem::take(&mut fields))));
                    }
                    parts.push(it.expression()?);
                } else {
                    fields.push(it.field()?);
                }
                if !it.eat(",") && !it.at_mark("}") {
                    return None;
                }
            }
            Some(())
        })?;
        self.expect("}")?;
        if !is_merged {
            return Some(node(ExpressionKind::Object(fields)));
        }
        if !fields.is_empty() {
            parts.push(node(ExpressionKind::Object(fields)));
        }
        parts.into_iter().reduce(|all, part| call("merge", [all, part]))
    }
}
