//! Documents → rows: tools, types, errors and capabilities as programs see them.

mod capability;
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

pub(crate) use failure::max_retries;
pub(crate) use kept::{DefinitionKey, Instance, Method};
pub(crate) use lowering::Lowering;
pub(crate) use refinement::lowered;
pub(crate) use registered::is_registered;
pub(crate) use tool::Callable;
pub(crate) use types::{payload_name, wire_value};
