//! Programs with the syntax of other languages, read as the syntax trees that they mean.
//!
//! This grammar knows the spellings of several languages, with the precedence that they have there. What has no
//! equivalent here, or several meanings, is not read at all: no offer is better than a wrong one.

mod binding;
mod block;
mod finish;
mod function;
mod item;
mod known;
mod operator;
mod postfix;
mod primary;
mod query;
mod reader;
mod scan;
mod statement;
mod template;
mod text;
mod value_kind;

use self::reader::{Reader, Traits};
use self::scan::{scan, scan_hole};
pub(crate) use self::template::template;
use crate::ast::{Expression, build};
use crate::printer;

/// The most bytes of a program that is read so, and of the one that is meant.
const LONGEST: usize = 2_000;

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
    printer::program(&expression).filter(|it| it.len() <= LONGEST)
}

/// Returns the expression of a template's hole that is meant, in a program with fractions or without.
fn hole_meant(code: &str, has_fractions: bool) -> Option<Expression> {
    let tokens = scan_hole(code)?;
    let traits = Traits { has_fractions, ..Traits::of(&tokens) };
    let mut reader = Reader::new(&tokens, traits)?;
    let mut expression = reader.hole(&tokens, false)?;
    finish::finish_part(&mut expression, reader.traits)?;
    Some(expression)
}
