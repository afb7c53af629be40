//! The times that a plugin has to start, to answer and to end, and the bounds of what it may send.

use std::time::Duration;

use crate::limits::Limits;

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version that the handshake names. Plugins compare it with versions of Scriptling.
    pub host_version: String,
    /// The time for the answer to the handshake.
    pub handshake: Duration,
    /// The time for the answer to the request to end.
    pub shutdown: Duration,
    /// The time for the process to exit after its input was closed.
    pub exit: Duration,
    /// The bounds of what the plugin may send.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host_version: "0.27.3".to_owned(),
            handshake: Duration::from_secs(15),
            shutdown: Duration::from_secs(1),
            exit: Duration::from_secs(2),
            limits: Limits::default(),
        }
    }
}
