//! The role of a name at a place, found with the language's query for roles.

mod locals;

use std::collections::VecDeque;

use tree_sitter::{Node, QueryCursor, StreamingIterator};

use crate::macros::{self, Inner};
use crate::queries::RoleCapture;
use crate::{Parsed, Role, misread};

/// The maximum number of ancestors of a name that the query sees.
const HEIGHT: usize = 24;

/// The maximum nesting of macros.
const MACRO_DEPTH: usize = 8;

/// The maximum length of a macro's arguments that are parsed for the role of a name in them, in bytes.
const ARGUMENTS_LIMIT: usize = 16 * 1024;

impl Parsed<'_> {
    /// Returns the role of the name at a byte offset: the name that starts there or that the offset lies in.
    pub fn role(&self, offset: usize) -> Role {
        role_at(self, offset, 0)
    }

    /// Returns `true` if a name, a literal or a comment is at a byte offset; `false` for keywords and punctuation.
    pub fn is_name(&self, offset: usize) -> bool {
        let (_, leaf) = path_to(self, offset);
        leaf.is_named() && leaf.child_count() == 0
    }

    /// Returns the path of the Rust attribute around a byte offset, as `serde` of `#[serde(with = "module")]`.
    pub fn attribute(&self, offset: usize) -> Option<&str> {
        let mut cursor = self.tree.walk();
        while cursor.goto_first_child_for_byte(offset).is_some() && cursor.node().start_byte() <= offset {
            if matches!(cursor.node().kind(), "attribute_item" | "inner_attribute_item") {
                let path = cursor.node().named_child(0)?.named_child(0)?;
                return self.text.get(path.byte_range());
            }
        }
        None
    }
}

fn role_at(parsed: &Parsed<'_>, offset: usize, depth: usize) -> Role {
    if depth > MACRO_DEPTH {
        return Role::Read;
    }
    let (top, leaf) = path_to(parsed, offset);
    if let Some(role) = in_arguments(parsed, leaf, offset, depth) {
        return role;
    }
    let mut around = parts_at(parsed, top, leaf);
    // The innermost first; for the same size the later pattern, which is more specific.
    around.sort_by_key(|(size, pattern, _)| (*size, usize::MAX - pattern));
    let (mut own, mut inside) = (None, None);
    for (_, _, part) in around {
        match part {
            RoleCapture::Name(role) => own = own.or(Some(role)),
            RoleCapture::Free(role) if own.is_none() => {
                own = Some(role).filter(|_| !locals::is_local(parsed, leaf));
            }
            RoleCapture::Free(_) => {}
            RoleCapture::Inside(role) => inside = inside.or(Some(role)),
            RoleCapture::Within(role) => return role,
            RoleCapture::Code => break,
            RoleCapture::Unread => return in_unread(parsed, leaf, offset, depth),
        }
    }
    own.or(inside).or_else(|| among_tokens(parsed, leaf)).unwrap_or(Role::Read)
}

/// Returns the role of a name in the arguments of a macro in Rust, if these are code.
fn in_arguments(parsed: &Parsed<'_>, leaf: Node<'_>, offset: usize, depth: usize) -> Option<Role> {
    if leaf.parent().is_none_or(|it| it.kind() != "token_tree") || leaf.kind() != "identifier" {
        return None;
    }
    let mut cursor = parsed.tree.walk();
    while !macros::is_code(cursor.node()) {
        cursor.goto_first_child_for_byte(offset)?;
    }
    let arguments = cursor.node();
    if arguments.byte_range().len() > ARGUMENTS_LIMIT {
        return None;
    }
    let (all, language) = (Inner::all(parsed), parsed.language);
    let read = macros::read_pattern(language, &all, arguments, offset)
        .filter(Inner::is_whole)
        .or_else(|| macros::read(language, &all, arguments).filter(Inner::is_whole))?;
    let (inner, at) = (read.parsed(language), read.offset(offset));
    match role_at(&inner, at, depth + 1) {
        Role::Write if read.is_named_argument(&path_to(&inner, at).1) => Some(Role::Read),
        role => Some(role),
    }
}

/// Returns the role of a name among tokens in Rust that no query can tell: `f::<T>(x)` is a call, and `X { … }` makes a
/// value unless it is a pattern or a definition.
fn among_tokens(parsed: &Parsed<'_>, leaf: Node<'_>) -> Option<Role> {
    if leaf.kind() != "identifier" || leaf.parent().is_none_or(|it| it.kind() != "token_tree") {
        return None;
    }
    let text = |node: Node<'_>| parsed.text.get(node.byte_range()).unwrap_or_default();
    let behind = parsed.text[leaf.end_byte()..].trim_start();
    if let Some(types) = behind.strip_prefix("::").map(str::trim_start) {
        let end = misread::end_of_types(types, 0, b"").filter(|_| types.starts_with('<'))?;
        let behind = types[end..].trim_start();
        let role = if behind.starts_with('{') { Role::Construct } else { Role::Call };
        return behind.starts_with(['(', '{']).then_some(role);
    }
    let is_type = text(leaf).starts_with(char::is_uppercase) && behind.starts_with('{');
    let is_defined = leaf.prev_sibling().is_some_and(|it| DEFINING.contains(&text(it)));
    let next = leaf.next_sibling().and_then(|it| it.next_sibling());
    let is_pattern = next.is_some_and(|it| matches!(text(it), "=>" | "|" | "if" | "="));
    (is_type && !is_defined && !is_pattern).then_some(Role::Construct)
}

/// Words before the name of a type whose braces are no value.
const DEFINING: [&str; 9] = ["struct", "enum", "union", "trait", "impl", "for", "mod", "->", "dyn"];

/// Returns the role of a name in a macro's body. Parameters of the macro are definitions.
fn in_unread(parsed: &Parsed<'_>, unread: Node<'_>, offset: usize, depth: usize) -> Role {
    let (code, at) = (&parsed.text[unread.byte_range()], offset - unread.start_byte());
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let (before, behind) = code.split_at(at);
    let start = before.trim_end_matches(is_word).len();
    let behind = behind.trim_start_matches(is_word);
    let name = &code[start..code.len() - behind.len()];
    let parameters = unread.parent().and_then(|it| it.child_by_field_name("parameters"));
    if parameters
        .is_some_and(|it| it.named_children(&mut it.walk()).any(|it| &parsed.text[it.byte_range()] == name))
    {
        return Role::Definition;
    }
    let read = macros::read(parsed.language, &Inner::all(parsed), unread).filter(Inner::is_whole);
    if let Some(read) = read {
        return role_at(&read.parsed(parsed.language), read.offset(unread.start_byte() + start), depth + 1);
    }
    if behind.trim_start().starts_with('(') { Role::Call } else { Role::Read }
}

/// Returns an ancestor of the smallest node at an offset, and that node. The path is walked from the root, because
/// nodes know only their children.
fn path_to<'tree>(parsed: &'tree Parsed<'_>, offset: usize) -> (Node<'tree>, Node<'tree>) {
    let mut cursor = parsed.tree.walk();
    let mut path = VecDeque::from([cursor.node()]);
    while cursor.goto_first_child_for_byte(offset).is_some() && cursor.node().start_byte() <= offset {
        path.push_back(cursor.node());
        if path.len() > HEIGHT {
            path.pop_front();
        }
    }
    (path[0], path[path.len() - 1])
}

/// Returns the parts captured for the leaf and for the nodes around it, each with its node's size and the index of
/// its pattern.
fn parts_at(parsed: &Parsed<'_>, top: Node<'_>, leaf: Node<'_>) -> Vec<(usize, usize, RoleCapture)> {
    let roles = parsed.language.queries().roles();
    let mut cursor = QueryCursor::new();
    cursor.set_byte_range(leaf.byte_range()).set_match_limit(4096);
    let mut matches = cursor.matches(&roles.query, top, parsed.text.as_bytes());
    let mut parts = Vec::new();
    while let Some(found) = matches.next() {
        if !roles.rules(found).hold(found, parsed.text) {
            continue;
        }
        for capture in found.captures {
            let Some(part) = roles.parts[capture.index as usize] else { continue };
            let range = capture.node.byte_range();
            let holds = range.start <= leaf.start_byte() && leaf.end_byte() <= range.end;
            let is_meant = match part {
                RoleCapture::Name(_) | RoleCapture::Free(_) => range == leaf.byte_range(),
                RoleCapture::Inside(_) | RoleCapture::Within(_) | RoleCapture::Code | RoleCapture::Unread => {
                    holds
                }
            };
            if is_meant {
                parts.push((range.len(), found.pattern_index, part));
            }
        }
    }
    parts
}
