//! Loading strategies: what is loaded at the start, by rule, after approval, with room, and for another document.

use ailang::{Level, Loading};

use super::digest::Parsed;
use super::error::LoadError;
use super::rules::RuleContext;
use super::{LoadedDocument, ModuleLoader, approval_key};

/// A question to the user about a document that loads manually.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The path of the document.
    pub path: String,
    /// The title of the document, or its path without one; a text of the document, which may be hostile.
    pub title: String,
    /// The summary of the document; empty without one. It may be hostile too.
    pub summary: String,
}

impl Approval {
    pub(super) fn of(path: &str, parsed: &Parsed) -> Self {
        let digest = &parsed.digest;
        let text = |text: &Option<String>, most| text.as_ref().map(|it| ailang::visible_line(it, most));
        Self {
            path: path.to_owned(),
            title: text(&digest.title, ailang::LONGEST_NAME).unwrap_or_else(|| path.to_owned()),
            summary: text(&digest.summary, ailang::LONGEST_SUMMARY).unwrap_or_default(),
        }
    }
}

/// The documents that were loaded for another one.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// The loaded documents, each after its own imports.
    pub loaded: Vec<LoadedDocument>,
    /// The paths of those that the user did not approve.
    pub denied: Vec<String>,
}

/// The documents that were loaded at the start.
#[derive(Debug, Default)]
pub struct Started {
    /// The loaded documents: those that load eagerly, then those of which a rule matches.
    pub loaded: Vec<LoadedDocument>,
    /// The paths of the others, which wait until they are used, match or are approved.
    pub waiting: Vec<String>,
    /// The problems, which keep no other document from being loaded.
    pub warnings: Vec<Warning>,
}

/// A document that could not be loaded at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The document, as it was asked for.
    pub module: String,
    /// The reason.
    pub error: LoadError,
}

impl ModuleLoader {
    /// Loads what a document imports, directly or not, by default at [`Level::Compact`]. A document that is loaded at
    /// a higher level stays there; one that the user does not approve is left out.
    ///
    /// # Errors
    /// As for [`ModuleLoader::load`].
    pub fn resolve_dependencies(
        &mut self,
        document: &LoadedDocument,
        level: Option<Level>,
    ) -> Result<Dependencies, LoadError> {
        let wanted = level.unwrap_or(Level::Compact);
        let mut dependencies = Dependencies::default();
        for path in self.walker().dependencies(&document.path)? {
            let current = self.context.get(&path).map(|it| it.level);
            let loaded = match current.filter(|current| *current >= wanted) {
                Some(current) => self.at(&path, current),
                None => self.load_for_another(&path, wanted),
            };
            match loaded {
                Ok(loaded) => dependencies.loaded.push(loaded),
                Err(LoadError::NotApproved { path }) => dependencies.denied.push(path),
                Err(error) => return Err(error),
            }
        }
        Ok(dependencies)
    }

    /// Loads a document that nobody asked for by its name, so that it may lose detail again.
    fn load_for_another(&mut self, path: &str, level: Level) -> Result<LoadedDocument, LoadError> {
        let loaded = self.load_path(path, Some(level))?;
        self.context.let_fall(path, Level::Minimal);
        Ok(loaded)
    }

    /// Loads a document by a strategy, whatever its front matter says.
    ///
    /// [`Loading::ByRule`] loads it only when one of its rules matches `rules`, and gives `None` otherwise.
    /// [`Loading::Eager`] takes the highest level that fits, up to `level`. [`Loading::Manual`] needs an approval.
    /// [`Loading::OnDemand`] is [`ModuleLoader::load`]: this call is the demand.
    ///
    /// # Errors
    /// As for [`ModuleLoader::load`].
    pub fn load_with_strategy(
        &mut self,
        module: &str,
        strategy: Loading,
        level: Option<Level>,
        rules: &RuleContext,
    ) -> Result<Option<LoadedDocument>, LoadError> {
        match strategy {
            Loading::OnDemand => self.load(module, level).map(Some),
            Loading::Eager => self.load_highest(module, level.unwrap_or(Level::Complete)).map(Some),
            Loading::Manual => self.load_approved(module, level).map(Some),
            Loading::ByRule => {
                let path = self.resolve(module)?;
                let parsed = self.walker().parsed(&path)?;
                match rules.level(&parsed.digest, level) {
                    Some(level) => self.load(&path, level).map(Some),
                    None => Ok(None),
                }
            }
        }
    }

    /// Loads documents as their front matter says, at the start: eager ones first, then those of which a rule matches.
    pub fn start(&mut self, modules: &[&str], rules: &RuleContext) -> Started {
        let mut started = Started::default();
        let mut later = Vec::new();
        for module in modules {
            match self.loading(module) {
                Ok(Loading::ByRule) => later.push(*module),
                Ok(Loading::Eager) => self.begin(module, Loading::Eager, rules, &mut started),
                Ok(Loading::OnDemand | Loading::Manual) => started.waiting.push((*module).to_owned()),
                Err(error) => started.warnings.push(Warning { module: (*module).to_owned(), error }),
            }
        }
        for module in later {
            self.begin(module, Loading::ByRule, rules, &mut started);
        }
        started
    }

    fn begin(&mut self, module: &str, strategy: Loading, rules: &RuleContext, started: &mut Started) {
        match self.load_with_strategy(module, strategy, None, rules) {
            Ok(Some(loaded)) => started.loaded.push(loaded),
            Ok(None) => started.waiting.push(module.to_owned()),
            Err(error) => started.warnings.push(Warning { module: module.to_owned(), error }),
        }
    }

    fn loading(&mut self, module: &str) -> Result<Loading, LoadError> {
        let path = self.resolve(module)?;
        Ok(self.walker().parsed(&path)?.digest.loading())
    }

    /// Loads a document at the highest level that fits without a loss for others.
    fn load_highest(&mut self, module: &str, most: Level) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        let sizes = self.walker().parsed(&path)?.digest.sizes();
        let free = self.config.budget.as_ref().map(|it| it.available());
        let free = free.map(|free| free.saturating_sub(self.context.tokens_without(&path)));
        let mut levels = Level::ALL.into_iter().rev().filter(|level| *level <= most);
        let fits = |level: &Level| free.is_none_or(|free| sizes.at(*level) <= free);
        self.load(&path, Some(levels.find(fits).unwrap_or(Level::Minimal)))
    }

    /// Loads a document at the highest level, up to `most`, for which the others can make room. It may lose detail again.
    ///
    /// # Errors
    /// As for [`ModuleLoader::load`]: it does not fit even at the lowest level.
    pub fn load_with_room(&mut self, module: &str, most: Level) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        self.walker().dependencies(&path)?;
        let mut levels = Level::ALL.into_iter().rev().filter(|level| *level <= most);
        loop {
            let level = levels.next().unwrap_or(Level::Minimal);
            match self.load_for_another(&path, level) {
                Err(LoadError::ContextBudgetExceeded { .. }) if level > Level::Minimal => {}
                loaded => return loaded,
            }
        }
    }

    /// Returns the highest level that the front matter and the free room give a document; see [`ailang::automatic_level`].
    ///
    /// # Errors
    /// The document is not there, or cannot be read.
    pub fn automatic_level(&mut self, module: &str) -> Result<Level, LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        self.automatic(&path, &parsed, self.is_approved(&path, &parsed))
    }

    /// Loads a document after the user approved it, whatever its front matter says.
    fn load_approved(&mut self, module: &str, level: Option<Level>) -> Result<LoadedDocument, LoadError> {
        let path = self.resolve(module)?;
        let parsed = self.walker().parsed(&path)?;
        if !self.approved.contains(&approval_key(&path, &parsed)) {
            return Err(LoadError::NotApproved { path });
        }
        self.load(&path, level)
    }
}
