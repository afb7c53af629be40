//! Definitions as trees of brackets, which fit on one line or are broken.

use super::piece::Piece;
use crate::syntax::DefinitionKind;

/// A piece, or a bracket with its content.
#[derive(Clone, Debug)]
pub(super) enum Node<'source> {
    Leaf(Piece<'source>),
    Group(Group<'source>),
    /// Statements, which keep their lines.
    Body(Vec<Piece<'source>>),
}

#[derive(Clone, Debug)]
pub(super) struct Group<'source> {
    pub(super) open: Piece<'source>,
    pub(super) items: Vec<GroupItem<'source>>,
    /// The comments behind the last item.
    pub(super) tail: Vec<Piece<'source>>,
    pub(super) close: Piece<'source>,
    /// `true` if items never share a line: those of errors, and those whose first one stands on a line of its own.
    pub(super) by_line: bool,
    /// `true` if commas separate items on lines of their own.
    pub(super) commas: bool,
}

/// The content between two commas.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupItem<'source> {
    /// The comments before it.
    pub(super) above: Vec<Piece<'source>>,
    pub(super) nodes: Vec<Node<'source>>,
    /// The comments behind it on its line.
    pub(super) behind: Vec<Piece<'source>>,
}

/// A reader of the pieces of a definition.
pub(super) struct Reader<'pieces, 'source> {
    pieces: &'pieces [Piece<'source>],
    /// The code behind each piece, computed once: many comments may follow each other.
    ahead: Vec<Ahead>,
    at: usize,
    /// The number of open brackets.
    depth: usize,
    /// The offset of the statements of a tool, in bytes.
    body: Option<usize>,
    /// `true` for an error, whose values are expressions.
    is_error: bool,
    /// `true` for a capability or an error, whose outer braces hold properties.
    has_properties: bool,
}

/// The next piece of code, from a piece on.
#[derive(Clone, Copy)]
struct Ahead {
    /// Its index; `None` if only comments follow.
    code: Option<usize>,
    /// `true` if there is a line break before it.
    breaks: bool,
}

fn ahead(pieces: &[Piece<'_>]) -> Vec<Ahead> {
    let mut next = Ahead { code: None, breaks: false };
    let mut all = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate().rev() {
        let begins = piece.lines > 0;
        next = if piece.is_comment() {
            Ahead { breaks: begins || piece.ends_line() || next.breaks, ..next }
        } else {
            Ahead { code: Some(index), breaks: begins }
        };
        all.push(next);
    }
    all.reverse();
    all
}

impl<'pieces, 'source> Reader<'pieces, 'source> {
    /// Reads pieces of a definition of that kind. `body` is the offset of the statements of a tool.
    pub(super) fn new(pieces: &'pieces [Piece<'source>], kind: &DefinitionKind, body: Option<usize>) -> Self {
        let is_error = matches!(kind, DefinitionKind::Error(_));
        let has_properties = is_error || matches!(kind, DefinitionKind::Capability(_));
        Self { pieces, ahead: ahead(pieces), at: 0, depth: 0, body, is_error, has_properties }
    }

    fn peek(&self) -> Option<Piece<'source>> {
        self.pieces.get(self.at).copied()
    }

    /// Reads all nodes.
    pub(super) fn nodes(&mut self) -> Vec<Node<'source>> {
        let mut nodes = Vec::new();
        while self.at < self.pieces.len() {
            nodes.push(self.node(false));
        }
        nodes
    }

    fn node(&mut self, computes: bool) -> Node<'source> {
        let piece = Piece { computes, ..self.pieces[self.at] };
        if self.body == Some(piece.start) {
            let rest = self.pieces[self.at..].iter().map(|it| Piece { computes: true, ..*it }).collect();
            self.at = self.pieces.len();
            return Node::Body(rest);
        }
        self.at += 1;
        if piece.is_mark(&["(", "[", "{"]) {
            let is_outer = piece.text == "{" && self.depth == 0 && self.has_properties;
            self.depth += 1;
            let group = self.group(piece, computes, is_outer);
            self.depth -= 1;
            return Node::Group(group);
        }
        Node::Leaf(piece)
    }

    fn group(&mut self, open: Piece<'source>, computes: bool, has_properties: bool) -> Group<'source> {
        let has_values = self.is_error && has_properties;
        let by_line = has_values || open.text == "{" && self.peek().is_some_and(|first| first.lines > 0);
        let commas = !has_properties;
        let mut group = Group { open, items: Vec::new(), tail: Vec::new(), close: open, by_line, commas };
        let mut item = GroupItem::default();
        while let Some(piece) = self.peek() {
            if piece.is_mark(&[")", "]", "}"]) {
                group.close = piece;
                self.at += 1;
                break;
            }
            if piece.is_comment() && self.comment(piece, &mut item, &mut group.items) {
                continue;
            }
            let is_separator = piece.is_mark(&[",", ";"]);
            if is_separator || open.text == "{" && self.starts_item(&item) {
                self.at += usize::from(is_separator);
                if !item.nodes.is_empty() {
                    group.items.push(std::mem::take(&mut item));
                }
                continue;
            }
            let computes = computes || has_values;
            let end = if computes { None } else { self.arguments_end() };
            item.nodes.push(self.node(computes));
            while end.is_some_and(|end| self.at <= end) {
                item.nodes.push(self.node(false));
            }
        }
        if item.nodes.is_empty() {
            group.tail = item.above;
        } else {
            group.items.push(item);
        }
        group
    }

    /// Returns the index of the `>` that closes the type arguments here; commas in them separate no items.
    fn arguments_end(&self) -> Option<usize> {
        let (mut angles, mut brackets) = (0, 0);
        for (at, piece) in self.pieces.iter().enumerate().skip(self.at) {
            match piece.text {
                _ if piece.is_comment() => {}
                "<" => angles += 1,
                ">" if angles == 1 => return Some(at),
                ">" => angles -= 1,
                "(" | "[" | "{" => brackets += 1,
                ")" | "]" | "}" if brackets == 0 => return None,
                ")" | "]" | "}" => brackets -= 1,
                _ => {}
            }
            if angles == 0 {
                return None;
            }
        }
        None
    }

    /// Takes a comment between items; returns `false` for one inside an item.
    fn comment(
        &mut self,
        piece: Piece<'source>,
        item: &mut GroupItem<'source>,
        items: &mut Vec<GroupItem<'source>>,
    ) -> bool {
        if item.nodes.is_empty() {
            match items.last_mut() {
                Some(before) if piece.lines == 0 && item.above.is_empty() => before.behind.push(piece),
                _ => item.above.push(piece),
            }
        } else if !self.ends_item(item) {
            return false;
        } else if piece.lines == 0 {
            item.behind.push(piece);
        } else if self.is_before_separator() {
            // A comment behind the comma still belongs to the item.
            item.behind.push(piece);
        } else {
            items.push(std::mem::take(item));
            item.above.push(piece);
        }
        self.at += 1;
        true
    }

    fn is_before_separator(&self) -> bool {
        let next = self.ahead.get(self.at).and_then(|it| it.code);
        next.is_some_and(|next| self.pieces[next].is_mark(&[",", ";"]))
    }

    /// Returns `true` if the code behind the comments here belongs to another item.
    fn ends_item(&self, item: &GroupItem<'source>) -> bool {
        let Some(Ahead { code: Some(next), breaks }) = self.ahead.get(self.at).copied() else { return true };
        let next = &self.pieces[next];
        next.is_mark(&[",", ";", ")", "]", "}"]) || breaks && starts(item, next)
    }

    fn starts_item(&self, item: &GroupItem<'source>) -> bool {
        self.peek().is_some_and(|piece| {
            let after_comment = item.behind.last().is_some_and(Piece::ends_line);
            (piece.lines > 0 || after_comment) && starts(item, &piece)
        })
    }
}

/// Returns `true` if a piece on a new line starts another item.
fn starts(item: &GroupItem<'_>, piece: &Piece<'_>) -> bool {
    let last = match item.nodes.last() {
        None => return false,
        Some(Node::Leaf(last)) => last,
        Some(Node::Group(group)) => &group.close,
        Some(Node::Body(_)) => return true,
    };
    let goes_on = last.is_mark(&[
        "|", "&", "=", ":", "->", ".", "<", "?", "+", "-", "*", "/", "%", "??", "&&", "||", "==", "!=", "<=",
        ">=", "=>", "!", "?.",
    ]) || last.is_word(&["is", "in"]);
    piece.kind == super::piece::PieceKind::Word && !goes_on && !piece.is_word(&["is", "in"])
}
