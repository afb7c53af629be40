//! The bytes under the protocol, for every program that speaks it: lines in, lines out, and the process around them.
//!
//! [`Transport`] stands where the SDK's own streams would: those end the connection at the first byte that is not
//! UTF-8, and lose a response that they cannot read. Here a line is delivered, answered or turned into the error of
//! the request that it was to answer.

mod connect;
mod envelope;
mod frame;
mod judge;
mod os;
mod runtime;
mod split;
mod surrogate;

pub use connect::{Transport, stdio};
pub use os::raise_descriptor_limit;
pub use runtime::runtime;

/// The longest line that is read, in bytes. A longer one is answered with an error and is not kept.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The most JSON values that a line may have. In memory each takes about a hundred bytes, and several copies pass
/// through a chain.
pub const MOST_VALUES: usize = 1_000_000;
