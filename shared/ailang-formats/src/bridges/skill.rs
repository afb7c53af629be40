//! Agent Skills: a folder with a `SKILL.md`, whose front matter has `name` and `description`.
//!
//! The body of a skill is Markdown, so it holds a document as it is. A large one moves to a file of its own,
//! which the skill names, because agents read the whole `SKILL.md`.

mod export;
mod header;
mod import;
mod text;

pub(super) use export::export;
pub(super) use import::import;
