//! YAML trees whose scalars are all texts: `0.3` is no number, and `no` is no boolean.

use granit_parser::{Event, Parser, ScanError};
use source_text::Span;

/// The maximum nesting of lists and mappings.
const DEEPEST: usize = 20;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Span,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// An error of the YAML parser: its offset in bytes, and a message.
#[derive(Debug, PartialEq)]
pub(super) struct YamlError {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Parses one YAML document; `None` if it is empty.
pub(super) fn parse(text: &str) -> Result<Option<Node>, YamlError> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| problem(text, &error))?;
        builder.event(event, place(text, span))?;
    }
    Ok(builder.root)
}

/// A list or a mapping that is not complete.
enum Open {
    List { start: usize, items: Vec<Node> },
    Map { start: usize, fields: Vec<(Node, Node)>, key: Option<Node> },
}

#[derive(Default)]
struct Builder {
    root: Option<Node>,
    open: Vec<Open>,
    documents: usize,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let refuse = |message: &str| Err(YamlError { at: span.start, message: message.to_owned() });
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return refuse("there is more than one YAML document");
                }
            }
            Event::Alias(..) => {
                return refuse("aliases are not taken: write the value out");
            }
            Event::Scalar(text, ..) => self.add(Node { kind: NodeKind::Text(text.into_owned()), span }),
            Event::SequenceStart(..) => self.open.push(Open::List { start: span.start, items: Vec::new() }),
            Event::MappingStart(..) => {
                self.open.push(Open::Map { start: span.start, fields: Vec::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            _ => {}
        }
        if self.open.len() > DEEPEST {
            return refuse("this nests too deeply");
        }
        Ok(())
    }

    fn close(&mut self, end: usize) {
        let node = match self.open.pop() {
            Some(Open::List { start, items }) => {
                Node { kind: NodeKind::List(items), span: Span::new(start, end.max(start)) }
            }
            Some(Open::Map { start, fields, .. }) => {
                Node { kind: NodeKind::Map(fields), span: Span::new(start, end.max(start)) }
            }
            None => return,
        };
        self.add(node);
    }

    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { fields, key, .. }) => match key.take() {
                None => *key = Some(node),
                Some(name) => fields.push((name, node)),
            },
        }
    }
}

fn place(text: &str, span: granit_parser::Span) -> Span {
    let offset = |marker: &granit_parser::Marker| marker.byte_offset().unwrap_or_default().min(text.len());
    let (start, end) = (offset(&span.start), offset(&span.end));
    Span::new(start, end.max(start))
}

fn problem(text: &str, error: &ScanError) -> YamlError {
    let at = error.marker().byte_offset().unwrap_or_default().min(text.len());
    YamlError { at, message: error.kind().to_string() }
}
