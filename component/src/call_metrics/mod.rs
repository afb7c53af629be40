//! Measurements of calls: of a tool, and of the functions that its program calls. They go to the log of calls.
//!
//! A call waits for none of this: it notes a duration and shares its values. A thread counts tokens and writes, from a
//! queue that drops what comes too fast, and says how much.

mod cache;
mod functions;
mod meter;
mod run;
mod samples;
mod tokens;
mod writer;

pub use cache::{CacheCounter, CacheLookups};
pub(crate) use meter::{Meter, OpenCall, Said};
pub(crate) use run::{CallLog, MeasuredRun};
pub use writer::flush;
