//! Configuration, data and prose: Terraform, Protobuf, YAML, JSON, TOML, Markdown, LaTeX.

use serde_json::{Value, json};

use super::profile::{Candidate, Ground, Proof, SERVER, Server};
use super::{Language, ROW, RootRule};

pub(crate) const TERRAFORM: Language = Language {
    id: "terraform",
    name: "Terraform",
    files: &[("tf", "terraform"), ("tfvars", "terraform-vars")],
    servers: &[Server {
        name: "terraform-ls",
        candidates: &[Candidate::SearchPath("terraform-ls")],
        proof: Proof::Version(&["version"]),
        args: &["serve"],
        install: "brew install hashicorp/tap/terraform-ls",
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
        Server {
            name: "buf",
            candidates: &[Candidate::SearchPath("buf")],
            proof: Proof::Version(&["--version"]),
            args: &["lsp", "serve"],
            install: "npm install -g @bufbuild/buf",
            ..SERVER
        },
        Server {
            name: "protols",
            candidates: &[Candidate::SearchPath("protols")],
            proof: Proof::Version(&["--version"]),
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
    servers: &[Server {
        name: "yaml-language-server",
        candidates: &[Candidate::SearchPath("yaml-language-server")],
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

/// It would fetch schemas, also from where the workspace says.
fn yaml(_: &Ground<'_>) -> Value {
    json!({ "yaml": { "schemaStore": { "enable": false }, "validate": false }, "redhat": { "telemetry": { "enabled": false } } })
}

pub(crate) const JSON: Language = Language {
    id: "json",
    name: "JSON",
    files: &[("json", "json"), ("jsonc", "jsonc")],
    servers: &[Server {
        name: "vscode-json-language-server",
        candidates: &[Candidate::SearchPath("vscode-json-language-server")],
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

fn json_options(_: &Ground<'_>) -> Value {
    json!({ "provideFormatter": false, "handledSchemaProtocols": [] })
}

pub(crate) const TOML: Language = Language {
    id: "toml",
    name: "TOML",
    files: &[("toml", "toml")],
    servers: &[Server {
        name: "taplo",
        candidates: &[Candidate::SearchPath("taplo")],
        proof: Proof::Version(&["--version"]),
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
    servers: &[Server {
        name: "marksman",
        candidates: &[Candidate::SearchPath("marksman")],
        proof: Proof::Version(&["--version"]),
        args: &["server"],
        install: "brew install marksman",
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
    servers: &[Server {
        name: "texlab",
        candidates: &[Candidate::SearchPath("texlab")],
        proof: Proof::Version(&["--version"]),
        install: "brew install texlab",
        ..SERVER
    }],
    is_code: false,
    definition: r"\\(?:label|newcommand|def|section)\W*NAME\b|@\w+\{NAME\b",
    declaration: r"\\(?:newcommand|def)\W*NAME",
    comment: "%",
    ..ROW
};
