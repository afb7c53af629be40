//! Tests of the server as a client sees it, in one process: messages in, messages out.

mod client;
mod long_documents;
mod renames;
mod sequences;
mod targets;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [long_documents::trials(), renames::trials(), sequences::trials(), targets::trials()]
        .into_iter()
        .flatten()
        .collect()
}
