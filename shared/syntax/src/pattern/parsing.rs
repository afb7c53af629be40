//! Parses a pattern in every context of its language in which it is code.

use std::ops::ControlFlow;

use tree_sitter::{Node, Parser, Tree};

use super::PatternError;
use super::contexts::{contexts, spellings};
use super::holes::{Source, Written};
use super::shape::{Part, Shape, compile};
use crate::Language;
use crate::parsed::parse;

/// The maximum number of spellings of the holes to try in one context.
const TRIES: usize = 128;

/// The maximum number of the parser's reports in all tries together. It reports after every hundred steps. Code needs
/// few; text that is no code may need very many.
const REPORTS: usize = 4_000;

/// Returns every shape that the pattern can have, each once.
pub(super) fn shapes(language: Language, source: &Source<'_>) -> Result<Vec<Shape>, PatternError> {
    let mut reader = Reader { language, parser: Parser::new(), reports: REPORTS };
    reader.parser.set_language(&language.grammar()).map_err(|_| PatternError::NoCode { at: 0 })?;
    let ways = ways(language, source);
    let (mut shapes, mut refused, mut wrong) = (Vec::new(), None, Vec::new());
    let is_markup = source.has("<?");
    // PHP parses anything outside of its tags as text.
    let is_meant = |(before, _): &&(&str, &str)| language.id() != "php" || !before.is_empty() || is_markup;
    for (before, after) in contexts(language).iter().filter(is_meant) {
        for (number, written) in ways.iter().enumerate() {
            let text = format!("{before}{}{after}", written.text);
            let Some(tree) = reader.read(&text) else { continue };
            let within = Within { text: &text, start: before.len(), end: text.len() - after.len() };
            if tree.root_node().has_error() {
                if number == 0 {
                    let (bytes, at) = within.wrong(&tree);
                    wrong.push((bytes, written.in_pattern(at)));
                }
                continue;
            }
            match within.shape(&tree, written, source, language) {
                Some(Ok(shape)) if !shapes.contains(&shape) => shapes.push(shape),
                Some(Err(error)) => {
                    refused = refused.or(Some(error));
                    continue;
                }
                Some(Ok(_)) | None => {}
            }
            break;
        }
    }
    without_declarations(language, &mut shapes);
    match refused {
        _ if reader.reports == 0 => Err(PatternError::TooLarge),
        _ if !shapes.is_empty() => Ok(shapes),
        Some(error) => Err(error),
        // Report the error of the context with the fewest bytes that do not parse.
        None => Err(PatternError::NoCode { at: wrong.into_iter().min().map_or(0, |(_, at)| at) }),
    }
}

/// Removes a declaration that reads like a call: `f(x)` is searched as a call, not as part of `void f(x);`.
fn without_declarations(language: Language, shapes: &mut Vec<Shape>) {
    let grammar = language.grammar();
    let kind = |shape: &Shape| match shape.parts.as_slice() {
        [Part::Node { kinds, .. }, ..] => {
            kinds.first().and_then(|it| grammar.node_kind_for_id(*it)).unwrap_or_default()
        }
        _ => "",
    };
    let is_declaration =
        |it: &Shape| matches!(kind(it), "function_declarator" | "parameter_declaration" | "method_signature");
    if shapes.iter().any(|it| kind(it) == "call_expression") {
        shapes.retain(|it| !is_declaration(it));
    }
}

/// A parser within bounds.
struct Reader {
    language: Language,
    parser: Parser,
    reports: usize,
}

impl Reader {
    fn read(&mut self, text: &str) -> Option<Tree> {
        if self.reports == 0 {
            return None;
        }
        let reports = &mut self.reports;
        let mut within_bounds = |_: &_| {
            *reports = reports.saturating_sub(1);
            if *reports == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        parse(&mut self.parser, self.language, text, &mut within_bounds)
    }
}

/// Returns the ways to spell a pattern's holes, the plain one first. Holes of one kind are mostly spelled alike.
fn ways(language: Language, source: &Source<'_>) -> Vec<Written> {
    let all = spellings(language);
    let many: Vec<_> = (0..source.holes.len()).filter(|it| source.holes[*it].is_many).collect();
    let mut ways: Vec<Vec<&str>> = Vec::new();
    let mut add = |spellings: Vec<&'static str>| {
        if !ways.contains(&spellings) && ways.len() < TRIES {
            ways.push(spellings);
        }
    };
    for one in all {
        for several in all {
            add(source.holes.iter().map(|it| *if it.is_many { several } else { one }).collect());
        }
    }
    let combinations = all.len().saturating_pow(u32::try_from(many.len()).unwrap_or(u32::MAX)).min(TRIES);
    for one in all {
        for number in 0..combinations {
            let mut spellings = vec![*one; source.holes.len()];
            let mut digits = number;
            for hole in &many {
                spellings[*hole] = all[digits % all.len()];
                digits /= all.len();
            }
            add(spellings);
        }
    }
    ways.iter().map(|it| source.write(it)).collect()
}

/// A pattern within the text of a context.
struct Within<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl Within<'_> {
    /// Returns the number of bytes that do not parse, and the offset of the first, from the start of the pattern.
    fn wrong(&self, tree: &Tree) -> (usize, usize) {
        let mut nodes = vec![tree.root_node()];
        let (mut bytes, mut first) = (0, self.end);
        while let Some(node) = nodes.pop() {
            let mut cursor = node.walk();
            if node.is_error() || node.is_missing() {
                bytes += node.byte_range().len().max(1);
                let last = node.children(&mut cursor).last().map_or(node.start_byte(), |it| it.start_byte());
                first = first.min(last);
            } else {
                nodes.extend(node.children(&mut cursor).filter(|it| it.has_error() || it.is_missing()));
            }
        }
        (bytes, first.clamp(self.start, self.end) - self.start)
    }

    /// Returns the shape of the nodes that span exactly the pattern.
    fn shape(
        &self,
        tree: &Tree,
        written: &Written,
        source: &Source<'_>,
        language: Language,
    ) -> Option<Result<Shape, PatternError>> {
        let mut node = tree.root_node();
        while let Some(child) = self.child_around(node) {
            node = child;
        }
        let nodes =
            if self.is_all(node.start_byte(), node.end_byte()) { vec![node] } else { self.children(node)? };
        Some(compile(&nodes, self.text, written, source, language))
    }

    fn child_around<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let mut cursor = node.walk();
        let around =
            |it: &Node<'_>| it.is_named() && it.start_byte() <= self.start && self.end <= it.end_byte();
        node.children(&mut cursor).find(around)
    }

    /// Returns the children that together span the pattern.
    fn children<'tree>(&self, node: Node<'tree>) -> Option<Vec<Node<'tree>>> {
        let mut cursor = node.walk();
        let inside = |it: &Node<'_>| self.start <= it.start_byte() && it.start_byte() < self.end;
        let children: Vec<_> =
            node.children(&mut cursor).filter(inside).filter(|it| it.end_byte() > it.start_byte()).collect();
        let (first, last) = (children.first()?, children.last()?);
        self.is_all(first.start_byte(), last.end_byte()).then_some(children)
    }

    /// Returns true if the range is the whole pattern, possibly with a semicolon that the context adds.
    fn is_all(&self, start: usize, end: usize) -> bool {
        let behind = self.text.get(self.end..end.max(self.end)).unwrap_or_default().trim();
        // A node may end before the line break that the pattern does not have.
        let is_end = end == self.end || matches!(behind, "" | ";") && end >= self.end;
        start == self.start && is_end
    }
}
