//! Segmentation of a document into front matter, prose, fences and blocks, without gaps.

mod fence;
mod line;
mod part;
mod prose;
mod scan;
mod tag;

pub use fence::Fence;
pub use part::{Block, BlockPart, Part};
pub(crate) use scan::scan;
pub use tag::{Attribute, BlockKind};
