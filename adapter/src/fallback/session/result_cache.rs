//! Result cache; an entry is valid while its dependencies are unchanged. Agents repeat requests with another
//! filter behind them.
//!
//! An answer depends on the server's state, the files and the editor's texts. It is cached only if the server
//! had been quiet before the request. It is reused only if the server was notified of nothing since, and no
//! source file changed.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ide_protocol::{Completeness, Reason};
use serde::Serialize;

use super::completeness::Qualified;
use super::query_context::{Problem, QueryContext, folders};
use crate::blocking;
use crate::fallback::servers::find::config::CacheLookups;
use crate::fallback::servers::run::file_cache::{FileCache, Generation, LruCache};
use crate::fallback::workspace::buffers::Texts;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::stamp::Stamp;
use unpoisoned::lock;

/// The budget in bytes, approximately, by the size of results as JSON.
const BUDGET: usize = 8 * 1024 * 1024;
const PER_FILE: usize = 160;

/// The cached results of one session.
#[derive(Debug)]
pub(crate) struct ResultCache {
    results: Mutex<LruCache<String, CachedResult>>,
    lookups: CacheLookups,
}

#[derive(Clone, Debug)]
struct CachedResult {
    dependencies: Dependencies,
    /// The files that were read, those of dependencies too, with their stamps.
    files: Arc<Vec<(PathBuf, Option<Stamp>)>>,
    answer: Arc<dyn Any + Send + Sync>,
}

/// The dependencies of an answer.
#[derive(Clone, Debug)]
struct Dependencies {
    /// The caches of the server process.
    file_cache: Arc<FileCache>,
    asked: Generation,
    /// The generations of the folders that scans look into.
    generations: Vec<u64>,
    texts: Texts,
    /// The projects that the server did not load, which answers mention.
    left_out: Vec<Reason>,
}

impl ResultCache {
    /// Creates an empty cache, whose look-ups are counted.
    pub(crate) fn new(lookups: CacheLookups) -> Self {
        Self { results: Mutex::new(LruCache::new(BUDGET)), lookups }
    }

    /// Returns the cached result of a request, or computes it.
    pub(crate) async fn get_or_compute<T>(
        &self,
        question: String,
        asking: &QueryContext,
        roots: &SessionFolders,
        answer: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem>
    where
        T: Qualified + Clone + Serialize + Send + Sync + 'static,
    {
        let Some(dependencies) = Dependencies::of(asking, roots).await else { return answer.await };
        let kept = lock(&self.results).get(&question, |it| it.dependencies.is(&dependencies));
        if let Some(kept) = kept
            && let Some(answer) = kept.answer.downcast_ref::<T>()
            && are_as_they_were(Arc::clone(&kept.files)).await
        {
            self.lookups.count(true);
            return Ok(answer.clone());
        }
        self.lookups.count(false);
        let mut answer = answer.await?;
        // What is missing may be known a moment later.
        let is_complete = |it: &mut Completeness| it.is_complete();
        if is_complete(answer.standing()) && answer.of_references().is_none_or(is_complete) {
            let weight = serde_json::to_string(&answer).map_or(BUDGET, |it| it.len());
            let (files, answer) = (Arc::new(asking.looked_at().await), Arc::new(answer.clone()));
            let weight = weight + files.len() * PER_FILE;
            lock(&self.results).put(question, weight, CachedResult { dependencies, files, answer });
        }
        Ok(answer)
    }
}

async fn are_as_they_were(files: Arc<Vec<(PathBuf, Option<Stamp>)>>) -> bool {
    let count = files.len();
    let look = move || files.iter().all(|(path, stamp)| Stamp::read(path) == *stamp);
    blocking::in_place_for(count, look).await
}

impl Dependencies {
    /// Computes an answer's dependencies; `None` if it cannot be cached.
    async fn of(asking: &QueryContext, roots: &SessionFolders) -> Option<Self> {
        let (file_cache, tree) = (Arc::clone(asking.file_cache()), folders(asking, roots));
        let asked = file_cache.generation();
        if !asked.is_still || !asking.server.setup.switched_off.is_empty() {
            return None;
        }
        let texts = Texts::clone(&tree.texts);
        let generations = match tree.words.known_generations(&tree.folders) {
            Some(known) => known,
            None => blocking::in_place(move || tree.words.generations(&tree.folders)).await?,
        };
        Some(Self { file_cache, asked, generations, texts, left_out: asking.left_out.clone() })
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file_cache, &other.file_cache)
            && Arc::ptr_eq(&self.texts, &other.texts)
            && (self.asked, &self.generations, &self.left_out)
                == (other.asked, &other.generations, &other.left_out)
    }
}
