//! Tests of the library as a whole: properties, examples, and hostile input.

#![expect(clippy::disallowed_methods, reason = "tests read documents")]

mod analysis;
mod both;
mod budget;
mod cycles;
mod format;
mod guide;
mod hostile;

mod interface;
mod levels;
mod lints;
mod manifest;
mod missing;
mod properties;
mod runtime;
mod schema;
mod sections;
mod standard;
mod thrown;
mod values;
