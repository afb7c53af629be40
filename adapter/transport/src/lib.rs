//! The bytes under the protocol, for every program that speaks it: lines in, lines out, and the process around
//! them.
//!
//! [`Transport`] replaces the SDK's own streams. Those end the connection at the first byte that is not UTF-8, and
//! lose responses that they cannot parse. Here each line is delivered, answered, or turned into the error response
//! of its request.

mod connect;
mod direct;
mod frame;
mod judge;
mod limits;
mod os;
mod runtime;
mod split;
mod surrogate;

pub use connect::{Transport, stdio};
pub use direct::DirectRequests;
pub use limits::{LONGEST_LINE, MOST_VALUES};
pub use os::raise_descriptor_limit;
pub use runtime::runtime;
