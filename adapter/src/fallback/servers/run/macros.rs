//! What macros are to an outline. A server that compiles lists their calls, around what these write, and not the macros
//! themselves.

use std::collections::BTreeMap;

use ide_protocol::Point;

use crate::fallback::source::languages::Language;
use crate::fallback::source::outline;
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::syntax_facts::{Syntax, offset};
use crate::fallback::workspace::index::file_symbols::{entries, nodes};

/// What LSP has no kind for: the call of a macro.
const CALL: &str = "symbol";

/// A server's outline with what macros write in place of their calls, with the macros that the syntax knows, and with what
/// a type is that has no other name than the one that a `typedef` gives it.
pub(crate) fn with_macros(listed: Vec<Node>, text: &Text, syntax: &Syntax) -> Vec<Node> {
    let mut listed = written(listed);
    let known = nodes(&entries(text, syntax.outline()));
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

/// Without the calls of macros, in whose place stands what they write.
fn written(listed: Vec<Node>) -> Vec<Node> {
    let one = |node: Node| {
        let children = written(node.children);
        if node.kind == CALL { children } else { vec![Node { children, ..node }] }
    };
    listed.into_iter().flat_map(one).collect()
}

/// Says what types are that a server calls other names of types.
fn apply(nodes: &mut [Node], kinds: &BTreeMap<Point, &'static str>) {
    for node in nodes {
        if node.kind == "typeAlias" {
            node.kind = kinds.get(&node.name_at.start).copied().unwrap_or(node.kind);
        }
        apply(&mut node.children, kinds);
    }
}

/// Without the break behind the last line, where the syntax ends a directive.
fn lines(text: &Text, Extent { start, end }: Extent) -> Extent {
    let code = text.as_str().get(..offset(text, end)).unwrap_or_default();
    Extent { start, end: text.point(code.trim_end().len()).max(start) }
}

/// Whether another name stands where that of a definition would: that of the macro which writes it.
pub(crate) fn writes(language: &Language, text: &Text, (name, at): (&str, Point)) -> bool {
    let line = text.line(at.line.index()).unwrap_or_default();
    let word = language.word_at(line, at.column.index());
    word.is_some_and(|(word, _)| language.words(name).iter().all(|(own, _)| *own != word))
}

/// The line, from 0, on which a header defines the guard that it begins with.
fn guard(text: &Text) -> Option<usize> {
    let mut directives = (0..text.line_count()).filter_map(|it| Some((it, directive(text.line(it)?)?)));
    let (above, (asked, name)) = directives.find(|(_, (word, _))| *word != "pragma")?;
    let (line, defined) = directives.next()?;
    let is_guard = asked == "ifndef" && line == above + 1 && defined == ("define", name);
    let is_empty = text.line(line)?.trim_end().ends_with(name);
    (is_guard && is_empty).then_some(line)
}

/// The directive of a line and the word after it.
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
