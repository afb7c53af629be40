//! Requests to a server in our own vocabulary, and the texts read for one answer.

mod changes;
// The two query this context, and it queries them: one answer reads, parses and tracks files through all three.
pub(crate) mod file_syntax;
mod outside;
mod own_tree;
mod wrong;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use ide_protocol::{Hierarchy, IdeError, Listing, Navigation, Point, Reason};
use lsp_types::request::{
    GotoDeclaration, GotoDefinition, GotoImplementation, GotoTypeDefinition, HoverRequest, References,
    WorkspaceSymbolRequest,
};
use outside::OutsideFiles;
use own_tree::{HiddenPlaces, KnownFolders};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::serving::Serving;
use crate::blocking;
use crate::fallback::servers::run::convert::outline::OutlineRequest;
use crate::fallback::servers::run::convert::{RawItem, RawRange, RawSymbol, RawTarget};
use crate::fallback::servers::run::file_cache::{FileCache, UsesAt};
use crate::fallback::servers::run::health::InUse;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::servers::run::server::Server;
use crate::fallback::servers::run::server_process::ServerProcess;
use crate::fallback::servers::run::turns::{Asker, Turn};
use crate::fallback::servers::run::{convert, macros};
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::source::languages::{Language, ServerProfile};
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::{Columns, Text};
use crate::fallback::workspace::buffers::Texts;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::stamp::Stamp;
use crate::fallback::workspace::walk;
use crate::fallback::workspace::word_scan::SearchScope;
use unpoisoned::lock;

/// The number of reloads of a ready server after which a request fails.
const RELOAD_LIMIT: usize = 10;

/// The error code for an unsupported request.
const METHOD_NOT_FOUND: i32 = -32601;

/// A ready, synchronized server, for the time of one answer.
#[derive(Debug)]
pub(crate) struct QueryContext {
    pub(crate) server: Arc<Server>,
    pub(crate) deadline: Instant,
    /// The reasons why answers about the whole project are incomplete: complaints of the server, and what it
    /// cannot see.
    pub(crate) reservations: Vec<Reason>,
    /// The code that it cannot know because the workspace is restricted.
    pub(crate) unknown: Option<Reason>,
    /// The projects that it did not get.
    pub(crate) left_out: Vec<Reason>,
    roots: Arc<SessionFolders>,
    process: Arc<ServerProcess>,
    /// The clock of the synchronized documents at the start:
    /// [`Documents::now`](crate::fallback::servers::run::documents::Documents::now).
    begun: u64,
    _in_use: InUse,
    _turn: Arc<Turn>,
    texts: Mutex<HashMap<PathBuf, Option<Arc<Text>>>>,
    outlines: Mutex<HashMap<PathBuf, Arc<Outline>>>,
    /// The last answers with uses. A file that is opened for the question makes those in the cache of the server invalid.
    uses: Mutex<HashMap<UsesAt, Arc<Vec<RawRange>>>>,
    outside: OutsideFiles,
    /// `true` if the question names a path in a hidden folder.
    pub(crate) sees_hidden: bool,
    known_folders: KnownFolders,
    hidden: HiddenPlaces,
    /// The first error of the editor, whose server it is, that is none of the server.
    editor_error: OnceLock<AskError>,
}

/// The symbols of a file, which are asked for once.
type Outline = OnceCell<Arc<Vec<Node>>>;

/// The reason why there is no answer.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The server did not answer.
    Ask(AskError),
    /// A file changed in the meantime.
    FilesChanged,
    /// The request has no answer.
    Reported(IdeError),
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        Self::Ask(error)
    }
}

impl From<IdeError> for Problem {
    fn from(error: IdeError) -> Self {
        Self::Reported(error)
    }
}

impl QueryContext {
    /// Waits until the server is ready and synchronized. The flag is `true` if it had to reload its project.
    pub(crate) async fn begin(
        serving: &Serving,
        roots: &Arc<SessionFolders>,
        within: Deadlines,
        on_progress: &OnProgress,
    ) -> Result<(Self, bool), IdeError> {
        let Serving { server, left_out, .. } = serving.clone();
        let deadline = within.deadline;
        let asked = Instant::now();
        let mut reloaded = server.take_rest();
        for _ in 0..RELOAD_LIMIT {
            let (process, complaint) = server.ready(within, on_progress).await?;
            // One that is about to end takes no further question, and the next is waited for.
            let Some(in_use) = process.pulse.in_use().filter(|_| process.is_alive()) else { continue };
            let turn = server.turn(&Asker::Session(Arc::clone(roots)), within.ready).await?;
            if !server.refresh(&process, &turn, asked, deadline).await? {
                let complaint = complaint.map(|it| Reason::ServerComplains {
                    server: server.name().to_owned(),
                    message: server.explain(&it.message),
                });
                let gone = roots.missing_folders_reason();
                let reservations =
                    complaint.into_iter().chain(server.unwritten(&roots.texts())).chain(gone).collect();
                let begun = process.documents.lock().await.now();
                let asking = Self {
                    begun,
                    server,
                    deadline,
                    reservations,
                    unknown: None,
                    left_out,
                    roots: Arc::clone(roots),
                    process,
                    _in_use: in_use,
                    _turn: turn,
                    texts: Mutex::default(),
                    outlines: Mutex::default(),
                    uses: Mutex::default(),
                    outside: OutsideFiles::default(),
                    sees_hidden: false,
                    known_folders: KnownFolders::default(),
                    hidden: HiddenPlaces::default(),
                    editor_error: OnceLock::new(),
                };
                return Ok((asking, reloaded));
            }
            reloaded = true;
        }
        Err(server.keeps_changing())
    }

    /// Returns `true` if this process has answered a request.
    pub(crate) fn is_proven(&self) -> bool {
        self.process.is_proven()
    }

    /// Returns the editor's texts, which replace those on disk.
    pub(crate) fn texts(&self) -> Texts {
        self.roots.texts()
    }

    /// Returns the text of a file as the server knows it; `None` if it has none, or may not be read.
    pub(crate) async fn text(&self, path: &Path) -> Option<Arc<Text>> {
        if let Some(text) = lock(&self.texts).get(path) {
            return text.clone();
        }
        self.read([path.to_owned()].into()).await;
        lock(&self.texts).get(path).cloned().flatten()
    }

    /// Reads the texts of several files at once, before they are used one by one.
    pub(crate) async fn read(&self, mut paths: BTreeSet<PathBuf>) {
        {
            let known = lock(&self.texts);
            paths.retain(|it| !known.contains_key(it));
        }
        if paths.is_empty() {
            return;
        }
        let (over, file_cache) = (self.roots.texts(), Arc::clone(&self.process.file_cache));
        let (roots, is_one) = (Arc::clone(&self.roots), paths.len() == 1);
        let is_cached = is_one && paths.iter().all(|it| file_cache.has_text(it));
        let read = move || {
            let text = |path: &PathBuf| {
                // The one place where it is decided what answers of servers may show.
                let may_read = roots.may_read(path);
                may_read.then(|| over.get(path).cloned().or_else(|| file_cache.text(path))).flatten()
            };
            paths.into_iter().map(|it| (text(&it), it)).collect::<Vec<_>>()
        };
        let read = match is_one {
            true if is_cached => blocking::in_place_for(1, read).await,
            true => blocking::in_place(read).await,
            false => blocking::spawn(read).await,
        };
        Box::pin(self.track(read.iter().map(|(_, path)| path))).await;
        let mut texts = lock(&self.texts);
        for (text, path) in read {
            // Of two who read at the same time, the first counts.
            texts.entry(path).or_insert(text);
        }
    }

    /// Returns the caches of files between requests.
    pub(crate) fn file_cache(&self) -> &Arc<FileCache> {
        &self.process.file_cache
    }

    /// Converts a range to our positions; `None` if the file cannot be read or has changed.
    pub(crate) async fn extent(&self, range: &RawRange) -> Option<Extent> {
        match self.text(&range.path).await {
            Some(text) => range.extent(&text, self.process.columns),
            None if self.withholds(&range.path) => Some(range.as_counted()),
            None => None,
        }
    }

    /// Converts the range of a name. On the first line of a file with a byte order mark, the server may count the mark
    /// otherwise than elsewhere: of both readings the one with the name counts.
    pub(crate) async fn extent_of(&self, range: &RawRange, name: &str) -> Option<Extent> {
        let Some(text) = self.text(&range.path).await else { return self.extent(range).await };
        let columns = self.process.columns;
        let extent = range.extent(&text, columns)?;
        let is_named = |it: &Extent| text.word(*it).as_deref() == Some(name);
        if is_named(&extent) {
            return Some(extent);
        }
        let other = range.recounted(&text, columns).and_then(|it| it.extent(&text, columns));
        Some(other.filter(is_named).unwrap_or(extent))
    }

    /// Returns the way in which the server counts columns.
    pub(crate) fn columns(&self) -> Columns {
        self.process.columns
    }

    /// Searches symbols by name; none from a server without a usable search.
    pub(crate) async fn symbols(&self, query: String) -> Result<Vec<RawSymbol>, AskError> {
        if !self.profile().symbols.is_asked {
            return Ok(Vec::new());
        }
        match self.ask::<WorkspaceSymbolRequest>(convert::symbol_params(query)).await {
            Err(AskError::Refused { code: METHOD_NOT_FOUND, .. }) => Ok(Vec::new()),
            response => Ok(self.own(convert::symbols(response?), |it| it.at.path.as_path())),
        }
    }

    /// Returns the server's profile.
    pub(crate) fn profile(&self) -> &'static ServerProfile {
        self.server.setup.launch.server
    }

    /// Opens a document before a request about it, for servers that know only open ones.
    async fn open(&self, path: &Path, text: &Text) {
        if self.profile().files.only_open {
            let mut documents = self.process.documents.lock().await;
            self.process.show(documents.ask_about(path, &text.text_for_server(self.process.columns)));
        }
    }

    /// Returns the symbols that a file defines; none if the server does not know the file.
    pub(crate) async fn outline(&self, path: &Path) -> Result<Arc<Vec<Node>>, AskError> {
        // Who asks for it meanwhile waits for the same answer.
        let outline = Arc::clone(lock(&self.outlines).entry(path.to_owned()).or_default());
        outline.get_or_try_init(|| self.fetch_outline(path)).await.cloned()
    }

    async fn fetch_outline(&self, path: &Path) -> Result<Arc<Vec<Node>>, AskError> {
        let (Some(text), Some(params)) = (self.text(path).await, convert::outline::params(path)) else {
            return Ok(Arc::default());
        };
        let file_cache = self.file_cache();
        if let Some(outline) = file_cache.outline(path, &text) {
            return Ok(outline);
        }
        self.open(path, &text).await;
        let asked = file_cache.generation();
        match self.ask::<OutlineRequest>(params).await {
            Ok(response) => {
                let symbols = response.unwrap_or_default();
                let mut outline = convert::outline::nodes(symbols, &text, self.process.columns);
                // Parsing takes longer than the server's answer, so that it is not done for nothing.
                if self.profile().guesses
                    && let Some((text, syntax)) = file_syntax::syntax(self, path).await
                {
                    outline = macros::with_macros(outline, &text, &syntax);
                }
                let outline = Arc::new(outline);
                file_cache.keep_outline(path, &text, asked, &outline);
                Ok(outline)
            }
            Err(AskError::Refused { .. }) => Ok(Arc::default()),
            Err(error) => Err(error),
        }
    }

    /// Returns the targets of the name at a point; none if the server does not know.
    pub(crate) async fn definition(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Arc<Vec<RawTarget>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Arc::default()) };
        let file_cache = self.file_cache();
        if let Some(targets) = file_cache.targets(path, point, &text) {
            return Ok(targets);
        }
        let params = convert::definition_params(&text, path, point, self.process.columns);
        let Some(params) = params else { return Ok(Arc::default()) };
        self.open(path, &text).await;
        let asked = file_cache.generation();
        match self.ask::<GotoDefinition>(params).await {
            Ok(response) => {
                let targets = self.own_targets(convert::targets(response), |it| it.name.path.as_path());
                let targets = Arc::new(targets);
                file_cache.keep_targets(path, point, &text, asked, &targets);
                Ok(targets)
            }
            Err(AskError::Refused { .. }) => Ok(Arc::default()),
            Err(error) => Err(error),
        }
    }

    /// Returns the targets in our own positions, without unreadable ones.
    pub(crate) async fn places(&self, path: &Path, point: Point) -> Result<Vec<(PathBuf, Point)>, AskError> {
        let mut places = Vec::new();
        for target in self.definition(path, point).await?.iter() {
            let extent = self.extent(&target.name).await;
            places.extend(extent.map(|it| (target.name.path.clone(), it.start)));
        }
        Ok(places)
    }

    /// Returns the targets of the name at a point for this kind of navigation.
    pub(crate) async fn goto(
        &self,
        way: Navigation,
        path: &Path,
        point: Point,
    ) -> Result<Vec<RawTarget>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Vec::new()) };
        let params = convert::definition_params(&text, path, point, self.process.columns);
        let Some(params) = params else { return Ok(Vec::new()) };
        self.open(path, &text).await;
        let response = match way {
            Navigation::Declarations => self.ask::<GotoDeclaration>(params).await?,
            Navigation::TypeDefinitions => self.ask::<GotoTypeDefinition>(params).await?,
            Navigation::Implementations => self.ask::<GotoImplementation>(params).await?,
        };
        let targets = convert::targets(response);
        Ok(match way {
            Navigation::Implementations => self.own(targets, |it| it.name.path.as_path()),
            Navigation::Declarations | Navigation::TypeDefinitions => {
                self.own_targets(targets, |it| it.name.path.as_path())
            }
        })
    }

    /// Returns the server's hierarchy items for the symbol at a point.
    pub(crate) async fn prepare(
        &self,
        way: Hierarchy,
        path: &Path,
        point: Point,
    ) -> Result<Vec<RawItem>, AskError> {
        let Some(params) = self.place(path, point).await else { return Ok(Vec::new()) };
        let response = match way {
            Hierarchy::Callers | Hierarchy::Callees => self.ask::<convert::PrepareCalls>(params).await?,
            Hierarchy::Supertypes | Hierarchy::Subtypes => self.ask::<convert::PrepareTypes>(params).await?,
        };
        Ok(self.own_targets(convert::items(&response), |it| it.target.name.path.as_path()))
    }

    /// Returns the callers, callees, supertypes or subtypes of an item; calls with their ranges.
    pub(crate) async fn related(
        &self,
        way: Hierarchy,
        of: &RawItem,
    ) -> Result<Vec<(RawItem, Vec<RawRange>)>, AskError> {
        let params = serde_json::json!({ "item": of.value });
        if let Some(text) = self.text(&of.target.name.path).await {
            self.open(&of.target.name.path, &text).await;
        }
        let related = match way {
            Hierarchy::Callers => {
                convert::calls(&self.ask::<convert::IncomingCalls>(params).await?, "from", None)
            }
            Hierarchy::Callees => {
                let calls = self.ask::<convert::OutgoingCalls>(params).await?;
                convert::calls(&calls, "to", Some(&of.target.name.path))
            }
            Hierarchy::Supertypes => alone(convert::items(&self.ask::<convert::Supertypes>(params).await?)),
            Hierarchy::Subtypes => alone(convert::items(&self.ask::<convert::Subtypes>(params).await?)),
        };
        Ok(match way {
            Hierarchy::Callers | Hierarchy::Subtypes => {
                self.own(related, |(it, _)| it.target.name.path.as_path())
            }
            Hierarchy::Callees | Hierarchy::Supertypes => {
                self.own_targets(related, |(it, _)| it.target.name.path.as_path())
            }
        })
    }

    /// Returns the hover text of the name at a point, as Markdown; `None` if there is none.
    pub(crate) async fn hover(&self, path: &Path, point: Point) -> Result<Option<String>, AskError> {
        if !self.provides("hoverProvider") {
            return Ok(None);
        }
        let Some(text) = self.text(path).await else { return Ok(None) };
        let Some(params) = convert::hover_params(&text, path, point, self.process.columns) else {
            return Ok(None);
        };
        self.open(path, &text).await;
        self.ask::<HoverRequest>(params).await.map(convert::markdown)
    }

    /// Returns `true` if the server announced a capability, such as `implementationProvider`.
    pub(crate) fn provides(&self, provider: &str) -> bool {
        !matches!(self.process.capabilities[provider], Value::Null | Value::Bool(false))
    }

    /// Returns the uses of the symbol at a point; `None` if the server sees no symbol there.
    pub(crate) async fn references(
        &self,
        path: &Path,
        point: Point,
        include_declaration: bool,
    ) -> Result<Option<Arc<Vec<RawRange>>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(None) };
        let at = (path.to_owned(), point, include_declaration);
        let uses = self.file_cache().uses(&at, &text).or_else(|| lock(&self.uses).get(&at).cloned());
        match uses {
            Some(uses) => Ok(Some(self.own_uses(uses))),
            None => self.references_uncached(at).await,
        }
    }

    /// Requests the uses without the cache.
    pub(crate) async fn references_uncached(
        &self,
        at: UsesAt,
    ) -> Result<Option<Arc<Vec<RawRange>>>, AskError> {
        let (path, point, include_declaration) = &at;
        let Some(text) = self.text(path).await else { return Ok(None) };
        let file_cache = self.file_cache();
        let columns = self.process.columns;
        let params = convert::reference_params(&text, path, *point, columns, *include_declaration);
        let Some(params) = params else { return Ok(None) };
        self.open(path, &text).await;
        let asked = file_cache.generation();
        let Some(uses) = self.ask::<References>(params).await.map(convert::ranges)? else { return Ok(None) };
        let uses = Arc::new(uses);
        if !uses.is_empty() {
            lock(&self.uses).insert(at.clone(), Arc::clone(&uses));
        }
        file_cache.keep_uses(at, &text, asked, &uses);
        Ok(Some(self.own_uses(uses)))
    }

    /// Returns `true` if the server loaded the code there: a name then leads at least to itself.
    pub(crate) async fn is_loaded(&self, path: &Path, name: Point) -> Result<bool, AskError> {
        Ok(!self.definition(path, name).await?.is_empty() && self.sees(path, name).await?)
    }

    /// Returns `true` if the server resolves the name at a point, rather than guess.
    pub(crate) async fn sees(&self, path: &Path, name: Point) -> Result<bool, AskError> {
        Ok(!self.profile().guesses || self.hover(path, name).await?.is_some())
    }

    /// Opens the file, and returns the parameters for a request about a place.
    async fn place(&self, path: &Path, point: Point) -> Option<Value> {
        let text = self.text(path).await?;
        let params = convert::hover_params(&text, path, point, self.process.columns)?;
        self.open(path, &text).await;
        serde_json::to_value(params).ok()
    }

    async fn ask<R>(&self, params: R::Params) -> Result<R::Result, AskError>
    where
        R: lsp_types::request::Request,
        R::Params: Clone + Send,
        R::Result: Send,
    {
        if !self.process.requests.offers(R::METHOD) {
            return Err(self.not_offered(R::METHOD));
        }
        let answer = Server::ask::<R>(&self.process, params, self.deadline).await;
        if let Err(error @ AskError::NotForwarded(_)) = &answer {
            let _first_counts = self.editor_error.set(error.clone());
        }
        answer
    }

    /// Returns the error for a request that the editor, whose server it is, does not offer.
    fn not_offered(&self, method: &'static str) -> AskError {
        self.editor_error.get_or_init(|| AskError::NotOffered(method)).clone()
    }

    /// Returns the first error of the editor, whose server it is, that is none of the server. What was made of the other
    /// answers does not count then.
    pub(crate) fn editor_error(&self) -> Option<AskError> {
        self.editor_error.get().cloned()
    }

    /// Returns every file that was read, with its text if it has one.
    pub(crate) fn texts_read(&self) -> Vec<(PathBuf, Option<Arc<Text>>)> {
        lock(&self.texts).iter().map(|(path, text)| (path.clone(), text.clone())).collect()
    }

    /// Returns the error for a failed request.
    pub(crate) async fn failed(&self, error: &AskError) -> IdeError {
        self.server.failed(&self.process, error).await
    }

    /// Returns a phrase on why code may not be loaded.
    pub(crate) fn not_loaded(&self) -> &'static str {
        let setup = &self.server.setup;
        (setup.language.not_loaded)(setup.level.runs_code())
    }

    /// Returns the reason that a symbol stands in code that the server has not loaded.
    pub(crate) fn not_loaded_reason(&self, name: &str) -> Reason {
        let (name, cause) = (name.to_owned(), self.not_loaded().to_owned());
        Reason::NotLoaded { name, cause, places: Listing::default() }
    }

    /// Returns every file that was read, with its current stamp.
    pub(crate) async fn looked_at(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        let paths: Vec<PathBuf> = lock(&self.texts).keys().cloned().collect();
        let stamped = |path: PathBuf| {
            let stamp = Stamp::read(&path);
            (path, stamp)
        };
        blocking::in_place_for(paths.len(), move || paths.into_iter().map(stamped).collect()).await
    }

    /// Fails if a file that was read changed in the meantime: the answer would mix two states. Updates that
    /// another request sent in the meantime count as changes.
    pub(crate) async fn check_unchanged(&self) -> Result<(), Problem> {
        let stamps = self.looked_at().await;
        let documents = self.process.documents.lock().await;
        let texts = self.server.own_texts(&self.roots.texts());
        // Dependencies are not compared: they do not change.
        let moved = stamps.iter().any(|(path, stamp)| {
            let is_on_disk_as_known = !documents.knows(path) || documents.is_as_known(path, *stamp);
            let was_told = documents.was_sent_since(path, self.begun);
            !is_on_disk_as_known || was_told || !documents.has_overlay(path, texts.get(path))
        });
        if !moved && !self.outside.is_overtaken() {
            return Ok(());
        }
        // All files are rescanned before the retry, whatever the watches report.
        self.process.doubt();
        Err(Problem::FilesChanged)
    }
}

fn alone(items: Vec<RawItem>) -> Vec<(RawItem, Vec<RawRange>)> {
    items.into_iter().map(|it| (it, Vec::new())).collect()
}

/// Scans the files of a server's language for a word, with one of the functions of
/// [`word_scan`](crate::fallback::workspace::word_scan), on a thread of its own.
pub(crate) async fn scan_for<T: Send + 'static>(
    asking: &QueryContext,
    roots: &SessionFolders,
    word: &str,
    scan: fn(&Language, &SearchScope, &str, Instant) -> T,
) -> T {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (word, until) = (word.to_owned(), asking.deadline);
    blocking::spawn(move || scan(language, &folders, &word, until)).await
}

/// Returns the folders for text scans: those of the session and of the projects.
pub(crate) fn folders(asking: &QueryContext, roots: &SessionFolders) -> SearchScope {
    let all = roots.folders().iter().chain(&asking.server.setup.folders);
    let tree = roots.search_scope_of(walk::outermost(all).cloned().collect());
    // There will be more questions like this one.
    tree.words.start_reading(&tree.folders);
    tree
}
