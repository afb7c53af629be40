//! TypeScript and JavaScript, which share their servers.

use std::path::Path;

use serde_json::{Value, json};

use super::profile::Folder::{Beside, Cache, Home, Variable};
use super::profile::{
    Candidate, Diagnoses, FILES, FileRule, Ground, Proof, SERVER, Server, Symbols, companion,
};
use super::{Language, ROW, RootRule};

pub(crate) const TYPESCRIPT: Language = Language {
    id: "typescript",
    name: "TypeScript and JavaScript",
    files: &[
        ("ts", "typescript"),
        ("tsx", "typescriptreact"),
        ("mts", "typescript"),
        ("cts", "typescript"),
        ("js", "javascript"),
        ("jsx", "javascriptreact"),
        ("mjs", "javascript"),
        ("cjs", "javascript"),
    ],
    markers: &["tsconfig.json", "jsconfig.json", "package.json"],
    root: RootRule::Session,
    manifests: &["tsconfig.json", "jsconfig.json", "package.json"],
    servers: &[
        Server {
            name: "tsc",
            candidates: &[Candidate::SearchPath("tsc")],
            // Up to version 6 it serves no editor.
            proof: Proof::VersionLike(&["--version"], r"^Version (?:[7-9]|[1-9]\d)\."),
            starts_cheaply: true,
            install: "npm install -g typescript@7",
            ..NATIVE
        },
        Server {
            name: "tsgo",
            candidates: &[Candidate::SearchPath("tsgo")],
            proof: Proof::Version(&["--version"]),
            starts_cheaply: true,
            install: "npm install -g @typescript/native-preview",
            ..NATIVE
        },
        Server {
            name: "vtsls",
            candidates: &[Candidate::SearchPath("vtsls")],
            proof: Proof::Version(&["--version"]),
            args: &["--stdio"],
            install: "npm install -g @vtsls/language-server",
            options: vtsls,
            files: FileRule { needs_disk: false, reopens: true, ..FILES },
            diagnoses: Diagnoses::Tsserver,
            symbols: Symbols { limit: 256, ..SERVER.symbols },
            ..SERVER
        },
        Server {
            name: "typescript-language-server",
            candidates: &[Candidate::SearchPath("typescript-language-server")],
            // Without a TypeScript of its own it would run the workspace's.
            proof: Proof::Companion(TSSERVER),
            args: &["--stdio"],
            install: "npm install -g typescript-language-server@5 typescript@5",
            options: typescript_language_server,
            files: FileRule { needs_disk: false, ..FILES },
            diagnoses: Diagnoses::Tsserver,
            symbols: Symbols { limit: 256, ..SERVER.symbols },
            ..SERVER
        },
    ],
    has_overloads: true,
    definition: concat!(
        r"\b(?:function\*?|class|interface|type|enum|namespace|module|const|let|var|get|set|static|async|readonly|",
        r"public|private|protected|abstract|declare|override|accessor)\s+\*?#?NAME\b|",
        r"^\s*[#*]?NAME\s*(?:[?!]?\s*[:=,;(<{}]|$)|[{,]\s*NAME\s*[:,}(]"
    ),
    declaration: concat!(
        r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?",
        r"(?:function\*?|class|interface|type|enum|namespace|const|let|var)\s+NAME"
    ),
    keywords: &[
        "as",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "undefined",
        "var",
        "void",
        "while",
        "with",
        "yield",
        "_",
    ],
    keywords_name_members: true,
    letters: "$#",
    given: &[
        Beside("node", "lib/node_modules"),
        Variable("NODE_PATH", ""),
        Variable("DENO_DIR", ""),
        Cache("typescript"),
        Cache("deno"),
        Home(".bun/install"),
        Home(".local/share/pnpm"),
    ],
    ..ROW
};

const TSSERVER: &str = "typescript/lib/tsserver.js";

/// TypeScript's own server, which came with version 7.
const NATIVE: Server = Server {
    args: &["--lsp", "--stdio"],
    options: native,
    files: FileRule { needs_disk: false, ..FILES },
    symbols: Symbols { limit: 256, ..SERVER.symbols },
    ..SERVER
};

/// Types of dependencies are not fetched: nobody asked for that, and answers would change when they come.
fn native(_: &Ground<'_>) -> Value {
    let settings = json!({
        "preferences": { "useAliasesForRenames": true },
        "disableAutomaticTypeAcquisition": true,
        "tsserver": { "automaticTypeAcquisition": { "enabled": false } },
    });
    json!({ "typescript": settings, "javascript": settings, "js/ts": settings })
}

/// Asked through both of its processes it answers from the one that knows only what is open.
fn vtsls(_: &Ground<'_>) -> Value {
    let settings = json!({
        "tsserver": { "useSyntaxServer": "never", "maxTsServerMemory": 4096 },
        "disableAutomaticTypeAcquisition": true,
        "preferences": { "useAliasesForRenames": true },
    });
    json!({ "typescript": settings, "javascript": settings, "vtsls": { "autoUseWorkspaceTsdk": false } })
}

fn typescript_language_server(ground: &Ground<'_>) -> Value {
    json!({
        "tsserver": { "path": tsserver(ground.program), "useSyntaxServer": "never" },
        "disableAutomaticTypingAcquisition": true,
        "preferences": { "providePrefixAndSuffixTextForRename": true },
    })
}

fn tsserver(program: &Path) -> Option<String> {
    companion(program, TSSERVER).map(|it| it.to_string_lossy().into_owned())
}
