//! Programs with the syntax of other languages, rewritten to what they mean.
//!
//! Tokens are rewritten by a table of words and a few shapes, to a program that this language's own parser reads; its
//! tree is then checked for what other languages mean differently. What has no equivalent here, or several meanings, is
//! not rewritten at all: no offer is better than a wrong one.

mod holes;
mod lambda;
mod node;
mod rewrite;
mod statement;
mod sure;
mod template;

use self::node::nodes;
use self::rewrite::Rewriter;
pub(crate) use self::template::template;
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
    let nodes = nodes(source)?;
    let mut rewriter = Rewriter::new(&nodes);
    let text = rewriter.program(&nodes)?;
    let mut expression = sure::read(&text)?;
    sure::program(&mut expression, rewriter.traits, is_function)?;
    printer::program(&expression).filter(|it| it.len() <= LONGEST)
}
