//! Go.

use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{At, Beside, Home, Variable};
use super::profile::{
    FILES, FileRule, ProgramCandidate, ProjectContext, SERVER, ServerProfile, SymbolsRule, VersionCheck,
};
use super::row::{InstallPlaces, Language, PackageRule, PartRule, ROW, RootRule, SupertypeRule};
use crate::fallback::source::text::LoneReturn;

pub(crate) const GO: Language = Language {
    id: ids::GO,
    name: "Go",
    files: &[("go", "go")],
    markers: &["go.work", "go.mod"],
    root: RootRule::Marked,
    manifests: &["go.work", "go.mod", "go.sum"],
    packages: PackageRule::Folder,
    // `github.com/user/module@v1`
    shared_installs: &[(
        &[Variable("GOMODCACHE", ""), Variable("GOPATH", "pkg/mod"), Home("go/pkg/mod")],
        InstallPlaces { below: &[""], depth: 3 },
    )],
    servers: &[ServerProfile {
        name: "gopls",
        candidates: &[ProgramCandidate::SearchPath("gopls")],
        proof: VersionCheck::Version(&["version"]),
        starts_cheaply: true,
        install: "go install golang.org/x/tools/gopls@latest",
        // A project can name another toolchain, code for the C compiler, and places to fetch from.
        safe_environment: &[
            ("GOTOOLCHAIN", "local"),
            ("CGO_ENABLED", "0"),
            ("GOFLAGS", ""),
            ("GOPROXY", "off"),
            ("GOVCS", "*:off"),
        ],
        section: "gopls",
        options: gopls,
        files: FileRule {
            only_open: false,
            needs_anchor: false,
            needs_disk: false,
            lone_return: LoneReturn::IsCharacter,
            ..FILES
        },
        symbols: SymbolsRule { is_asked: true, limit: 100, ..SERVER.symbols },
        ..SERVER
    }],
    is_plain: true,
    supertypes: SupertypeRule::Structural,
    parts: PartRule::Package,
    definition: concat!(
        r"^\s*func\s+(?:\([^)]*\)\s*)?NAME\b|^\s*(?:type|var|const|package)\s+NAME\b|",
        r"^\s+(?:\w+\s*,\s*)*NAME(?:\s*,\s*\w+)*\s+[\w\[\]*.(]|^\s+NAME\s*(?:=|\(|$)"
    ),
    declaration: r"^(?:func\s+(?:\([^)]*\)\s*)?|type\s+|var\s+|const\s+)NAME",
    keywords: &[
        "break",
        "case",
        "chan",
        "const",
        "continue",
        "default",
        "defer",
        "else",
        "fallthrough",
        "false",
        "for",
        "func",
        "go",
        "goto",
        "if",
        "import",
        "interface",
        "map",
        "nil",
        "package",
        "range",
        "return",
        "select",
        "struct",
        "switch",
        "true",
        "type",
        "var",
        "_",
    ],
    given: &[
        Variable("GOROOT", ""),
        Variable("GOMODCACHE", ""),
        Variable("GOPATH", "pkg/mod"),
        Home("go/pkg/mod"),
        Beside("go", "src"),
        At("/usr/share/go*"),
    ],
    ..ROW
};

fn gopls(_: &ProjectContext<'_>) -> Value {
    json!({ "symbolScope": "workspace", "symbolMatcher": "CaseSensitive", "symbolStyle": "Dynamic" })
}
