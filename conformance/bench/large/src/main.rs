//! Large trees beside ripgrep: `search`, and a definition from a cold process without a language server; and what an
//! index is worth there.
//!
//! `large search`, `large definition` and `large names` measure; the other subcommands are the processes that are measured.

mod definition;
mod names;
mod question;
mod run;
mod search;
mod tree;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // The process is the program `dialect` itself, to be measured as a whole.
        ["eval" | "supervise" | "server", ..] => cli::main(),
        ["question-search", tree, pattern] => question::search(Path::new(tree), pattern),
        ["question-definition", tree, name] => question::definition(Path::new(tree), name),
        ["question-names", tree, store, what, name, warm] => {
            question::names(Path::new(tree), Path::new(store), what, name, *warm == "warm")
        }
        ["search"] => search::measure(),
        ["definition"] => definition::measure(),
        ["names"] => names::measure(),
        _ => {
            eprintln!("usage: large search | definition | names");
            ExitCode::from(2)
        }
    }
}
