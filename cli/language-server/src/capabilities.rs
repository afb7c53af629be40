//! The features of the server, and what the client supports.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability, InitializeParams, OneOf,
    PositionEncodingKind, RenameOptions, SelectionRangeProviderCapability, SemanticTokensFullOptions,
    SemanticTokensOptions, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, WorkDoneProgressOptions,
};
use serde_json::Value;
use source_text::Encoding;

use crate::convert;

/// The command that runs an example of a document.
pub(crate) const RUN_EXAMPLE: &str = "ailang.runExample";

/// The contents of outlines, which a client chooses with the initialization option `outline`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outline {
    /// Headings with what follows them, definitions and examples.
    #[default]
    Whole,
    /// Definitions with their parts.
    Definitions,
}

impl Outline {
    /// Reads the initialization options.
    pub(crate) fn of(options: Option<&Value>) -> Self {
        let wanted = options.and_then(|it| it.get("outline")).and_then(Value::as_str);
        if wanted == Some("definitions") { Self::Definitions } else { Self::Whole }
    }
}

/// Reads the parameters of `initialize`. The capability `workspace.diagnostics` has another name in `lsp_types`.
///
/// # Errors
/// They are not those of the request.
pub(crate) fn read_params(mut params: Value) -> serde_json::Result<InitializeParams> {
    let workspace = params.pointer_mut("/capabilities/workspace").and_then(Value::as_object_mut);
    if let Some(workspace) = workspace
        && let Some(diagnostics) = workspace.remove("diagnostics")
    {
        workspace.insert("diagnostic".to_owned(), diagnostics);
    }
    serde_json::from_value(params)
}

/// The features of a client that the server heeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientFeatures {
    pub(crate) encoding: Encoding,
    /// True if the client pulls diagnostics (`textDocument/diagnostic`), and again after `workspace/diagnostic/refresh`;
    /// the server then publishes none of open files. A client that cannot be told to pull again would miss those that
    /// come without a change of its text, such as the results of examples.
    pub(crate) pulls_diagnostics: bool,
    pub(crate) prepares_renames: bool,
    pub(crate) watches_files: bool,
}

impl ClientFeatures {
    pub(crate) fn of(capabilities: &ClientCapabilities) -> Self {
        let document = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let refresh = workspace.and_then(|it| it.diagnostic.as_ref()).and_then(|it| it.refresh_support);
        let prepare = document.and_then(|it| it.rename.as_ref()).and_then(|it| it.prepare_support);
        let watch =
            workspace.and_then(|it| it.did_change_watched_files).and_then(|it| it.dynamic_registration);
        Self {
            encoding: encoding(capabilities),
            pulls_diagnostics: document.is_some_and(|it| it.diagnostic.is_some())
                && refresh.unwrap_or_default(),
            prepares_renames: prepare.unwrap_or_default(),
            watches_files: watch.unwrap_or_default(),
        }
    }
}

/// Returns the unit of columns: the first one offered that is known. Without an offer it is UTF-16.
fn encoding(capabilities: &ClientCapabilities) -> Encoding {
    let offered = capabilities.general.as_ref().and_then(|it| it.position_encodings.as_ref());
    let known = |kind: &PositionEncodingKind| match kind.as_str() {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    };
    offered.into_iter().flatten().find_map(known).unwrap_or(Encoding::Utf16)
}

/// Returns what the server offers to a client.
pub(crate) fn server_capabilities(client: ClientFeatures) -> ServerCapabilities {
    let encoding = match client.encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    };
    let work_done_progress_options = WorkDoneProgressOptions::default();
    let triggers = |marks: &[&str]| Some(marks.iter().map(|mark| (*mark).to_owned()).collect());
    let pulled = DiagnosticServerCapabilities::Options(DiagnosticOptions {
        identifier: Some("ailang".to_owned()),
        inter_file_dependencies: true,
        ..DiagnosticOptions::default()
    });
    let rename = RenameOptions { prepare_provider: Some(true), work_done_progress_options };
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: triggers(&[".", "/", "\"", "<", "("]),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: triggers(&["(", ","]),
            ..SignatureHelpOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(if client.prepares_renames { OneOf::Right(rename) } else { OneOf::Left(true) }),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options,
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![RUN_EXAMPLE.to_owned()],
            work_done_progress_options,
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: convert::legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                range: Some(false),
                work_done_progress_options,
            }
            .into(),
        ),
        inlay_hint_provider: Some(OneOf::Left(true)),
        diagnostic_provider: client.pulls_diagnostics.then_some(pulled),
        ..ServerCapabilities::default()
    }
}
