//! The error of a search for a language server, with a hint on how to get one.

/// The error of a search that found no server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{server} is not installed or does not start{}", tried_list(.tried))]
pub(crate) struct NotFound {
    /// The server that would be best.
    pub(crate) server: &'static str,
    /// The attempts and their failures, one sentence each.
    pub(crate) tried: Vec<String>,
    /// The advice to the user.
    pub(crate) remedy: InstallHint,
}

/// The way to get a missing server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstallHint {
    /// This command installs it.
    Install(&'static str),
    /// It is there, and runs code of the workspace: the workspace has to be trusted.
    Trust,
    /// Configuration turned the language off, or names what does not exist.
    Configure,
}

fn tried_list(tried: &[String]) -> String {
    if tried.is_empty() { String::new() } else { format!(": {}", tried.join("; ")) }
}
