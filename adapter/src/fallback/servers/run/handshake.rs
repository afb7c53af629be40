//! Messages of the start: `initialize`, and the replies to the server's own requests.

use std::path::PathBuf;

use async_lsp::{AnyRequest, ErrorCode, ResponseError};
use lsp_types::request::Request;
use lsp_types::{
    ClientCapabilities, ClientInfo, CodeActionCapabilityResolveSupport, CodeActionClientCapabilities,
    CodeActionKindLiteralSupport, CodeActionLiteralSupport, DiagnosticClientCapabilities,
    DidChangeWatchedFilesClientCapabilities, DocumentSymbolClientCapabilities,
    DynamicRegistrationClientCapabilities, FailureHandlingKind, GeneralClientCapabilities, GotoCapability,
    HoverClientCapabilities, InitializeParams, MarkupKind, PositionEncodingKind,
    PublishDiagnosticsClientCapabilities, RenameClientCapabilities, ResourceOperationKind,
    SymbolKindCapability, TextDocumentClientCapabilities, TextDocumentSyncClientCapabilities,
    WindowClientCapabilities, WorkspaceClientCapabilities, WorkspaceEditClientCapabilities, WorkspaceFolder,
    WorkspaceSymbolClientCapabilities,
};
use serde_json::{Value, json};

use super::convert;
use crate::fallback::source::languages::DiagnosticsRule;

/// The request `initialize` with an untyped result: the types of `lsp_types` lack some capabilities of
/// servers.
#[derive(Debug)]
pub(crate) enum Initialize {}

impl Request for Initialize {
    type Params = InitializeParams;
    type Result = Value;
    const METHOD: &'static str = "initialize";
}

/// Returns the parameters of `initialize`. `diagnoses` is the way in which the server reports diagnostics.
pub(crate) fn initialize(
    folders: &[PathBuf],
    options: Value,
    diagnoses: DiagnosticsRule,
) -> InitializeParams {
    let folders: Vec<_> = folders.iter().filter_map(|it| workspace_folder(it)).collect();
    #[expect(deprecated, reason = "older servers know only the root")]
    InitializeParams {
        // Ours, so that servers that poll for it end with us.
        process_id: Some(std::process::id()),
        root_uri: folders.first().map(|it| it.uri.clone()),
        initialization_options: Some(options),
        capabilities: capabilities(diagnoses),
        workspace_folders: Some(folders),
        client_info: Some(ClientInfo {
            name: "ide-adapter".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
        ..InitializeParams::default()
    }
}

fn workspace_folder(path: &std::path::Path) -> Option<WorkspaceFolder> {
    // The root folder has no name.
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Some(WorkspaceFolder { uri: convert::uri(path)?, name })
}

/// Returns all symbol kinds: servers send those after the eighteenth, such as structs, only to clients that
/// list them.
fn kinds() -> SymbolKindCapability {
    let all = (1..=26).map(|it| serde_json::from_value(it.into()));
    SymbolKindCapability { value_set: all.collect::<Result<_, _>>().ok() }
}

fn capabilities(diagnoses: DiagnosticsRule) -> ClientCapabilities {
    // Static, so that the capabilities are known from the start.
    let linked = GotoCapability { dynamic_registration: Some(false), link_support: Some(true) };
    let static_registration = DynamicRegistrationClientCapabilities { dynamic_registration: Some(false) };
    let dynamic = DynamicRegistrationClientCapabilities { dynamic_registration: Some(true) };
    ClientCapabilities {
        workspace: Some(WorkspaceClientCapabilities {
            configuration: Some(true),
            workspace_folders: Some(true),
            // We say when files change; the server need not watch them.
            did_change_watched_files: Some(DidChangeWatchedFilesClientCapabilities {
                dynamic_registration: Some(true),
                relative_pattern_support: Some(false),
            }),
            symbol: Some(WorkspaceSymbolClientCapabilities {
                symbol_kind: Some(kinds()),
                ..WorkspaceSymbolClientCapabilities::default()
            }),
            apply_edit: Some(true),
            workspace_edit: Some(WorkspaceEditClientCapabilities {
                document_changes: Some(true),
                resource_operations: Some(vec![
                    ResourceOperationKind::Create,
                    ResourceOperationKind::Rename,
                    ResourceOperationKind::Delete,
                ]),
                failure_handling: Some(FailureHandlingKind::Transactional),
                ..WorkspaceEditClientCapabilities::default()
            }),
            ..WorkspaceClientCapabilities::default()
        }),
        text_document: Some(TextDocumentClientCapabilities {
            references: Some(dynamic),
            definition: Some(GotoCapability { dynamic_registration: Some(true), link_support: Some(true) }),
            declaration: Some(linked),
            type_definition: Some(linked),
            implementation: Some(linked),
            diagnostic: Some(DiagnosticClientCapabilities {
                dynamic_registration: Some(diagnoses == DiagnosticsRule::Registers),
                related_document_support: Some(false),
            }),
            call_hierarchy: Some(static_registration),
            type_hierarchy: Some(static_registration),
            hover: Some(HoverClientCapabilities {
                dynamic_registration: Some(false),
                content_format: Some(vec![MarkupKind::Markdown, MarkupKind::PlainText]),
            }),
            code_action: Some(code_actions()),
            formatting: Some(static_registration),
            range_formatting: Some(static_registration),
            rename: Some(RenameClientCapabilities {
                prepare_support: Some(true),
                ..RenameClientCapabilities::default()
            }),
            document_symbol: Some(DocumentSymbolClientCapabilities {
                hierarchical_document_symbol_support: Some(true),
                symbol_kind: Some(kinds()),
                ..DocumentSymbolClientCapabilities::default()
            }),
            publish_diagnostics: Some(PublishDiagnosticsClientCapabilities {
                version_support: Some(true),
                // It comes back with the question what may be done about it.
                data_support: Some(true),
                code_description_support: Some(true),
                ..PublishDiagnosticsClientCapabilities::default()
            }),
            synchronization: Some(TextDocumentSyncClientCapabilities::default()),
            ..TextDocumentClientCapabilities::default()
        }),
        window: Some(WindowClientCapabilities {
            work_done_progress: Some(true),
            ..WindowClientCapabilities::default()
        }),
        general: Some(GeneralClientCapabilities {
            position_encodings: Some(vec![PositionEncodingKind::UTF8, PositionEncodingKind::UTF16]),
            ..GeneralClientCapabilities::default()
        }),
        experimental: Some(json!({ "serverStatusNotification": true })),
    }
}

fn code_actions() -> CodeActionClientCapabilities {
    let kinds = ["", "quickfix", "refactor", "source", "source.organizeImports", "source.fixAll"];
    CodeActionClientCapabilities {
        dynamic_registration: Some(false),
        code_action_literal_support: Some(CodeActionLiteralSupport {
            code_action_kind: CodeActionKindLiteralSupport { value_set: kinds.map(str::to_owned).into() },
        }),
        is_preferred_support: Some(true),
        disabled_support: Some(true),
        data_support: Some(true),
        resolve_support: Some(CodeActionCapabilityResolveSupport { properties: vec!["edit".to_owned()] }),
        honors_change_annotations: None,
    }
}

/// Answers a request of the server at once: some servers wait for that. Requests to apply edits are handled
/// in [`super::captured_edits`].
pub(crate) fn answer(
    request: &AnyRequest,
    section: &str,
    options: &Value,
    folders: &[PathBuf],
) -> Result<Value, ResponseError> {
    match request.method.as_str() {
        "workspace/configuration" => Ok(configuration(&request.params, section, options)),
        "workspace/workspaceFolders" => {
            Ok(json!(folders.iter().filter_map(|it| workspace_folder(it)).collect::<Vec<_>>()))
        }
        "window/showDocument" => Ok(json!({ "success": false })),
        "window/showMessageRequest"
        | "window/workDoneProgress/create"
        | "client/registerCapability"
        | "client/unregisterCapability" => Ok(Value::Null),
        method if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
        method => {
            Err(ResponseError::new(ErrorCode::METHOD_NOT_FOUND, format!("this client has no `{method}`")))
        }
    }
}

/// Returns one value for each requested item: a list of another length stops some servers for good.
fn configuration(params: &Value, section: &str, options: &Value) -> Value {
    // A request without items gets the empty list; any error would stop some servers.
    let items = params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| value_of(item["section"].as_str(), section, options)).collect()
}

/// Returns the options of a dotted section: `rust-analyzer`, `rust-analyzer.cargo`. If the options are
/// sections themselves, no section means all of them.
fn value_of(asked: Option<&str>, section: &str, options: &Value) -> Value {
    let asked = asked.or(section.is_empty().then_some(""));
    let Some(rest) = asked.and_then(|it| it.strip_prefix(section)) else { return Value::Null };
    let keys = rest.split('.').filter(|it| !it.is_empty());
    keys.fold(options.clone(), |value, key| value[key].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: &str, params: Value) -> Result<Value, i32> {
        let request = serde_json::from_value(json!({"id": 1, "method": method, "params": params})).unwrap();
        let options = json!({"cargo": {"features": "all"}});
        answer(&request, "rust-analyzer", &options, &["/w".into()]).map_err(|it| it.code.0)
    }

    #[test]
    fn configuration_has_a_value_for_each_item() {
        let items =
            json!([{"section": "rust-analyzer"}, {"section": "rust-analyzer.cargo"}, {"section": "x"}, {}]);
        assert_eq!(
            asked("workspace/configuration", json!({"items": items})),
            Ok(json!([{"cargo": {"features": "all"}}, {"features": "all"}, null, null]))
        );
        assert_eq!(asked("workspace/configuration", json!(null)), Ok(json!([])));
    }

    #[test]
    fn options_that_are_sections_are_asked_for_by_name() {
        let options = json!({"python": {"analysis": {"indexing": true}}});
        let value = |asked| value_of(asked, "", &options);
        assert_eq!(value(Some("python.analysis")), json!({"indexing": true}));
        assert_eq!(value(Some("pyright")), Value::Null);
        assert_eq!(value(None), options);
    }

    #[test]
    fn every_request_is_answered() {
        assert_eq!(asked("client/registerCapability", json!({})), Ok(Value::Null));
        assert_eq!(asked("workspace/inlayHint/refresh", json!(null)), Ok(Value::Null));
        assert_eq!(asked("workspace/workspaceFolders", json!(null)).unwrap()[0]["uri"], "file:///w");
        assert_eq!(asked("vendor/askUser", json!(null)), Err(-32601));
    }

    #[test]
    fn both_units_are_offered() {
        let params =
            serde_json::to_value(initialize(&["/w".into()], json!({}), DiagnosticsRule::Once)).unwrap();
        assert_eq!(params["capabilities"]["general"]["positionEncodings"], json!(["utf-8", "utf-16"]));
        assert_eq!(params["processId"], std::process::id());
    }
}
