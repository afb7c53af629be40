//! Documents → rows: tools, types, errors and capabilities as programs see them.
//!
//! [`Lowering`] expands the names of types, or keeps them for formats that have named types. A document is
//! meant by its index in [`Documents`](crate::Documents); the prelude has the one behind the last. Any other
//! index panics.

mod capability;
mod circular;
mod effect;
mod example;
mod failure;
mod kept;
mod literal;
mod lowering;
mod record;
mod refinement;
mod registered;
mod tool;
mod types;

pub use failure::max_retries;
pub use kept::{Instance, Method};
pub use lowering::Lowering;
pub(crate) use refinement::lowered;
pub use registered::is_registered;
pub(crate) use tool::Callable;
pub(crate) use types::payload_name;
pub use types::wire_value;
