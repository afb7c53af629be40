//! The proxy toward the editor: makes `ide_operations` available, from the editor or from language servers.

pub mod fallback;
