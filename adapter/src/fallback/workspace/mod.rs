//! The files of a session: walks, watches, editor buffers, text search, and indexes of words and definitions.

pub(crate) mod buffers;
pub(crate) mod file_scan;
pub(crate) mod format_places;
pub(crate) mod index;
pub(crate) mod line_search;
pub(crate) mod path_suggestions;
pub(crate) mod readable_outside;
pub(crate) mod session_folders;
pub(crate) mod staged_texts;
pub(crate) mod stamp;
pub(crate) mod tree_watcher;
pub(crate) mod walk;
pub(crate) mod word_index;
pub(crate) mod word_scan;
