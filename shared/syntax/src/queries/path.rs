//! Paths through a tree, from a node that a query captured.

use tree_sitter::{Language, Node};

/// A path: `left object`, `parent parent`, `arguments (_)`.
#[derive(Debug)]
pub(crate) struct Path(Vec<Axis>);

#[derive(Debug)]
enum Axis {
    Parent,
    /// The next sibling, without comments.
    Next,
    /// The next sibling of a kind.
    NextOf(Box<str>),
    /// The next sibling of another kind than the node, without comments.
    Behind,
    /// The previous sibling, including punctuation, without comments.
    Before,
    /// The next sibling, including punctuation, without comments.
    After,
    /// The first child, without comments.
    First,
    /// The first child of a kind.
    Child(Box<str>),
    Field(u16),
}

impl Path {
    /// # Panics
    /// If it names a field that the grammar does not have.
    pub(super) fn new(grammar: &Language, text: &str) -> Self {
        let kind = |word: &str, before: &str| -> Option<Box<str>> {
            Some(word.strip_prefix(before)?.strip_prefix('(')?.strip_suffix(')')?.into())
        };
        let field = |word: &str| {
            let field = grammar.field_id_for_name(word);
            Axis::Field(field.unwrap_or_else(|| panic!("no field is called {word}")).get())
        };
        let step = |word: &str| match word {
            "parent" => Axis::Parent,
            "next" => Axis::Next,
            "behind" => Axis::Behind,
            "before" => Axis::Before,
            "after" => Axis::After,
            "(_)" => Axis::First,
            _ => None
                .or_else(|| kind(word, "").map(Axis::Child))
                .or_else(|| kind(word, "next").map(Axis::NextOf))
                .unwrap_or_else(|| field(word)),
        };
        Self(text.split_whitespace().map(step).collect())
    }

    /// Returns the node at its end, if there is one.
    pub(crate) fn follow<'tree>(&self, from: Node<'tree>) -> Option<Node<'tree>> {
        self.0.iter().try_fold(from, |node, step| step.follow(node))
    }
}

impl Axis {
    fn follow<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let behind = || std::iter::successors(node.next_named_sibling(), Node::next_named_sibling);
        let child = |is: &dyn Fn(&Node<'tree>) -> bool| node.children(&mut node.walk()).find(is);
        match self {
            Self::Parent => node.parent(),
            Self::Next => behind().find(is_code),
            Self::NextOf(kind) => behind().find(|it| it.kind() == &**kind),
            Self::Behind => behind().find(|it| is_code(it) && it.kind_id() != node.kind_id()),
            Self::Before => std::iter::successors(node.prev_sibling(), Node::prev_sibling).find(is_code),
            Self::After => std::iter::successors(node.next_sibling(), Node::next_sibling).find(is_code),
            Self::First => child(&|it| it.is_named() && is_code(it)),
            Self::Child(kind) => child(&|it| it.kind() == &**kind),
            Self::Field(field) => node.child_by_field_id(*field),
        }
    }
}

fn is_code(node: &Node<'_>) -> bool {
    !node.is_extra()
}
