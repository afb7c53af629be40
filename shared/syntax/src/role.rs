//! What part a name plays where it stands.

mod locals;

use std::collections::VecDeque;
use std::fmt;

use tree_sitter::{Node, QueryCursor, StreamingIterator};

use crate::Parsed;
use crate::queries::Part;

/// What part a name plays where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It is called, invoked as a macro, made by `new`, or applied as a decorator.
    Call,
    /// It is brought into sight: by an import, a use, a re-export.
    Import,
    /// Its value is read, or it is passed on.
    Read,
    /// It is assigned to.
    Write,
    /// It stands where a type is expected.
    Type,
    /// It is implemented, extended, derived from, or added to.
    Implementation,
    /// It is named in documentation.
    Documentation,
    /// It is named in another comment.
    Comment,
    /// It is named in a string.
    String,
    /// It is defined or declared here.
    Definition,
}

impl Role {
    const ALL: [Self; 10] = [
        Self::Call,
        Self::Import,
        Self::Read,
        Self::Write,
        Self::Type,
        Self::Implementation,
        Self::Documentation,
        Self::Comment,
        Self::String,
        Self::Definition,
    ];

    /// The word for it: `call`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Import => "import",
            Self::Read => "read",
            Self::Write => "write",
            Self::Type => "type",
            Self::Implementation => "implementation",
            Self::Documentation => "documentation",
            Self::Comment => "comment",
            Self::String => "string",
            Self::Definition => "definition",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Whether it is only a mention: text that no compiler reads.
    pub fn is_mention(self) -> bool {
        matches!(self, Self::Documentation | Self::Comment | Self::String)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How far above a name it is looked for what is said of it.
const HEIGHT: usize = 24;

/// The part that the name at an offset plays.
pub(crate) fn at(parsed: &Parsed<'_>, offset: usize) -> Role {
    let (top, leaf) = path_to(parsed, offset);
    let mut around = parts_at(parsed, top, leaf);
    // The innermost first; of those of one size the later pattern, which is the more special one.
    around.sort_by_key(|(size, pattern, _)| (*size, usize::MAX - pattern));
    let (mut own, mut inside) = (None, None);
    for (_, _, part) in around {
        match part {
            Part::Name(role) => own = own.or(Some(role)),
            Part::Free(role) if own.is_none() => own = Some(role).filter(|_| !locals::is_local(parsed, leaf)),
            Part::Free(_) => {}
            Part::Inside(role) => inside = inside.or(Some(role)),
            Part::Within(role) => return role,
            Part::Code => break,
            Part::Unread => return in_unread(parsed, leaf, offset),
        }
    }
    own.or(inside).unwrap_or(Role::Read)
}

/// In what code that stands alone may have to stand, to be read: an expression, statements, definitions.
const AROUND: [(&str, &str); 3] = [("int _(void) { return (", "); }"), ("void _(void) { ", "; }"), ("", "")];

/// The part that a name plays in what a macro stands for: none of its own where it is one of the macro's parameters.
fn in_unread(parsed: &Parsed<'_>, unread: Node<'_>, offset: usize) -> Role {
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
    for (first, last) in AROUND {
        let text = format!("{first}{code}{last}");
        let whole = Parsed::new(parsed.language, &text).filter(Parsed::is_whole);
        if let Some(read) = whole {
            return self::at(&read, first.len() + start);
        }
    }
    if behind.trim_start().starts_with('(') { Role::Call } else { Role::Read }
}

/// The smallest node at an offset, and one some way above it. Nodes know their children only.
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

/// What is said of the leaf, and of everything around it, with its size and the pattern that says so.
fn parts_at(parsed: &Parsed<'_>, top: Node<'_>, leaf: Node<'_>) -> Vec<(usize, usize, Part)> {
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
                Part::Name(_) | Part::Free(_) => range == leaf.byte_range(),
                Part::Inside(_) | Part::Within(_) | Part::Code | Part::Unread => holds,
            };
            if is_meant {
                parts.push((range.len(), found.pattern_index, part));
            }
        }
    }
    parts
}
