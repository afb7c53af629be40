//! The wire between the component and the side that answers for the IDE: an editor, or the adapter in its place.
//!
//! Requests are ACP extension requests `_ide_operations/<operation>`; `EDITORS.md` describes them for
//! authors of editors. A request is an [`Envelope`] and a [`Question`]; a result begins with its [`Completeness`].
//! The crate does no IO.

#![warn(missing_docs)]

mod capability;
mod completeness;
mod contents;
mod diagnostics;
mod direction;
mod edit;
mod envelope;
mod error;
mod hierarchy;
mod matches;
mod navigation;
mod operation;
mod overview;
mod place;
mod progress;
mod reason;
mod result;
mod short_path;
mod subjects;
mod text;
mod unsaved;

pub use capability::*;
pub use completeness::*;
pub use contents::*;
pub use diagnostics::*;
pub use direction::*;
pub use edit::*;
pub use envelope::*;
pub use error::*;
pub use hierarchy::*;
pub use matches::*;
pub use navigation::*;
pub use operation::*;
pub use overview::*;
pub use place::*;
pub use progress::*;
pub use reason::*;
pub use result::*;
pub use short_path::*;
pub use subjects::*;
pub use text::*;
pub use unsaved::*;
