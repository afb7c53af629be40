//! OpenAPI 3.1: tools are operations, types are schemas, capabilities are security schemes of foreign documents.
//!
//! Fields that start with `x-ailang-` hold what OpenAPI has no fields for: tags, capabilities, and the words of
//! errors.

mod export;
mod failures;
mod import;
mod operation;
mod permissions;
mod tags;
mod unread;

pub(super) use export::export;
pub(super) use import::import;
