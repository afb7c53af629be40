//! Interface documents of AiLang: Markdown that declares tools.

use serde_json::json;

use super::documents::is_document;
use super::profile::{
    DiagnosticsRule, FILES, FileRule, ProgramCandidate, SERVER, ServerProfile, VersionCheck,
};
use super::row::{ContentRule, Language, ROW};

pub(crate) const DOCUMENTS: Language = Language {
    id: "ailang",
    name: "AiLang",
    content: Some(ContentRule { extension: "md", id: "ailang", holds: is_document }),
    markers: &["ailang.json"],
    manifests: &["ailang.json"],
    servers: &[ServerProfile {
        name: "ailang",
        candidates: &[ProgramCandidate::SearchPath("ailang")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["lsp"],
        install: "cargo install --path cli",
        // Headings are no definitions.
        options: |_| json!({ "outline": "definitions" }),
        files: FileRule { needs_anchor: false, needs_disk: false, ..FILES },
        diagnoses: DiagnosticsRule::Once,
        starts_cheaply: true,
        ..SERVER
    }],
    definition: concat!(
        r"^\s*(?:type|enum|capability|error|tool)\s+NAME\b|\bNAME\??\s*[:=(,|}]|\|\s*NAME\b|\bas\s+NAME\b|",
        r"^\s*NAME\s*$"
    ),
    declaration: r"^\s*(?:type|enum|capability|error|tool)\s+NAME",
    keywords: &[
        "type",
        "enum",
        "capability",
        "error",
        "tool",
        "requires",
        "throws",
        "from",
        "import",
        "as",
        "if",
        "else",
        "for",
        "in",
        "of",
        "while",
        "try",
        "catch",
        "finally",
        "return",
        "throw",
        "break",
        "continue",
        "const",
        "let",
        "is",
        "true",
        "false",
        "null",
    ],
    keywords_name_members: true,
    ..ROW
};
