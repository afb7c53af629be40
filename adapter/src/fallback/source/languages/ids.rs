//! The ids of languages and grammars that code outside of the table tells apart. What can be said of a
//! language by a property is one of its [row](super::Language).

pub(crate) const BASH: &str = "bash";
pub(crate) const C: &str = "c";
pub(crate) const CPP: &str = "cpp";
pub(crate) const CSHARP: &str = "csharp";
pub(crate) const GO: &str = "go";
pub(crate) const JAVA: &str = "java";
pub(crate) const JAVASCRIPT: &str = "javascript";
pub(crate) const PHP: &str = "php";
pub(crate) const PYTHON: &str = "python";
pub(crate) const RUBY: &str = "ruby";
pub(crate) const RUST: &str = "rust";
pub(crate) const TSX: &str = "tsx";
pub(crate) const TYPESCRIPT: &str = "typescript";
