//! The errors of the audit log on disk.

use std::io;
use std::path::PathBuf;

use super::chain::Broken;

/// An error that keeps the log from being read or continued.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file system refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        error: io::Error,
    },
    /// The last line is damaged, so nothing can follow it.
    #[error("the last line of {} is damaged: {reason}; see `dialect audit verify`, then move the file away", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage, in words.
        reason: String,
    },
    /// Lines are missing at the end.
    #[error(
        "{}: according to {}, {kept} entries were written, but the record ends with entry {found}: later entries were removed",
        path.display(), head.display()
    )]
    Cut {
        /// The file.
        path: PathBuf,
        /// The file that keeps the end of the chain.
        head: PathBuf,
        /// The number of entries that were written.
        kept: u64,
        /// The number of entries that are there.
        found: u64,
    },
    /// The lines form a chain, but not the one that was written.
    #[error("{}: entry {kept} is not the one that {} names: the record was rewritten", path.display(), head.display())]
    Rewritten {
        /// The file.
        path: PathBuf,
        /// The file that keeps the end of the chain.
        head: PathBuf,
        /// The number of the last entry that was kept.
        kept: u64,
    },
    /// The file that keeps the end is missing, so nothing shows whether lines are missing too.
    #[error(
        "{} is missing, so nothing shows whether the record, which ends with entry {found}, is complete; the file is \
         written again with the next entry", path.display()
    )]
    NoHead {
        /// The missing file.
        path: PathBuf,
        /// The number of entries that are there.
        found: u64,
    },
    /// The file that keeps the end cannot be parsed.
    #[error("{} cannot be read ({reason}), so nothing can be recorded; move it away", path.display())]
    Head {
        /// The file.
        path: PathBuf,
        /// The error of the parser, in words.
        reason: String,
    },
    /// A line breaks the chain.
    #[error("{}, {broken}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first such line.
        broken: Broken,
    },
}
