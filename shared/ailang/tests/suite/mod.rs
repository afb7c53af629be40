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

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [
        analysis::trials(),
        both::trials(),
        budget::trials(),
        cycles::trials(),
        format::trials(),
        guide::trials(),
        hostile::trials(),
        interface::trials(),
        levels::trials(),
        lints::trials(),
        manifest::trials(),
        missing::trials(),
        properties::trials(),
        runtime::trials(),
        schema::trials(),
        sections::trials(),
        standard::trials(),
        thrown::trials(),
        values::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
