//! Additional rules of a query's patterns. They are cheap to compile, because no query is made of them.

use tree_sitter::{Language, Node, Query, QueryMatch, QueryPredicate, QueryPredicateArg};

use super::path::Path;

/// The rules of one pattern; `languages/README.md` explains them.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    conditions: Vec<Condition>,
    /// Paths from the first captured node to nodes that count as captured by a name.
    places: Vec<(Box<str>, Path)>,
    /// The kinds of node at which `@name.in` ends; if empty, it ends at a leaf.
    names: Vec<Box<str>>,
    /// The kinds of node in which a name found by `@name.in` must stand, and must not stand, the inner one first.
    around_names: Vec<Box<str>>,
    not_around_names: Vec<Box<str>>,
    /// Paths from the first captured node to other names. A definition with one of those names is ignored.
    other_names: Vec<Path>,
}

/// A condition on the node at a path from a capture.
#[derive(Debug)]
struct Condition {
    capture: u32,
    path: Path,
    asks: Asks,
    is_negated: bool,
    /// The accepted kinds or texts; if empty, any.
    any_of: Vec<Box<str>>,
}

/// The property of a node that a condition tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// The kind of the node in the grammar.
    Kind,
    /// The text that the node spans.
    Text,
    /// The node itself: true if it is the captured one.
    Identity,
}

impl Rules {
    /// Reads the rules of a query's pattern.
    ///
    /// # Panics
    /// If a rule is unknown, or does not fit the grammar.
    pub(super) fn new(grammar: &Language, query: &Query, pattern: usize) -> Self {
        let mut rules = Self::default();
        for predicate in query.general_predicates(pattern) {
            rules.add(grammar, predicate);
        }
        for setting in query.property_settings(pattern) {
            if let Some(role) = setting.key.strip_suffix(".at") {
                let path = Path::new(grammar, setting.value.as_deref().unwrap_or_default());
                rules.places.push((role.into(), path));
            }
        }
        rules
    }

    fn add(&mut self, grammar: &Language, predicate: &QueryPredicate) {
        let (is_negated, rule) = match predicate.operator.strip_prefix("not-") {
            Some(rule) => (true, rule),
            None => (false, &*predicate.operator),
        };
        let mut captures = predicate.args.iter().filter_map(|it| match it {
            QueryPredicateArg::Capture(capture) => Some(*capture),
            QueryPredicateArg::String(_) => None,
        });
        let mut words = predicate.args.iter().filter_map(|it| match it {
            QueryPredicateArg::Capture(_) => None,
            QueryPredicateArg::String(word) => Some(word.clone()),
        });
        let asks = match rule {
            "says?" => Asks::Text,
            "same?" => Asks::Identity,
            _ => Asks::Kind,
        };
        match (rule, captures.next()) {
            ("at?" | "says?" | "same?", Some(capture)) => self.conditions.push(Condition {
                capture,
                path: Path::new(grammar, &words.next().unwrap_or_default()),
                asks,
                is_negated,
                any_of: words.collect(),
            }),
            ("name?", None) if !is_negated => self.names.extend(words),
            ("named?", None) if is_negated => {
                self.other_names.extend(words.map(|it| Path::new(grammar, &it)));
            }
            ("name-in?", None) if is_negated => self.not_around_names.extend(words),
            ("name-in?", None) => self.around_names.extend(words),
            _ => panic!("no rule is called #{}", predicate.operator),
        }
    }

    /// Returns true if a match fulfils the conditions.
    pub(crate) fn hold(&self, found: &QueryMatch<'_, '_>, text: &str) -> bool {
        self.conditions.iter().all(|condition| {
            let mut nodes = found.captures.iter().filter(|it| it.index == condition.capture);
            nodes.all(|it| condition.holds(it.node, text))
        })
    }

    /// Returns true if the name of a match differs from its other names.
    pub(crate) fn may_be_called(&self, name: Node<'_>, found: &QueryMatch<'_, '_>, text: &str) -> bool {
        let is_called_so = |it: Node<'_>| text.get(it.byte_range()) == text.get(name.byte_range());
        let first = found.captures.first().map(|it| it.node);
        let mut others = self.other_names.iter().filter_map(|it| it.follow(first?));
        !others.any(is_called_so)
    }

    /// Returns the node that counts as captured by a name.
    pub(crate) fn at<'tree>(&self, role: &str, found: &QueryMatch<'_, 'tree>) -> Option<Node<'tree>> {
        let (_, path) = self.places.iter().find(|(it, _)| &**it == role)?;
        path.follow(found.captures.first()?.node)
    }

    /// Returns the name inside a type or declarator, and the nodes around it, the outer one first. The fields `name`,
    /// `declarator` and `type` lead there, or else the last child. A type ends at its path's end, without arguments.
    /// `None` if there is no such name.
    pub(crate) fn name_in<'tree>(&self, from: Node<'tree>) -> Option<(Node<'tree>, Vec<Node<'tree>>)> {
        let (mut node, mut around) = (from, Vec::from_iter(from.parent()));
        while let Some(inner) = self.inner(node) {
            around.push(node);
            node = inner;
        }
        let is_name = if self.names.is_empty() { node.child_count() == 0 } else { self.is_name(node) };
        let is_in = |kinds: &str| {
            let mut found = around.iter().rev();
            kinds.split(' ').all(|kind| found.next().is_some_and(|it| it.kind() == kind))
        };
        let is_there = self.around_names.is_empty() || self.around_names.iter().any(|it| is_in(it));
        (is_name && is_there && !self.not_around_names.iter().any(|it| is_in(it))).then_some((node, around))
    }

    fn inner<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        if self.is_name(node) {
            return None;
        }
        let field = ["name", "declarator", "type"].iter().find_map(|it| node.child_by_field_name(it));
        let last = || node.named_child(u32::try_from(node.named_child_count().checked_sub(1)?).ok()?);
        field.or_else(|| last().filter(|_| !self.names.is_empty()))
    }

    fn is_name(&self, node: Node<'_>) -> bool {
        is_one(&self.names, node.kind())
    }
}

impl Condition {
    fn holds(&self, node: Node<'_>, text: &str) -> bool {
        let is_meant = |it: Node<'_>| match self.asks {
            Asks::Identity => it == node,
            _ if self.any_of.is_empty() => true,
            Asks::Text => is_one(&self.any_of, text.get(it.byte_range()).unwrap_or_default()),
            Asks::Kind => is_one(&self.any_of, it.kind()),
        };
        self.path.follow(node).is_some_and(is_meant) != self.is_negated
    }
}

fn is_one(words: &[Box<str>], found: &str) -> bool {
    words.iter().any(|it| &**it == found)
}
