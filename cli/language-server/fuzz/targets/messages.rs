#![no_main]

#[path = "../../tests/server/client.rs"]
mod client;
#[path = "../../tests/server/sequences.rs"]
mod sequences;
#[path = "../../tests/server/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::messages(bytes));
