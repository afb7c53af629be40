//! Archives of packages: gzipped tar as npm's registries have it, with the files below one folder.

mod foreign;
mod pack;
mod path;
#[cfg(test)]
mod tests;
mod unpack;

pub(crate) use foreign::{is_left_out, refusal};
pub use pack::{PackedFile, pack, pack_tar};
pub use unpack::{ArchiveFile, ArchiveLimits, unpack};
