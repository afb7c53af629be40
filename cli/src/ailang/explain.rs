//! `ailang explain`: explains error codes.

use ailang::Code;

use super::outcome::ExitResult;
use crate::output::{complain, say};

/// The exit code for wrong usage.
const UNKNOWN: u8 = 2;

/// Explains a code, written with or without its letters, or lists all codes.
pub(super) fn run(code: Option<&str>) -> ExitResult {
    let Some(code) = code else {
        for (code, title) in Code::ALL {
            say(&format!("{code}  {title}"))?;
        }
        return Ok(0);
    };
    let trimmed = code.trim();
    let Some(found) = Code::parse(trimmed).or_else(|| Code::parse(&format!("AL{trimmed}"))) else {
        complain(&format!(
            "no code is called `{code}`; codes look like AL3001, and `ailang explain` lists them"
        ));
        return Ok(UNKNOWN);
    };
    say(&format!("{found}: {}\n\n{}", found.title(), found.explanation()))?;
    Ok(0)
}
