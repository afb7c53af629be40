//! The fallback over real language servers, what it answers without one, and the supervisor of their processes. They are
//! one program, so that it is linked once and its tests run beside each other: while one server loads, others answer.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod drafts;
mod lower;
mod reading;
mod renames;
mod rust_analyzer;
mod servers;
mod supervise;
mod trees;
mod truth;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread::available_parallelism;

use adapter::fallback::detached_write;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Servers are started below this program, which is their supervisor then.
    if arguments == [detached_write::COMMAND] {
        return detached_write::main();
    }
    if let Some(ended) = supervise::play(&arguments) {
        return ended;
    }
    let mut arguments = Arguments::from_args();
    // A server that loads or starts keeps less than one core busy.
    let cores = available_parallelism().map_or(2, Into::into);
    arguments.test_threads = arguments.test_threads.or(Some(cores * 2));
    let open = reading::Opened::default();
    let conclusion = libtest_mimic::run(&arguments, trials(&open));
    open.close();
    conclusion.exit_code()
}

/// All tests. Those that take longest are first, so that the last ones to end are short.
fn trials(open: &reading::Opened) -> Vec<Trial> {
    world::look_for(
        truth::servers()
            .chain(trees::servers())
            .chain(renames::servers())
            .chain(servers::servers())
            .chain(reading::servers()),
    );
    let kinds = [
        ("truth", truth::trials()),
        ("renames", renames::trials()),
        ("reading", reading::trials(open)),
        ("rust_analyzer", rust_analyzer::trials()),
        ("servers", servers::trials()),
        ("supervise", supervise::trials()),
        ("trees", trees::trials()),
        ("lower", lower::trials()),
        ("drafts", drafts::trials()),
    ];
    kinds
        .into_iter()
        .flat_map(|(kind, trials)| trials.into_iter().map(move |it| it.with_kind(kind)))
        .collect()
}
