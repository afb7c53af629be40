//! Configuration, data and prose: Terraform, Protobuf, YAML, JSON, TOML, Markdown, LaTeX.

use serde_json::{Value, json};

use super::profile::{ProgramCandidate, ProjectContext, SERVER, ServerProfile, VersionCheck, by_system};
use super::row::{Language, ROW, RootRule};

pub(crate) const TERRAFORM: Language = Language {
    id: "terraform",
    name: "Terraform",
    files: &[("tf", "terraform"), ("tfvars", "terraform-vars")],
    servers: &[ServerProfile {
        name: "terraform-ls",
        candidates: &[ProgramCandidate::SearchPath("terraform-ls")],
        proof: VersionCheck::Version(&["version"]),
        args: &["serve"],
        install: by_system(
            "brew install hashicorp/tap/terraform-ls",
            "unpack https://releases.hashicorp.com/terraform-ls into the search path",
        ),
        runs: Some("Terraform providers"),
        ..SERVER
    }],
    definition: r#""NAME"|^\s*NAME\s*="#,
    declaration: r#"^\s*(?:resource|data|module|variable|output|provider)\s+(?:"[^"]*"\s+)?"NAME"#,
    comment: "#",
    ..ROW
};

pub(crate) const PROTOBUF: Language = Language {
    id: "protobuf",
    name: "Protobuf",
    files: &[("proto", "proto")],
    markers: &["buf.yaml"],
    root: RootRule::Session,
    manifests: &["buf.yaml"],
    servers: &[
        ServerProfile {
            name: "buf",
            candidates: &[ProgramCandidate::SearchPath("buf")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["lsp", "serve"],
            install: "npm install -g @bufbuild/buf",
            ..SERVER
        },
        ServerProfile {
            name: "protols",
            candidates: &[ProgramCandidate::SearchPath("protols")],
            proof: VersionCheck::Version(&["--version"]),
            install: "cargo install protols",
            ..SERVER
        },
    ],
    definition: r"\b(?:message|enum|service|rpc|extend)\s+NAME\b|\bNAME\s*=",
    declaration: r"^\s*(?:message|enum|service|rpc)\s+NAME",
    ..ROW
};

pub(crate) const YAML: Language = Language {
    id: "yaml",
    name: "YAML",
    files: &[("yaml", "yaml"), ("yml", "yaml")],
    servers: &[ServerProfile {
        name: "yaml-language-server",
        candidates: &[ProgramCandidate::SearchPath("yaml-language-server")],
        args: &["--stdio"],
        install: "npm install -g yaml-language-server",
        options: yaml,
        ..SERVER
    }],
    is_code: false,
    definition: r"&NAME\b|\bNAME\s*:",
    declaration: r"^\s*(?:-\s+)?NAME\s*:",
    comment: "#",
    ..ROW
};

/// Disables fetching schemas, which a workspace could redirect.
fn yaml(_: &ProjectContext<'_>) -> Value {
    json!({ "yaml": { "schemaStore": { "enable": false }, "validate": false }, "redhat": { "telemetry": { "enabled": false } } })
}

pub(crate) const JSON: Language = Language {
    id: "json",
    name: "JSON",
    files: &[("json", "json"), ("jsonc", "jsonc")],
    servers: &[ServerProfile {
        name: "vscode-json-language-server",
        candidates: &[ProgramCandidate::SearchPath("vscode-json-language-server")],
        args: &["--stdio"],
        install: "npm install -g vscode-langservers-extracted",
        options: json_options,
        ..SERVER
    }],
    is_code: false,
    definition: r#""NAME"\s*:"#,
    declaration: r#"^\s*"NAME"#,
    ..ROW
};

fn json_options(_: &ProjectContext<'_>) -> Value {
    json!({ "provideFormatter": false, "handledSchemaProtocols": [] })
}

pub(crate) const TOML: Language = Language {
    id: "toml",
    name: "TOML",
    files: &[("toml", "toml")],
    servers: &[ServerProfile {
        name: "taplo",
        candidates: &[ProgramCandidate::SearchPath("taplo")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["lsp", "stdio"],
        install: "cargo install taplo-cli --features lsp",
        ..SERVER
    }],
    is_code: false,
    declaration: r"^\s*(?:\[+)?NAME",
    comment: "#",
    ..ROW
};

pub(crate) const MARKDOWN: Language = Language {
    id: "markdown",
    name: "Markdown",
    files: &[("md", "markdown"), ("markdown", "markdown")],
    servers: &[ServerProfile {
        name: "marksman",
        candidates: &[ProgramCandidate::SearchPath("marksman")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["server"],
        install: by_system(
            "brew install marksman",
            "unpack https://github.com/artempyanykh/marksman/releases into the search path",
        ),
        ..SERVER
    }],
    is_code: false,
    definition: r"^#+ .*NAME",
    declaration: r"^#+ NAME",
    comment: "<!--",
    ..ROW
};

pub(crate) const LATEX: Language = Language {
    id: "latex",
    name: "LaTeX",
    files: &[("tex", "latex"), ("bib", "bibtex"), ("sty", "latex")],
    servers: &[ServerProfile {
        name: "texlab",
        candidates: &[ProgramCandidate::SearchPath("texlab")],
        proof: VersionCheck::Version(&["--version"]),
        install: by_system(
            "brew install texlab",
            "unpack https://github.com/latex-lsp/texlab/releases into the search path",
        ),
        ..SERVER
    }],
    is_code: false,
    definition: r"\\(?:label|newcommand|def|section)\W*NAME\b|@\w+\{NAME\b",
    declaration: r"\\(?:newcommand|def)\W*NAME",
    comment: "%",
    ..ROW
};
