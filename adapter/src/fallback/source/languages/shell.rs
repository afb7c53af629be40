//! Shell scripts.

use serde_json::{Value, json};

use super::profile::{Candidate, FILES, FileRule, Ground, Proof, ReadyRule, SERVER, Server};
use super::{Language, ROW};

pub(crate) const SHELL: Language = Language {
    id: "shell",
    name: "Shell",
    files: &[("sh", "shellscript"), ("bash", "shellscript"), ("bats", "shellscript")],
    servers: &[Server {
        name: "bash-language-server",
        candidates: &[Candidate::SearchPath("bash-language-server")],
        proof: Proof::Version(&["--version"]),
        args: &["start"],
        install: "npm install -g bash-language-server",
        options: bash,
        ready: ReadyRule::Logs(&["BackgroundAnalysis: Completed", "background analysis is disabled"]),
        files: FileRule { needs_disk: false, ..FILES },
        goes_by_name: true,
        ..SERVER
    }],
    definition: r"^\s*(?:function\s+)?NAME\s*(?:\(\s*\)|\{|$)|^\s*(?:(?:local|export|declare|readonly|typeset)\s+(?:-\w+\s+)*)?NAME=",
    declaration: r"^\s*(?:function\s+NAME|NAME\s*\(\s*\))",
    keywords: &[
        "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "local", "return",
        "select", "then", "until", "while", "_",
    ],
    comment: "#",
    ..ROW
};

/// No linter and no formatter: what they are is the search path's affair, and nobody asks for them.
fn bash(_: &Ground<'_>) -> Value {
    json!({
        "bashIde": {
            "shellcheckPath": "",
            "shfmt": { "path": "" },
            "explainshellEndpoint": "",
            "backgroundAnalysisMaxFiles": 10_000,
            "includeAllWorkspaceSymbols": true,
            "globPattern": "**/*@(.sh|.bash|.bats)",
            "logLevel": "info",
        }
    })
}
