//! The proxy toward the editor: answers `ide_operations` with the editor or with language servers.

mod acp;
pub mod background;
mod blocking;
mod consent;
mod disk_budget;
pub mod fallback;
mod loading;
mod os;
mod route;
mod sessions;
pub mod supervise;
pub(crate) mod xdg_dirs;

pub use acp::{Adapter, run, run_on_stdio};
