//! Conversion between LSP and our vocabulary. Positions that count from 0, in the server's unit, exist only
//! here.

pub(crate) mod code_action;
pub(crate) mod diagnostics;
pub(crate) mod notification;
pub(crate) mod outline;
pub(crate) mod tsserver;
pub(crate) mod workspace_edit;

use std::path::{Path, PathBuf};

use ide_protocol::Point;
use lsp_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams, Location, MarkedString,
    OneOf, Position, Range, ReferenceContext, ReferenceParams, SymbolInformation, SymbolKind,
    TextDocumentIdentifier, TextDocumentPositionParams, Url, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use serde_json::Value;
use source_text::Encoding;

use crate::fallback::source::outline::{Extent, undecorated};
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::workspace::buffers::canonical;

/// A range in the server's unit; reading it needs the file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawRange {
    pub(crate) path: PathBuf,
    range: Range,
}

/// A symbol in a server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawSymbol {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) container: Option<String>,
    pub(crate) at: RawRange,
}

/// The target of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawTarget {
    /// The whole definition, as far as the server knows.
    pub(crate) whole: RawRange,
    /// The range of the name.
    pub(crate) name: RawRange,
}

/// An item of a server's hierarchy, to be sent back unchanged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawItem {
    pub(crate) target: RawTarget,
    pub(crate) value: Value,
}

macro_rules! raw_requests {
    ($($name:ident: $method:literal),*) => {
        $(
            #[doc = concat!("`", $method, "`, in JSON as it comes.")]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl lsp_types::request::Request for $name {
                type Params = Value;
                type Result = Value;
                const METHOD: &'static str = $method;
            }
        )*
    };
}

raw_requests! {
    PrepareRename: "textDocument/prepareRename",
    Rename: "textDocument/rename",
    PrepareCalls: "textDocument/prepareCallHierarchy",
    IncomingCalls: "callHierarchy/incomingCalls",
    OutgoingCalls: "callHierarchy/outgoingCalls",
    PrepareTypes: "textDocument/prepareTypeHierarchy",
    Supertypes: "typeHierarchy/supertypes",
    Subtypes: "typeHierarchy/subtypes",
    PullDiagnostics: "textDocument/diagnostic",
    CodeActions: "textDocument/codeAction",
    ResolveAction: "codeAction/resolve",
    Formatting: "textDocument/formatting",
    RangeFormatting: "textDocument/rangeFormatting",
    ExecuteCommand: "workspace/executeCommand"
}

/// Reads the symbols of a hierarchy.
pub(crate) fn items(response: &Value) -> Vec<RawItem> {
    response.as_array().into_iter().flatten().filter_map(item).collect()
}

/// Reads the symbols on the other side of calls (`from` or `to`), each with the ranges of the calls. The
/// ranges lie in the caller's file.
pub(crate) fn calls(response: &Value, side: &str, caller: Option<&Path>) -> Vec<(RawItem, Vec<RawRange>)> {
    let call = |it: &Value| {
        let item = item(&it[side])?;
        let path = caller.unwrap_or(&item.target.name.path).to_owned();
        let ranges: Vec<Range> = serde_json::from_value(it["fromRanges"].clone()).ok()?;
        let places: Vec<_> = ranges.into_iter().map(|range| RawRange { path: path.clone(), range }).collect();
        // A call that stands nowhere is that of another symbol with the same name: of another program's `main`.
        (!places.is_empty()).then_some((item, places))
    };
    response.as_array().into_iter().flatten().filter_map(call).collect()
}

fn item(value: &Value) -> Option<RawItem> {
    let uri = Url::parse(value["uri"].as_str()?).ok()?;
    let range = |field: &str| RawRange::new(&uri, serde_json::from_value(value[field].clone()).ok()?);
    let target = RawTarget { whole: range("range")?, name: range("selectionRange")? };
    Some(RawItem { target, value: value.clone() })
}

impl RawItem {
    /// Returns the server's name for it.
    pub(crate) fn name(&self) -> Option<&str> {
        self.value["name"].as_str()
    }

    /// Returns the same symbol at another of its places.
    pub(crate) fn moved(mut self, to: &RawTarget) -> Self {
        let (Some(uri), Ok(whole), Ok(name)) =
            (uri(&to.name.path), serde_json::to_value(to.whole.range), serde_json::to_value(to.name.range))
        else {
            return self;
        };
        self.value["uri"] = uri.as_str().into();
        self.value["range"] = whole;
        self.value["selectionRange"] = name;
        Self { target: to.clone(), ..self }
    }

    /// Returns `true` for a file, or the module of a file: its name does not occur in it.
    pub(crate) fn is_file(&self) -> bool {
        let is_module = matches!(self.value["kind"].as_u64(), Some(1 | 2));
        is_module && self.target.name.range.start == Position::default()
    }
}

/// Returns the unit that the server chose; UTF-16 by default, as in the specification.
pub(crate) fn encoding(capabilities: &Value) -> Encoding {
    match capabilities["positionEncoding"].as_str() {
        Some("utf-8") => Encoding::Utf8,
        Some("utf-32") => Encoding::Utf32,
        _ => Encoding::Utf16,
    }
}

/// Returns the URI of an absolute path.
pub(crate) fn uri(path: &Path) -> Option<Url> {
    Url::from_file_path(path).ok()
}

/// Returns the path of a file URI, with symbolic links resolved as far as it exists.
pub(crate) fn path(uri: &Url) -> Option<PathBuf> {
    Some(canonical(&uri.to_file_path().ok()?))
}

fn position(text: &Text, point: Point, columns: Columns) -> Option<Position> {
    let (line, column) = (point.line.index(), point.column.index());
    let offset = text.index().offset(text.as_str(), line, column, Encoding::Utf32)?;
    let (line, character) = text.index_for(columns).position(text.as_str(), offset, columns.unit);
    let line = u32::try_from(line).ok()?;
    Some(Position { line, character: u32::try_from(character).ok()? + columns.before(text, line) })
}

/// Converts a position; `None` if the file has no such line, because the server saw another text.
fn point(text: &Text, position: Position, columns: Columns) -> Option<Point> {
    let character = position.character.saturating_sub(columns.before(text, position.line));
    let (line, character) = (position.line as usize, character as usize);
    let offset = text.index_for(columns).offset(text.as_str(), line, character, columns.unit)?;
    Some(text.point(offset))
}

fn extent_of(text: &Text, range: Range, columns: Columns) -> Option<Extent> {
    Some(Extent { start: point(text, range.start, columns)?, end: point(text, range.end, columns)? })
}

impl RawRange {
    fn new(uri: &Url, range: Range) -> Option<Self> {
        Some(Self { path: path(uri)?, range })
    }

    /// Returns the range in a file whose text is not read: with the server's columns.
    pub(crate) fn as_counted(&self) -> Extent {
        let point = |it: Position| Point {
            line: ide_protocol::Line::from_index(it.line as usize),
            column: ide_protocol::Column::from_index(it.character as usize),
        };
        Extent { start: point(self.range.start), end: point(self.range.end) }
    }

    /// Returns the range in the text of its file.
    pub(crate) fn extent(&self, text: &Text, columns: Columns) -> Option<Extent> {
        extent_of(text, self.range, columns)
    }

    /// Returns its bytes in the text of its file. Servers write the end of a file as a line far beyond it; no
    /// range starts there.
    pub(crate) fn bytes(&self, text: &Text, columns: Columns) -> Option<std::ops::Range<usize>> {
        let index = text.index_for(columns);
        if self.range.start.line as usize > index.line_count() {
            return None;
        }
        let offset = |it: Position| {
            let character = it.character.saturating_sub(columns.before(text, it.line));
            let (line, character) = (it.line as usize, character as usize);
            index.offset(text.as_str(), line, character, columns.unit).unwrap_or(text.as_str().len())
        };
        let (start, end) = (offset(self.range.start), offset(self.range.end));
        (start <= end).then_some(start..end)
    }
}

impl RawRange {
    /// Returns the range that the server means if it counts a byte order mark other than `columns` says; `None` where
    /// that is no difference.
    pub(crate) fn recounted(&self, text: &Text, columns: Columns) -> Option<Self> {
        let mark = Columns { count_mark: true, ..columns }.before(text, self.range.start.line);
        let other = |it: Position| {
            let character = match (it.line, columns.count_mark) {
                (1.., _) => it.character,
                (0, true) => it.character.checked_add(mark)?,
                (0, false) => it.character.checked_sub(mark)?,
            };
            Some(Position { character, ..it })
        };
        let range = Range { start: other(self.range.start)?, end: other(self.range.end)? };
        (mark > 0).then(|| Self { path: self.path.clone(), range })
    }
}

/// Returns a range in the server's unit, as JSON.
pub(crate) fn range(text: &Text, extent: Extent, columns: Columns) -> Option<Value> {
    let (start, end) = (position(text, extent.start, columns)?, position(text, extent.end, columns)?);
    Some(serde_json::json!({ "start": start, "end": end }))
}

/// Returns the parameters for a request about a place in a file.
fn place(text: &Text, path: &Path, point: Point, columns: Columns) -> Option<TextDocumentPositionParams> {
    Some(TextDocumentPositionParams {
        text_document: TextDocumentIdentifier { uri: uri(path)? },
        position: position(text, point, columns)?,
    })
}

/// Returns the parameters of a request for the targets of the name at a place.
pub(crate) fn definition_params(
    text: &Text,
    path: &Path,
    point: Point,
    columns: Columns,
) -> Option<GotoDefinitionParams> {
    Some(GotoDefinitionParams {
        text_document_position_params: place(text, path, point, columns)?,
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    })
}

/// Returns the parameters of a hover request.
pub(crate) fn hover_params(text: &Text, path: &Path, point: Point, columns: Columns) -> Option<HoverParams> {
    Some(HoverParams {
        text_document_position_params: place(text, path, point, columns)?,
        work_done_progress_params: Default::default(),
    })
}

/// Returns the hover text as Markdown.
pub(crate) fn markdown(response: Option<Hover>) -> Option<String> {
    let marked = |it: MarkedString| match it {
        MarkedString::String(text) => text,
        MarkedString::LanguageString(code) => format!("```{}\n{}\n```", code.language, code.value),
    };
    Some(match response?.contents {
        HoverContents::Scalar(one) => marked(one),
        HoverContents::Array(all) => all.into_iter().map(marked).collect::<Vec<_>>().join("\n\n"),
        HoverContents::Markup(markup) => markup.value,
    })
}

/// Returns the parameters of a request for the uses of the symbol at a place.
pub(crate) fn reference_params(
    text: &Text,
    path: &Path,
    point: Point,
    columns: Columns,
    include_declaration: bool,
) -> Option<ReferenceParams> {
    Some(ReferenceParams {
        text_document_position: place(text, path, point, columns)?,
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
        context: ReferenceContext { include_declaration },
    })
}

/// Returns the parameters of a request for symbols with a similar name.
pub(crate) fn symbol_params(query: String) -> WorkspaceSymbolParams {
    WorkspaceSymbolParams { query, ..WorkspaceSymbolParams::default() }
}

/// Reads the targets of a name.
pub(crate) fn targets(response: Option<GotoDefinitionResponse>) -> Vec<RawTarget> {
    let same = |location: Location| {
        let whole = RawRange::new(&location.uri, location.range)?;
        Some(RawTarget { name: whole.clone(), whole })
    };
    match response {
        None => Vec::new(),
        Some(GotoDefinitionResponse::Scalar(location)) => same(location).into_iter().collect(),
        Some(GotoDefinitionResponse::Array(locations)) => locations.into_iter().filter_map(same).collect(),
        Some(GotoDefinitionResponse::Link(links)) => {
            let target = |link: lsp_types::LocationLink| {
                Some(RawTarget {
                    whole: RawRange::new(&link.target_uri, link.target_range)?,
                    name: RawRange::new(&link.target_uri, link.target_selection_range)?,
                })
            };
            links.into_iter().filter_map(target).collect()
        }
    }
}

/// Reads the ranges of uses; `None` if the server sees no symbol there.
pub(crate) fn ranges(response: Option<Vec<Location>>) -> Option<Vec<RawRange>> {
    Some(response?.iter().filter_map(|it| RawRange::new(&it.uri, it.range)).collect())
}

/// Reads the symbols of a search by name.
pub(crate) fn symbols(response: Option<WorkspaceSymbolResponse>) -> Vec<RawSymbol> {
    match response {
        None => Vec::new(),
        Some(WorkspaceSymbolResponse::Flat(symbols)) => symbols.into_iter().filter_map(symbol).collect(),
        Some(WorkspaceSymbolResponse::Nested(symbols)) => {
            let nested = |it: lsp_types::WorkspaceSymbol| {
                let at = match it.location {
                    OneOf::Left(location) => RawRange::new(&location.uri, location.range)?,
                    OneOf::Right(file) => RawRange::new(&file.uri, Range::default())?,
                };
                Some(raw_symbol(&it.name, kind(it.kind), it.container_name, at))
            };
            symbols.into_iter().filter_map(nested).collect()
        }
    }
}

fn symbol(it: SymbolInformation) -> Option<RawSymbol> {
    let at = RawRange::new(&it.location.uri, it.location.range)?;
    Some(raw_symbol(&it.name, kind(it.kind), it.container_name, at))
}

fn raw_symbol(name: &str, kind: &'static str, container: Option<String>, at: RawRange) -> RawSymbol {
    let (owner, name) = undecorated(name);
    RawSymbol { name: name.to_owned(), kind, container: owner.or(container).filter(|it| !it.is_empty()), at }
}

/// Returns `true` for `using Base::Base`. clangd lists it under the name of the derived type, but it names
/// nothing.
pub(crate) fn uses_constructors(text: &Text, name: &str, name_at: Extent) -> bool {
    // The extent lies in this text; an empty line matches nothing.
    let line = text.line(name_at.start.line.index()).unwrap_or_default();
    line.trim_start().starts_with("using ") && text.word(name_at).is_some_and(|it| it != name)
}

/// Returns LSP's kind in camel case.
fn kind(kind: SymbolKind) -> &'static str {
    const KINDS: &[(SymbolKind, &str)] = &[
        (SymbolKind::FILE, "file"),
        (SymbolKind::MODULE, "module"),
        (SymbolKind::NAMESPACE, "namespace"),
        (SymbolKind::PACKAGE, "package"),
        (SymbolKind::CLASS, "class"),
        (SymbolKind::METHOD, "method"),
        (SymbolKind::PROPERTY, "property"),
        (SymbolKind::FIELD, "field"),
        (SymbolKind::CONSTRUCTOR, "constructor"),
        (SymbolKind::ENUM, "enum"),
        (SymbolKind::INTERFACE, "interface"),
        (SymbolKind::FUNCTION, "function"),
        (SymbolKind::VARIABLE, "variable"),
        (SymbolKind::CONSTANT, "constant"),
        (SymbolKind::STRING, "string"),
        (SymbolKind::NUMBER, "number"),
        (SymbolKind::BOOLEAN, "boolean"),
        (SymbolKind::ARRAY, "array"),
        (SymbolKind::OBJECT, "object"),
        (SymbolKind::KEY, "key"),
        (SymbolKind::NULL, "symbol"),
        (SymbolKind::ENUM_MEMBER, "enumMember"),
        (SymbolKind::STRUCT, "struct"),
        (SymbolKind::EVENT, "event"),
        (SymbolKind::OPERATOR, "operator"),
        (SymbolKind::TYPE_PARAMETER, "typeAlias"), // lists have no type parameters; rust-analyzer means this
    ];
    KINDS.iter().find(|(it, _)| *it == kind).map_or("symbol", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};
    use serde_json::json;

    use super::*;
    use crate::fallback::source::text::LoneReturn;

    #[test]
    fn positions_convert_in_every_unit() {
        let text = Text::from("let é😀 = x;\r\nnext\n".to_owned());
        let x = Point { line: Line::FIRST, column: Column::new(10).unwrap() };
        let marked = Text::from(format!("\u{feff}{}", text.as_str()));
        for (unit, character, mark) in
            [(Encoding::Utf8, 13, 3), (Encoding::Utf16, 10, 1), (Encoding::Utf32, 9, 1)]
        {
            for (text, count_mark, before) in [(&text, true, 0), (&marked, false, 0), (&marked, true, mark)] {
                let columns = Columns { unit, count_mark, lone_return: LoneReturn::EndsLine };
                let there = position(text, x, columns).unwrap();
                assert_eq!(there, Position { line: 0, character: character + before }, "{columns:?}");
                assert_eq!(point(text, there, columns), Some(x));
                let next = Position { line: 1, character: 2 };
                let place = point(text, next, columns).unwrap();
                assert_eq!(position(text, place, columns), Some(next), "only the first line has a mark");
                let sent = text.text_for_server(columns);
                assert_eq!(sent.starts_with('\u{feff}'), before > 0);
            }
        }
        let columns = Columns { unit: Encoding::Utf8, count_mark: false, lone_return: LoneReturn::EndsLine };
        assert_eq!(point(&text, Position { line: 9, character: 0 }, columns), None);
    }

    #[test]
    fn lone_returns_are_counted_as_the_server_counts_them() {
        let text = Text::from("\u{feff}a\rb\r\r\né\u{2028}\u{b}\u{c}\u{85}\rx".to_owned());
        let x = text.point(text.as_str().len() - 1);
        assert_eq!((x.line.index(), x.column.index()), (4, 0));
        let there = |lone_return| {
            let columns = Columns { unit: Encoding::Utf16, count_mark: true, lone_return };
            // Inside of `\r\n` there is no column.
            let is_place = |at: &usize| !text.as_str()[*at..].starts_with('\n');
            for at in text.as_str().char_indices().map(|(at, _)| at).filter(is_place) {
                let place = text.point(at);
                let there = position(&text, place, columns).unwrap();
                assert_eq!(point(&text, there, columns), Some(place), "{lone_return:?}");
                let range = RawRange { path: "/w/a".into(), range: Range { start: there, end: there } };
                assert_eq!(range.bytes(&text, columns), Some(at..at), "{lone_return:?}");
            }
            let sent = text.text_for_server(columns).into_owned();
            let Position { line, character } = position(&text, x, columns).unwrap();
            (line, character, sent.matches('\r').count(), sent.len())
        };
        let len = text.as_str().len() + 3;
        assert_eq!(there(LoneReturn::EndsLine), (4, 0, 4, len));
        assert_eq!(there(LoneReturn::IsCharacter), (1, 6, 4, len));
        assert_eq!(there(LoneReturn::SentAsFeed), (4, 0, 1, len), "all but that of a line break");
    }

    #[test]
    fn a_range_is_read_with_the_mark_and_without() {
        let marked = Text::from("\u{feff}let é = rate;\nrate".to_owned());
        let counted = |line, start| {
            let at = |character| Position { line, character };
            RawRange { path: "/w/a".into(), range: Range { start: at(start), end: at(start + 4) } }
        };
        for (unit, start, mark) in [(Encoding::Utf8, 9, 3), (Encoding::Utf16, 8, 1), (Encoding::Utf32, 8, 1)]
        {
            for (count_mark, other) in [(true, start), (false, start + mark)] {
                let columns = Columns { unit, count_mark, lone_return: LoneReturn::EndsLine };
                let word = |it: &RawRange| marked.word(it.extent(&marked, columns).unwrap()).unwrap();
                let range = counted(0, other);
                assert_ne!(word(&range), "rate");
                assert_eq!(word(&range.recounted(&marked, columns).unwrap()), "rate", "{columns:?}");
                assert_eq!(counted(1, 0).recounted(&marked, columns), None, "only the first line has a mark");
                let plain = Text::from(marked.as_str().to_owned());
                assert_eq!(range.recounted(&plain, columns), None);
            }
        }
    }

    #[test]
    fn uris_are_percent_decoded() {
        let uri = uri(Path::new("/no where/a#b%.rs")).unwrap();
        assert_eq!(uri.as_str(), "file:///no%20where/a%23b%25.rs");
        assert_eq!(path(&uri).unwrap(), Path::new("/no where/a#b%.rs"));
        assert_eq!(path(&Url::parse("https://example.org/a.rs").unwrap()), None);
    }

    #[test]
    fn the_unit_is_utf16_unless_said_otherwise() {
        assert_eq!(encoding(&json!({})), Encoding::Utf16);
        assert_eq!(encoding(&Value::Null), Encoding::Utf16);
        assert_eq!(encoding(&json!({"positionEncoding": "utf-8"})), Encoding::Utf8);
        assert_eq!(encoding(&json!({"positionEncoding": "utf-7"})), Encoding::Utf16);
    }
}
