//! Front matter as it is written: its fields in their order, whatever they mean.

use source_text::Span;

use super::Field;
use super::repair::repair;
use super::yaml::{self, Node, NodeKind};

/// A value, whatever it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// Anything else.
    Other,
}

/// The names and values of the YAML that stands at `body`, mistakes in quotes put right; `None` when it is not made
/// of fields.
pub(crate) fn values(source: &str, body: Span) -> Option<Vec<(Field<String>, Field<Value>)>> {
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

fn shallow(node: Node) -> Value {
    let items = match node.kind {
        NodeKind::Text(text) => return Value::Text(text),
        NodeKind::Map(_) => return Value::Other,
        NodeKind::List(items) => items,
    };
    let text = |item: Node| match item.kind {
        NodeKind::Text(text) => Some(text),
        _ => None,
    };
    items.into_iter().map(text).collect::<Option<Vec<_>>>().map_or(Value::Other, Value::List)
}
