//! The counter of a cache that is not ours: that of the language servers' answers.

use std::fmt;
use std::sync::Arc;

/// Look-ups in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheLookups {
    /// The look-ups that found something.
    pub hits: u64,
    /// The look-ups that found nothing.
    pub misses: u64,
}

/// A counter of look-ups. The log of calls reads it with each program.
#[derive(Clone)]
pub struct CacheCounter(Arc<dyn Fn() -> CacheLookups + Send + Sync>);

impl CacheCounter {
    /// Makes a counter of a function that returns the look-ups since its last call, without waiting.
    pub fn new(take: impl Fn() -> CacheLookups + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    pub(super) fn take(&self) -> CacheLookups {
        (self.0)()
    }
}

impl fmt::Debug for CacheCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheCounter").finish_non_exhaustive()
    }
}
