//! The server that answers for a language in a session.

use std::sync::Arc;

use ide_protocol::Reason;

use crate::fallback::servers::run::server::Server;

/// The server of a language, with its limits in this session.
#[derive(Clone, Debug)]
pub(crate) struct Serving {
    pub(crate) server: Arc<Server>,
    /// The projects that were left out.
    pub(crate) left_out: Vec<Reason>,
    /// A phrase on what it cannot know because the workspace is restricted.
    pub(crate) unknown: Option<&'static str>,
}
