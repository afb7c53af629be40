//! `ailang explain`: what a code means.

use ailang::Code;

use super::Came;
use crate::output::{complain, say};

/// Wrong usage.
const UNKNOWN: u8 = 2;

pub(super) fn run(code: &str) -> Came {
    let Some(found) = Code::parse(code.trim()) else {
        complain(&format!("no code is called `{code}`; codes look like AL3001"));
        return Ok(UNKNOWN);
    };
    say(&format!("{found}: {}\n\n{}", found.title(), found.explanation()))?;
    Ok(0)
}
