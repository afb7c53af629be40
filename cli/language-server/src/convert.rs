//! The answers of the analysis as messages of the protocol. Only this file has both vocabularies.

use std::collections::HashMap;

use ailang::RenameEdit;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, CompletionItem, CompletionItemKind,
    CompletionTextEdit, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentLink,
    DocumentSymbol, Documentation, FoldingRange, FoldingRangeKind, Hover, HoverContents, InlayHint,
    InlayHintLabel, InlayHintTooltip, Location as LspLocation, MarkupContent, MarkupKind, NumberOrString,
    ParameterInformation, ParameterLabel, Position, Range, SelectionRange, SemanticToken,
    SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend, SignatureHelp, SignatureInformation,
    SymbolInformation, SymbolKind, TextDocumentContentChangeEvent, TextEdit as LspEdit, Url, WorkspaceEdit,
};
use source_text::{Encoding, Severity, Span};

use crate::answers::{
    CallHelp, Completion, Fix, Highlight, Hint, HoverText, Kind, Location, Mistake, OutlineItem,
    PackageSymbol, TextEdit,
};
use crate::document::ExampleLens;
use crate::text::{Change, Place, Text};

/// A text with the unit of its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a Text,
    pub(crate) encoding: Encoding,
}

impl Lines<'_> {
    pub(crate) fn offset(&self, position: Position) -> usize {
        self.text.offset(place(position), self.encoding)
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let (line, column) = self.text.place(offset, self.encoding);
        Position::new(number(line), number(column))
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    pub(crate) fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), start.max(end))
    }

    fn edit(&self, edit: TextEdit) -> LspEdit {
        LspEdit::new(self.range(edit.span), edit.text)
    }
}

/// Converts to a number of the protocol. No text has that many lines or columns.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn place(position: Position) -> Place {
    (position.line as usize, position.character as usize)
}

pub(crate) fn change(event: TextDocumentContentChangeEvent) -> Change {
    let range = event.range.map(|range| (place(range.start), place(range.end)));
    Change { range, text: event.text }
}

/// Converts a mistake. `locate` converts a place in another document.
pub(crate) fn diagnostic(
    lines: Lines<'_>,
    mistake: &Mistake,
    locate: impl Fn(&Location) -> Option<LspLocation>,
) -> Diagnostic {
    let related = mistake.related.iter().filter_map(|(location, message)| {
        Some(DiagnosticRelatedInformation { location: locate(location)?, message: message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: lines.range(mistake.span),
        severity: Some(match mistake.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: (!mistake.code.is_empty()).then(|| NumberOrString::String(mistake.code.clone())),
        source: Some(if mistake.code.starts_with("AL") { "ailang" } else { "dialect" }.to_owned()),
        message: mistake.message.clone(),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

pub(crate) fn completion(lines: Lines<'_>, index: usize, item: Completion) -> CompletionItem {
    let text = |text: String| (!text.is_empty()).then_some(text);
    CompletionItem {
        label: item.label.clone(),
        kind: Some(completion_kind(item.kind)),
        detail: text(item.detail),
        documentation: text(item.documentation).map(|it| Documentation::MarkupContent(markdown(it))),
        // Clients sort by label otherwise, and would lose the order.
        sort_text: Some(format!("{index:05}")),
        filter_text: Some(item.label),
        text_edit: Some(CompletionTextEdit::Edit(LspEdit::new(lines.range(item.span), item.insert))),
        ..CompletionItem::default()
    }
}

fn completion_kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Type | Kind::BuiltIn => CompletionItemKind::CLASS,
        Kind::Enum => CompletionItemKind::ENUM,
        Kind::Capability => CompletionItemKind::INTERFACE,
        Kind::Error => CompletionItemKind::EVENT,
        Kind::Tool => CompletionItemKind::FUNCTION,
        Kind::Module => CompletionItemKind::MODULE,
        Kind::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
        Kind::Variant => CompletionItemKind::ENUM_MEMBER,
        Kind::Field => CompletionItemKind::FIELD,
        Kind::Method => CompletionItemKind::METHOD,
        Kind::Parameter | Kind::Variable => CompletionItemKind::VARIABLE,
        Kind::Keyword => CompletionItemKind::KEYWORD,
        Kind::File => CompletionItemKind::FILE,
        Kind::Tag => CompletionItemKind::SNIPPET,
        Kind::Example | Kind::Heading | Kind::Text | Kind::Number | Kind::Pattern | Kind::Comment => {
            CompletionItemKind::TEXT
        }
    }
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

pub(crate) fn hover(lines: Lines<'_>, hover: HoverText) -> Hover {
    let contents = HoverContents::Markup(markdown(hover.markdown));
    Hover { contents, range: Some(lines.range(hover.span)) }
}

pub(crate) fn signature_help(help: CallHelp) -> SignatureHelp {
    // Offsets in labels count UTF-16 units whatever was negotiated.
    let offset = |at: usize| number(help.label[..at].encode_utf16().count());
    let parameter = |(span, documentation): (Span, String)| ParameterInformation {
        label: ParameterLabel::LabelOffsets([offset(span.start), offset(span.end)]),
        documentation: (!documentation.is_empty())
            .then(|| Documentation::MarkupContent(markdown(documentation))),
    };
    let parameters = help.parameters.into_iter().map(parameter).collect();
    let active_parameter = help.active.map(number);
    let signature = SignatureInformation {
        label: help.label,
        documentation: Some(Documentation::MarkupContent(markdown(help.documentation))),
        parameters: Some(parameters),
        active_parameter,
    };
    SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter }
}

pub(crate) fn symbol(lines: Lines<'_>, item: OutlineItem) -> DocumentSymbol {
    let children: Vec<_> = item.children.into_iter().map(|child| symbol(lines, child)).collect();
    #[expect(deprecated, reason = "the field has no default")]
    DocumentSymbol {
        name: item.name,
        detail: (!item.detail.is_empty()).then_some(item.detail),
        kind: symbol_kind(item.kind),
        tags: None,
        deprecated: None,
        range: lines.range(item.span),
        selection_range: lines.range(item.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}

pub(crate) fn package_symbol(symbol: PackageSymbol, location: LspLocation) -> SymbolInformation {
    #[expect(deprecated, reason = "the field has no default")]
    SymbolInformation {
        name: symbol.name,
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        location,
        container_name: (!symbol.container.is_empty()).then_some(symbol.container),
    }
}

fn symbol_kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Type | Kind::BuiltIn => SymbolKind::STRUCT,
        Kind::Enum => SymbolKind::ENUM,
        Kind::Capability => SymbolKind::INTERFACE,
        Kind::Error => SymbolKind::EVENT,
        Kind::Tool => SymbolKind::FUNCTION,
        Kind::Module | Kind::File => SymbolKind::MODULE,
        Kind::TypeParameter => SymbolKind::TYPE_PARAMETER,
        Kind::Variant => SymbolKind::ENUM_MEMBER,
        Kind::Field => SymbolKind::FIELD,
        Kind::Method => SymbolKind::METHOD,
        Kind::Parameter | Kind::Variable => SymbolKind::VARIABLE,
        Kind::Example => SymbolKind::OBJECT,
        Kind::Heading
        | Kind::Keyword
        | Kind::Text
        | Kind::Number
        | Kind::Pattern
        | Kind::Comment
        | Kind::Tag => SymbolKind::STRING,
    }
}

pub(crate) fn fold(lines: Lines<'_>, span: Span) -> Option<FoldingRange> {
    let range = lines.range(span);
    (range.start.line < range.end.line).then(|| FoldingRange {
        start_line: range.start.line,
        end_line: range.end.line,
        kind: Some(FoldingRangeKind::Region),
        ..FoldingRange::default()
    })
}

/// Converts stretches that each contain the previous one.
pub(crate) fn selection(lines: Lines<'_>, spans: &[Span], at: usize) -> SelectionRange {
    let whole = SelectionRange { range: lines.range(Span::new(at, at)), parent: None };
    let outermost_first = spans.iter().rev();
    let chain = outermost_first.fold(None, |parent, span| {
        Some(SelectionRange { range: lines.range(*span), parent: parent.map(Box::new) })
    });
    chain.unwrap_or(whole)
}

pub(crate) fn inlay_hint(lines: Lines<'_>, hint: Hint) -> InlayHint {
    InlayHint {
        position: lines.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::MarkupContent(markdown(hint.tooltip))),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

pub(crate) fn link(lines: Lines<'_>, span: Span, target: Option<Url>) -> DocumentLink {
    DocumentLink { range: lines.range(span), target, tooltip: None, data: None }
}

pub(crate) fn lens(lines: Lines<'_>, url: &Url, command: &str, lens: ExampleLens) -> CodeLens {
    let arguments = vec![url.as_str().into(), lens.id.into()];
    let command = Command::new("▶ Run example".to_owned(), command.to_owned(), Some(arguments));
    CodeLens { range: lines.range(lens.span), command: Some(command), data: None }
}

pub(crate) fn code_action(
    lines: Lines<'_>,
    url: &Url,
    diagnostic: &Diagnostic,
    fix: Fix,
) -> CodeActionOrCommand {
    let changes = HashMap::from([(url.clone(), vec![lines.edit(fix.edit)])]);
    CodeActionOrCommand::CodeAction(CodeAction {
        title: fix.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(WorkspaceEdit::new(changes)),
        ..CodeAction::default()
    })
}

/// Converts the edits of a rename. `find` returns a document's text and address.
pub(crate) fn workspace_edit(
    edits: Vec<RenameEdit>,
    encoding: Encoding,
    find: impl Fn(&str) -> Option<(Text, Url)>,
) -> WorkspaceEdit {
    let mut changes: HashMap<Url, Vec<LspEdit>> = HashMap::new();
    let mut texts: HashMap<String, Option<(Text, Url)>> = HashMap::new();
    for edit in edits {
        let found = texts.entry(edit.path.clone()).or_insert_with(|| find(&edit.path));
        if let Some((text, url)) = found {
            let lines = Lines { text, encoding };
            let edit = lines.edit(TextEdit { span: edit.span, text: edit.text });
            changes.entry(url.clone()).or_default().push(edit);
        }
    }
    WorkspaceEdit::new(changes)
}

/// Returns the edit that makes one text of another: the lines between the equal ones at both ends are replaced.
pub(crate) fn replacement(lines: Lines<'_>, new: &str) -> Vec<LspEdit> {
    let old = &*lines.text.source;
    if old == new {
        return Vec::new();
    }
    let same = |pairs: &mut dyn Iterator<Item = (&str, &str)>| -> usize {
        pairs.take_while(|(left, right)| left == right).map(|(line, _)| line.len()).sum()
    };
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let start = same(&mut before.iter().copied().zip(after.iter().copied()));
    let end = same(&mut before.iter().rev().copied().zip(after.iter().rev().copied()));
    let end = end.min(old.len() - start).min(new.len() - start);
    let span = Span::new(start, old.len() - end);
    vec![lines.edit(TextEdit { span, text: new[start..new.len() - end].to_owned() })]
}

/// The types of semantic tokens, with the kinds that they stand for.
const TOKEN_TYPES: [(SemanticTokenType, &[Kind]); 16] = [
    (SemanticTokenType::TYPE, &[Kind::Type, Kind::BuiltIn]),
    (SemanticTokenType::ENUM, &[Kind::Enum]),
    (SemanticTokenType::INTERFACE, &[Kind::Capability]),
    (SemanticTokenType::EVENT, &[Kind::Error]),
    (SemanticTokenType::FUNCTION, &[Kind::Tool]),
    (SemanticTokenType::NAMESPACE, &[Kind::Module]),
    (SemanticTokenType::TYPE_PARAMETER, &[Kind::TypeParameter]),
    (SemanticTokenType::ENUM_MEMBER, &[Kind::Variant]),
    (SemanticTokenType::PROPERTY, &[Kind::Field]),
    (SemanticTokenType::METHOD, &[Kind::Method]),
    (SemanticTokenType::PARAMETER, &[Kind::Parameter]),
    (SemanticTokenType::VARIABLE, &[Kind::Variable]),
    (SemanticTokenType::KEYWORD, &[Kind::Keyword, Kind::Tag]),
    (SemanticTokenType::STRING, &[Kind::Text, Kind::Pattern]),
    (SemanticTokenType::NUMBER, &[Kind::Number]),
    (SemanticTokenType::COMMENT, &[Kind::Comment]),
];

/// Returns the meaning of the numbers in semantic tokens.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TOKEN_TYPES.iter().map(|(name, _)| name.clone()).collect(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION],
    }
}

/// Converts highlights, which are sorted. One of several lines becomes several tokens.
pub(crate) fn semantic_tokens(lines: Lines<'_>, highlights: &[Highlight]) -> Vec<SemanticToken> {
    let mut tokens = Vec::new();
    let mut before = Position::default();
    for highlight in highlights {
        let kind = TOKEN_TYPES.iter().position(|(_, kinds)| kinds.contains(&highlight.kind));
        let Some(token_type) = kind.map(number) else { continue };
        for span in by_line(lines.text, highlight.span) {
            let Range { start, end } = lines.range(span);
            if start < before || start == end {
                continue;
            }
            let is_same_line = start.line == before.line;
            tokens.push(SemanticToken {
                delta_line: start.line - before.line,
                delta_start: if is_same_line { start.character - before.character } else { start.character },
                length: end.character - start.character,
                token_type,
                token_modifiers_bitset: u32::from(highlight.is_definition),
            });
            before = start;
        }
    }
    tokens
}

/// Splits a stretch at line breaks.
fn by_line(text: &Text, span: Span) -> Vec<Span> {
    let (first, last) = (text.line_of(span.start), text.line_of(span.end));
    let lines = (first..=last).filter_map(|line| text.line(line));
    let cut = lines.map(|line| (line.start.max(span.start), line.end.min(span.end)));
    cut.filter(|(start, end)| start < end).map(|(start, end)| Span::new(start, end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(old: &str, new: &str) -> (String, usize) {
        let text = Text::new(old);
        let lines = Lines { text: &text, encoding: Encoding::Utf16 };
        let edits = replacement(lines, new);
        let mut result = text.clone();
        for edit in &edits {
            let range = Some((place(edit.range.start), place(edit.range.end)));
            result = result.changed(Change { range, text: edit.new_text.clone() }, Encoding::Utf16);
        }
        (result.source.to_string(), edits.iter().map(|edit| edit.new_text.len()).sum())
    }

    #[test]
    fn a_layout_replaces_the_lines_that_differ() {
        for (old, new, length) in [
            ("", "", 0),
            ("a\nb\nc\n", "a\nb\nc\n", 0),
            ("a\nb\nc\n", "a\nx\nc\n", 2),
            ("a\na\na\n", "a\na\n", 0),
            ("a\n", "a\na\n", 2),
            ("a", "b\n", 2),
            ("😀\nb\n", "😀\nc\n", 2),
            ("a\r\nb\r\n", "a\nb\n", 4),
        ] {
            assert_eq!(edited(old, new), (new.to_owned(), length), "{old:?}");
        }
    }
}
