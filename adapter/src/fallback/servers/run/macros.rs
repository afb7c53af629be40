//! Macros in an outline. A server that compiles lists macro calls around the definitions that they expand to,
//! and no macros.

use std::collections::BTreeMap;

use ide_protocol::Point;

use crate::fallback::source::languages::Language;
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::{Syntax, offset};
use crate::fallback::workspace::index::file_symbols::{entries, nodes};

/// LSP's kind of a macro call, which has none of its own.
const CALL: &str = "symbol";

/// Adds macros to a server's outline, replaces macro calls by their expansions, and gives anonymous types the
/// kind behind their `typedef`.
pub(crate) fn with_macros(listed: Vec<Node>, text: &Text, syntax: &Syntax) -> Vec<Node> {
    let mut listed = written(listed);
    let known = nodes(&entries(text, syntax.outline(text)));
    let known = outline::all(&known);
    let kinds = known.iter().map(|it| (it.node.name_at.start, it.node.kind));
    apply(&mut listed, &kinds.filter(|(_, it)| matches!(*it, "struct" | "enum")).collect());
    let guard = guard(text);
    let macros = known.iter().map(|it| it.node).filter(|it| it.kind == "macro");
    let macros = macros.filter(|it| Some(it.name_at.start.line.index()) != guard);
    // They belong to no scope.
    let alone = |it: &Node| Node { children: Vec::new(), whole: lines(text, it.whole), ..it.clone() };
    listed.extend(macros.map(alone));
    listed.sort_by_key(|it| it.whole.start);
    listed
}

/// Replaces the calls of macros by their expansions.
fn written(listed: Vec<Node>) -> Vec<Node> {
    let one = |node: Node| {
        let children = written(node.children);
        if node.kind == CALL { children } else { vec![Node { children, ..node }] }
    };
    listed.into_iter().flat_map(one).collect()
}

/// Sets the kinds of types that the server lists as aliases.
fn apply(nodes: &mut [Node], kinds: &BTreeMap<Point, &'static str>) {
    for node in nodes {
        if node.kind == "typeAlias" {
            node.kind = kinds.get(&node.name_at.start).copied().unwrap_or(node.kind);
        }
        apply(&mut node.children, kinds);
    }
}

/// Removes the line break at the end, where the syntax ends a directive.
fn lines(text: &Text, Extent { start, end }: Extent) -> Extent {
    // An offset within the text always has text before it.
    let code = text.as_str().get(..offset(text, end)).unwrap_or_default();
    Extent { start, end: text.point(code.trim_end().len()).max(start) }
}

/// Returns `true` if another name stands at a definition's place: that of the macro that expands to it.
pub(crate) fn writes(language: &Language, text: &Text, (name, at): (&str, Point)) -> bool {
    // On a line that the text does not have, nothing stands.
    let line = text.line(at.line.index()).unwrap_or_default();
    let word = language.word_at(line, at.column.index());
    word.is_some_and(|(word, _)| language.words(name).iter().all(|(own, _)| *own != word))
}

/// Returns the line, from 0, on which a header defines its include guard.
fn guard(text: &Text) -> Option<usize> {
    let mut directives = (0..text.line_count()).filter_map(|it| Some((it, directive(text.line(it)?)?)));
    let (above, (asked, name)) = directives.find(|(_, (word, _))| *word != "pragma")?;
    let (line, defined) = directives.next()?;
    let is_guard = asked == "ifndef" && line == above + 1 && defined == ("define", name);
    let is_empty = text.line(line)?.trim_end().ends_with(name);
    (is_guard && is_empty).then_some(line)
}

/// Returns the directive of a line and the word after it.
pub(crate) fn directive(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().strip_prefix('#')?.trim_start();
    let (directive, rest) = line.split_at(line.find(|it: char| !it.is_alphanumeric()).unwrap_or(line.len()));
    let rest = rest.trim_start();
    Some((directive, &rest[..rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_what_a_header_begins_with() {
        for (code, expected) in [
            ("// A.\n#pragma once\n#ifndef A_H\n#define A_H\nint a;\n#endif\n", Some(3)),
            ("#ifndef SIZE\n#define SIZE 8\n#endif\n", None),
            ("#include <b.h>\n#ifndef A\n#define A\n#endif\n", None),
            ("#ifndef A_H\n#include <b.h>\n#define A_H\n#endif\n", None),
        ] {
            assert_eq!(guard(&code.to_owned().into()), expected, "{code}");
        }
    }
}
