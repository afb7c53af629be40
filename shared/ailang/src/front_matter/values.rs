//! Front matter without its meaning: the fields in the order of the text.

use source_text::Span;

use super::model::Field;
use super::repair::repair;
use super::yaml::{self, Node, NodeKind};

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldValue {
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// A mapping of texts.
    Map(Vec<(String, String)>),
    /// Any other value.
    Other,
}

/// Parses the YAML at `body` with repaired quotes into names and values; `None` if it is no mapping.
pub(crate) fn values(source: &str, body: Span) -> Option<Vec<(Field<String>, Field<FieldValue>)>> {
    let repaired = repair(&source[body.range()]);
    let mut root = yaml::parse(&repaired.text).ok()??;
    repaired.relocate(&mut root, body.start);
    let NodeKind::Map(fields) = root.kind else { return None };
    let field = |(key, value): (Node, Node)| {
        let NodeKind::Text(name) = key.kind else { return None };
        let value = Field { span: value.span, value: shallow(value) };
        Some((Field { value: name, span: key.span }, value))
    };
    fields.into_iter().map(field).collect()
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
