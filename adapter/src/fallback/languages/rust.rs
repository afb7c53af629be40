//! Rust.

use serde_json::{Value, json};

use super::profile::{Candidate, FILES, FileRule, Ground, Proof, ReadyRule, SERVER, Server, Symbols};
use super::{Language, RootRule, Targets};

pub(crate) const RUST: Language = Language {
    id: "rust",
    name: "Rust",
    files: &[("rs", "rust")],
    markers: &["Cargo.toml", "rust-project.json"],
    root: RootRule::CargoWorkspace,
    manifests: &["Cargo.toml", "Cargo.lock", "rust-project.json"],
    targets: Targets {
        files: &["build.rs", "src/main.rs", "src/lib.rs"],
        folders: &["src/bin", "examples", "tests", "benches"],
    },
    servers: &[Server {
        name: "rust-analyzer",
        candidates: &[Candidate::Rustup("rust-analyzer"), Candidate::SearchPath("rust-analyzer")],
        proof: Proof::Version(&["--version"]),
        install: "rustup component add rust-analyzer rust-src",
        names_formatter: Some("rust-analyzer.toml"),
        section: "rust-analyzer",
        options,
        ready: ReadyRule::ServerStatus { loading: &["rustAnalyzer/Fetching", "rustAnalyzer/Roots Scanned"] },
        files: FileRule {
            only_open: false,
            needs_anchor: false,
            announces: false,
            needs_disk: false,
            ..FILES
        },
        symbols: Symbols { is_asked: true, limit: SYMBOL_LIMIT, with_dependencies: Some("*") },
        ..SERVER
    }],
    stylist: None,
    is_code: true,
    declares_apart: false,
    has_overloads: false,
    definition: concat!(
        r"(?:\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+",
        r"(?:mut\s+)?(?:r#)?NAME\b|^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?NAME\s*(?:[:,({=]|$)|[{(,]\s*NAME\s*:[^:])"
    ),
    declaration: r"\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?NAME",
    keywords: &[
        "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let",
        "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
        "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
        "virtual", "where", "while", "yield", "_",
    ],
    letters: "",
    comment: "//",
    separator: "::",
};

const SYMBOL_LIMIT: usize = 20_000;

/// The safe profile executes nothing of the workspace: neither build scripts nor procedural macros nor checks.
fn options(ground: &Ground<'_>) -> Value {
    let trust = ground.trust;
    let mut cargo = json!({ "buildScripts": { "enable": trust } });
    if trust {
        cargo["features"] = json!("all");
        // A target folder of its own: the user's builds do not wait for its lock.
        cargo["targetDir"] = json!(true);
    }
    json!({
        "linkedProjects": ground.projects,
        "cargo": cargo,
        "procMacro": { "enable": trust },
        // With priming, references inside of macro calls were missing in most starts of a small workspace.
        "cachePriming": { "enable": false },
        "checkOnSave": false,
        // Found when they are asked for; what experiments find is too often wrong.
        "diagnostics": {
            "enable": true,
            "experimental": { "enable": false },
            // That procedural macros do not run is our doing.
            "disabled": if trust { json!([]) } else { json!(["macro-error"]) },
        },
        // Of what a symbol is, how many bytes it takes is the least.
        "hover": { "memoryLayout": { "enable": false }, "dropGlue": { "enable": false } },
        "workspace": {
            "symbol": {
                "search": { "kind": "all_symbols", "limit": SYMBOL_LIMIT, "excludeImports": true }
            }
        },
    })
}
