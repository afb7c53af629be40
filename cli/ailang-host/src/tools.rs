//! Code by the names of tools.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ailang::Provider;
use dialect::Handler;

/// The code of tools that have no body, by their names.
#[derive(Clone, Default)]
pub struct Tools(HashMap<String, Arc<dyn Handler>>);

impl Tools {
    /// Adds the code of a tool. Its arguments have the names and types of the document, and its result is checked.
    #[must_use]
    pub fn with(mut self, tool: impl Into<String>, code: impl Handler + 'static) -> Self {
        self.0.insert(tool.into(), Arc::new(code));
        self
    }
}

impl Provider for Tools {
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>> {
        self.0.get(tool).cloned()
    }
}

/// The only provider of a runtime.
impl From<Tools> for Vec<Arc<dyn Provider>> {
    fn from(tools: Tools) -> Self {
        vec![Arc::new(tools)]
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
