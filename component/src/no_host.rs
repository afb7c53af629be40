//! A host that answers nothing, for tables that are read and not run.

use futures::FutureExt;
use ide_library::{
    Answer, DefinitionsQuestion, Host, LinesQuestion, ReferencesQuestion, SearchQuestion, SelectionQuestion,
};
use ide_protocol::{DefinitionsResult, LinesResult, ReferencesResult, SearchResult, SelectionResult};

/// A host whose answers never arrive.
pub(crate) struct NoHost;

impl Host for NoHost {
    fn definitions(&self, _: DefinitionsQuestion) -> Answer<'_, DefinitionsResult> {
        std::future::pending().boxed()
    }

    fn references(&self, _: ReferencesQuestion) -> Answer<'_, ReferencesResult> {
        std::future::pending().boxed()
    }

    fn search(&self, _: SearchQuestion) -> Answer<'_, SearchResult> {
        std::future::pending().boxed()
    }

    fn lines(&self, _: LinesQuestion) -> Answer<'_, LinesResult> {
        std::future::pending().boxed()
    }

    fn selection(&self, _: SelectionQuestion) -> Answer<'_, SelectionResult> {
        std::future::pending().boxed()
    }
}
