//! Front matter without its meaning: the fields in the order of the text.

use std::collections::{HashMap, HashSet};

use source_text::Span;

use super::model::Field;
use super::repair::repair;
use super::yaml::{self, Node, NodeKind};

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// A mapping of texts.
    Map(Vec<(String, String)>),
    /// Any other value.
    Other,
}

/// Front matter as names and values.
#[derive(Debug, Default)]
pub struct Values {
    /// The first field of each name.
    pub fields: Vec<(Field<String>, Field<FieldValue>)>,
    /// The texts that were read as if they had quotes.
    pub repaired: Vec<Span>,
    /// The fields that are not read, since one of their name stands before them.
    pub repeated: Vec<RepeatedField>,
}

/// A field that is given twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedField {
    /// The names of the fields around it, and its own, with dots.
    pub path: String,
    /// The place of its name.
    pub span: Span,
    /// The place of the name that is read.
    pub first: Span,
}

/// Parses the YAML at `body` with repaired quotes.
///
/// # Errors
/// It is no mapping of names in YAML: the offset of the mistake, and what it is.
pub fn values(source: &str, body: Span) -> Result<Values, (usize, String)> {
    let repaired = repair(&source[body.range()]);
    let moved = |span: &Span| Span::new(body.start + span.start, body.start + span.end);
    let mut values = Values {
        repaired: repaired.imports.iter().chain(&repaired.colons).map(moved).collect(),
        ..Values::default()
    };
    let root = yaml::parse(&repaired.text)
        .map_err(|problem| (body.start + repaired.original(problem.at), problem.message))?;
    let Some(mut root) = root else { return Ok(values) };
    repaired.relocate(&mut root, body.start);
    values.repeated = repeated(&root);
    let start = root.span.start;
    let NodeKind::Map(fields) = distinct(root).kind else {
        return Err((start, "it is no list of fields such as `name: text`".to_owned()));
    };
    for (key, value) in fields {
        let NodeKind::Text(name) = key.kind else {
            return Err((key.span.start, "the name of a field is a text".to_owned()));
        };
        let value = Field { span: value.span, value: shallow(value) };
        values.fields.push((Field { value: name, span: key.span }, value));
    }
    Ok(values)
}

/// Returns the fields at any depth whose names stand before them in the same mapping.
pub(super) fn repeated(node: &Node) -> Vec<RepeatedField> {
    let mut found = Vec::new();
    add_repeated(node, "", &mut found);
    found
}

fn add_repeated(node: &Node, above: &str, found: &mut Vec<RepeatedField>) {
    match &node.kind {
        NodeKind::Text(_) => {}
        NodeKind::List(items) => items.iter().for_each(|it| add_repeated(it, above, found)),
        NodeKind::Map(fields) => {
            let mut seen: HashMap<&str, Span> = HashMap::new();
            for (key, value) in fields {
                let NodeKind::Text(name) = &key.kind else { continue };
                let path = if above.is_empty() {
                    name.trim().to_owned()
                } else {
                    format!("{above}.{}", name.trim())
                };
                match seen.get(name.trim()) {
                    Some(first) => found.push(RepeatedField { path, span: key.span, first: *first }),
                    None => {
                        seen.insert(name.trim(), key.span);
                        add_repeated(value, &path, found);
                    }
                }
            }
        }
    }
}

/// Returns a node whose mappings have the first field of each name.
fn distinct(mut node: Node) -> Node {
    node.kind = match node.kind {
        NodeKind::Map(fields) => {
            let mut seen = HashSet::new();
            let mut is_first = |key: &Node| match &key.kind {
                NodeKind::Text(name) => seen.insert(name.trim().to_owned()),
                _ => true,
            };
            let fields = fields.into_iter().filter(|(key, _)| is_first(key));
            NodeKind::Map(fields.map(|(key, value)| (key, distinct(value))).collect())
        }
        other => other,
    };
    node
}

fn shallow(node: Node) -> FieldValue {
    let items = match node.kind {
        NodeKind::Text(text) => return FieldValue::Text(text),
        NodeKind::Map(fields) => return mapping(fields),
        NodeKind::List(items) => items,
    };
    let text = |item: Node| match item.kind {
        NodeKind::Text(text) => Some(text),
        _ => None,
    };
    items.into_iter().map(text).collect::<Option<Vec<_>>>().map_or(FieldValue::Other, FieldValue::List)
}

fn mapping(fields: Vec<(Node, Node)>) -> FieldValue {
    let field = |field: (Node, Node)| match (field.0.kind, field.1.kind) {
        (NodeKind::Text(key), NodeKind::Text(value)) => Some((key, value)),
        _ => None,
    };
    fields.into_iter().map(field).collect::<Option<_>>().map_or(FieldValue::Other, FieldValue::Map)
}
