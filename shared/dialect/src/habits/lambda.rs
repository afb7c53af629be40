//! Functions of other languages, and names for parts of a value.

use std::collections::HashMap;

use super::holes::inside;
use super::node::{Kind, Node};
use super::rewrite::{Rewriter, items, position};

/// A function's parameters, and its body.
pub(super) type Function<'n> = (Vec<&'n [Node]>, &'n [Node]);

/// Names for values that are taken apart.
pub(super) const FRESH: [&str; 7] = ["x", "it", "item", "element", "each", "one", "entry"];

/// Words before the parameters of a function.
pub(super) const FUNCTIONS: [&str; 5] = ["function", "fn", "func", "fun", "proc"];

/// Returns the function that a row of tokens is.
pub(super) fn function(nodes: &[Node]) -> Option<Function<'_>> {
    let first = nodes.first()?;
    if first.is_word(&["lambda"]) {
        let colon = position(nodes, &[":"])?;
        return Some((items(&nodes[1..colon]), &nodes[colon + 1..]));
    }
    if first.is("||") {
        return Some((Vec::new(), &nodes[1..]));
    }
    if first.is("|") {
        let end = 1 + position(&nodes[1..], &["|"])?;
        return Some((items(&nodes[1..end]), &nodes[end + 1..]));
    }
    if first.is_word(&FUNCTIONS) && nodes.get(1)?.is_group("(") {
        return Some((items(&nodes[1].inside), body(&nodes[2..])?));
    }
    let is_head = first.is_name() || first.kind == Kind::Group;
    let parameters = if first.is_group("(") { items(&first.inside) } else { vec![&nodes[..1]] };
    let arrow = nodes.iter().skip(1).take(6).position(|it| it.is("=>") || it.is("->") && !it.is_tight)?;
    let has_type = || nodes[1].is(":") && nodes[2..=arrow].iter().all(is_type);
    (is_head && (arrow == 0 || has_type())).then(|| (parameters, &nodes[arrow + 2..]))
}

/// Returns the body behind the parameters of a function: in braces, or behind a mark.
pub(super) fn body(nodes: &[Node]) -> Option<&[Node]> {
    let typed = nodes.first().is_some_and(|it| it.is(":") || it.is("->"));
    let from = if typed { nodes.iter().position(|it| it.is_group("{"))? } else { 0 };
    let rest = &nodes[from..];
    match rest {
        [block] if block.is_group("{") => Some(rest),
        [mark, rest @ ..] if mark.is("=>") || mark.is("=") => Some(rest),
        _ => None,
    }
}

/// Returns `true` for a part of a type: a name, `[]`, `<`, `|`, `.`.
pub(super) fn is_type(node: &Node) -> bool {
    match node.kind {
        Kind::Name => true,
        Kind::Mark => matches!(node.text.as_str(), "<" | ">" | "|" | "." | "?" | "&" | ","),
        Kind::Group => node.text == "[" && node.inside.iter().all(is_type),
        _ => false,
    }
}

impl Rewriter {
    /// Writes a lambda. Each parameter that is taken apart gets a name.
    pub(super) fn lambda(&mut self, (parameters, body): Function<'_>) -> Option<String> {
        let (mut names, mut parts) = (Vec::new(), HashMap::new());
        for parameter in parameters {
            let [first, rest @ ..] = parameter else { return None };
            let is_typed = |it: &[Node]| match it {
                [mark, ty @ ..] if mark.is(":") => !ty.is_empty() && ty.iter().all(is_type),
                rest => rest.is_empty(),
            };
            let rest = if rest.first().is_some_and(|it| it.is("?")) { &rest[1..] } else { rest };
            if !is_typed(rest) {
                return None;
            }
            if first.is_name() {
                names.push(first.text.clone());
                continue;
            }
            let name = self.fresh().filter(|it| !names.iter().any(|name| name == it))?;
            parts.extend(taken_apart(first, name)?);
            names.push(name.to_owned());
        }
        let body = substituted(body, &parts)?;
        let body = match body.as_slice() {
            [block] if is_block(block) => self.block(&block.inside)?,
            body => self.expression(body)?,
        };
        Some(format!("(({}) => {body})", names.join(", ")))
    }

    /// Returns a name that the program does not have.
    pub(super) fn fresh(&self) -> Option<&'static str> {
        FRESH.into_iter().find(|it| !self.words.contains(*it))
    }

    /// Writes a lambda over each element, which several names take apart.
    pub(super) fn over(&mut self, names: &[Node], body: &[Node]) -> Option<String> {
        match names {
            [group] if group.is_group("(") || group.is_group("[") => self.over(&group.inside, body),
            [name] if name.is_name() => self.lambda((vec![names], body)),
            names => {
                let list = Node {
                    kind: Kind::Group,
                    text: "[".to_owned(),
                    inside: names.to_vec(),
                    ..names.first()?.clone()
                };
                self.lambda((vec![&[list]], body))
            }
        }
    }
}

/// Returns `true` for `{` that opens statements, and not an object.
pub(super) fn is_block(node: &Node) -> bool {
    let [first, rest @ ..] = node.inside.as_slice() else { return false };
    let is_field = match rest.first() {
        Some(second) => second.is(":") || second.is(",") || second.is("=>"),
        None => first.is_name(),
    };
    node.is_group("{") && !first.is("...") && !is_field
}

/// Returns each name in `[a, b]` or `{path, line: n}`, with the part of the value `of` that it means.
pub(super) fn taken_apart(pattern: &Node, of: &str) -> Option<HashMap<String, String>> {
    let is_list = !pattern.is_group("{");
    let parts = items(&pattern.inside).into_iter().enumerate().map(|(at, item)| match item {
        [name] if name.is_name() && is_list => Some((name.text.clone(), format!("{of}[{at}]"))),
        [name] if name.is_name() => Some((name.text.clone(), format!("{of}.{}", name.text))),
        [part, colon, name] if !is_list && colon.is(":") && name.is_name() && part.is_name() => {
            Some((name.text.clone(), format!("{of}.{}", part.text)))
        }
        _ => None,
    });
    parts.collect()
}

/// Replaces names by parts of a value, unless one of them may be something else there.
fn substituted(nodes: &[Node], parts: &HashMap<String, String>) -> Option<Vec<Node>> {
    if parts.is_empty() {
        return Some(nodes.to_vec());
    }
    let mut out = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|it| &nodes[it]), nodes.get(at + 1));
        let is_member = before.is_some_and(|it| it.is(".") || it.is("?."));
        let follows = |marks: &[&str]| after.is_some_and(|it| marks.iter().any(|mark| it.is(mark)));
        let mut node = node.clone();
        match parts.get(&node.text).filter(|_| node.is_name() && !is_member) {
            Some(_) if follows(&["=>", "->"]) || after.is_some_and(|it| it.is_group("(")) => return None,
            Some(_) if before.is_some_and(|it| it.is_word(&["lambda"]) || it.is("|")) => return None,
            // The key of a field or an argument.
            Some(_) if follows(&["="]) || follows(&[":"]) && before.is_none_or(|it| it.is(",")) => {}
            Some(part) => node.text.clone_from(part),
            None => {
                if node.is_group("{") {
                    node.inside = with_keys(&node.inside, parts);
                }
                node.inside = substituted(&node.inside, parts)?;
                match node.kind {
                    Kind::Text if node.text.starts_with('`') => {
                        node.text = in_holes(&node.text, "${", parts)?;
                    }
                    Kind::Formatted => node.text = in_holes(&node.text, "{", parts)?,
                    _ => {}
                }
            }
        }
        out.push(node);
    }
    Some(out)
}

/// Writes the keys of fields that are names alone: `{path}`.
fn with_keys(nodes: &[Node], parts: &HashMap<String, String>) -> Vec<Node> {
    let mut out = Vec::new();
    for item in items(nodes) {
        if let [name] = item
            && parts.contains_key(&name.text)
        {
            let colon = Node { kind: Kind::Mark, text: ":".to_owned(), ..name.clone() };
            out.extend([name.clone(), colon]);
        }
        out.extend_from_slice(item);
        out.push(Node {
            kind: Kind::Mark,
            text: ",".to_owned(),
            inside: Vec::new(),
            starts_line: false,
            is_tight: true,
        });
    }
    out.pop();
    out
}

/// Replaces names in the expressions of a text.
fn in_holes(text: &str, opener: &str, parts: &HashMap<String, String>) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(opener) {
        let code = inside(&rest[at + opener.len()..])?;
        out.push_str(&rest[..at + opener.len()]);
        let mut behind = ' ';
        for word in code.split_inclusive(|it: char| !crate::lex::is_name_part(it)) {
            let name = word.trim_end_matches(|it: char| !crate::lex::is_name_part(it));
            match parts.get(name).filter(|_| behind != '.') {
                Some(part) => out.push_str(&format!("{part}{}", &word[name.len()..])),
                None => out.push_str(word),
            }
            behind = word.chars().next_back().unwrap_or(' ');
        }
        rest = &rest[at + opener.len() + code.len()..];
    }
    Some(out + rest)
}
