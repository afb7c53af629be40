//! Where something stands in a tree, seen from a node that a query captured.

use tree_sitter::{Language, Node};

/// A way through a tree: `left object`, `parent parent`, `arguments (_)`.
#[derive(Debug)]
pub(crate) struct Path(Vec<Step>);

#[derive(Debug)]
enum Step {
    Parent,
    /// What comes behind it, comments aside.
    Next,
    /// The next one of that kind that comes behind it.
    NextOf(Box<str>),
    /// What comes behind it and others like it, comments aside.
    Behind,
    /// What comes right before it, and right behind it, marks included and comments aside.
    Before,
    After,
    /// Its first child, comments aside.
    First,
    /// Its first child of that kind.
    Child(Box<str>),
    Field(u16),
}

impl Path {
    /// # Panics
    /// When it names a field that the grammar does not have.
    pub(super) fn new(grammar: &Language, text: &str) -> Self {
        let kind = |word: &str, before: &str| -> Option<Box<str>> {
            Some(word.strip_prefix(before)?.strip_prefix('(')?.strip_suffix(')')?.into())
        };
        let field = |word: &str| {
            let field = grammar.field_id_for_name(word);
            Step::Field(field.unwrap_or_else(|| panic!("no field is called {word}")).get())
        };
        let step = |word: &str| match word {
            "parent" => Step::Parent,
            "next" => Step::Next,
            "behind" => Step::Behind,
            "before" => Step::Before,
            "after" => Step::After,
            "(_)" => Step::First,
            _ => None
                .or_else(|| kind(word, "").map(Step::Child))
                .or_else(|| kind(word, "next").map(Step::NextOf))
                .unwrap_or_else(|| field(word)),
        };
        Self(text.split_whitespace().map(step).collect())
    }

    /// What stands at its end, if anything does.
    pub(crate) fn follow<'tree>(&self, from: Node<'tree>) -> Option<Node<'tree>> {
        self.0.iter().try_fold(from, |node, step| step.follow(node))
    }
}

impl Step {
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
