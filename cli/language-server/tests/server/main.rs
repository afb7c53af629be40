//! Tests of the server as a client sees it, in one process: messages in, messages out.

mod client;
mod sequences;
mod speed;
