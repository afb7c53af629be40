//! Programs with the syntax of other languages, read as the syntax trees that they mean.
//!
//! This grammar knows the spellings of several languages, with the precedence that they have there. What has no
//! equivalent here, or several meanings, is not read at all: no offer is better than a wrong one.

mod binding;
mod block;
mod build;
mod finish;
mod function;
mod item;
mod kind;
mod operator;
mod postfix;
mod primary;
mod query;
mod scan;
mod statement;
mod template;
mod text;

use self::kind::Kind as ValueKind;
use self::scan::{Kind, Token, scan, scan_hole};
pub(crate) use self::template::template;
use crate::ast::Expression;
use crate::brackets::closer;
use crate::spell;

/// The most bytes of a program that is read so.
const LONGEST: usize = 2_000;
/// The most nested expressions.
const DEPTH: usize = 40;

/// Returns the program that is meant by one with the syntax of other languages, if that is certain.
///
/// `is_function` tells the names of functions.
pub(crate) fn meant(source: &str, is_function: &dyn Fn(&str) -> bool) -> Option<String> {
    if source.len() > LONGEST {
        return None;
    }
    let tokens = scan(source)?;
    let mut reader = Reader::new(&tokens, Traits::of(&tokens))?;
    let mut expression = reader.program()?;
    finish::finish(&mut expression, reader.traits, is_function)?;
    spell::program(&expression)
}

/// Returns the expression of a template's hole that is meant.
fn hole_meant(code: &str) -> Option<Expression> {
    let tokens = scan_hole(code)?;
    let mut reader = Reader::new(&tokens, Traits::of(&tokens))?;
    let mut expression = reader.hole(&tokens, false)?;
    finish::finish_part(&mut expression, reader.traits)?;
    Some(expression)
}

/// What a program shows of its language.
#[derive(Clone, Copy, Debug, Default)]
struct Traits {
    /// Words of Python, whose `%` rounds down.
    is_python: bool,
    /// Marks of C's family, where a comparison of comparisons compares truths.
    is_script: bool,
    /// Words of languages in which integers divide without a fraction.
    is_compiled: bool,
}

impl Traits {
    fn of(tokens: &[Token<'_>]) -> Self {
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
        }
    }
}

/// The position in the tokens of a program, or of a part of it.
struct Reader<'t> {
    tokens: &'t [Token<'t>],
    /// For each token that opens, the index of the one that closes it.
    closers: Vec<usize>,
    at: usize,
    /// The number of open brackets; line breaks mean nothing inside of them.
    open: usize,
    nesting: usize,
    traits: Traits,
    /// The names that are bound so far, with what is known of their values.
    bound: Vec<(String, ValueKind)>,
    /// `true` behind `let x =`, where `in` may end the value.
    ends_at_in: bool,
    /// `true` in a condition of SQL, where `=` compares.
    is_query: bool,
}

impl<'t> Reader<'t> {
    fn new(tokens: &'t [Token<'t>], traits: Traits) -> Option<Self> {
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
    fn hole(&mut self, tokens: &[Token<'_>], is_python: bool) -> Option<Expression> {
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

    fn token_at(&self, index: usize) -> &'t Token<'t> {
        &self.tokens[index.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &'t Token<'t> {
        self.token_at(self.at)
    }

    fn ahead(&self, ahead: usize) -> &'t Token<'t> {
        self.token_at(self.at + ahead)
    }

    fn next(&mut self) -> &'t Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn at_end(&self) -> bool {
        matches!(self.peek().kind, Kind::End)
    }

    fn at_mark(&self, mark: &str) -> bool {
        self.peek().is_mark(mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Option<()> {
        self.eat(mark).then_some(())
    }

    /// Returns `true` at one of these words.
    fn at_word(&self, words: &[&str]) -> bool {
        self.peek().is_name() && words.contains(&self.peek().word)
    }

    /// Returns `true` at one of these words in any case, as in SQL.
    fn at_any_case(&self, words: &[&str]) -> bool {
        let word = self.peek().word;
        words.iter().any(|it| {
            *it == word || word.chars().all(|it| it.is_ascii_uppercase()) && it.eq_ignore_ascii_case(word)
        })
    }

    fn eat_word(&mut self, words: &[&str]) -> bool {
        let found = self.at_any_case(words) && self.peek().is_name();
        if found {
            self.next();
        }
        found
    }

    fn expect_word(&mut self, words: &[&str]) -> Option<()> {
        self.eat_word(words).then_some(())
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_name = self.peek().is_name() && !kind::is_keyword(self.peek().word);
        is_name.then(|| self.next().word)
    }

    /// Returns the index of the token that closes the one here.
    fn closer(&self) -> usize {
        self.closers[self.at]
    }

    /// Returns `true` if an expression goes on here: on the same line, or inside brackets.
    fn goes_on(&self) -> bool {
        self.open > 0 || !self.peek().starts_line
    }

    /// Reads inside brackets.
    fn enclosed<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
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
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting >= DEPTH {
            return None;
        }
        self.nesting += 1;
        let read = read(self);
        self.nesting -= 1;
        read
    }

    /// Returns a name that the program does not have.
    fn fresh(&self) -> Option<&'static str> {
        let names = ["x", "it", "item", "element", "each", "one", "entry"];
        names.into_iter().find(|it| !has_word(self.tokens, it))
    }

    /// Reads with these names bound.
    fn binding<T>(&mut self, names: &[&str], read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
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
