//! The module loader: documents at a level of detail, with what they import.

mod cache;
mod context;
mod digest;
mod disk;
mod error;
mod rules;
mod strategies;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ailang::syntax::ModuleReference;
use ailang::{Budget, Document, Documents, EvictionOrder, Level, Loading, automatic_level};
pub use cache::{CacheConfig, CacheStats, CacheStrategy, DocumentCache, Invalidation};
use context::Context;
pub use context::{ContextPolicy, Room};
pub use digest::{Digest, Parsed};

pub use error::LoadError;
pub use rules::RuleContext;
pub use strategies::{Approval, Dependencies, Started, Warning};
use walk::{Walker, readable, unreadable};

use crate::project::{Project, ReadError};

/// The settings of a loader.
#[derive(Debug, Default)]
pub struct LoaderConfig {
    /// The settings of the cache of parsed documents.
    pub cache: CacheConfig,
    /// The context that documents share; without one there is always room.
    pub budget: Option<Budget>,
    /// The policy for when documents do not fit, or are used.
    pub policy: ContextPolicy,
    /// The order in which documents lose detail.
    pub eviction: Vec<EvictionOrder>,
}

/// A document that takes room in the context, at a level of detail.
#[derive(Clone, Debug)]
pub struct LoadedDocument {
    /// The canonical path of the document.
    pub path: String,
    /// The level at which it was loaded.
    pub level: Level,
    parsed: Arc<Parsed>,
}

impl LoadedDocument {
    /// Returns the text at its level.
    pub fn text(&self) -> &str {
        self.parsed.at(self.level)
    }

    /// Returns the tokens that it takes, with its frame.
    pub fn tokens(&self) -> usize {
        self.parsed.digest.sizes().at(self.level)
    }

    /// Returns its metadata, which does not depend on the level.
    pub fn metadata(&self) -> &Digest {
        &self.parsed.digest
    }

    /// Returns the SHA-256 of the file's text, in hexadecimal digits.
    pub fn hash(&self) -> String {
        hex::encode(self.parsed.hash)
    }

    /// Returns its syntax tree, whose tools can be registered. It does not depend on the level.
    pub fn document(&self) -> &Arc<Document> {
        self.parsed.document()
    }
}

/// Loads the documents of a package and of those that are installed for it.
#[derive(Debug)]
pub struct ModuleLoader {
    project: Project,
    /// The installed packages, without documents.
    names: Documents,
    config: LoaderConfig,
    cache: DocumentCache,
    context: Context,
    /// The documents that the user approved, by id and content.
    approved: HashSet<(String, [u8; 32])>,
}

impl ModuleLoader {
    /// Creates a loader without loaded documents.
    pub fn new(project: Project, config: LoaderConfig) -> Self {
        let cache = DocumentCache::new(config.cache.clone());
        Self::with_cache(project, config, cache)
    }

    fn with_cache(project: Project, config: LoaderConfig, cache: DocumentCache) -> Self {
        let names = project.documents();
        Self { project, names, config, cache, context: Context::default(), approved: HashSet::new() }
    }

    /// Creates a loader whose documents share a room with those of other packages. `package` tells them apart. The
    /// loaders of a room have the same budget.
    pub fn sharing(project: Project, config: LoaderConfig, room: &Room, package: &str) -> Self {
        Self { context: Context::sharing(room, package), ..Self::new(project, config) }
    }

    /// Loads a document by its path from the root of the package, or a package or built-in module by its name.
    ///
    /// Without a level, the free room decides; without a budget it is [`Level::Standard`]. A document that was asked for
    /// at a level does not fall below that later. All that it imports has to be there, and is not loaded by this:
    /// see [`Self::resolve_dependencies`].
    ///
    /// # Errors
    /// The document or an import is not there, cannot be read, is part of a circle, does not fit, or was not approved.
    pub fn load(&mut self, module: &str, level: Option<Level>) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        self.walker().dependencies(&path)?;
        self.load_path(&path, level)
    }

    /// Loads a document at a higher level.
    ///
    /// # Errors
    /// It is not loaded, or at that level or a higher one already; or it does not fit.
    pub fn upgrade_detail(&mut self, module: &str, level: Level) -> Result<LoadedDocument, LoadError> {
        self.change_detail(module, level, "upgrade", |current| level > current)
    }

    /// Loads a document at a lower level, so that others have more room.
    ///
    /// # Errors
    /// It is not loaded, or at that level or a lower one already.
    pub fn downgrade_detail(&mut self, module: &str, level: Level) -> Result<LoadedDocument, LoadError> {
        self.change_detail(module, level, "downgrade", |current| level < current)
    }

    /// Returns a document that needs no parsing at a level, by default the one at which it is loaded; it is not
    /// loaded by this.
    pub fn get_from_cache(&mut self, module: &str, level: Option<Level>) -> Option<LoadedDocument> {
        let path = self.resolve(module).ok()?;
        let parsed = self.cache.peek(&self.project, &path)?;
        let current = self.context.get(&path).map(|it| it.level);
        Some(LoadedDocument { path, level: level.or(current).unwrap_or(Level::Standard), parsed })
    }

    /// Counts a use of a loaded document, as when one of its tools is called.
    ///
    /// # Errors
    /// It cannot be read any more. That an upgrade does not fit is no error.
    pub fn mark_used(&mut self, module: &str) -> Result<(), LoadError> {
        let path = self.resolve(module)?;
        let level = self.context.mark_used(&path);
        if level == Some(Level::Compact) && self.config.policy == ContextPolicy::Adaptive {
            match self.change_detail(&path, Level::Standard, "upgrade", |_| true) {
                Err(LoadError::ContextBudgetExceeded { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the levels of all loaded documents, in the order in which they were loaded.
    pub fn current_levels(&self) -> Vec<(String, Level)> {
        self.context.documents().into_iter().map(|(path, it)| (path, it.level)).collect()
    }

    /// Returns the path, the level and the tokens of each loaded document, in the order in which they were loaded.
    pub fn loaded(&self) -> Vec<(String, Level, usize)> {
        let each = self.context.documents().into_iter();
        each.map(|(path, it)| (path, it.level, it.sizes.at(it.level))).collect()
    }

    /// Returns the tokens that all loaded documents take, those of loaders that share the context too.
    pub fn tokens(&self) -> usize {
        self.context.tokens()
    }

    /// Removes all documents from the cache, on disk too. Loaded documents stay loaded.
    pub fn clear_cache(&mut self) {
        self.cache.clear();
    }

    /// Returns the figures of the cache at each level.
    pub fn cache_stats(&self) -> BTreeMap<Level, CacheStats> {
        Level::ALL.into_iter().map(|level| (level, self.cache.stats(level))).collect()
    }

    fn walker(&mut self) -> Walker<'_> {
        Walker { project: &self.project, names: &self.names, cache: &mut self.cache }
    }

    /// Returns the canonical path of a document that is asked for, in the packages as they are now.
    fn resolve(&mut self, module: &str) -> Result<String, LoadError> {
        if !self.project.is_current()
            && let Ok(project) = Project::open(self.project.folder())
        {
            self.names = project.documents();
            self.project = project;
        }
        let text = module.trim();
        if ailang::standard_document(text).is_some() {
            return Ok(text.to_owned());
        }
        let is_absolute = text.starts_with(['/', '\\', '~']) || text.contains("://");
        let outside = || LoadError::OutsidePackage { module: module.to_owned(), from: String::new() };
        if is_absolute {
            return Err(outside());
        }
        let reference =
            |text: String| ModuleReference { text, quoted: true, span: source_text::Span::default() };
        if let Some(path) = ailang::built_in_module(&reference(text.to_owned())) {
            return Ok(path);
        }
        let mut paths = self.names.import_paths("", &reference(text.to_owned()));
        if paths.is_empty() {
            let path = if text.starts_with("../") { text.to_owned() } else { format!("./{text}") };
            paths = self.names.import_paths("", &reference(path));
            if paths.is_empty() {
                return Err(outside());
            }
        }
        for path in paths {
            match self.project.canonical(&path) {
                Err(ReadError::Missing) => {}
                found => return found.map_err(|error| unreadable(module, &error)),
            }
        }
        Err(LoadError::ModuleNotFound { module: module.to_owned(), from: String::new() })
    }

    /// Loads the document at a canonical path.
    fn load_path(&mut self, path: &str, level: Option<Level>) -> Result<LoadedDocument, LoadError> {
        let parsed = self.walker().parsed(path)?;
        let is_approved = self.is_approved(path, &parsed);
        if !is_approved && level.is_some_and(|level| level > Level::Minimal) {
            return Err(LoadError::NotApproved { path: path.to_owned() });
        }
        let chosen = match level {
            Some(level) => level,
            None => self.automatic(path, &parsed, is_approved)?,
        };
        self.place(path, &parsed, chosen, level.unwrap_or(Level::Minimal))?;
        self.at(path, chosen)
    }

    /// Chooses the level of a document by the free room.
    fn automatic(&self, path: &str, parsed: &Parsed, is_approved: bool) -> Result<Level, LoadError> {
        let sizes = parsed.digest.sizes();
        let Some(budget) = &self.config.budget else {
            return Ok(if is_approved { Level::Standard } else { Level::Minimal });
        };
        let free = budget.available().saturating_sub(self.context.tokens_without(path));
        // The lowest level is tried even when it does not fit: others may make room for it.
        let level = automatic_level(&sizes, parsed.digest.loading(), is_approved, free);
        Ok(level.unwrap_or(Level::Minimal))
    }

    /// Puts a document into the context.
    fn place(&mut self, path: &str, parsed: &Parsed, level: Level, at_least: Level) -> Result<(), LoadError> {
        let sizes = parsed.digest.sizes();
        if let Some(budget) = &self.config.budget {
            let LoaderConfig { policy, eviction, .. } = &self.config;
            let required = sizes.at(level);
            let room = self.context.make_room(path, required, budget, *policy, eviction);
            room.map_err(|missing| LoadError::ContextBudgetExceeded {
                path: path.to_owned(),
                required,
                available: required.saturating_sub(missing),
            })?;
        }
        self.context.put(path, sizes, level, at_least);
        Ok(())
    }

    /// Returns the document at a level, and counts that in the figures of the cache.
    fn at(&mut self, path: &str, level: Level) -> Result<LoadedDocument, LoadError> {
        let parsed = self.cache.request(&self.project, path, Some(level));
        let parsed = parsed.map_err(|error| unreadable(path, &error))?;
        readable(path, &parsed)?;
        Ok(LoadedDocument { path: path.to_owned(), level, parsed })
    }

    fn change_detail(
        &mut self,
        module: &str,
        level: Level,
        direction: &'static str,
        is_right: impl Fn(Level) -> bool,
    ) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        let Some(loaded) = self.context.get(&path) else {
            return Err(LoadError::ModuleNotFound { module: module.to_owned(), from: String::new() });
        };
        if !is_right(loaded.level) {
            return Err(LoadError::WrongDirection { path, current: loaded.level, wanted: level, direction });
        }
        let parsed = self.walker().parsed(&path)?;
        if level > Level::Minimal && !self.is_approved(&path, &parsed) {
            return Err(LoadError::NotApproved { path });
        }
        self.place(&path, &parsed, level, loaded.at_least.min(level))?;
        self.at(&path, level)
    }

    /// Returns `true` if a document may be loaded above the lowest level.
    fn is_approved(&self, path: &str, parsed: &Parsed) -> bool {
        parsed.digest.loading() != Loading::Manual || self.approved.contains(&approval_key(path, parsed))
    }

    /// Returns the question to the user about a document that was not approved.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn approval(&mut self, module: &str) -> Result<Approval, LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        Ok(Approval::of(&path, &parsed))
    }

    /// Approves a document that loads manually, with the content that it has now.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn approve(&mut self, module: &str) -> Result<(), LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        self.approved.insert(approval_key(&path, &parsed));
        Ok(())
    }

    /// Returns a document at a level, without loading it into the context.
    ///
    /// # Errors
    /// The document is not there, or cannot be read.
    pub fn read(&mut self, module: &str, level: Level) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        Ok(LoadedDocument { path, level, parsed })
    }

    /// Returns the documents of the package with one of them and everything that it imports, and the path of that one.
    ///
    /// # Errors
    /// It is not there, cannot be read, or imports too much.
    pub fn with_imports(&mut self, module: &str) -> Result<(Documents, String), LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        let mut documents = self.names.clone();
        documents.insert(path.clone(), Arc::clone(parsed.document()));
        let too_many =
            |error: std::io::Error| LoadError::Parse { path: path.clone(), problem: error.to_string() };
        crate::package::add_imports(&self.project, &mut documents).map_err(too_many)?;
        Ok((documents, path))
    }
}

fn approval_key(path: &str, parsed: &Parsed) -> (String, [u8; 32]) {
    (parsed.digest.id.clone().unwrap_or_else(|| path.to_owned()), parsed.hash)
}
