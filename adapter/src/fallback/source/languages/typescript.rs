//! TypeScript and JavaScript, which share their servers.

use std::path::Path;

use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{Beside, Cache, Home, Variable};
use super::profile::{
    DiagnosticsRule, FILES, FileRule, ProgramCandidate, ProjectContext, SERVER, ServerProfile, SymbolsRule,
    VersionCheck, companion,
};
use super::row::{InstallPlaces, Language, PackageRule, PartRule, ROW, RootRule, SupertypeRule};

pub(crate) const TYPESCRIPT: Language = Language {
    id: ids::TYPESCRIPT,
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
    packages: PackageRule::Manifest(&["package.json"]),
    installs: InstallPlaces {
        below: &[
            "node_modules",
            "node_modules/.package-lock.json",
            "node_modules/.modules.yaml",
            "node_modules/.yarn-integrity",
            "node_modules/.yarn-state.yml",
        ],
        depth: 0,
    },
    servers: &[
        ServerProfile {
            name: "tsc",
            candidates: &[ProgramCandidate::SearchPath("tsc")],
            // Versions up to 6 have no language server.
            proof: VersionCheck::VersionLike(&["--version"], r"^Version (?:[7-9]|[1-9]\d)\."),
            starts_cheaply: true,
            install: "npm install -g typescript@7",
            ..NATIVE
        },
        ServerProfile {
            name: "tsgo",
            candidates: &[ProgramCandidate::SearchPath("tsgo")],
            proof: VersionCheck::Version(&["--version"]),
            starts_cheaply: true,
            install: "npm install -g @typescript/native-preview",
            ..NATIVE
        },
        ServerProfile {
            name: "vtsls",
            candidates: &[ProgramCandidate::SearchPath("vtsls")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["--stdio"],
            install: "npm install -g @vtsls/language-server",
            options: vtsls,
            files: FileRule { needs_disk: false, reopens: true, ..FILES },
            diagnoses: DiagnosticsRule::Tsserver,
            symbols: SymbolsRule { limit: 256, ..SERVER.symbols },
            ..SERVER
        },
        ServerProfile {
            name: "typescript-language-server",
            candidates: &[ProgramCandidate::SearchPath("typescript-language-server")],
            // Without its own TypeScript it would run the workspace's.
            proof: VersionCheck::Companion(TSSERVER),
            args: &["--stdio"],
            install: "npm install -g typescript-language-server@5 typescript@5",
            options: typescript_language_server,
            files: FileRule { needs_disk: false, ..FILES },
            diagnoses: DiagnosticsRule::Tsserver,
            symbols: SymbolsRule { limit: 256, ..SERVER.symbols },
            ..SERVER
        },
    ],
    not_loaded: |_| "not loaded (in no project that the server knows, or defined in a way that it does not follow, as on a prototype)",
    ignores_hidden_imports: true,
    supertypes: SupertypeRule::HeadAlone,
    parts: PartRule::Merged,
    silent_qualifiers: &["prototype"],
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

/// TypeScript's own language server, available since version 7.
const NATIVE: ServerProfile = ServerProfile {
    args: &["--lsp", "--stdio"],
    options: native,
    files: FileRule { needs_disk: false, ..FILES },
    symbols: SymbolsRule { limit: 256, ..SERVER.symbols },
    ..SERVER
};

/// Disables fetching types of dependencies, which would change answers when they arrive.
fn native(_: &ProjectContext<'_>) -> Value {
    let settings = json!({
        "preferences": { "useAliasesForRenames": true },
        "disableAutomaticTypeAcquisition": true,
        "tsserver": { "automaticTypeAcquisition": { "enabled": false } },
    });
    json!({ "typescript": settings, "javascript": settings, "js/ts": settings })
}

/// Disables the split into two processes, one of which knows only open files.
fn vtsls(_: &ProjectContext<'_>) -> Value {
    let settings = json!({
        "tsserver": { "useSyntaxServer": "never", "maxTsServerMemory": 4096 },
        "disableAutomaticTypeAcquisition": true,
        "preferences": { "useAliasesForRenames": true },
    });
    json!({ "typescript": settings, "javascript": settings, "vtsls": { "autoUseWorkspaceTsdk": false } })
}

fn typescript_language_server(ground: &ProjectContext<'_>) -> Value {
    json!({
        "tsserver": { "path": tsserver(ground.program), "useSyntaxServer": "never" },
        "disableAutomaticTypingAcquisition": true,
        "preferences": { "providePrefixAndSuffixTextForRename": true },
    })
}

fn tsserver(program: &Path) -> Option<String> {
    companion(program, TSSERVER).map(|it| it.to_string_lossy().into_owned())
}
