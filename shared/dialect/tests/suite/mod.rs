//! The tests of the language that are not chapters of `spec`.

mod code;
mod embedded;
mod embedding;
mod hostile;
mod needs;
mod oddities;
mod patterns;
mod properties;
mod round_trip;
mod signatures;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [
        code::trials(),
        embedded::trials(),
        embedding::trials(),
        hostile::trials(),
        needs::trials(),
        oddities::trials(),
        patterns::trials(),
        properties::trials(),
        round_trip::trials(),
        signatures::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
