//! The position in the tokens of a program, and what the program shows of its language.

use super::scan::{self, Kind, Token};
use super::text;
use super::value_kind::{self, Kind as ValueKind};
use crate::ast::Expression;
use crate::brackets::closer;

/// The most nested expressions.
const DEPTH: usize = 40;

/// The signs of the language that a program is written in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    /// Words of Python, whose `%` rounds down.
    pub(super) is_python: bool,
    /// Marks of C's family, where a comparison of comparisons compares truths.
    pub(super) is_script: bool,
    /// Words of languages in which integers divide without a fraction.
    pub(super) is_compiled: bool,
    /// Numbers with a fraction, which are not spelled alike: `7.0` here is `7` in C's family.
    pub(super) has_fractions: bool,
}

impl Traits {
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut traits = Self::default();
        for (index, token) in tokens.iter().enumerate() {
            let follows_operand = index > 0 && scan::ends_operand(&tokens[index - 1]) && !token.starts_line;
            match &token.kind {
                Kind::Name => match token.word {
                    "if" | "for" => traits.is_python |= follows_operand,
                    "not" | "and" | "or" | "lambda" | "elif" | "def" | "None" => traits.is_python = true,
                    "const" | "var" | "function" => traits.is_script = true,
                    "fn" | "func" | "fun" | "mut" | "val" | "auto" | "final" => traits.is_compiled = true,
                    _ => {}
                },
                Kind::Mark("**" | "//") => traits.is_python = true,
                Kind::Mark("&&" | "||" | "!" | "===" | "!==" | "?" | ";") => traits.is_script = true,
                Kind::Mark(":=" | "->") => traits.is_compiled = true,
                Kind::Mark("/") => traits.has_fractions = true,
                Kind::Number(number) => traits.has_fractions |= number.is_f64(),
                Kind::Template { raw, parts } => {
                    traits.is_python |= raw.is_none();
                    for part in parts {
                        if let text::Part::Hole(tokens) = part {
                            traits = traits.with(Self::of(tokens));
                        }
                    }
                }
                _ => {}
            }
        }
        traits
    }

    fn with(self, other: Self) -> Self {
        Self {
            is_python: self.is_python || other.is_python,
            is_script: self.is_script || other.is_script,
            is_compiled: self.is_compiled || other.is_compiled,
            // Those in a template concern it alone.
            has_fractions: self.has_fractions,
        }
    }
}

/// The position in the tokens of a program, or of a part of it.
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token<'t>],
    /// For each token that opens, the index of the one that closes it.
    pub(super) closers: Vec<usize>,
    pub(super) at: usize,
    /// The number of open brackets; line breaks mean nothing inside of them.
    pub(super) open: usize,
    pub(super) nesting: usize,
    pub(super) traits: Traits,
    /// The names that are bound so far, with what is known of their values.
    pub(super) bound: Vec<(String, ValueKind)>,
    /// `true` behind `let x =`, where `in` may end the value.
    pub(super) ends_at_in: bool,
    /// `true` in a condition of SQL, where `=` compares.
    pub(super) is_query: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(tokens: &'t [Token<'t>], traits: Traits) -> Option<Self> {
        Some(Self {
            tokens,
            closers: matched(tokens)?,
            at: 0,
            open: 0,
            nesting: 0,
            traits,
            bound: Vec::new(),
            ends_at_in: false,
            is_query: false,
        })
    }

    /// Reads the tokens of an expression inside a text.
    pub(super) fn hole(&mut self, tokens: &[Token<'_>], is_python: bool) -> Option<Expression> {
        let mut inner = Reader::new(tokens, self.traits)?;
        inner.open = 1;
        inner.nesting = self.nesting;
        inner.bound.clone_from(&self.bound);
        let read = inner.expression()?;
        self.traits = self.traits.with(inner.traits);
        if !inner.at_end() {
            return None;
        }
        inner.shown(read, is_python)
    }

    pub(super) fn token_at(&self, index: usize) -> &'t Token<'t> {
        &self.tokens[index.min(self.tokens.len() - 1)]
    }

    pub(super) fn peek(&self) -> &'t Token<'t> {
        self.token_at(self.at)
    }

    pub(super) fn ahead(&self, ahead: usize) -> &'t Token<'t> {
        self.token_at(self.at + ahead)
    }

    pub(super) fn next(&mut self) -> &'t Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn at_end(&self) -> bool {
        matches!(self.peek().kind, Kind::End)
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        self.peek().is_mark(mark)
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: &str) -> Option<()> {
        self.eat(mark).then_some(())
    }

    /// Returns `true` at one of these words.
    pub(super) fn at_word(&self, words: &[&str]) -> bool {
        self.peek().is_name() && words.contains(&self.peek().word)
    }

    /// Returns `true` at one of these words in any case, as in SQL.
    pub(super) fn at_any_case(&self, words: &[&str]) -> bool {
        let word = self.peek().word;
        words.iter().any(|it| {
            *it == word || word.chars().all(|it| it.is_ascii_uppercase()) && it.eq_ignore_ascii_case(word)
        })
    }

    pub(super) fn eat_word(&mut self, words: &[&str]) -> bool {
        let found = self.at_any_case(words) && self.peek().is_name();
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect_word(&mut self, words: &[&str]) -> Option<()> {
        self.eat_word(words).then_some(())
    }

    pub(super) fn name(&mut self) -> Option<&'t str> {
        let is_name = self.peek().is_name() && !value_kind::is_keyword(self.peek().word);
        is_name.then(|| self.next().word)
    }

    /// Returns the index of the token that closes the one here.
    pub(super) fn closer(&self) -> usize {
        self.closers[self.at]
    }

    /// Returns `true` if an expression goes on here: on the same line, or inside brackets.
    pub(super) fn goes_on(&self) -> bool {
        self.open > 0 || !self.peek().starts_line
    }

    /// Reads inside brackets.
    pub(super) fn enclosed<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (ends_at_in, is_query) =
            (std::mem::take(&mut self.ends_at_in), std::mem::take(&mut self.is_query));
        let open = self.open;
        self.open += 1;
        let read = read(self);
        self.open = open;
        (self.ends_at_in, self.is_query) = (ends_at_in, is_query);
        read
    }

    /// Reads one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting >= DEPTH {
            return None;
        }
        self.nesting += 1;
        let read = read(self);
        self.nesting -= 1;
        read
    }

    /// Returns a name that the program does not have.
    pub(super) fn fresh(&self) -> Option<&'static str> {
        let names = ["x", "it", "item", "element", "each", "one", "entry"];
        names.into_iter().find(|it| !has_word(self.tokens, it))
    }

    /// Reads with these names bound.
    pub(super) fn binding<T>(
        &mut self,
        names: &[&str],
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let count = self.bound.len();
        self.bound.extend(names.iter().map(|it| ((*it).to_owned(), ValueKind::Unknown)));
        let read = read(self);
        self.bound.truncate(count);
        read
    }
}

fn has_word(tokens: &[Token<'_>], word: &str) -> bool {
    tokens.iter().any(|token| match &token.kind {
        Kind::Template { parts, .. } => {
            parts.iter().any(|it| matches!(it, text::Part::Hole(tokens) if has_word(tokens, word)))
        }
        _ => token.word == word,
    })
}

/// Matches all brackets.
fn matched(tokens: &[Token<'_>]) -> Option<Vec<usize>> {
    let mut closers = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Kind::Mark(mark) = token.kind else { continue };
        if let Some(closing) = closer(mark) {
            open.push((index, closing));
        } else if matches!(mark, ")" | "]" | "}") {
            let (opener, closing) = open.pop()?;
            if closing != mark {
                return None;
            }
            closers[opener] = index;
        }
    }
    open.is_empty().then_some(closers)
}
