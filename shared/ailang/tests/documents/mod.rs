//! Tests that are documents: the corpus, the chapters in `spec/`, and the specification of the language.

#![expect(clippy::disallowed_methods, reason = "tests read documents")]

mod corpus;
mod seed;
mod spec;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    corpus::trials().into_iter().chain(spec::trials()).chain(seed::trials()).collect()
}
