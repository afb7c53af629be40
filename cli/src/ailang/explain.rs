//! `ailang explain`: explains an error code.

use ailang::Code;

use super::outcome::ExitResult;
use crate::output::{complain, say};

/// The exit code for wrong usage.
const UNKNOWN: u8 = 2;

pub(super) fn run(code: &str) -> ExitResult {
    let Some(found) = Code::parse(code.trim()) else {
        complain(&format!("no code is called `{code}`; codes look like AL3001"));
        return Ok(UNKNOWN);
    };
    say(&format!("{found}: {}\n\n{}", found.title(), found.explanation()))?;
    Ok(0)
}
