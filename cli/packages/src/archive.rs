//! Archives of packages: gzipped tar as npm's registries have it, with the files below one folder.

mod pack;
mod path;
#[cfg(test)]
mod tests;
mod unpack;

pub use pack::{PackedFile, pack, pack_tar};
pub use unpack::{ArchiveFile, ArchiveLimits, unpack};
