//! Calls that a grammar misreads: insertions that make it read them as the language does. A grammar for an LR
//! parser decides `await f<T>(x)` too early, at the `<`. With `?.` before it there is nothing to decide.
//!
//! The insertions are parsed, and then removed from the tree again, in which each leaves a node without
//! extent.

use std::cell::Cell;
use std::collections::BTreeMap;

use tree_sitter::{InputEdit, Node, Point, Tree};

use crate::Language;

/// The maximum length of type arguments, in bytes.
const TYPES_LIMIT: usize = 2_000;

/// The quotes of texts that can be types.
const QUOTES: &[u8] = b"\"'`";

/// The maximum number of places of a text to look at, and of those whose nodes are looked up. Code has far
/// fewer.
const PLACES: usize = 10_000;
const LOOKUPS: usize = 2_000;

/// Texts to insert, by the offset before which each belongs.
pub(crate) type Insertions = BTreeMap<usize, &'static str>;

/// Returns the insertions that a text needs, given the tree of the text without them.
pub(crate) fn insertions(language: Language, text: &str, tree: &Tree) -> Insertions {
    let finder = Finder { text, tree, lookups: Cell::new(LOOKUPS) };
    let mut insertions = Insertions::new();
    match language.id() {
        "typescript" | "tsx" => {
            finder.each(b'<', |at| finder.typescript_call(at, &mut insertions));
            finder.each(b'!', |at| finder.non_null(at, &mut insertions));
        }
        "csharp" => {
            finder.each(b'<', |at| finder.csharp_call(at, &mut insertions));
            finder.each(b'?', |at| finder.conditional_access(at, &mut insertions));
        }
        "bash" => finder.each(b'i', |at| finder.timed_command(at, &mut insertions)),
        "python" => finder.each(b'*', |at| finder.python_splat(at, &mut insertions)),
        "go" => finder.each(b'[', |at| finder.go_call(at, &mut insertions)),
        _ => {}
    }
    insertions
}

/// Returns a text with the insertions.
pub(crate) fn with(text: &[u8], insertions: &Insertions) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len() + insertions.values().map(|it| it.len()).sum::<usize>());
    let mut from = 0;
    for (at, inserted) in insertions {
        all.extend_from_slice(&text[from..*at]);
        all.extend_from_slice(inserted.as_bytes());
        from = *at;
    }
    all.extend_from_slice(&text[from..]);
    all
}

/// Removes the insertions from a tree of the text with them.
pub(crate) fn remove(tree: &mut Tree, text: &str, insertions: &Insertions) {
    // The last first, so that the offsets of the others hold: each edit is given in the text with those
    // before it.
    let mut before: usize = insertions.values().map(|it| it.len()).sum();
    let points = points(text, insertions);
    for ((at, inserted), point) in insertions.iter().zip(points).rev() {
        before -= inserted.len();
        let start = at + before;
        let same_row: usize = insertions.range(at - point.column..*at).map(|(_, it)| it.len()).sum();
        let start_position = Point { row: point.row, column: point.column + same_row };
        let column = start_position.column + inserted.len();
        tree.edit(&InputEdit {
            start_byte: start,
            old_end_byte: start + inserted.len(),
            new_end_byte: start,
            start_position,
            old_end_position: Point { row: point.row, column },
            new_end_position: start_position,
        });
    }
}

/// Returns the place of each insertion in the text, in bytes.
fn points(text: &str, insertions: &Insertions) -> Vec<Point> {
    let (mut row, mut line, mut from) = (0, 0, 0);
    let points = insertions.keys().map(|at| {
        for (found, _) in text.as_bytes()[from..*at].iter().enumerate().filter(|(_, it)| **it == b'\n') {
            (row, line) = (row + 1, from + found + 1);
        }
        from = *at;
        Point { row, column: at - line }
    });
    points.collect()
}

struct Finder<'a> {
    text: &'a str,
    tree: &'a Tree,
    lookups: Cell<usize>,
}

impl<'a> Finder<'a> {
    fn each(&self, wanted: u8, mut look: impl FnMut(usize)) {
        let places = self.text.bytes().enumerate().filter(|(_, it)| *it == wanted).map(|(at, _)| at);
        places.take(PLACES).for_each(&mut look);
    }

    /// Returns the nodes around an offset, the outermost first; none after too many lookups.
    fn path(&self, offset: usize) -> Vec<Node<'a>> {
        let Some(left) = self.lookups.get().checked_sub(1) else { return Vec::new() };
        self.lookups.set(left);
        let mut cursor = self.tree.walk();
        let mut path = vec![cursor.node()];
        while cursor.goto_first_child_for_byte(offset).is_some() && cursor.node().start_byte() <= offset {
            path.push(cursor.node());
        }
        path
    }

    /// Adds what makes `f<T>(x)` a call of `f`, and a tagged template with types a call of a call.
    fn typescript_call(&self, at: usize, insertions: &mut Insertions) {
        let is_callee = |it: char| it.is_alphanumeric() || "_$)]!".contains(it);
        if !self.text[..at].trim_end().ends_with(is_callee) {
            return;
        }
        let Some(end) = end_of_types(self.text, at, QUOTES) else { return };
        let behind = self.text[end..].trim_start();
        if !behind.starts_with(['(', '`']) {
            return;
        }
        let path = self.path(at);
        let [.., around, parent, token] = path.as_slice() else { return };
        if token.kind() != "<" {
            return;
        }
        let is_misread = match parent.kind() {
            "type_arguments" if around.kind() == "instantiation_expression" => true,
            "type_arguments" => around.child_by_field_name("function").is_some_and(|it| !is_primary(it)),
            "binary_expression" => parent.child_by_field_name("left").is_some_and(|it| !ends_with_new(it)),
            _ => false,
        };
        if is_misread {
            insertions.insert(at, "?.");
            if behind.starts_with('`') {
                insertions.insert(end, "()");
            }
        }
    }

    /// Adds brackets around `x!` behind an operator: without them, `!x!.f()` is a member of `(!x)!`.
    fn non_null(&self, at: usize, insertions: &mut Insertions) {
        if !self.text[at + 1..].starts_with(['.', '[', '(']) {
            return;
        }
        let path = self.path(at);
        let [.., parent, token] = path.as_slice() else { return };
        let Some(operand) = parent.child(0).filter(|_| parent.kind() == "non_null_expression") else {
            return;
        };
        if let Some(operand) = last_operand(operand).filter(|_| token.end_byte() == parent.end_byte()) {
            insertions.insert(operand.start_byte(), "(");
            insertions.insert(at + 1, ")");
        }
    }

    /// Makes the last type of `f<T>(x)` nullable where the grammar takes the call for comparisons.
    fn csharp_call(&self, at: usize, insertions: &mut Insertions) {
        let end = end_of_types(self.text, at, QUOTES).filter(|it| self.text[*it..].starts_with('('));
        let Some(end) = end else { return };
        let path = self.path(at);
        let [.., parent, token] = path.as_slice() else { return };
        if token.kind() == "<" && parent.kind() == "binary_expression" {
            insertions.insert(end - 1, "?");
        }
    }

    /// Adds brackets around `x?.f()` behind an operator: without them, `!x?.f()` is a member of `!x`.
    fn conditional_access(&self, at: usize, insertions: &mut Insertions) {
        if !self.text[at + 1..].starts_with(['.', '[']) {
            return;
        }
        let path = self.path(at);
        let Some(access) = path.iter().rposition(|it| it.kind() == "conditional_access_expression") else {
            return;
        };
        let condition = path[access].child_by_field_name("condition").filter(|it| it.end_byte() <= at);
        let Some(operand) = condition.and_then(last_operand) else { return };
        let is_head = |it: &&Node<'_>| {
            it.start_byte() == path[access].start_byte()
                && matches!(
                    it.kind(),
                    "conditional_access_expression"
                        | "invocation_expression"
                        | "member_access_expression"
                        | "element_access_expression"
                        | "postfix_unary_expression"
                )
        };
        let outer = path[..access].iter().rev().take_while(is_head).last().unwrap_or(&path[access]);
        insertions.insert(operand.start_byte(), "(");
        insertions.insert(outer.end_byte(), ")");
    }

    /// Ends the command `time`: what it measures is a command too.
    fn timed_command(&self, at: usize, insertions: &mut Insertions) {
        let Some(start) = at.checked_sub(1) else { return };
        let is_time = self.text.get(start..).is_some_and(|it| it.starts_with("time "));
        let measured = self.text.get(start + 4..).map(str::trim_start).unwrap_or_default();
        let path = if is_time { self.path(start) } else { return };
        let [.., command, name, _] = path.as_slice() else { return };
        let is_command =
            command.kind() == "command" && name.kind() == "command_name" && name.end_byte() == start + 4;
        if is_command && name.start_byte() == start && !measured.starts_with('-') {
            insertions.insert(start + 4, ";");
        }
    }

    /// Adds brackets around what a star unpacks, and an attribute, so that it is no target of an assignment.
    /// Without them, `[*f(x)]` is a call of `*f`.
    fn python_splat(&self, at: usize, insertions: &mut Insertions) {
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        let is_operator = before.ends_with(|it: char| it.is_alphanumeric() || "_)]}\"'".contains(it));
        if is_operator && !["return", "yield", "in"].iter().any(|it| before.ends_with(it)) {
            return;
        }
        let path = self.path(at);
        let Some(splat) = path.iter().rposition(|it| it.kind() == "list_splat" && it.start_byte() == at)
        else {
            return;
        };
        let is_head =
            |it: &&Node<'_>| it.start_byte() == at && matches!(it.kind(), "call" | "attribute" | "subscript");
        let Some(outer) = path[..splat].iter().rev().take_while(is_head).last() else { return };
        insertions.insert(at + 1, "(");
        insertions.insert(outer.end_byte(), ").x");
    }

    /// Adds what makes `f[T](x)` a call with type arguments, where the index is a type: otherwise it is a
    /// conversion or has an index, depending on where it stands. A conversion has one operand, type arguments
    /// may end with a comma.
    fn go_call(&self, at: usize, insertions: &mut Insertions) {
        let is_callee = |it: char| it.is_alphanumeric() || it == '_';
        if !self.text[..at].ends_with(is_callee) {
            return;
        }
        let Some(end) = end_of_types(self.text, at, QUOTES) else { return };
        if !self.text[end..].starts_with('(') {
            return;
        }
        let path = self.path(at);
        let [.., around, parent, token] = path.as_slice() else { return };
        if token.kind() != "[" {
            return;
        }
        let index = self.text[at + 1..end - 1].trim();
        let is_call = match parent.kind() {
            "index_expression" => {
                around.kind() == "call_expression" && around.start_byte() == parent.start_byte()
            }
            "type_arguments" => around.kind() == "generic_type",
            _ => false,
        };
        let is_conversion = path.iter().any(|it| {
            let operand = it.child_by_field_name("operand");
            it.kind() == "type_conversion_expression" && operand.is_some_and(|it| it.start_byte() > end)
        });
        if !is_call {
            return;
        }
        let is_empty = self.text[end + 1..].trim_start().starts_with(')');
        let operands = if is_empty { "0,0" } else { "0," };
        if is_conversion {
            insertions.insert(end + 1, operands);
        }
        if self.is_go_type(index) && parent.kind() == "index_expression"
            || is_conversion && self.is_go_type(index)
        {
            insertions.insert(end - 1, ",");
            insertions.insert(end + 1, operands);
        }
    }

    /// Returns true if an index must be a type, or has a name that only types are given.
    fn is_go_type(&self, index: &str) -> bool {
        const PREDECLARED: [&str; 22] = [
            "any",
            "bool",
            "byte",
            "comparable",
            "complex128",
            "complex64",
            "error",
            "float32",
            "float64",
            "int",
            "int16",
            "int32",
            "int64",
            "int8",
            "rune",
            "string",
            "uint",
            "uint16",
            "uint32",
            "uint64",
            "uint8",
            "uintptr",
        ];
        const STARTS: [&str; 8] = ["*", "[", "map[", "chan ", "<-chan ", "func(", "struct", "interface"];
        let name = index.rsplit('.').next().unwrap_or(index);
        let is_name = |it: &str| it.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '.');
        index.contains(',') && !index.ends_with(',')
            || PREDECLARED.contains(&index)
            || STARTS.iter().any(|it| index.starts_with(it))
            || index.ends_with(']')
            || is_name(index) && name.starts_with(char::is_uppercase)
            || is_name(index) && self.text.contains(&format!("type {index} "))
    }
}

/// Returns the offset behind the `>` of type arguments, given that of their `<` or `[`, and the quotes of
/// texts. Returns `None` if the text between
/// them cannot be types.
pub(crate) fn end_of_types(text: &str, at: usize, quotes: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    let mut index = at;
    while index < bytes.len().min(at + TYPES_LIMIT) {
        let byte = bytes[index];
        match byte {
            b'<' | b'(' | b'[' | b'{' => open.push(byte),
            b'>' if index > 0 && matches!(bytes[index - 1], b'=' | b'-') => {}
            b'>' | b')' | b']' | b'}' => {
                let opening = open.pop()?;
                let is_pair =
                    matches!((opening, byte), (b'<', b'>') | (b'(', b')') | (b'[', b']') | (b'{', b'}'));
                if !is_pair {
                    return None;
                }
                if open.is_empty() {
                    return Some(index + 1);
                }
            }
            _ if quotes.contains(&byte) => {
                index += 1 + bytes[index + 1..].iter().position(|it| *it == byte || *it == b'\n')?;
            }
            b';' if !open.contains(&b'{') => return None,
            b'&' | b'|' if bytes.get(index + 1) == Some(&byte) => return None,
            _ => {}
        }
        index += 1;
    }
    None
}

/// Returns true for what can be called with type arguments without brackets around it.
fn is_primary(node: Node<'_>) -> bool {
    const OTHER: [&str; 11] = [
        "await_expression",
        "unary_expression",
        "binary_expression",
        "update_expression",
        "as_expression",
        "satisfies_expression",
        "type_assertion",
        "ternary_expression",
        "assignment_expression",
        "yield_expression",
        "arrow_function",
    ];
    !OTHER.contains(&node.kind())
}

/// Returns the innermost operand at the end of a unary or binary expression; `None` if it is neither.
fn last_operand(node: Node<'_>) -> Option<Node<'_>> {
    const OPERATIONS: [&str; 10] = [
        "await_expression",
        "unary_expression",
        "prefix_unary_expression",
        "binary_expression",
        "yield_expression",
        "assignment_expression",
        "arrow_function",
        "lambda_expression",
        "cast_expression",
        "range_expression",
    ];
    let (mut last, mut is_operation) = (node, false);
    while OPERATIONS.contains(&last.kind()) {
        let index = u32::try_from(last.named_child_count()).ok()?.checked_sub(1)?;
        (last, is_operation) = (last.named_child(index)?, true);
    }
    is_operation.then_some(last)
}

/// Returns true for `new Name` and for an expression that ends with it.
fn ends_with_new(node: Node<'_>) -> bool {
    let mut last = Some(node);
    while let Some(node) = last {
        if node.kind() == "new_expression" {
            return true;
        }
        last = u32::try_from(node.child_count()).ok().and_then(|it| node.child(it.checked_sub(1)?));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parsed;

    #[test]
    fn nodes_lie_where_the_text_has_them() {
        for (id, text) in [
            (
                "typescript",
                "a\n  !b.c<D>(1, !e<F>(2)); await g!.h<\n  I\n>(\n3); x = é + j<K>(4);\nawait l<M>`n`;",
            ),
            ("python", "a = [*b(1), *c(\n2)]\nreturn *é.d(3).e, 1"),
            ("go", "package p\nfunc f() { a[int](1); b[T](\n2); c[d](3)\n e[[]F]() }"),
            ("csharp", "class A { B c = !d?.e(1), f = g < h<I>(2);\n J k = !(l?.m<N>(!o?.p())); }"),
            ("bash", "a\n time b c; time d"),
        ] {
            let language = Language::of_id(id).expect("it is known");
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language.grammar()).expect("the grammar is of this version");
            let tree = parser.parse(text, None).expect("nothing stops it");
            assert!(insertions(language, text, &tree).len() > 1, "{id}");
            let parsed = Parsed::new(language, text).expect("the text is within bounds");
            let mut nodes = vec![parsed.tree.root_node()];
            while let Some(node) = nodes.pop() {
                for (at, point) in
                    [(node.start_byte(), node.start_position()), (node.end_byte(), node.end_position())]
                {
                    let before = &text[..at];
                    let line = before.rfind('\n').map_or(0, |it| it + 1);
                    let row = before.matches('\n').count();
                    assert_eq!(point, Point { row, column: at - line }, "{node:?} of {text}");
                }
                let is_keyword = node.child_count() == 0 && !node.is_named() && !node.byte_range().is_empty();
                assert!(
                    !is_keyword || text[node.byte_range()] == *node.kind() || node.kind() == "\n",
                    "{node:?}"
                );
                nodes.extend(node.children(&mut node.walk()));
            }
        }
    }
}
