//! Between LSP and our vocabulary. Positions that count from 0, in the unit that a server chose, exist only here.

pub(crate) mod code_action;
pub(crate) mod tsserver;
pub(crate) mod workspace_edit;

use super::documents::Message;
use super::readiness::{Health, Signal};
use crate::fallback::source::languages::{Event, Language};
use crate::fallback::source::names::words;
use crate::fallback::source::outline::{Extent, Node, undecorated};
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::workspace::buffers::canonical;
use std::path::{Path, PathBuf};

use ide_protocol::{Point, Severity};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, FileChangeType,
    FileEvent, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams, Location,
    MarkedString, OneOf, Position, Range, ReferenceContext, ReferenceParams, SymbolInformation, SymbolKind,
    TextDocumentContentChangeEvent, TextDocumentIdentifier, TextDocumentItem, TextDocumentPositionParams,
    Url, VersionedTextDocumentIdentifier, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use serde_json::Value;
use source_text::Encoding;

/// A stretch of a file as the server counts it; it takes the file's text to understand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawRange {
    pub(crate) path: PathBuf,
    range: Range,
}

/// A symbol that a server listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawSymbol {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) container: Option<String>,
    pub(crate) at: RawRange,
}

/// Where a name leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawTarget {
    /// The whole definition, as far as the server says.
    pub(crate) whole: RawRange,
    /// The name in it.
    pub(crate) name: RawRange,
}

/// A symbol as a server calls it in its hierarchies, to be sent back as it came.
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

/// The symbols of a hierarchy.
pub(crate) fn items(response: &Value) -> Vec<RawItem> {
    response.as_array().into_iter().flatten().filter_map(item).collect()
}

/// The symbols on the other side of calls (`from` or `to`), each with where the calls stand: in the file of the
/// caller.
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
    /// How the server calls it.
    pub(crate) fn name(&self) -> Option<&str> {
        self.value["name"].as_str()
    }

    /// The same symbol at another of its places.
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

    /// Whether it is a file, or the module that a file is: its name stands nowhere in it.
    pub(crate) fn is_file(&self) -> bool {
        let is_module = matches!(self.value["kind"].as_u64(), Some(1 | 2));
        is_module && self.target.name.range.start == Position::default()
    }
}

/// The unit that the server chose; UTF-16 when it does not say.
pub(crate) fn encoding(capabilities: &Value) -> Encoding {
    match capabilities["positionEncoding"].as_str() {
        Some("utf-8") => Encoding::Utf8,
        Some("utf-32") => Encoding::Utf32,
        _ => Encoding::Utf16,
    }
}

/// The URI of an absolute path.
pub(crate) fn uri(path: &Path) -> Option<Url> {
    Url::from_file_path(path).ok()
}

/// The path of a file URI, with symbolic links resolved as far as it exists.
pub(crate) fn path(uri: &Url) -> Option<PathBuf> {
    Some(canonical(&uri.to_file_path().ok()?))
}

fn position(text: &Text, point: Point, columns: Columns) -> Option<Position> {
    let (line, column) = (point.line.index(), point.column.index());
    let offset = text.index().offset(text.as_str(), line, column, Encoding::Utf32)?;
    let (line, character) = text.index().position(text.as_str(), offset, columns.unit);
    let line = u32::try_from(line).ok()?;
    Some(Position { line, character: u32::try_from(character).ok()? + columns.before(text, line) })
}

/// `None` when the file has no such line: its text is not the one that the server saw.
fn point(text: &Text, position: Position, columns: Columns) -> Option<Point> {
    let character = position.character.saturating_sub(columns.before(text, position.line));
    let (line, character) = (position.line as usize, character as usize);
    let offset = text.index().offset(text.as_str(), line, character, columns.unit)?;
    Some(text.point(offset))
}

fn extent_of(text: &Text, range: Range, columns: Columns) -> Option<Extent> {
    Some(Extent { start: point(text, range.start, columns)?, end: point(text, range.end, columns)? })
}

impl RawRange {
    fn new(uri: &Url, range: Range) -> Option<Self> {
        Some(Self { path: path(uri)?, range })
    }

    /// Where that is in a file whose text is not read: columns are as the server counts them.
    pub(crate) fn as_counted(&self) -> Extent {
        let point = |it: Position| Point {
            line: ide_protocol::Line::from_index(it.line as usize),
            column: ide_protocol::Column::from_index(it.character as usize),
        };
        Extent { start: point(self.range.start), end: point(self.range.end) }
    }

    /// Where that is in the text of its file.
    pub(crate) fn extent(&self, text: &Text, columns: Columns) -> Option<Extent> {
        extent_of(text, self.range, columns)
    }

    /// Its bytes in the text of its file, in the order that they have there. Servers say the end of a file as a line far
    /// beyond it; nothing starts there.
    pub(crate) fn bytes(&self, text: &Text, columns: Columns) -> Option<std::ops::Range<usize>> {
        if self.range.start.line as usize > text.index().line_count() {
            return None;
        }
        let offset = |it: Position| {
            let character = it.character.saturating_sub(columns.before(text, it.line));
            let (line, character) = (it.line as usize, character as usize);
            text.index().offset(text.as_str(), line, character, columns.unit).unwrap_or(text.as_str().len())
        };
        let (start, end) = (offset(self.range.start), offset(self.range.end));
        (start <= end).then_some(start..end)
    }
}

/// A stretch of a file as the server counts, in JSON.
pub(crate) fn range(text: &Text, extent: Extent, columns: Columns) -> Option<Value> {
    let (start, end) = (position(text, extent.start, columns)?, position(text, extent.end, columns)?);
    Some(serde_json::json!({ "start": start, "end": end }))
}

/// A place in a file, for a question about it.
fn place(text: &Text, path: &Path, point: Point, columns: Columns) -> Option<TextDocumentPositionParams> {
    Some(TextDocumentPositionParams {
        text_document: TextDocumentIdentifier { uri: uri(path)? },
        position: position(text, point, columns)?,
    })
}

/// Asks where the name at a place leads.
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

/// Asks what is shown of the name at a place.
pub(crate) fn hover_params(text: &Text, path: &Path, point: Point, columns: Columns) -> Option<HoverParams> {
    Some(HoverParams {
        text_document_position_params: place(text, path, point, columns)?,
        work_done_progress_params: Default::default(),
    })
}

/// What is shown, as Markdown.
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

/// Asks where the symbol at a place is used.
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

/// Asks which symbols are named so, or nearly so.
pub(crate) fn symbol_params(query: String) -> WorkspaceSymbolParams {
    WorkspaceSymbolParams { query, ..WorkspaceSymbolParams::default() }
}

/// Asks what a file defines.
pub(crate) fn outline_params(path: &Path) -> Option<DocumentSymbolParams> {
    Some(DocumentSymbolParams {
        text_document: TextDocumentIdentifier { uri: uri(path)? },
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    })
}

/// Where names lead.
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

/// Uses; `None` when the server sees no symbol there.
pub(crate) fn ranges(response: Option<Vec<Location>>) -> Option<Vec<RawRange>> {
    Some(response?.iter().filter_map(|it| RawRange::new(&it.uri, it.range)).collect())
}

/// Symbols by name.
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

/// What a file defines, nested as it is.
pub(crate) fn outline(response: Option<DocumentSymbolResponse>, text: &Text, columns: Columns) -> Vec<Node> {
    match response {
        None => Vec::new(),
        Some(DocumentSymbolResponse::Nested(symbols)) => nodes(symbols, text, columns),
        Some(DocumentSymbolResponse::Flat(symbols)) => {
            let flat = |it: SymbolInformation| {
                let whole = extent_of(text, it.location.range, columns)?;
                let (owner, name) = undecorated(&it.name);
                let owner = owner.or_else(|| it.container_name.clone());
                let name_at = name_in(text, whole, name);
                let (name, kind) = (name.to_owned(), kind(it.kind));
                Some(Node { name, owner, kind, whole, name_at, children: Vec::new() })
            };
            symbols.into_iter().filter_map(flat).collect()
        }
    }
}

fn nodes(symbols: Vec<DocumentSymbol>, text: &Text, columns: Columns) -> Vec<Node> {
    let node = |it: DocumentSymbol| {
        let (owner, name) = undecorated(&it.name);
        let name_at = extent_of(text, it.selection_range, columns)?;
        if it.kind == SymbolKind::NAMESPACE && uses_constructors(text, name, name_at) {
            return None;
        }
        Some(Node {
            name: name.to_owned(),
            owner,
            kind: if it.kind == SymbolKind::CLASS && (is_alias(text, name_at) || says_alias(&it)) {
                "typeAlias"
            } else {
                kind(it.kind)
            },
            whole: extent_of(text, it.range, columns)?,
            name_at,
            children: nodes(it.children.unwrap_or_default(), text, columns),
        })
    };
    symbols.into_iter().filter_map(node).collect()
}

/// Whether the server says so in words.
fn says_alias(symbol: &DocumentSymbol) -> bool {
    symbol.detail.as_ref().is_some_and(|it| it.ends_with("type alias"))
}

/// Whether `using Base::Base` stands there, which clangd lists under the name of the type that has those constructors now:
/// it gives no name to anything.
pub(crate) fn uses_constructors(text: &Text, name: &str, name_at: Extent) -> bool {
    let line = text.line(name_at.start.line.index()).unwrap_or_default();
    line.trim_start().starts_with("using ") && text.word(name_at).is_some_and(|it| it != name)
}

/// Whether a name there is given to a type: LSP has no kind for that, and some servers call it a class.
fn is_alias(text: &Text, name_at: Extent) -> bool {
    let line = text.line(name_at.start.line.index()).unwrap_or_default();
    let before: String = line.chars().take(name_at.start.column.index()).collect();
    before.split_whitespace().next_back() == Some("type")
}

/// Where a name stands in a definition, of which no more is known than where all of it is.
fn name_in(text: &Text, whole: Extent, name: &str) -> Extent {
    let letters = if name.contains(['$', '#']) { "$#" } else { "" };
    let lines = (whole.start.line.index()..=whole.end.line.index()).take(NAME_LINES);
    for line in lines {
        let from = if line == whole.start.line.index() { whole.start.column.index() } else { 0 };
        let all = words(text.line(line).unwrap_or_default(), letters, "");
        if let Some((_, columns)) =
            all.into_iter().find(|(word, columns)| word == name && columns.start >= from)
        {
            return Extent::within(line, columns);
        }
    }
    whole
}

/// How far into a definition its name may stand: comments and attributes come first.
const NAME_LINES: usize = 50;

/// LSP's kind in camel case.
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
        (SymbolKind::TYPE_PARAMETER, "typeParameter"),
    ];
    KINDS.iter().find(|(it, _)| *it == kind).map_or("symbol", |(_, name)| name)
}

/// A notification about documents, as method and params.
pub(crate) enum Notice {
    Open(DidOpenTextDocumentParams),
    Change(DidChangeTextDocumentParams),
    Close(DidCloseTextDocumentParams),
    Watched(DidChangeWatchedFilesParams),
}

/// `None` for a path that no URI can be made of.
pub(crate) fn notice(message: Message, language: &Language) -> Option<Notice> {
    Some(match message {
        Message::Open { path, version, text } => Notice::Open(DidOpenTextDocumentParams {
            text_document: TextDocumentItem {
                uri: uri(&path)?,
                language_id: language.file_id(&path).unwrap_or(language.id).to_owned(),
                version,
                text,
            },
        }),
        Message::Change { path, version, text } => Notice::Change(DidChangeTextDocumentParams {
            text_document: VersionedTextDocumentIdentifier { uri: uri(&path)?, version },
            content_changes: vec![TextDocumentContentChangeEvent { range: None, range_length: None, text }],
        }),
        Message::Close { path } => Notice::Close(DidCloseTextDocumentParams {
            text_document: TextDocumentIdentifier { uri: uri(&path)? },
        }),
        Message::Watched(files) => {
            let event = |(path, event): (PathBuf, Event)| {
                let typ = match event {
                    Event::Created => FileChangeType::CREATED,
                    Event::Changed => FileChangeType::CHANGED,
                    Event::Deleted => FileChangeType::DELETED,
                };
                Some(FileEvent { uri: uri(&path)?, typ })
            };
            Notice::Watched(DidChangeWatchedFilesParams {
                changes: files.into_iter().filter_map(event).collect(),
            })
        }
    })
}

/// What a notification says about readiness, read leniently: servers put odd things into progress.
pub(crate) fn signal(method: &str, params: &Value) -> Option<Signal> {
    match method {
        "$/progress" => progress(params),
        "experimental/serverStatus" => Some(Signal::Status {
            quiescent: params["quiescent"].as_bool().unwrap_or(false),
            health: match params["health"].as_str() {
                Some("error") => Health::Error,
                Some("warning") => Health::Warning,
                _ => Health::Ok,
            },
            message: params["message"].as_str().map(str::to_owned),
        }),
        "window/logMessage" => Some(Signal::Log { line: params["message"].as_str()?.to_owned() }),
        _ => None,
    }
}

/// What a server says of a document by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Published {
    /// The version that it is about, where the server says.
    pub(crate) version: Option<i32>,
    /// As they came.
    pub(crate) items: Vec<Value>,
}

/// The document that diagnostics are about, with them.
pub(crate) fn published(method: &str, params: &Value) -> Option<(PathBuf, Published)> {
    let uri =
        Url::parse(params["uri"].as_str().filter(|_| method == "textDocument/publishDiagnostics")?).ok()?;
    let version = params["version"].as_i64().and_then(|it| i32::try_from(it).ok());
    let items = params["diagnostics"].as_array().cloned().unwrap_or_default();
    Some((path(&uri)?, Published { version, items }))
}

/// Something that a server finds wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawDiagnostic {
    pub(crate) at: RawRange,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) code: Option<String>,
    pub(crate) source: Option<String>,
}

/// Asks what is wrong with a file.
pub(crate) fn pull_params(path: &Path) -> Option<Value> {
    Some(serde_json::json!({ "textDocument": { "uri": uri(path)? } }))
}

/// What is wrong with a file, read leniently.
pub(crate) fn diagnostics(path: &Path, items: &[Value]) -> Vec<RawDiagnostic> {
    let diagnostic = |it: &Value| {
        let range = serde_json::from_value(it["range"].clone()).ok()?;
        let code = match &it["code"] {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        };
        Some(RawDiagnostic {
            at: RawRange { path: path.to_owned(), range },
            severity: match it["severity"].as_u64() {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                _ => Severity::Error,
            },
            message: without_info_lines(it["message"].as_str()?),
            code,
            source: it["source"].as_str().map(str::to_owned),
        })
    };
    items.iter().filter_map(diagnostic).collect()
}

/// A message without what follows it on how its sender came to it: `info: …`.
fn without_info_lines(message: &str) -> String {
    let lines = message.trim().lines().take_while(|it| !it.trim_start().starts_with("info: "));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn progress(params: &Value) -> Option<Signal> {
    let token = match &params["token"] {
        Value::String(token) => token.clone(),
        Value::Number(token) => token.to_string(),
        _ => return None,
    };
    let value = &params["value"];
    match value["kind"].as_str()? {
        "end" => Some(Signal::ProgressEnded { token }),
        "begin" | "report" => {
            let said = [&value["title"], &value["message"]];
            let words: Vec<_> = said.iter().filter_map(|it| it.as_str()).collect();
            Some(Signal::Progress {
                token,
                message: (!words.is_empty()).then(|| words.join(" ")),
                percentage: value["percentage"].as_u64().and_then(|it| u32::try_from(it).ok()),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};

    use super::*;
    use serde_json::json;

    #[test]
    fn positions_convert_in_every_unit() {
        let text = Text::from("let é😀 = x;\r\nnext\n".to_owned());
        let x = Point { line: Line::FIRST, column: Column::new(10).unwrap() };
        let marked = Text::from(format!("\u{feff}{}", text.as_str()));
        for (unit, character, mark) in
            [(Encoding::Utf8, 13, 3), (Encoding::Utf16, 10, 1), (Encoding::Utf32, 9, 1)]
        {
            for (text, count_mark, before) in [(&text, true, 0), (&marked, false, 0), (&marked, true, mark)] {
                let columns = Columns { unit, count_mark };
                let there = position(text, x, columns).unwrap();
                assert_eq!(there, Position { line: 0, character: character + before }, "{columns:?}");
                assert_eq!(point(text, there, columns), Some(x));
                let next = Position { line: 1, character: 2 };
                let place = point(text, next, columns).unwrap();
                assert_eq!(position(text, place, columns), Some(next), "only the first line has a mark");
                let sent = text.sent(columns);
                assert_eq!(sent.starts_with('\u{feff}'), before > 0);
            }
        }
        let columns = Columns { unit: Encoding::Utf8, count_mark: false };
        assert_eq!(point(&text, Position { line: 9, character: 0 }, columns), None);
    }

    #[test]
    fn messages_end_before_how_their_sender_came_to_them() {
        let message = "Cannot resolve imported module `urllib3`\n  info: Searched here\n  info:   1. /src\n";
        assert_eq!(without_info_lines(message), "Cannot resolve imported module `urllib3`");
        let message = "Type `a` is no `b`.\n  Property `x` is missing.";
        assert_eq!(without_info_lines(message), message);
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

    #[test]
    fn odd_notifications_are_no_signal() {
        let progress = |value: Value| signal("$/progress", &json!({"token": 7, "value": value}));
        assert_eq!(progress(json!({"kind": "end"})), Some(Signal::ProgressEnded { token: "7".into() }));
        assert_eq!(progress(json!([{"name": "a partial result"}])), None);
        assert_eq!(signal("$/progress", &json!(null)), None);
        assert_eq!(signal("telemetry/event", &json!({})), None);
        let status = signal("experimental/serverStatus", &json!({"health": "purple", "quiescent": "no"}));
        assert_eq!(status, Some(Signal::Status { quiescent: false, health: Health::Ok, message: None }));
    }
}
