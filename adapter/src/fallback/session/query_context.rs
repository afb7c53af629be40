//! The questions that a server is asked, in our own vocabulary, and what is remembered while one answer is made.

mod changes;
pub(crate) mod file_syntax;
mod outside;
mod wrong;

use super::Serving;
use crate::blocking;
use crate::fallback::servers::run::convert::{RawItem, RawRange, RawSymbol, RawTarget};
use crate::fallback::servers::run::file_cache::{FileCache, UsesAt};
use crate::fallback::servers::run::health::InUse;
use crate::fallback::servers::run::server::{AskError, Server};
use crate::fallback::servers::run::server_process::ServerProcess;
use crate::fallback::servers::run::{convert, macros};
use crate::fallback::source::deadlines::{OnProgress, Within};
use crate::fallback::source::outline::{Extent, Node};
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::stamp::Stamp;
use crate::fallback::workspace::word_scan::Tree;
use crate::fallback::workspace::{file_scan, walk};
use crate::lock::lock;
use outside::OutsideFiles;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ide_protocol::{Hierarchy, IdeError, Navigation, Point};
use lsp_types::request::{
    DocumentSymbolRequest, GotoDeclaration, GotoDefinition, GotoImplementation, GotoTypeDefinition,
    HoverRequest, References, WorkspaceSymbolRequest,
};
use serde_json::Value;

/// How often a server that is ready is told of changes that make it load anew before an answer is given up.
const RELOAD_LIMIT: usize = 10;

/// A server that lacks an operation refuses it so.
const METHOD_NOT_FOUND: i32 = -32601;

/// One server, ready and told of every change, while one answer is made.
#[derive(Debug)]
pub(crate) struct QueryContext {
    pub(crate) server: Arc<Server>,
    pub(crate) deadline: Instant,
    /// Why answers about all that there is cannot be complete, in a sentence each: what the server complains about, and
    /// what it cannot know yet.
    pub(crate) reservations: Vec<String>,
    /// Projects that it was not given, in a sentence each.
    pub(crate) left_out: Vec<String>,
    roots: Arc<Roots>,
    life: Arc<ServerProcess>,
    /// What the server was told of files before, as [`Documents::now`](super::documents::Documents::now) counts it.
    begun: u64,
    _in_use: InUse,
    texts: Mutex<HashMap<PathBuf, Option<Arc<Text>>>>,
    outlines: Mutex<HashMap<PathBuf, Arc<Vec<Node>>>>,
    outside: OutsideFiles,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The server did not answer.
    Ask(AskError),
    /// A file changed while the answer was made.
    FilesChanged,
    /// The question itself has no answer.
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
    /// Waits until the server is ready and knows the files as they are now. The flag says whether it had to load
    /// its project anew for that.
    pub(crate) async fn begin(
        serving: &Serving,
        roots: &Arc<Roots>,
        within: Within,
        on_progress: &OnProgress,
    ) -> Result<(Self, bool), IdeError> {
        let Serving { server, left_out, .. } = serving.clone();
        let deadline = within.deadline;
        let asked = Instant::now();
        let mut reloaded = false;
        for _ in 0..RELOAD_LIMIT {
            let (life, complaint) = server.ready(within, on_progress).await?;
            // One that is about to end takes no further question, and the next is waited for.
            let Some(in_use) = life.pulse.in_use().filter(|_| life.is_alive()) else { continue };
            if !server.refresh(&life, asked, deadline).await? {
                let complaint = complaint
                    .map(|it| format!("{} complains: {}", server.name(), server.explain(&it.message)));
                let reservations =
                    complaint.into_iter().chain(server.unwritten()).chain(roots.missing()).collect();
                let begun = life.documents.lock().await.now();
                let asking = Self {
                    begun,
                    server,
                    deadline,
                    reservations,
                    left_out,
                    roots: Arc::clone(roots),
                    life,
                    _in_use: in_use,
                    texts: Mutex::default(),
                    outlines: Mutex::default(),
                    outside: OutsideFiles::default(),
                };
                return Ok((asking, reloaded));
            }
            reloaded = true;
        }
        Err(server.keeps_changing())
    }

    /// Whether the server has answered anything in this life.
    pub(crate) fn is_proven(&self) -> bool {
        self.life.is_proven()
    }

    /// The text of a file, as the server was told it; `None` when it has none, or it may not be read.
    pub(crate) async fn text(&self, path: &Path) -> Option<Arc<Text>> {
        if let Some(text) = lock(&self.texts).get(path) {
            return text.clone();
        }
        self.read([path.to_owned()].into()).await;
        lock(&self.texts).get(path).cloned().flatten()
    }

    /// Reads the texts of files at once, before they are asked for one by one.
    pub(crate) async fn read(&self, mut paths: BTreeSet<PathBuf>) {
        {
            let known = lock(&self.texts);
            paths.retain(|it| !known.contains_key(it));
        }
        if paths.is_empty() {
            return;
        }
        let (over, recall) = (self.server.buffers.texts(), Arc::clone(&self.life.recall));
        let roots = Arc::clone(&self.roots);
        let read = blocking::spawn(move || {
            let text = |path: &PathBuf| {
                // The one place where it is decided what answers of servers may show.
                let may_read = roots.may_read(path);
                may_read.then(|| over.get(path).cloned().or_else(|| recall.text(path))).flatten()
            };
            paths.into_iter().map(|it| (text(&it), it)).collect::<Vec<_>>()
        });
        let read = read.await;
        Box::pin(self.track(read.iter().map(|(_, path)| path))).await;
        let mut texts = lock(&self.texts);
        for (text, path) in read {
            // Of two who read at the same time, the first counts.
            texts.entry(path).or_insert(text);
        }
    }

    /// What is remembered of files between questions.
    pub(crate) fn recall(&self) -> &Arc<FileCache> {
        &self.life.recall
    }

    /// Where a stretch is in the text of its file; `None` when that cannot be read or is another one.
    pub(crate) async fn extent(&self, range: &RawRange) -> Option<Extent> {
        match self.text(&range.path).await {
            Some(text) => range.extent(&text, self.life.columns),
            None if self.withholds(&range.path) => Some(range.as_counted()),
            None => None,
        }
    }

    /// Symbols whose name is like this; none from a server that has no such list, or no good one.
    pub(crate) async fn symbols(&self, query: String) -> Result<Vec<RawSymbol>, AskError> {
        if !self.profile().symbols.is_asked {
            return Ok(Vec::new());
        }
        match self.ask::<WorkspaceSymbolRequest>(convert::symbol_params(query)).await {
            Err(AskError::Refused { code: METHOD_NOT_FOUND, .. }) => Ok(Vec::new()),
            response => response.map(convert::symbols),
        }
    }

    /// What is known of the server.
    pub(crate) fn profile(&self) -> &'static crate::fallback::source::languages::Server {
        self.server.setup.launch.server
    }

    /// Opens a document that is about to be asked about, for servers that know no others.
    async fn open(&self, path: &Path, text: &Text) {
        if self.profile().files.only_open {
            let mut documents = self.life.documents.lock().await;
            self.life.show(documents.ask_about(path, &text.sent(self.life.columns)));
        }
    }

    /// What a file defines; nothing when the server does not know the file.
    pub(crate) async fn outline(&self, path: &Path) -> Result<Arc<Vec<Node>>, AskError> {
        if let Some(outline) = lock(&self.outlines).get(path) {
            return Ok(Arc::clone(outline));
        }
        let outline = self.fetch_outline(path).await?;
        let mut outlines = lock(&self.outlines);
        outlines.insert(path.to_owned(), Arc::clone(&outline));
        Ok(outline)
    }

    async fn fetch_outline(&self, path: &Path) -> Result<Arc<Vec<Node>>, AskError> {
        let (Some(text), Some(params)) = (self.text(path).await, convert::outline_params(path)) else {
            return Ok(Arc::default());
        };
        let recall = self.recall();
        if let Some(outline) = recall.outline(path, &text) {
            return Ok(outline);
        }
        let asked = recall.generation();
        self.open(path, &text).await;
        match self.ask::<DocumentSymbolRequest>(params).await {
            Ok(response) => {
                let mut outline = convert::outline(response, &text, self.life.columns);
                if let (true, Some((text, syntax))) =
                    (self.profile().guesses, file_syntax::syntax(self, path).await)
                {
                    outline = macros::with_macros(outline, &text, &syntax);
                }
                let outline = Arc::new(outline);
                recall.keep_outline(path, &text, asked, &outline);
                Ok(outline)
            }
            Err(AskError::Refused { .. }) => Ok(Arc::default()),
            Err(error) => Err(error),
        }
    }

    /// Where the name at a point leads; nothing when the server does not know.
    pub(crate) async fn definition(
        &self,
        path: &Path,
        point: Point,
    ) -> Result<Arc<Vec<RawTarget>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Arc::default()) };
        let recall = self.recall();
        if let Some(targets) = recall.targets(path, point, &text) {
            return Ok(targets);
        }
        let params = convert::definition_params(&text, path, point, self.life.columns);
        let Some(params) = params else { return Ok(Arc::default()) };
        let asked = recall.generation();
        self.open(path, &text).await;
        match self.ask::<GotoDefinition>(params).await {
            Ok(response) => {
                let targets = Arc::new(convert::targets(response));
                recall.keep_targets(path, point, &text, asked, &targets);
                Ok(targets)
            }
            Err(AskError::Refused { .. }) => Ok(Arc::default()),
            Err(error) => Err(error),
        }
    }

    /// The same in our own positions, without what cannot be read.
    pub(crate) async fn places(&self, path: &Path, point: Point) -> Result<Vec<(PathBuf, Point)>, AskError> {
        let mut places = Vec::new();
        for target in self.definition(path, point).await?.iter() {
            let extent = self.extent(&target.name).await;
            places.extend(extent.map(|it| (target.name.path.clone(), it.start)));
        }
        Ok(places)
    }

    /// Where the name at a point leads this way.
    pub(crate) async fn goto(
        &self,
        way: Navigation,
        path: &Path,
        point: Point,
    ) -> Result<Vec<RawTarget>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(Vec::new()) };
        let params = convert::definition_params(&text, path, point, self.life.columns);
        let Some(params) = params else { return Ok(Vec::new()) };
        self.open(path, &text).await;
        let response = match way {
            Navigation::Declarations => self.ask::<GotoDeclaration>(params).await?,
            Navigation::TypeDefinitions => self.ask::<GotoTypeDefinition>(params).await?,
            Navigation::Implementations => self.ask::<GotoImplementation>(params).await?,
        };
        Ok(convert::targets(response))
    }

    /// What the server takes for the symbol at a point, for questions about who calls or extends it.
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
        Ok(convert::items(&response))
    }

    /// Who calls or extends it, or what it calls or extends; calls with where they stand.
    pub(crate) async fn related(
        &self,
        way: Hierarchy,
        of: &RawItem,
    ) -> Result<Vec<(RawItem, Vec<RawRange>)>, AskError> {
        let params = serde_json::json!({ "item": of.value });
        if let Some(text) = self.text(&of.target.name.path).await {
            self.open(&of.target.name.path, &text).await;
        }
        Ok(match way {
            Hierarchy::Callers => {
                convert::calls(&self.ask::<convert::IncomingCalls>(params).await?, "from", None)
            }
            Hierarchy::Callees => {
                let calls = self.ask::<convert::OutgoingCalls>(params).await?;
                convert::calls(&calls, "to", Some(&of.target.name.path))
            }
            Hierarchy::Supertypes => alone(convert::items(&self.ask::<convert::Supertypes>(params).await?)),
            Hierarchy::Subtypes => alone(convert::items(&self.ask::<convert::Subtypes>(params).await?)),
        })
    }

    /// What the server shows of the name at a point, as Markdown; `None` when it shows nothing.
    pub(crate) async fn hover(&self, path: &Path, point: Point) -> Result<Option<String>, AskError> {
        if !self.provides("hoverProvider") {
            return Ok(None);
        }
        let Some(text) = self.text(path).await else { return Ok(None) };
        let Some(params) = convert::hover_params(&text, path, point, self.life.columns) else {
            return Ok(None);
        };
        self.open(path, &text).await;
        self.ask::<HoverRequest>(params).await.map(convert::markdown)
    }

    /// Whether the server says that it has something, as its capabilities call it: `implementationProvider`.
    pub(crate) fn provides(&self, provider: &str) -> bool {
        !matches!(self.life.capabilities[provider], Value::Null | Value::Bool(false))
    }

    /// Where the symbol at a point is used; `None` when the server sees no symbol there.
    pub(crate) async fn references(
        &self,
        path: &Path,
        point: Point,
        include_declaration: bool,
    ) -> Result<Option<Arc<Vec<RawRange>>>, AskError> {
        let Some(text) = self.text(path).await else { return Ok(None) };
        let at = (path.to_owned(), point, include_declaration);
        match self.recall().uses(&at, &text) {
            Some(uses) => Ok(Some(uses)),
            None => self.references_anew(at).await,
        }
    }

    /// The same, whatever the server said before.
    pub(crate) async fn references_anew(&self, at: UsesAt) -> Result<Option<Arc<Vec<RawRange>>>, AskError> {
        let (path, point, include_declaration) = &at;
        let Some(text) = self.text(path).await else { return Ok(None) };
        let recall = self.recall();
        let columns = self.life.columns;
        let params = convert::reference_params(&text, path, *point, columns, *include_declaration);
        let Some(params) = params else { return Ok(None) };
        let asked = recall.generation();
        self.open(path, &text).await;
        let Some(uses) = self.ask::<References>(params).await.map(convert::ranges)? else { return Ok(None) };
        let uses = Arc::new(uses);
        recall.keep_uses(at, &text, asked, &uses);
        Ok(Some(uses))
    }

    /// Whether the server loaded the code there: then a name leads at least to itself.
    pub(crate) async fn is_loaded(&self, path: &Path, name: Point) -> Result<bool, AskError> {
        Ok(!self.definition(path, name).await?.is_empty() && self.sees(path, name).await?)
    }

    /// Whether where the name at a point leads is more than a guess.
    pub(crate) async fn sees(&self, path: &Path, name: Point) -> Result<bool, AskError> {
        Ok(!self.profile().guesses || self.hover(path, name).await?.is_some())
    }

    /// A place that is about to be asked about.
    async fn place(&self, path: &Path, point: Point) -> Option<Value> {
        let text = self.text(path).await?;
        let params = convert::hover_params(&text, path, point, self.life.columns)?;
        self.open(path, &text).await;
        serde_json::to_value(params).ok()
    }

    async fn ask<R>(&self, params: R::Params) -> Result<R::Result, AskError>
    where
        R: lsp_types::request::Request,
        R::Params: Clone + Send,
        R::Result: Send,
    {
        Server::ask::<R>(&self.life, params, self.deadline).await
    }

    /// The error of a question that was not answered.
    pub(crate) async fn failed(&self, error: &AskError) -> IdeError {
        self.server.failed(&self.life, error).await
    }

    /// Why code may not be loaded, and what to do about it, for a sentence.
    pub(crate) fn not_loaded(&self) -> &'static str {
        match (self.server.setup.language.id, self.server.setup.level.runs_code()) {
            ("rust", true) => "not loaded (cfg'd out, or in no crate)",
            ("rust", false) => {
                "not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate)"
            }
            ("c", _) => "left out of this compilation (by `#if`), or in nothing that is compiled",
            ("typescript", _) => {
                "not loaded (in no project that the server knows, or defined in a way that it does not follow, as on a prototype)"
            }
            _ => "not loaded (in no project that the server knows)",
        }
    }

    /// Every file that was looked at, as it is now.
    pub(crate) async fn looked_at(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        let paths: Vec<PathBuf> = lock(&self.texts).keys().cloned().collect();
        let stamps = blocking::spawn(move || {
            let stamped = |path: PathBuf| {
                let stamp = file_scan::stamp(&path);
                (path, stamp)
            };
            paths.into_iter().map(stamped).collect()
        });
        stamps.await
    }

    /// Fails when a file that was looked at is not as the server knew it, all the time: the answer would mix two states.
    /// What another question tells the server while this one is answered changes what it says from then on.
    pub(crate) async fn check_unchanged(&self) -> Result<(), Problem> {
        let stamps = self.looked_at().await;
        let documents = self.life.documents.lock().await;
        let texts = self.server.own_texts();
        // Dependencies are not compared: they do not change.
        let moved = stamps.iter().any(|(path, stamp)| {
            let is_on_disk_as_known = !documents.knows(path) || documents.is_as_known(path, *stamp);
            let was_told = documents.was_sent_since(path, self.begun);
            !is_on_disk_as_known || was_told || !documents.has_overlay(path, texts.get(path))
        });
        if !moved && !self.outside.is_overtaken() {
            return Ok(());
        }
        // Told of or not: before it is asked again, all files are looked at.
        self.life.doubt();
        Err(Problem::FilesChanged)
    }
}

fn alone(items: Vec<RawItem>) -> Vec<(RawItem, Vec<RawRange>)> {
    items.into_iter().map(|it| (it, Vec::new())).collect()
}

/// The folders that textual scans look into: those of the session and of the projects.
pub(crate) fn folders(asking: &QueryContext, roots: &Roots) -> Tree {
    let all = roots.folders().iter().chain(&asking.server.setup.folders);
    let tree = roots.tree_of(walk::outermost(all).cloned().collect());
    // There will be more questions like this one.
    tree.lexicon.read_soon(&tree.folders);
    tree
}
