//! Front matter: the metadata of a document, in YAML.

mod field;
mod list;
mod model;
mod read;
mod repair;
mod rule;
mod values;
mod yaml;

pub use model::{Field, FrontMatter, Loading, Rule, RuleKind};
pub use read::REMEDY;
pub(crate) use read::read;
pub use values::{FieldValue, RepeatedField, Values, values};
