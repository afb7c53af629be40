//! Segmentation of a document into front matter, prose, fences and blocks, without gaps.

mod fence;
mod heading;
mod line;
mod part;
mod prose;
mod scan;
mod tag;

pub use fence::Fence;
pub use heading::heading;
pub use part::{Block, BlockPart, Part};
pub(crate) use scan::scan;
pub use tag::{Attribute, BlockKind};
