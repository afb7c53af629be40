//! The parts of the bench of scripts that need Rust: times of calls, and the functions as JSON Schema. `all.py` runs them.

mod calls;
mod frames;
mod http;
mod tools;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("calls") => calls::main(),
        Some("tools") => tools::main(),
        Some("external") => print!("{}", script_protocol::external()),
        _ => panic!("calls, tools or external"),
    }
}
