//! Tests of the server as a client sees it, in one process: messages in, messages out.

mod client;
mod renames;
mod sequences;
mod speed;
mod targets;
