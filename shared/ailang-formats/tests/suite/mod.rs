//! Tests of the library as a whole: recorded results, properties, and hostile input.

#![expect(clippy::disallowed_methods, reason = "tests read documents")]

mod bridges;
mod compare;
mod generate;
mod pages;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [bridges::trials(), compare::trials(), generate::trials(), pages::trials()]
        .into_iter()
        .flatten()
        .collect()
}
