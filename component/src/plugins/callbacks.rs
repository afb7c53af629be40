//! Functions that are arguments of a call.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use plugin_protocol::Value;
use plugin_protocol::methods::Arguments;

pub(super) type Callback = Arc<dyn Fn(Arguments) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

/// The functions that are arguments of one call. They can be called until it is answered.
#[derive(Clone, Default)]
pub struct Callbacks(BTreeMap<String, Callback>);

impl fmt::Debug for Callbacks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Callbacks {
    /// Adds a function. Returns the value that stands for it in the arguments.
    pub fn add<F>(&mut self, function: impl Fn(Arguments) -> F + Send + Sync + 'static) -> Value
    where
        F: Future<Output = Result<Value, String>> + Send + 'static,
    {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let id = format!("cb-{}", IDS.fetch_add(1, Ordering::Relaxed));
        self.0.insert(id.clone(), Arc::new(move |arguments| function(arguments).boxed()));
        Value::Callback(id)
    }

    /// Returns functions that `wrapper` runs in their place.
    pub(super) fn wrapped(
        &self,
        wrapper: impl Fn(Callback, Arguments) -> BoxFuture<'static, Result<Value, String>> + Send + Sync + 'static,
    ) -> Self {
        let wrapper = Arc::new(wrapper);
        let wrapped = self.0.iter().map(|(id, function)| {
            let (function, wrapper) = (Arc::clone(function), Arc::clone(&wrapper));
            let wrapped: Callback = Arc::new(move |arguments| wrapper(Arc::clone(&function), arguments));
            (id.clone(), wrapped)
        });
        Self(wrapped.collect())
    }

    pub(super) fn get(&self, id: &str) -> Option<Callback> {
        self.0.get(id).cloned()
    }
}
