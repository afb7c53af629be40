//! The arguments of the commands that run or format programs.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Plugins, Trust};
use crate::script_config;

#[derive(Debug, Args)]
#[group(id = "source", required = true, multiple = false)]
pub(crate) struct Source {
    /// The program; `-` reads it from standard input
    #[arg(group = "source", allow_hyphen_values = true)]
    pub(crate) program: Option<String>,
    /// A file that contains the program
    #[arg(long, group = "source")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// The files to rewrite, one program each; `-` or none formats standard input to standard output
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted, or not in the notation of --to
    #[arg(long)]
    pub(crate) check: bool,
    /// Convert the programs to this notation, instead of keeping that of each
    #[arg(long, value_name = "NOTATION")]
    pub(crate) to: Option<Notation>,
}

/// A notation of programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Notation {
    /// JSON, as programs write it: {"count": [[1, 2]]}
    Json,
    /// Text, as people write it: count([1, 2])
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct Repl {
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The time limit of each program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Run nothing: report errors in the program, or what it would do
    #[arg(long)]
    pub(crate) check: bool,
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Print one JSON object to standard output: the outcome with its value, message or candidates
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the value as agents read it: lists of places as lines
    #[arg(long, conflicts_with = "json")]
    pub(crate) compact: bool,
    /// The time limit of the program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

#[derive(Debug, Args)]
#[group(id = "source", required = true, multiple = false)]
pub(crate) struct ScriptSource {
    /// The program; `-` reads it from standard input
    #[arg(group = "source", allow_hyphen_values = true)]
    pub(crate) program: Option<String>,
    /// A file that contains the program
    #[arg(long, group = "source")]
    pub(crate) file: Option<PathBuf>,
    /// Run nothing: print TypeScript declarations of everything that a program can call
    #[arg(long, group = "source")]
    pub(crate) types: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Script {
    #[command(flatten)]
    pub(crate) source: ScriptSource,
    /// The workspace, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Data for the program, its global `args`, as JSON: '{"id": 1}'
    #[arg(long, value_name = "JSON", value_parser = json, allow_hyphen_values = true)]
    pub(crate) args: Option<serde_json::Value>,
    /// Make the changes of the program
    #[arg(long)]
    pub(crate) write: bool,
    /// Run it in this runtime, whose programs import packages of the workspace: node, deno or bun, as for
    /// --script-runtime of `dialect agent`
    #[arg(long, value_name = "NAME[=PATH][,OPTION]")]
    pub(crate) runtime: Option<String>,
    /// The time limit of the program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// The number of calls that the program may make, from 1 to 1000; 256 if your settings say no other
    #[arg(long, value_name = "NUMBER", value_parser = script_calls)]
    pub(crate) calls: Option<usize>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

/// Reads JSON whose numbers all keep their digits.
fn json(text: &str) -> Result<serde_json::Value, String> {
    let read = |error| format!("{error}; a text is written in double quotes: '\"text\"'");
    let value = serde_json::from_str(text).map_err(read)?;
    match script_protocol::too_long(text) {
        Some(number) => Err(format!("{number} has more than 64 bits; write it as a text: \"{number}\"")),
        None => Ok(value),
    }
}

fn script_calls(text: &str) -> Result<usize, String> {
    script_config::checked(text.parse().map_err(|_| "expected a number".to_owned())?)
}

#[derive(Debug, Args)]
pub(crate) struct PluginServer {
    /// The workspace to query, instead of the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The time limit of each call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Seconds to wait for language servers that are still loading, before answers come from the syntax alone; 0
    /// does not wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

fn seconds(written: &str) -> Result<Duration, String> {
    let seconds = written.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.ok_or_else(|| "expected a number of seconds, at least 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_scripts_are_json() {
        let exact = serde_json::json!({"id": 9_007_199_254_740_993_u64, "all": [1.5, null, "é"]});
        assert_eq!(json(r#"{"id": 9007199254740993, "all": [1.5, null, "é"]}"#), Ok(exact));
        for (text, place) in [
            ("not json", "line 1 column 2"),
            ("{\"id\": 1", "line 1 column 8"),
            ("{\n  'id': 1}", "line 2 column 3"),
            ("", "line 1 column 0"),
            ("1 2", "line 1 column 3"),
        ] {
            let refused = json(text).unwrap_err();
            assert!(refused.contains(place), "{text}: {refused}");
        }
        assert!(json("[18446744073709551616]").unwrap_err().contains("more than 64 bits"));
    }
}
