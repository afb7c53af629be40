//! Completion of symbols, which the chain is asked for. An answer that comes too late for a keystroke serves the next.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;

use unpoisoned::lock;

/// The fewest characters of a name that is asked for.
const LEAST: usize = 2;

/// The most names.
const MOST: usize = 40;

/// The symbols of the workspace.
pub(crate) struct Symbols {
    runtime: Handle,
    /// Finds names like a text.
    find: Box<dyn Fn(String) -> BoxFuture<'static, Vec<String>> + Send + Sync>,
    latest: Arc<Latest>,
}

/// The latest question, and a signal for its answer.
#[derive(Default)]
struct Latest {
    query: Mutex<Option<Query>>,
    answered: Condvar,
}

struct Query {
    prefix: String,
    /// Absent while nobody has answered.
    names: Option<Vec<String>>,
}

impl Symbols {
    pub(crate) fn new<F: Future<Output = Vec<String>> + Send + 'static>(
        runtime: Handle,
        find: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self {
        Self { runtime, find: Box::new(move |prefix| find(prefix).boxed()), latest: Arc::default() }
    }

    /// Returns the names that begin like `typed`, ignoring case: those that are known within the deadline.
    pub(super) fn complete(&self, typed: &str, deadline: Duration) -> Vec<String> {
        let is_name = typed.chars().all(|it| it.is_alphanumeric() || it == '_');
        if !is_name || typed.chars().count() < LEAST {
            return Vec::new();
        }
        let mut query = lock(&self.latest.query);
        if query.as_ref().is_none_or(|it| it.prefix != typed) {
            *query = Some(Query { prefix: typed.to_owned(), names: None });
            self.ask(typed);
        }
        let is_open = |it: &mut Option<Query>| it.as_ref().is_some_and(|it| it.names.is_none());
        let waited = self.latest.answered.wait_timeout_while(query, deadline, is_open);
        let (query, _) = waited.unwrap_or_else(PoisonError::into_inner);
        query.as_ref().and_then(|it| it.names.clone()).unwrap_or_default()
    }

    /// Forgets the latest answer, since files change.
    pub(crate) fn forget(&self) {
        *lock(&self.latest.query) = None;
    }

    fn ask(&self, prefix: &str) {
        let (prefix, latest, found) =
            (prefix.to_owned(), Arc::clone(&self.latest), (self.find)(prefix.to_owned()));
        self.runtime.spawn(async move {
            let mut names = found.await;
            let like = prefix.to_lowercase();
            names.retain(|it| it.to_lowercase().starts_with(&like));
            let mut seen = std::collections::HashSet::new();
            names.retain(|it| seen.insert(it.clone()));
            names.truncate(MOST);
            if let Some(query) = lock(&latest.query).as_mut().filter(|it| it.prefix == prefix) {
                query.names = Some(names);
                latest.answered.notify_all();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn a_late_answer_serves_the_next_keystroke() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (gate, asked) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let (opened, counted) = (Arc::clone(&gate), Arc::clone(&asked));
        let symbols = Symbols::new(runtime.handle().clone(), move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                ["User", "user", "User", "Account"].map(str::to_owned).into()
            }
        });
        assert!(symbols.complete("us", Duration::ZERO).is_empty());
        opened.add_permits(1);
        assert_eq!(symbols.complete("us", Duration::from_secs(60)), ["User", "user"]);
        assert_eq!(symbols.complete("us", Duration::ZERO), ["User", "user"]);
        assert_eq!(asked.load(Ordering::Relaxed), 1, "one question serves all");
        symbols.forget();
        assert!(symbols.complete("us", Duration::ZERO).is_empty());
        assert!(
            symbols.complete("u", Duration::ZERO).is_empty()
                && symbols.complete("a b", Duration::ZERO).is_empty()
        );
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}
