//! The settings of the tool `script`, in the user's own file alone.
//!
//! ```toml
//! [script]
//! enabled = true                                     # false: the tool is not offered
//! check-types = true                                 # false: a TypeScript of this machine gives no advice
//! calls = 256                                        # of one program, at most 1000
//! checking = 2                                       # seconds that a failed program waits for that advice, at most 60
//! computing = 10                                     # seconds that one program may compute, at most 60
//! runtimes = ["node", "deno=/opt/deno/bin/deno"]     # whose programs import packages of the workspace
//! ```

use std::fmt::Display;

use component::ScriptLimits;
use serde::Deserialize;

use crate::failure::Failure;
use crate::settings_file;

/// The most calls that a program may be allowed.
const MOST_CALLS: usize = 1000;

/// The most seconds that a program may be allowed to compute, or to wait for advice.
const MOST_SECONDS: u64 = 60;

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    script: ScriptConfig,
}

/// The section `[script]`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScriptConfig {
    pub(crate) enabled: bool,
    /// True when a TypeScript compiler of this machine advises programs.
    #[serde(rename = "check-types")]
    pub(crate) check_types: bool,
    /// The time that a failed program waits for that advice, in seconds.
    pub(crate) checking: u64,
    /// The number of calls that a program may make.
    pub(crate) calls: usize,
    /// The time that a program may compute, in seconds.
    pub(crate) computing: u64,
    /// The external runtimes, each `NAME` or `NAME=PATH`.
    pub(crate) runtimes: Vec<String>,
}

impl Default for ScriptConfig {
    fn default() -> Self {
        let ScriptLimits { calls, cpu, checking, .. } = ScriptLimits::default();
        let (computing, checking) = (cpu.as_secs(), checking.as_secs());
        Self { enabled: true, check_types: true, checking, calls, computing, runtimes: Vec::new() }
    }
}

impl ScriptConfig {
    /// Reads the user's settings file, if there is one.
    ///
    /// # Errors
    /// The file cannot be read, or says something else than settings.
    pub(crate) fn read() -> Result<Self, Failure> {
        let File { script } = settings_file::read(|File { script }| {
            checked(script.calls)?;
            seconds("computing", script.computing)?;
            seconds("checking", script.checking).map(drop)
        })?;
        Ok(script)
    }
}

/// Returns a number of calls that a program may be allowed.
///
/// # Errors
/// The number is out of range.
pub(crate) fn checked(calls: usize) -> Result<usize, String> {
    within("calls", calls, MOST_CALLS)
}

/// Returns a number of seconds that a program may be allowed for something.
fn seconds(what: &str, seconds: u64) -> Result<u64, String> {
    within(&format!("{what} seconds"), seconds, MOST_SECONDS)
}

fn within<N: From<u8> + PartialOrd + Display>(what: &str, number: N, most: N) -> Result<N, String> {
    match N::from(1) <= number && number <= most {
        true => Ok(number),
        false => Err(format!("the {what} of a script must be from 1 to {most}, got {number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_unknown_ones_are_refused() {
        let file: File = toml::from_str("[trust]\nx = 1\n[script]\ncalls = 50").unwrap();
        assert!(file.script.enabled && file.script.calls == 50);
        assert!(toml::from_str::<File>("").unwrap().script.enabled);
        assert!(toml::from_str::<File>("[script]\ncall = 50").unwrap_err().to_string().contains("call"));
        assert!(
            [0, 61].iter().all(|it| seconds("checking", *it).is_err()) && seconds("checking", 60).is_ok()
        );
        assert!(checked(0).is_err() && checked(1001).is_err() && checked(1000).is_ok());
    }
}
