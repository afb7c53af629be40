#![no_main]

#[path = "../../tests/hostile/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::target("names")(bytes));
