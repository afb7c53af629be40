//! Shell scripts.

use serde_json::{Value, json};

use super::profile::{
    FILES, FileRule, ProgramCandidate, ProjectContext, ReadyRule, SERVER, ServerProfile, VersionCheck,
};
use super::row::{Language, ROW};
use crate::fallback::source::text::LoneReturn;

pub(crate) const SHELL: Language = Language {
    id: "shell",
    name: "Shell",
    files: &[("sh", "shellscript"), ("bash", "shellscript"), ("bats", "shellscript")],
    servers: &[ServerProfile {
        name: "bash-language-server",
        candidates: &[ProgramCandidate::SearchPath("bash-language-server")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["start"],
        install: "npm install -g bash-language-server",
        options: bash,
        ready: ReadyRule::Logs(&["BackgroundAnalysis: Completed", "background analysis is disabled"]),
        files: FileRule {
            needs_disk: false,
            keeps_mark: true,
            lone_return: LoneReturn::IsCharacter,
            ..FILES
        },
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

/// Disables the linter and formatter, which would come from the search path.
fn bash(_: &ProjectContext<'_>) -> Value {
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
