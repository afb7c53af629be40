//! A file's definitions, nested as in the file, in our own positions.

use std::ops::Range;

use ide_protocol::{Column, Line, Point};

/// A range between two points, its end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Extent {
    pub(crate) start: Point,
    pub(crate) end: Point,
}

/// One definition with those inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// The qualifier in its name, for a member that stands apart from its type.
    pub(crate) owner: Option<String>,
    /// LSP's kind in camel case.
    pub(crate) kind: &'static str,
    /// The whole definition, documentation included.
    pub(crate) whole: Extent,
    /// The name's range.
    pub(crate) name_at: Extent,
    pub(crate) children: Vec<Node>,
}

/// A definition with those around it, the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct NestedNode<'a> {
    pub(crate) node: &'a Node,
    pub(crate) around: Vec<&'a Node>,
}

impl Extent {
    /// Creates the extent of some columns of a line, both from 0.
    pub(crate) fn within(line: usize, columns: Range<usize>) -> Self {
        let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        Self { start: point(columns.start), end: point(columns.end) }
    }

    /// Creates an empty extent.
    pub(crate) fn at(point: Point) -> Self {
        Self { start: point, end: point }
    }

    /// Returns whether a point lies in it. The end counts: a cursor just after a name is at the name.
    pub(crate) fn holds(&self, point: Point) -> bool {
        self.start <= point && point <= self.end
    }

    /// Returns whether two extents overlap or touch.
    pub(crate) fn touches(&self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// The kind that rust-analyzer gives an `impl`; its name range is that of the type.
pub(crate) const IMPL: &str = "object";

/// Kinds of definitions that can contain code or members.
const ENCLOSING: &[&str] = &[
    "function",
    "method",
    "constructor",
    "class",
    "struct",
    "enum",
    "interface",
    "typeAlias",
    "object",
    "module",
    "namespace",
    "constant",
];

/// Returns every definition of a file, each before those inside it.
pub(crate) fn all(nodes: &[Node]) -> Vec<NestedNode<'_>> {
    let mut found = Vec::new();
    collect(nodes, &mut Vec::new(), &mut found);
    found
}

/// Returns the first definition of a file that `is_it` accepts, in the order of [`all`].
pub(crate) fn find(nodes: &[Node], mut is_it: impl FnMut(&Node) -> bool) -> Option<NestedNode<'_>> {
    let mut around = Vec::new();
    find_below(nodes, &mut is_it, &mut around).map(|node| NestedNode { node, around })
}

/// Returns the definition whose name starts at a point.
pub(crate) fn named_at(nodes: &[Node], point: Point) -> Option<NestedNode<'_>> {
    find(nodes, |it| it.name_at.start == point)
}

/// Returns the innermost function around a point.
pub(crate) fn function_around<'all, 'a>(
    all: &'all [NestedNode<'a>],
    point: Point,
) -> Option<&'all NestedNode<'a>> {
    all.iter().rfind(|it| it.node.whole.holds(point) && is_code(it.node.kind))
}

/// Returns whether a kind is a function, method or constructor.
pub(crate) fn is_code(kind: &str) -> bool {
    matches!(kind, "function" | "method" | "constructor")
}

fn collect<'a>(nodes: &'a [Node], around: &mut Vec<&'a Node>, found: &mut Vec<NestedNode<'a>>) {
    for node in nodes {
        found.push(NestedNode { node, around: around.clone() });
        around.push(node);
        collect(&node.children, around, found);
        around.pop();
    }
}

fn find_below<'a>(
    nodes: &'a [Node],
    is_it: &mut impl FnMut(&Node) -> bool,
    around: &mut Vec<&'a Node>,
) -> Option<&'a Node> {
    for node in nodes {
        if is_it(node) {
            return Some(node);
        }
        around.push(node);
        let found = find_below(&node.children, is_it, around);
        if found.is_some() {
            return found;
        }
        around.pop();
    }
    None
}

/// Returns the name of the innermost function or type around a point, qualified by its type or trait.
pub(crate) fn enclosing(nodes: &[Node], point: Point, separator: &str) -> Option<String> {
    let around = path_to(nodes, point);
    let last = around.iter().rposition(|it| ENCLOSING.contains(&it.kind))?;
    let owner = around[last].owner.clone().or_else(|| around[..last].last().and_then(|it| member_owner(it)));
    let name = plain_name(around[last]);
    Some(owner.map_or(name.clone(), |owner| format!("{owner}{separator}{name}")))
}

/// Returns the definitions around a point, the outermost first.
pub(crate) fn path_to(nodes: &[Node], point: Point) -> Vec<&Node> {
    let Some(node) = nodes.iter().find(|it| it.whole.holds(point)) else { return Vec::new() };
    let mut path = vec![node];
    path.extend(path_to(&node.children, point));
    path
}

/// Returns the name that qualifies members: that of a type, not of an enclosing function.
fn member_owner(node: &Node) -> Option<String> {
    matches!(node.kind, "class" | "struct" | "enum" | "interface" | "typeAlias" | "object")
        .then(|| plain_name(node))
}

/// Returns the type's name for an `impl`: `User` for `impl<T> Display for User<T>`. Other names stay
/// unchanged.
pub(crate) fn plain_name(node: &Node) -> String {
    if node.kind == IMPL { type_of_impl(&node.name) } else { node.name.clone() }
}

/// Returns the type that an `impl` is for. Other names stay unchanged.
pub(crate) fn type_of_impl(name: &str) -> String {
    let Some(rest) = name.strip_prefix("impl") else { return name.to_owned() };
    let rest = rest.strip_prefix('<').and_then(|it| after_generics(it)).unwrap_or(rest);
    let subject = rest.rsplit_once(" for ").map_or(rest, |(_, it)| it);
    let subject = without_reference(subject.trim());
    let end = subject.find(|it: char| !(it.is_alphanumeric() || "_:".contains(it))).unwrap_or(subject.len());
    let last = subject[..end].rsplit_once("::").map_or(&subject[..end], |(_, it)| it);
    if last.is_empty() { name.to_owned() } else { last.to_owned() }
}

/// Splits a name as servers decorate it into owner and plain name.
///
/// `(*User).Hello` and `User::hello` are members of `User`; `total()` is `total`.
pub(crate) fn undecorated(name: &str) -> (Option<String>, &str) {
    let name = without_brackets(name);
    if let Some((owner, member)) = name.strip_prefix('(').and_then(|it| it.split_once(").")) {
        let owner = owner.trim_start_matches('*');
        return (Some(owner.split('[').next().unwrap_or(owner).to_owned()), member);
    }
    let is_path =
        |it: &str| !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || "_:.~$".contains(it));
    let qualified = name.rsplit_once("::").or_else(|| name.rsplit_once('.'));
    let qualified = qualified.map(|(owner, member)| (without_generics(owner), member));
    match qualified.filter(|(owner, it)| is_path(owner) && (is_path(it) || it.starts_with("operator"))) {
        Some((owner, member)) => (owner.rsplit(['.', ':']).next().map(str::to_owned), member),
        None => (None, name),
    }
}

/// Removes the brackets that servers append to a name, except for C++'s `operator()`.
pub(crate) fn without_brackets(name: &str) -> &str {
    let is_own = name == "operator()" || name.ends_with(":operator()");
    name.strip_suffix("()").filter(|_| !is_own).unwrap_or(name)
}

/// Removes reference, lifetime, `mut` and `dyn`: `&'a mut User` becomes `User`.
fn without_reference(subject: &str) -> &str {
    let subject = subject.trim_start_matches('&');
    let subject = match subject.strip_prefix('\'') {
        Some(lifetime) => lifetime.split_once(' ').map_or("", |(_, it)| it),
        None => subject,
    };
    ["mut ", "dyn "].iter().fold(subject, |it, word| it.strip_prefix(word).unwrap_or(it))
}

/// Returns the text after the `>` that closes an open `<`.
fn after_generics(text: &str) -> Option<&str> {
    let mut depth = 1;
    for (at, char) in text.char_indices() {
        depth += match char {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// Removes text between angle brackets, but keeps arrows. `<T as Trait>::f` becomes `T::f`.
pub(crate) fn without_generics(written: &str) -> String {
    if let Some((subject, rest)) = written.strip_prefix('<').and_then(|it| it.split_once('>')) {
        let subject = subject.split_once(" as ").map_or(subject, |(it, _)| it);
        return format!("{subject}{}", without_generics(rest));
    }
    let mut depth = 0u32;
    let mut plain = String::new();
    let mut before = ' ';
    for char in written.chars() {
        match char {
            '<' => depth += 1,
            '>' if before != '-' && depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(char),
            _ => {}
        }
        before = char;
    }
    plain.replace("::::", "::")
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};

    use super::*;

    fn point(line: u32) -> Point {
        Point { line: Line::new(line).unwrap(), column: Column::new(3).unwrap() }
    }

    fn node(name: &str, kind: &'static str, lines: (u32, u32), children: Vec<Node>) -> Node {
        let whole = Extent { start: point(lines.0), end: point(lines.1) };
        Node { name: name.into(), owner: None, kind, whole, name_at: whole, children }
    }

    #[test]
    fn what_encloses_a_line() {
        let local = node("x", "variable", (4, 4), vec![]);
        let method = node("hello", "method", (3, 5), vec![local]);
        let user = node("impl<T> fmt::Display for User<T>", "object", (2, 6), vec![method]);
        let outer = node("outer", "function", (8, 12), vec![node("inner", "function", (9, 10), vec![])]);
        let module = node("auth", "module", (1, 7), vec![user]);
        let nodes = vec![module, outer];
        let at = |line| enclosing(&nodes, point(line), "::");
        assert_eq!(at(4).as_deref(), Some("User::hello"));
        assert_eq!(at(2).as_deref(), Some("User"));
        assert_eq!(at(9).as_deref(), Some("inner"));
        assert_eq!(at(12).as_deref(), Some("outer"));
        assert_eq!(at(13), None);
    }

    #[test]
    fn a_definition_is_found_with_those_around_it() {
        let local = node("x", "variable", (4, 4), vec![]);
        let method = node("hello", "method", (3, 5), vec![local]);
        let nodes = vec![node("first", "class", (1, 2), vec![]), node("User", "class", (2, 6), vec![method])];
        for NestedNode { node, around } in all(&nodes) {
            let found = find(&nodes, |it| it.name == node.name).expect("it is among them");
            assert_eq!((found.node, found.around), (node, around));
        }
        assert!(find(&nodes, |it| it.name == "other").is_none());
        // Of several, the first counts, and what is around others is not around it.
        let ends_late = find(&nodes, |it| it.whole.end >= point(4)).expect("three do");
        assert_eq!((ends_late.node.name.as_str(), ends_late.around.len()), ("User", 0));
    }

    #[test]
    fn qualified_names_tell_their_owner() {
        for (name, owner, plain) in [
            ("(*User).Hello", Some("User"), "Hello"),
            ("(List[T]).Push", Some("List"), "Push"),
            ("store.User.Hello", Some("User"), "Hello"),
            ("ns::Widget::name", Some("Widget"), "name"),
            ("total()", None, "total"),
            ("impl fmt::Display for User", None, "impl fmt::Display for User"),
            (".button", None, ".button"),
            ("operator+", None, "operator+"),
            ("Box<a::T>::map", Some("Box"), "map"),
            ("Box<T>::operator()", Some("Box"), "operator()"),
            ("ns::Box<void>", None, "ns::Box<void>"),
        ] {
            assert_eq!(undecorated(name), (owner.map(str::to_owned), plain), "{name}");
        }
    }

    #[test]
    fn an_impl_has_the_name_of_its_type() {
        for (name, plain) in [
            ("impl User", "User"),
            ("impl<T: Into<U>, U> From<T> for auth::User<T>", "User"),
            ("impl<'a> Iterator for &'a mut Users", "Users"),
            ("impl Clone for [u8; 3]", "impl Clone for [u8; 3]"),
        ] {
            assert_eq!(plain_name(&node(name, "object", (1, 1), vec![])), plain, "{name}");
        }
    }
}
