//! Tests of the server as a client sees it, in one process: messages in, messages out.

mod client;
mod diagnostics;
mod long_documents;
mod renames;
mod sequences;
mod targets;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let all = [
        diagnostics::trials(),
        long_documents::trials(),
        renames::trials(),
        sequences::trials(),
        targets::trials(),
    ];
    all.into_iter().flatten().collect()
}
