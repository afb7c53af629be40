//! The symbols that a file defines, as servers list them: nested, or flat with the place of each.

use std::path::Path;

use lsp_types::request::{DocumentSymbolRequest, Request};
use lsp_types::{DocumentSymbolParams, Range, SymbolKind, TextDocumentIdentifier};
use serde::{Deserialize, Serialize};

use super::{extent_of, kind, uri, uses_constructors};
use crate::fallback::source::outline::{Extent, Node, undecorated};
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::source::words::words;

/// `textDocument/documentSymbol`. Its answers are long, and the type of lsp-types reads each one twice over: it tries the
/// flat form on a copy.
pub(crate) enum OutlineRequest {}

impl Request for OutlineRequest {
    type Params = DocumentSymbolParams;
    type Result = Option<Vec<Listed>>;
    const METHOD: &'static str = DocumentSymbolRequest::METHOD;
}

/// A symbol that a server lists, in either form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub(crate) struct Listed {
    name: String,
    detail: Option<String>,
    kind: SymbolKind,
    place: ListedPlace,
}

#[derive(Debug, Serialize)]
enum ListedPlace {
    Nested { whole: Range, name_at: Range, children: Vec<Listed> },
    Flat { whole: Range, container: Option<String> },
}

/// The fields of both forms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    name: String,
    kind: SymbolKind,
    detail: Option<String>,
    range: Option<Range>,
    selection_range: Option<Range>,
    children: Option<Vec<Listed>>,
    location: Option<InFile>,
    container_name: Option<String>,
}

#[derive(Deserialize)]
struct InFile {
    range: Range,
}

impl TryFrom<Fields> for Listed {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { name, kind, detail, children, location, container_name, .. } = fields;
        let place = match (location, fields.range, fields.selection_range) {
            (Some(InFile { range: whole }), ..) => ListedPlace::Flat { whole, container: container_name },
            (None, Some(whole), Some(name_at)) => {
                ListedPlace::Nested { whole, name_at, children: children.unwrap_or_default() }
            }
            _ => return Err("a symbol has neither a `location` nor a `range` with a `selectionRange`"),
        };
        Ok(Self { name, detail, kind, place })
    }
}

/// Returns the parameters of a request for the symbols of a file.
pub(crate) fn params(path: &Path) -> Option<DocumentSymbolParams> {
    Some(DocumentSymbolParams {
        text_document: TextDocumentIdentifier { uri: uri(path)? },
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    })
}

/// Reads the symbols that a file defines, nested.
pub(crate) fn nodes(symbols: Vec<Listed>, text: &Text, columns: Columns) -> Vec<Node> {
    symbols.into_iter().filter_map(|it| node(it, text, columns)).collect()
}

fn node(symbol: Listed, text: &Text, columns: Columns) -> Option<Node> {
    let (owner, name) = undecorated(&symbol.name);
    let name = name.to_owned();
    match symbol.place {
        ListedPlace::Flat { whole, container } => {
            let whole = extent_of(text, whole, columns)?;
            let name_at = name_in(text, whole, &name);
            let (owner, kind) = (owner.or(container), kind(symbol.kind));
            Some(Node { name, owner, kind, whole, name_at, children: Vec::new() })
        }
        ListedPlace::Nested { whole, name_at, children } => {
            let name_at = extent_of(text, name_at, columns)?;
            if symbol.kind == SymbolKind::NAMESPACE && uses_constructors(text, &name, name_at) {
                return None;
            }
            let says_alias = symbol.detail.is_some_and(|it| it.ends_with("type alias"));
            let is_alias = symbol.kind == SymbolKind::CLASS && (is_alias(text, name_at) || says_alias);
            let kind = if is_alias { "typeAlias" } else { kind(symbol.kind) };
            let (whole, children) = (extent_of(text, whole, columns)?, nodes(children, text, columns));
            Some(Node { name, owner, kind, whole, name_at, children })
        }
    }
}

/// Returns `true` if the name belongs to a type alias: LSP has no kind for it, and some servers report a
/// class.
fn is_alias(text: &Text, name_at: Extent) -> bool {
    // The extent lies in this text; an empty line matches nothing.
    let line = text.line(name_at.start.line.index()).unwrap_or_default();
    let before: String = line.chars().take(name_at.start.column.index()).collect();
    before.split_whitespace().next_back() == Some("type")
}

/// Finds a name in a definition of which only the whole range is known.
fn name_in(text: &Text, whole: Extent, name: &str) -> Extent {
    let letters = if name.contains(['$', '#']) { "$#" } else { "" };
    let lines = (whole.start.line.index()..=whole.end.line.index()).take(NAME_LINES);
    for line in lines {
        let from = if line == whole.start.line.index() { whole.start.column.index() } else { 0 };
        // The whole extent lies in this text; an empty line has no words.
        let all = words(text.line(line).unwrap_or_default(), letters, "");
        if let Some((_, columns)) =
            all.into_iter().find(|(word, columns)| word == name && columns.start >= from)
        {
            return Extent::within(line, columns);
        }
    }
    whole
}

/// The number of lines in which a definition's name is searched: comments and attributes come first.
const NAME_LINES: usize = 50;

#[cfg(test)]
mod tests {
    use serde_json::json;
    use source_text::Encoding;

    use super::*;
    use crate::fallback::source::text::LoneReturn;

    const UTF16: Columns =
        Columns { unit: Encoding::Utf16, count_mark: false, lone_return: LoneReturn::EndsLine };
    const TEXT: &str = "class A {\n  b() {}\n}\n";

    fn read(answer: serde_json::Value) -> Result<String, serde_json::Error> {
        let symbols: Vec<Listed> = serde_json::from_value(answer)?;
        fn show(nodes: &[Node]) -> String {
            let one = |it: &Node| {
                let at = it.name_at.start;
                let owner = it.owner.as_deref().unwrap_or("-");
                format!(
                    "{} {} {}:{} in {owner} [{}]",
                    it.kind,
                    it.name,
                    at.line,
                    at.column,
                    show(&it.children)
                )
            };
            nodes.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Ok(show(&nodes(symbols, &Text::from(TEXT.to_owned()), UTF16)))
    }

    #[test]
    fn both_forms_are_read() {
        let range = |from: (u32, u32), to: (u32, u32)| json!({"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}});
        let (class, method) = (range((0, 0), (2, 1)), range((1, 2), (1, 8)));
        let nested = json!([{"name": "A", "kind": 5, "range": class, "selectionRange": range((0, 6), (0, 7)),
            "children": [{"name": "b", "kind": 6, "range": method, "selectionRange": range((1, 2), (1, 3)),
            "tags": [1]}]}]);
        assert_eq!(read(nested).unwrap(), "class A 1:7 in - [method b 2:3 in - []]");
        let flat = json!([
            {"name": "A", "kind": 5, "location": {"uri": "file:///a.ts", "range": class}},
            {"name": "b", "kind": 6, "location": {"uri": "file:///a.ts", "range": method}, "containerName": "A"},
        ]);
        assert_eq!(read(flat).unwrap(), "class A 1:7 in - [], method b 2:3 in A []");
        assert_eq!(read(json!([])).unwrap(), "");
    }

    #[test]
    fn a_symbol_without_a_place_is_no_answer() {
        let error = read(json!([{"name": "A", "kind": 5}])).unwrap_err();
        assert!(error.to_string().contains("neither a `location`"), "{error}");
    }
}
