#![no_main]
#![allow(dead_code, unused_imports, reason = "the modules are those of tests, which use all of them")]

#[path = "../../tests/server/client.rs"]
mod client;
#[path = "../../tests/server/sequences.rs"]
mod sequences;
#[path = "../../tests/server/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::messages(bytes));
