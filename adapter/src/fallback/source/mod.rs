//! Source text without a workspace: positions, names, outlines, packages and the table of languages.

pub(crate) mod crate_names;
pub(crate) mod deadlines;
pub(crate) mod languages;
pub(crate) mod line_pattern;
pub(crate) mod markdown;
pub(crate) mod names;
pub(crate) mod outline;
pub(crate) mod package;
pub(crate) mod parallel;
pub(crate) mod text;
pub(crate) mod top_matches;
pub(crate) mod words;
