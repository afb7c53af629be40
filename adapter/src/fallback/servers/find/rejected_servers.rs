//! Rejected servers: programs that were found and failed. They are skipped while they are the same files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::fallback::workspace::stamp::Stamp;
use unpoisoned::lock;

/// The rejected programs, with reasons.
#[derive(Debug, Default)]
pub(crate) struct RejectedServers(Mutex<HashMap<PathBuf, (Option<Stamp>, String)>>);

impl RejectedServers {
    /// Rejects a program.
    pub(crate) fn add(&self, program: &Path, reason: String) {
        let known = (Stamp::read(program), reason);
        lock(&self.0).insert(program.to_owned(), known);
    }

    /// Accepts a program again, because there is no other.
    pub(crate) fn forgive(&self, program: &Path) {
        lock(&self.0).remove(program);
    }

    /// Returns the reason why a program was rejected, if it is still the same file.
    pub(crate) fn reason(&self, program: &Path) -> Option<String> {
        let known = lock(&self.0);
        let (stamp, reason) = known.get(program)?;
        (*stamp == Stamp::read(program)).then(|| reason.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_installed_anew_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("server");
        std::fs::write(&program, "old").unwrap();
        let unfit = RejectedServers::default();
        unfit.add(&program, "it ended at once".into());
        assert_eq!(unfit.reason(&program).as_deref(), Some("it ended at once"));
        std::fs::write(&program, "newer").unwrap();
        assert_eq!(unfit.reason(&program), None);
    }
}
