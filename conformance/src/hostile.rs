//! Hostile workspaces: traps that run code of their own when something gives them a chance, and canaries that tell.
//!
//! Traps are data, a file a server in `traps`. Each is laid out with a payload of its own, a library and a
//! program that spring every canary within their reach.

pub mod canaries;
pub mod payload;
pub mod visit;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The traps of one server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The language of the server, as settings name it.
    pub language: String,
    pub server: String,
    /// Programs that a session asks about each trap.
    pub questions: Vec<String>,
    /// The user's settings of the server, on top of its choice, and files in the home folder.
    #[serde(default)]
    pub settings: String,
    #[serde(default)]
    pub home: BTreeMap<String, String>,
    /// Files that the folder of each trap has, unless it says otherwise.
    pub files: BTreeMap<String, String>,
    #[serde(rename = "trap")]
    pub traps: Vec<Trap>,
}

/// A workspace, or a folder of one, that tries to run code.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trap {
    /// A short unique name, fit for a file name.
    pub name: String,
    /// The way in which its code would run.
    pub tries: String,
    /// Files on top of those of the suite; an empty text removes one.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The folder that the session opens, instead of that of the trap; such a trap has a session of its own.
    pub open: Option<String>,
    /// Folders of the trap that lie first in the search path of the session, as of an activated environment.
    #[serde(default)]
    pub path: Vec<String>,
    /// True when it has a session of its own.
    #[serde(default)]
    pub alone: bool,
    /// A shell command that makes it fire, for one that no level of the session fires.
    pub command: Option<String>,
    /// True when its code runs in a confined workspace, where the wall has to hold it.
    #[serde(default)]
    pub runs_confined: bool,
}

impl Suite {
    /// Reads the traps of a server.
    ///
    /// # Errors
    /// When the file cannot be read or says something unknown.
    pub fn read(path: &Path) -> Result<Self> {
        let place = || path.display().to_string();
        let suite: Self =
            toml::from_str(&std::fs::read_to_string(path).with_context(place)?).with_context(place)?;
        ensure!(!suite.traps.is_empty(), "{} holds no trap", place());
        Ok(suite)
    }

    /// Returns the traps of each session. At most `limit` share one, of as many kinds as the suite has; those that want
    /// one of their own are alone.
    pub fn sessions(&self, limit: usize) -> Vec<Vec<Trap>> {
        let (alone, shared): (Vec<_>, Vec<_>) =
            self.traps.iter().cloned().partition(|it| it.alone || it.open.is_some());
        // Neighbours in the file are of one kind.
        let n_sessions = shared.len().div_ceil(limit);
        let every = |first| shared.iter().skip(first).step_by(n_sessions).cloned().collect();
        let shared: Vec<Vec<_>> = (0..n_sessions).map(every).collect();
        shared.into_iter().chain(alone.into_iter().map(|it| vec![it])).collect()
    }
}
