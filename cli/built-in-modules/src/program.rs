//! The state of the modules while a program runs: the loaders that it made, and the texts that it parsed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use ailang::{Budget, Document};
use dialect::Failure;
use packages::{LoaderConfig, ModuleLoader, Project};
use sha2::{Digest as _, Sha256};
use unpoisoned::lock;

use crate::transport::Transport;

/// The room of a context where nothing else is said, in tokens, and the part of it that is kept for other content.
pub(crate) const ROOM: usize = 200_000;
pub(crate) const RESERVED: usize = 50_000;

/// The most loaders of a program.
const MOST_LOADERS: usize = 100;

/// The most bytes of texts that are remembered.
const MOST_TEXT: usize = 64 << 20;

/// A loader, which values of the program share.
#[derive(Clone)]
pub(crate) struct Loader {
    loader: Arc<Mutex<ModuleLoader>>,
    /// The room of its documents; `None` without a limit.
    pub(crate) budget: Option<Budget>,
}

impl Loader {
    pub(crate) fn lock(&self) -> MutexGuard<'_, ModuleLoader> {
        lock(&self.loader)
    }
}

/// A text that was parsed.
#[derive(Clone)]
pub(crate) struct ParsedText {
    pub(crate) document: Arc<Document>,
    /// The path of its file in the package.
    pub(crate) path: Option<String>,
}

/// The memory of the modules of one run.
pub(crate) struct Program {
    /// The folder of the package.
    pub(crate) package: PathBuf,
    /// The folder of the files that `storage` knows.
    pub(crate) files: PathBuf,
    pub(crate) transport: Arc<dyn Transport>,
    /// The user's folder of caches.
    cache: Option<PathBuf>,
    /// The loader of the functions that have none of their own, once one of them was called.
    own: Mutex<Option<Loader>>,
    loaders: Mutex<Vec<Loader>>,
    texts: Mutex<Texts>,
}

#[derive(Default)]
struct Texts {
    by_hash: HashMap<String, ParsedText>,
    bytes: usize,
}

impl Program {
    pub(crate) fn new(
        package: PathBuf,
        files: PathBuf,
        cache: Option<PathBuf>,
        transport: Arc<dyn Transport>,
    ) -> Self {
        let (own, loaders, texts) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { package, files, transport, cache, own, loaders, texts }
    }

    /// Makes a loader of the package's documents.
    ///
    /// # Errors
    /// The package cannot be read, or the program made too many.
    pub(crate) fn loader(&self, config: LoaderConfig) -> Result<Loader, Failure> {
        let internal = |message: String| Failure::raised("InternalError", message);
        let mut loaders = lock(&self.loaders);
        if loaders.len() >= MOST_LOADERS {
            return Err(internal(format!("a program makes at most {MOST_LOADERS} loaders")));
        }
        let project = Project::open(&self.package)
            .map_err(|error| internal(format!("the package cannot be read: {error}")))?;
        let budget = config.budget;
        let loader = Loader { loader: Arc::new(Mutex::new(ModuleLoader::new(project, config))), budget };
        loaders.push(loader.clone());
        Ok(loader)
    }

    /// Returns the loader of the functions that have none of their own.
    pub(crate) fn own(&self) -> Result<Loader, Failure> {
        let mut own = lock(&self.own);
        if let Some(loader) = &*own {
            return Ok(loader.clone());
        }
        let budget = Some(Budget { max: ROOM, used: 0, reserved: RESERVED });
        let loader = self.loader(LoaderConfig { budget, ..LoaderConfig::default() })?;
        *own = Some(loader.clone());
        Ok(loader)
    }

    /// Returns the folder of a cache on disk with these settings; `None` if there may be none. It is the user's own: what
    /// a package brings is not believed.
    pub(crate) fn cache(&self, config: &serde_json::Value) -> Option<PathBuf> {
        let name = config["cacheDir"].as_str().unwrap_or_default();
        let of = format!("{}\n{name}", self.package.display());
        Some(self.cache.as_ref()?.join(&hex::encode(Sha256::digest(of))[..16]))
    }

    /// Returns all loaders, in the order in which they were made.
    pub(crate) fn loaders(&self) -> Vec<Loader> {
        lock(&self.loaders).clone()
    }

    /// Remembers a parsed text, and returns the hash by which it is found again.
    pub(crate) fn remember(&self, document: Arc<Document>, path: Option<&str>) -> String {
        let hash = hex::encode(Sha256::digest(document.source.as_bytes()));
        let mut texts = lock(&self.texts);
        if texts.bytes + document.source.len() > MOST_TEXT {
            *texts = Texts::default();
        }
        let bytes = document.source.len();
        let path = path.map(str::to_owned);
        if texts.by_hash.insert(hash.clone(), ParsedText { document, path }).is_none() {
            texts.bytes += bytes;
        }
        hash
    }

    /// Returns the text that has a hash, if it is remembered.
    pub(crate) fn recall(&self, hash: &str) -> Option<ParsedText> {
        lock(&self.texts).by_hash.get(hash).cloned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::transport::Internet;

    #[test]
    fn caches_of_different_names_and_packages_are_apart() {
        let folder = |package: &str, cache: Option<&str>, name: &str| {
            let transport = Arc::new(Internet::default());
            Program::new(package.into(), "files".into(), cache.map(Into::into), transport)
                .cache(&json!({ "cacheDir": name }))
        };
        let cache = Some("/user/caches");
        let one = folder("/one", cache, "near").unwrap();
        assert_eq!(folder("/one", cache, "near"), Some(one.clone()));
        assert!(one.starts_with("/user/caches"));
        for other in
            [folder("/one", cache, "far"), folder("/two", cache, "near"), folder("/one", cache, "../near")]
        {
            let other = other.unwrap();
            assert!(other != one && other.parent() == one.parent(), "{}", other.display());
        }
        assert_eq!(folder("/one", None, "near"), None);
    }
}
