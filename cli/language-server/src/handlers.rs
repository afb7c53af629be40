//! The requests about one file: each asks the analysis, and converts its answer.

use std::collections::HashMap;
use std::path::Path;

use async_lsp::{ErrorCode, ResponseError};
use lsp_types::{
    CodeActionOrCommand, CodeLens, CompletionItem, CompletionParams, CompletionResponse, Diagnostic,
    DocumentHighlight, DocumentLink, DocumentSymbolResponse, FoldingRange, GotoDefinitionResponse, Hover,
    InlayHint, Location as LspLocation, Position, PrepareRenameResponse, Range, SelectionRange,
    SemanticTokens, SemanticTokensResult, SignatureHelp, SymbolInformation, TextEdit, Url, WorkspaceEdit,
};
use source_text::Encoding;

use crate::answers::{Location, Mistake};
use crate::capabilities::{Outline, RUN_EXAMPLE};
use crate::convert::{self, Lines};
use crate::package::Package;
use crate::text::Text;
use crate::workspace::{DocumentView, View};
use crate::{document, program};

type Answer<T> = Result<T, ResponseError>;

impl View {
    pub(crate) fn lines(&self) -> Lines<'_> {
        match self {
            Self::Document(view) => Lines { text: &view.text, encoding: view.encoding },
            Self::Program(view) => Lines { text: &view.text, encoding: view.encoding },
        }
    }

    pub(crate) fn document(&self) -> Option<&DocumentView> {
        match self {
            Self::Document(view) => Some(view),
            Self::Program(_) => None,
        }
    }

    fn mistakes(&self) -> Vec<Mistake> {
        match self {
            Self::Document(view) => document::mistakes(view),
            Self::Program(view) => program::mistakes(view),
        }
    }
}

pub(crate) fn text(view: &View) -> String {
    view.lines().text.source.to_string()
}

pub(crate) fn diagnostics(view: &View) -> Vec<Diagnostic> {
    let mistakes = view.mistakes();
    mistakes.iter().map(|mistake| diagnostic(view, mistake)).collect()
}

fn diagnostic(view: &View, mistake: &Mistake) -> Diagnostic {
    let locate = |location: &Location| view.document().and_then(|view| locate(view, location));
    convert::diagnostic(view.lines(), mistake, locate)
}

/// Returns the diagnostics of some documents of a package, and of those that import them, by address.
pub(crate) fn affected(view: &View, changed: &[String]) -> Vec<(Url, Vec<Diagnostic>)> {
    let Some(view) = view.document() else { return Vec::new() };
    let found = document::affected(view, changed).into_iter().filter_map(|(path, mistakes)| {
        let text = view.package.text_of(&path)?;
        let lines = Lines { text: &text, encoding: view.encoding };
        let each = mistakes.iter().map(|it| convert::diagnostic(lines, it, |place| locate(view, place)));
        Some((view.package.address(&path)?, each.collect()))
    });
    found.collect()
}

fn locate(view: &DocumentView, location: &Location) -> Option<LspLocation> {
    located(&view.package, view.encoding, location)
}

fn located(package: &Package, encoding: Encoding, location: &Location) -> Option<LspLocation> {
    let text = package.text_of(&location.path)?;
    let lines = Lines { text: &text, encoding };
    Some(LspLocation::new(package.address(&location.path)?, lines.range(location.span)))
}

pub(crate) fn completion(view: &View, params: &CompletionParams) -> CompletionResponse {
    let lines = view.lines();
    let offset = lines.offset(params.text_document_position.position);
    let found = match view {
        View::Document(view) => document::completions(view, offset),
        View::Program(view) => program::completions(view, offset),
    };
    let items = found.into_iter().enumerate().map(|(index, item)| convert::completion(lines, index, item));
    CompletionResponse::Array(items.collect::<Vec<CompletionItem>>())
}

pub(crate) fn hover(view: &View, position: Position) -> Option<Hover> {
    let lines = view.lines();
    let offset = lines.offset(position);
    let found = match view {
        View::Document(view) => document::hover(view, offset),
        View::Program(view) => program::hover(view, offset),
    };
    found.map(|hover| convert::hover(lines, hover))
}

pub(crate) fn signature_help(view: &View, position: Position) -> Option<SignatureHelp> {
    let offset = view.lines().offset(position);
    let found = match view {
        View::Document(view) => document::call_help(view, offset),
        View::Program(view) => program::call_help(view, offset),
    };
    found.map(convert::signature_help)
}

pub(crate) fn definition(view: &View, position: Position) -> Option<GotoDefinitionResponse> {
    let document = view.document()?;
    let found = document::definition(document, view.lines().offset(position))?;
    locate(document, &found).map(GotoDefinitionResponse::Scalar)
}

pub(crate) fn references(view: &View, position: Position, with_definition: bool) -> Option<Vec<LspLocation>> {
    let document = view.document()?;
    let found = document::references(document, view.lines().offset(position), with_definition);
    Some(found.iter().filter_map(|location| locate(document, location)).collect())
}

/// Returns the places in this document that name the symbol at a place.
pub(crate) fn highlight(view: &View, position: Position) -> Option<Vec<DocumentHighlight>> {
    let document = view.document()?;
    let lines = view.lines();
    let found = document::references(document, lines.offset(position), true).into_iter();
    let here = found.filter(|location| location.path == document.path);
    Some(here.map(|it| DocumentHighlight { range: lines.range(it.span), kind: None }).collect())
}

/// Returns the name that can be renamed.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn prepare_rename(view: &View, position: Position) -> Answer<Option<PrepareRenameResponse>> {
    let Some(document) = view.document() else { return Ok(None) };
    let lines = view.lines();
    let span = document::renamable(document, lines.offset(position)).map_err(refused)?;
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: lines.range(span),
        placeholder: lines.text.source[span.range()].to_owned(),
    }))
}

/// Returns the edits of a rename.
///
/// # Errors
/// The reason why there are none.
pub(crate) fn rename(view: &View, position: Position, name: &str) -> Answer<Option<WorkspaceEdit>> {
    let Some(document) = view.document() else { return Ok(None) };
    let edits = document::rename(document, view.lines().offset(position), name).map_err(refused)?;
    let find = |path: &str| Some((document.package.text_of(path)?, document.package.address(path)?));
    Ok(Some(convert::workspace_edit(edits, document.encoding, find)))
}

fn refused(reason: String) -> ResponseError {
    ResponseError::new(ErrorCode::REQUEST_FAILED, reason)
}

/// Returns the corrections of the mistakes in a range.
pub(crate) fn code_actions(view: &View, url: &Url, range: Range) -> Vec<CodeActionOrCommand> {
    let lines = view.lines();
    let wanted = lines.span(range);
    let near = |it: &Mistake| it.span.start <= wanted.end && wanted.start <= it.span.end;
    let mut actions = Vec::new();
    for mistake in view.mistakes().into_iter().filter(near) {
        let diagnostic = diagnostic(view, &mistake);
        let fixes = mistake.fixes.into_iter();
        actions.extend(fixes.map(|fix| convert::code_action(lines, url, &diagnostic, fix)));
    }
    actions
}

pub(crate) fn code_lenses(view: &View, url: &Url) -> Vec<CodeLens> {
    let lines = view.lines();
    let found = view.document().map(document::example_lenses).unwrap_or_default();
    found.into_iter().map(|lens| convert::lens(lines, url, RUN_EXAMPLE, lens)).collect()
}

pub(crate) fn semantic_tokens(view: &View) -> SemanticTokensResult {
    let found = match view {
        View::Document(view) => document::highlights(view),
        View::Program(view) => program::highlights(view),
    };
    let data = convert::semantic_tokens(view.lines(), &found);
    SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })
}

/// Returns the edits that lay a file out.
///
/// # Errors
/// The mistake that prevents it.
pub(crate) fn formatting(view: &View) -> Answer<Option<Vec<TextEdit>>> {
    let formatted = match view {
        View::Document(view) if !view.is_interface() => return Ok(None),
        View::Document(view) => ailang::format(&view.text.source).map_err(|refused| {
            let first = refused.diagnostics.first().map_or("", |it| it.message.as_str());
            format!("it has syntax errors, so it stays unchanged: {first}")
        }),
        View::Program(view) => program::formatted(view),
    };
    Ok(Some(convert::replacement(view.lines(), &formatted.map_err(refused)?)))
}

/// Returns the outline of a file, or its definitions alone.
pub(crate) fn symbols(view: &View, outline: Outline) -> DocumentSymbolResponse {
    let lines = view.lines();
    let of = |view: &DocumentView| match outline {
        Outline::Whole => document::outline(view),
        Outline::Definitions => document::definitions(view.document()),
    };
    let found = view.document().map(of).unwrap_or_default();
    DocumentSymbolResponse::Nested(found.into_iter().map(|item| convert::symbol(lines, item)).collect())
}

/// Returns the definitions of packages by a part of their names. A file of several packages counts in the first.
pub(crate) fn workspace_symbols(
    packages: &[Package],
    encoding: Encoding,
    query: &str,
) -> Vec<SymbolInformation> {
    let mut homes: HashMap<Url, usize> = HashMap::new();
    let mut found = Vec::new();
    for (home, package) in packages.iter().enumerate() {
        for symbol in document::symbols(package.documents(), query) {
            let Some(location) = located(package, encoding, &symbol.location) else { continue };
            if *homes.entry(location.uri.clone()).or_insert(home) == home {
                found.push(convert::package_symbol(symbol, location));
            }
        }
    }
    found
}

pub(crate) fn folding(view: &View) -> Vec<FoldingRange> {
    let lines = view.lines();
    let found = view.document().map(document::folds).unwrap_or_default();
    found.into_iter().filter_map(|span| convert::fold(lines, span)).collect()
}

pub(crate) fn selection(view: &View, positions: &[Position]) -> Option<Vec<SelectionRange>> {
    let document = view.document()?;
    let lines = view.lines();
    let one = |position: &Position| {
        let offset = lines.offset(*position);
        convert::selection(lines, &document::selections(document, offset), offset)
    };
    Some(positions.iter().map(one).collect())
}

pub(crate) fn inlay_hints(view: &View, range: Range) -> Vec<InlayHint> {
    let lines = view.lines();
    let wanted = lines.span(range);
    let found = view.document().map(document::hints).unwrap_or_default().into_iter();
    let shown = found.filter(|it| wanted.start <= it.offset && it.offset <= wanted.end);
    shown.map(|hint| convert::inlay_hint(lines, hint)).collect()
}

pub(crate) fn links(view: &View) -> Vec<DocumentLink> {
    let Some(document) = view.document() else { return Vec::new() };
    let lines = view.lines();
    let found = document::links(document).into_iter();
    found.map(|(span, path)| convert::link(lines, span, document.package.address(&path))).collect()
}

/// Returns the file of an address, and whether it has the text of the editor.
pub(crate) fn saved(view: &View, file: &Path) -> bool {
    let text: &Text = view.lines().text;
    std::fs::read_to_string(file).is_ok_and(|saved| saved == *text.source)
}
