//! The server: the state of a connection, and what each message does to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::{Future, ready};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_lsp::router::Router;
use async_lsp::{ClientSocket, ErrorCode, ResponseError};
use futures::future::BoxFuture;
use lsp_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Exit, Initialized, Notification, PublishDiagnostics, SetTrace,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest,
    DocumentLinkRequest, DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting,
    GotoDefinition, HoverRequest, InlayHintRequest, PrepareRenameRequest, References, RegisterCapability,
    Rename, Request, SelectionRangeRequest, SemanticTokensFullRequest, Shutdown, SignatureHelpRequest,
    WorkspaceDiagnosticRefresh, WorkspaceSymbolRequest,
};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidOpenTextDocumentParams, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, FileSystemWatcher, FullDocumentDiagnosticReport, GlobPattern,
    InitializeParams, InitializeResult, PublishDiagnosticsParams, Registration, RegistrationParams,
    RelatedFullDocumentDiagnosticReport, ServerInfo, TextDocumentIdentifier, Url, WorkspaceFolder,
    WorkspaceSymbolResponse,
};

use crate::capabilities::{ClientFeatures, Outline, read_params, server_capabilities};
use crate::options::Options;
use crate::run_example::{ExampleRan, Failure};
use crate::workspace::{View, Workspace};
use crate::{convert, handlers, run_example};

/// The time without a change after which diagnostics are computed.
const DEBOUNCE: Duration = Duration::from_millis(150);

type Answer<T> = Result<T, ResponseError>;

/// The state of a connection.
pub(crate) struct Server {
    pub(crate) client: ClientSocket,
    pub(crate) options: Arc<Options>,
    pub(crate) workspace: Workspace,
    features: ClientFeatures,
    outline: Outline,
    /// The files whose diagnostics are not published yet.
    pending: BTreeSet<Url>,
    /// The number of changes so far. A check that is due for an earlier one has been replaced.
    generation: u64,
    /// The failures of examples that ran since their document changed, by id.
    failures: HashMap<Url, BTreeMap<String, Failure>>,
    /// The diagnostics that the client has.
    published: HashMap<Url, Vec<Diagnostic>>,
}

/// `initialize`, with parameters that [`read_params`] reads.
enum Initialize {}

impl Request for Initialize {
    type Params = serde_json::Value;
    type Result = InitializeResult;
    const METHOD: &'static str = lsp_types::request::Initialize::METHOD;
}

/// `ailang/viewFileText`: returns the text of an open file as the server has it, to find out whether it is in step with
/// the editor.
enum ViewFileText {}

impl Request for ViewFileText {
    type Params = TextDocumentIdentifier;
    type Result = Option<String>;
    const METHOD: &'static str = "ailang/viewFileText";
}

/// The time to check the pending files has come, if nothing changed since.
struct CheckDue(u64);

/// Diagnostics were computed.
struct Checked {
    generation: u64,
    /// The files with their diagnostics.
    found: Vec<(Url, Vec<Diagnostic>)>,
}

/// Makes the service of a connection.
pub(crate) fn router(client: ClientSocket, options: Arc<Options>) -> Router<Server> {
    let workspace = Workspace::new(Arc::clone(&options.registry));
    let features = ClientFeatures::of(&lsp_types::ClientCapabilities::default());
    let mut router = Router::new(Server {
        client,
        options,
        workspace,
        features,
        outline: Outline::default(),
        pending: BTreeSet::new(),
        generation: 0,
        failures: HashMap::new(),
        published: HashMap::new(),
    });
    router
        .request::<Initialize, _>(|server, params| {
            let invalid = |error| ResponseError::new(ErrorCode::INVALID_PARAMS, error);
            ready(read_params(params).map(|it| server.initialize(it)).map_err(invalid))
        })
        .request::<ExecuteCommand, _>(run_example::execute)
        .request::<Shutdown, _>(|_, ()| ready(Ok(())))
        .notification::<Exit>(|_, ()| ControlFlow::Break(Ok(())))
        .notification::<Initialized>(|server, _| server.initialized())
        .notification::<DidOpenTextDocument>(Server::opened)
        .notification::<DidChangeTextDocument>(Server::changed)
        .notification::<DidCloseTextDocument>(|server, params| server.closed(&params.text_document.uri))
        .notification::<DidChangeWatchedFiles>(Server::changed_on_disk)
        .notification::<DidSaveTextDocument>(|_, _| ControlFlow::Continue(()))
        .notification::<DidChangeConfiguration>(|_, _| ControlFlow::Continue(()))
        .notification::<SetTrace>(|_, _| ControlFlow::Continue(()))
        .unhandled_notification(|_, _| ControlFlow::Continue(()))
        .event::<CheckDue>(Server::check)
        .event::<Checked>(Server::checked)
        .event::<ExampleRan>(Server::example_ran);
    add_requests(&mut router);
    add_layout_requests(&mut router);
    router
}

fn add_requests(router: &mut Router<Server>) {
    answer::<Completion>(
        router,
        |it| &it.text_document_position.text_document.uri,
        |view, params| Ok(Some(handlers::completion(view, &params))),
    );
    answer::<HoverRequest>(
        router,
        |it| &it.text_document_position_params.text_document.uri,
        |view, params| Ok(handlers::hover(view, params.text_document_position_params.position)),
    );
    answer::<SignatureHelpRequest>(
        router,
        |it| &it.text_document_position_params.text_document.uri,
        |view, params| Ok(handlers::signature_help(view, params.text_document_position_params.position)),
    );
    answer::<GotoDefinition>(
        router,
        |it| &it.text_document_position_params.text_document.uri,
        |view, params| Ok(handlers::definition(view, params.text_document_position_params.position)),
    );
    answer::<References>(
        router,
        |it| &it.text_document_position.text_document.uri,
        |view, params| {
            let position = params.text_document_position.position;
            Ok(handlers::references(view, position, params.context.include_declaration))
        },
    );
    answer::<DocumentHighlightRequest>(
        router,
        |it| &it.text_document_position_params.text_document.uri,
        |view, params| Ok(handlers::highlight(view, params.text_document_position_params.position)),
    );
    answer::<PrepareRenameRequest>(
        router,
        |it| &it.text_document.uri,
        |view, params| handlers::prepare_rename(view, params.position),
    );
    answer::<Rename>(
        router,
        |it| &it.text_document_position.text_document.uri,
        |view, params| handlers::rename(view, params.text_document_position.position, &params.new_name),
    );
    answer::<CodeActionRequest>(
        router,
        |it| &it.text_document.uri,
        |view, params| Ok(Some(handlers::code_actions(view, &params.text_document.uri, params.range))),
    );
    router.request::<DocumentDiagnosticRequest, _>(|server, params| {
        let view = server.workspace.view(&params.text_document.uri);
        let failed = server.failed_examples(&params.text_document.uri);
        async move {
            let mut items =
                blocking(view, |view| Ok(Some(handlers::diagnostics(view)))).await?.unwrap_or_default();
            items.extend(failed);
            let full_document_diagnostic_report = FullDocumentDiagnosticReport { result_id: None, items };
            let report = RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report,
            };
            Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report)))
        }
    });
}

fn add_layout_requests(router: &mut Router<Server>) {
    answer::<SemanticTokensFullRequest>(
        router,
        |it| &it.text_document.uri,
        |view, _| Ok(Some(handlers::semantic_tokens(view))),
    );
    answer::<ViewFileText>(router, |it| &it.uri, |view, _| Ok(Some(handlers::text(view))));
    answer::<Formatting>(router, |it| &it.text_document.uri, |view, _| handlers::formatting(view));
    router.request::<DocumentSymbolRequest, _>(|server, params| {
        let (view, outline) = (server.workspace.view(&params.text_document.uri), server.outline);
        blocking(view, move |view| Ok(Some(handlers::symbols(view, outline))))
    });
    router.request::<WorkspaceSymbolRequest, _>(|server, params| {
        let packages = server.workspace.all(server.features.watches_files);
        let encoding = server.workspace.encoding;
        let find = move || handlers::workspace_symbols(&packages, encoding, &params.query);
        blocking(Some(find), |find| Ok(Some(WorkspaceSymbolResponse::Flat(find()))))
    });
    answer::<FoldingRangeRequest>(
        router,
        |it| &it.text_document.uri,
        |view, _| Ok(Some(handlers::folding(view))),
    );
    answer::<SelectionRangeRequest>(
        router,
        |it| &it.text_document.uri,
        |view, params| Ok(handlers::selection(view, &params.positions)),
    );
    answer::<InlayHintRequest>(
        router,
        |it| &it.text_document.uri,
        |view, params| Ok(Some(handlers::inlay_hints(view, params.range))),
    );
    answer::<DocumentLinkRequest>(
        router,
        |it| &it.text_document.uri,
        |view, _| Ok(Some(handlers::links(view))),
    );
    answer::<CodeLensRequest>(
        router,
        |it| &it.text_document.uri,
        |view, params| Ok(Some(handlers::code_lenses(view, &params.text_document.uri))),
    );
}

/// Answers requests about a file as it is when they arrive, on a thread for computing. Files that are not open have no
/// answer.
fn answer<R: Request>(
    router: &mut Router<Server>,
    url: fn(&R::Params) -> &Url,
    handle: fn(&View, R::Params) -> Answer<R::Result>,
) where
    R::Params: Send + 'static,
    R::Result: Default + Send + 'static,
{
    router.request::<R, _>(move |server, params| {
        let view = server.workspace.view(url(&params));
        async move { Ok(blocking(view, move |view| handle(view, params).map(Some)).await?.unwrap_or_default()) }
    });
}

/// Computes on a thread that may block. A panic there is one here, which becomes an error of the request.
fn blocking<V: Send + 'static, T: Send + 'static>(
    view: Option<V>,
    compute: impl FnOnce(&V) -> Answer<Option<T>> + Send + 'static,
) -> BoxFuture<'static, Answer<Option<T>>> {
    let Some(view) = view else { return Box::pin(ready(Ok(None))) };
    let task = tokio::task::spawn_blocking(move || compute(&view));
    Box::pin(async move {
        match task.await {
            Ok(answer) => answer,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(ResponseError::new(ErrorCode::INTERNAL_ERROR, error)),
        }
    })
}

impl Server {
    fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        self.features = ClientFeatures::of(&params.capabilities);
        self.outline = Outline::of(params.initialization_options.as_ref());
        self.workspace.encoding = self.features.encoding;
        #[expect(deprecated, reason = "older clients send no workspace folders")]
        let root = params.root_uri.map(|uri| WorkspaceFolder { uri, name: String::new() });
        let folders = params.workspace_folders.unwrap_or_else(|| root.into_iter().collect());
        self.workspace.set_folders(folders.into_iter().map(|folder| folder.uri));
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        InitializeResult {
            capabilities: server_capabilities(self.features),
            server_info: Some(ServerInfo { name: "ailang".to_owned(), version }),
        }
    }

    fn initialized(&mut self) -> ControlFlow<async_lsp::Result<()>> {
        if self.features.watches_files {
            let watcher = |pattern: &str| FileSystemWatcher {
                glob_pattern: GlobPattern::String(pattern.to_owned()),
                kind: None,
            };
            let watchers = vec![watcher("**/*.md"), watcher("**/ailang.json")];
            let options = DidChangeWatchedFilesRegistrationOptions { watchers };
            let registration = Registration {
                id: "files".to_owned(),
                method: DidChangeWatchedFiles::METHOD.to_owned(),
                register_options: serde_json::to_value(options).ok(),
            };
            let client = self.client.clone();
            tokio::spawn(async move {
                let params = RegistrationParams { registrations: vec![registration] };
                if let Err(error) = client.request::<RegisterCapability>(params).await {
                    tracing::warn!(%error, "the client does not watch files");
                }
            });
        }
        ControlFlow::Continue(())
    }

    fn opened(&mut self, params: DidOpenTextDocumentParams) -> ControlFlow<async_lsp::Result<()>> {
        let document = params.text_document;
        self.workspace.open(&document.uri, &document.language_id, document.version, document.text);
        self.schedule([document.uri], Duration::ZERO);
        ControlFlow::Continue(())
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) -> ControlFlow<async_lsp::Result<()>> {
        let url = params.text_document.uri;
        let changes = params.content_changes.into_iter().map(convert::change).collect();
        self.workspace.change(&url, params.text_document.version, changes);
        // The places of failures may have moved, and their reasons gone.
        self.failures.remove(&url);
        self.schedule([url], DEBOUNCE);
        ControlFlow::Continue(())
    }

    fn closed(&mut self, url: &Url) -> ControlFlow<async_lsp::Result<()>> {
        self.workspace.close(url);
        self.failures.remove(url);
        self.pending.remove(url);
        self.publish(url.clone(), Vec::new());
        ControlFlow::Continue(())
    }

    fn changed_on_disk(&mut self, params: DidChangeWatchedFilesParams) -> ControlFlow<async_lsp::Result<()>> {
        let mut near = Vec::new();
        for event in params.changes {
            near.extend(self.workspace.reload(&event.uri));
        }
        if self.features.pulls_diagnostics && !near.is_empty() {
            self.ask_to_pull();
        }
        self.schedule(near, DEBOUNCE);
        ControlFlow::Continue(())
    }

    /// Checks files after a delay, unless something changes before.
    fn schedule(&mut self, urls: impl IntoIterator<Item = Url>, delay: Duration) {
        self.pending.extend(urls);
        self.generation += 1;
        let (client, generation) = (self.client.clone(), self.generation);
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            // The connection may have ended meanwhile.
            let _ = client.emit(CheckDue(generation));
        });
    }

    fn check(&mut self, due: CheckDue) -> ControlFlow<async_lsp::Result<()>> {
        if due.0 != self.generation {
            return ControlFlow::Continue(());
        }
        let mut programs = Vec::new();
        let mut packages: BTreeMap<PathBuf, (View, Vec<String>)> = BTreeMap::new();
        for url in &self.pending {
            match self.workspace.view(url) {
                Some(view @ View::Program(_)) => programs.push((url.clone(), view)),
                Some(View::Document(view)) => {
                    let changed = packages
                        .entry(view.root.clone())
                        .or_insert_with(|| (View::Document(view.clone()), Vec::new()));
                    changed.1.push(view.path.clone());
                }
                None => {}
            }
        }
        let (client, generation) = (self.client.clone(), due.0);
        tokio::task::spawn_blocking(move || {
            let mut found: Vec<_> =
                programs.iter().map(|(url, view)| (url.clone(), handlers::diagnostics(view))).collect();
            for (view, changed) in packages.values() {
                found.extend(handlers::affected(view, changed));
            }
            let _ = client.emit(Checked { generation, found });
        });
        ControlFlow::Continue(())
    }

    fn checked(&mut self, checked: Checked) -> ControlFlow<async_lsp::Result<()>> {
        if checked.generation != self.generation {
            // Something has changed since, and the check after that includes these files: they are still pending.
            return ControlFlow::Continue(());
        }
        self.pending.clear();
        if self.features.pulls_diagnostics {
            self.refresh(&checked.found);
        }
        for (url, found) in checked.found {
            let is_pulled = self.features.pulls_diagnostics && self.workspace.file(&url).is_some();
            if !is_pulled {
                self.publish(url, found);
            }
        }
        ControlFlow::Continue(())
    }

    /// Asks the client to pull diagnostics again, if open files other than the changed one may have new ones.
    fn refresh(&mut self, found: &[(Url, Vec<Diagnostic>)]) {
        let open = found.iter().filter(|(url, _)| self.workspace.file(url).is_some()).count();
        if open > 1 {
            self.ask_to_pull();
        }
    }

    fn ask_to_pull(&self) {
        let client = self.client.clone();
        tokio::spawn(async move {
            let _ = client.request::<WorkspaceDiagnosticRefresh>(()).await;
        });
    }

    /// Keeps the result of an example, and sends it with the diagnostics of its document.
    fn example_ran(&mut self, ran: ExampleRan) -> ControlFlow<async_lsp::Result<()>> {
        let version = self.workspace.file(&ran.url).map(|file| file.version);
        if version.is_none() || version != ran.version {
            return ControlFlow::Continue(());
        }
        let failures = self.failures.entry(ran.url.clone()).or_default();
        match ran.failure {
            Some(failure) => drop(failures.insert(ran.id, failure)),
            None => drop(failures.remove(&ran.id)),
        }
        if self.features.pulls_diagnostics {
            self.ask_to_pull();
        } else {
            let mut others = self.published.get(&ran.url).cloned().unwrap_or_default();
            others.retain(|it| it.source.as_deref() != Some(run_example::SOURCE));
            self.publish(ran.url, others);
        }
        ControlFlow::Continue(())
    }

    /// Returns the diagnostics of the examples that failed.
    fn failed_examples(&self, url: &Url) -> Vec<Diagnostic> {
        let Some(failures) = self.failures.get(url).filter(|it| !it.is_empty()) else { return Vec::new() };
        let Some(view) = self.workspace.view(url) else { return Vec::new() };
        failures.iter().map(|(id, failure)| run_example::failed_example(&view, id, failure)).collect()
    }

    /// Sends diagnostics that the client does not have.
    fn publish(&mut self, url: Url, mut diagnostics: Vec<Diagnostic>) {
        diagnostics.extend(self.failed_examples(&url));
        let version = self.workspace.file(&url).map(|file| file.version);
        let before = self.published.get(&url);
        let is_known = before.map_or(diagnostics.is_empty() && version.is_none(), |it| *it == diagnostics);
        if is_known {
            return;
        }
        if diagnostics.is_empty() && version.is_none() {
            self.published.remove(&url);
        } else {
            self.published.insert(url.clone(), diagnostics.clone());
        }
        let params = PublishDiagnosticsParams::new(url, diagnostics, version);
        // An error means that the connection has ended.
        let _ = self.client.notify::<PublishDiagnostics>(params);
    }
}

/// Returns a future's answer as one of this file's.
pub(crate) fn boxed<T>(
    future: impl Future<Output = Answer<T>> + Send + 'static,
) -> BoxFuture<'static, Answer<T>> {
    Box::pin(future)
}
