//! Further compiled languages: C#, Swift, Zig, Dart, Fortran.

use super::ids;
use super::profile::OutsideFolder::{At, Beside, Cache, Home, Variable};
use super::profile::{ProgramCandidate, SERVER, ServerProfile, VersionCheck, by_system};
use super::row::{Language, ROW, RootRule};

pub(crate) const CSHARP: Language = Language {
    id: ids::CSHARP,
    name: "C#",
    files: &[("cs", "csharp")],
    markers: &["global.json", "Directory.Build.props"],
    manifests: &["global.json", "Directory.Build.props"],
    servers: &[
        ServerProfile {
            name: "csharp-ls",
            candidates: &[ProgramCandidate::SearchPath("csharp-ls")],
            proof: VersionCheck::Version(&["--version"]),
            install: "dotnet tool install --global csharp-ls",
            runs: Some("its MSBuild targets"),
            ..SERVER
        },
        ServerProfile {
            name: "OmniSharp",
            candidates: &[
                ProgramCandidate::SearchPath("OmniSharp"),
                ProgramCandidate::SearchPath("omnisharp"),
            ],
            args: &["-lsp"],
            install: by_system(
                "brew install omnisharp/omnisharp-roslyn/omnisharp-mono",
                "unpack https://github.com/OmniSharp/omnisharp-roslyn/releases into the search path",
            ),
            runs: Some("its MSBuild targets"),
            ..SERVER
        },
    ],
    is_plain: true,
    optional_ending: "Attribute",
    indexer: "this[]",
    has_operators: true,
    given: &[
        Variable("NUGET_PACKAGES", ""),
        Home(".nuget/packages"),
        Variable("DOTNET_ROOT", ""),
        At("/usr/share/dotnet"),
        At("/usr/lib/dotnet"),
    ],
    ..ROW
};

pub(crate) const SWIFT: Language = Language {
    id: "swift",
    name: "Swift",
    files: &[("swift", "swift")],
    markers: &["Package.swift"],
    root: RootRule::Marked,
    manifests: &["Package.swift"],
    servers: &[ServerProfile {
        name: "sourcekit-lsp",
        candidates: &[ProgramCandidate::SearchPath("sourcekit-lsp")],
        install: "install Swift from https://www.swift.org/install",
        runs: Some("Package.swift"),
        ..SERVER
    }],
    given: &[Beside("swift", "lib/swift")],
    ..ROW
};

pub(crate) const ZIG: Language = Language {
    id: "zig",
    name: "Zig",
    files: &[("zig", "zig"), ("zon", "zig")],
    markers: &["build.zig"],
    manifests: &["build.zig", "build.zig.zon"],
    servers: &[ServerProfile {
        name: "zls",
        candidates: &[ProgramCandidate::SearchPath("zls")],
        proof: VersionCheck::Version(&["--version"]),
        install: by_system(
            "brew install zls",
            "unpack https://github.com/zigtools/zls/releases into the search path",
        ),
        runs: Some("build.zig"),
        ..SERVER
    }],
    given: &[Beside("zig", "lib"), Cache("zig")],
    ..ROW
};

pub(crate) const DART: Language = Language {
    id: "dart",
    name: "Dart",
    files: &[("dart", "dart")],
    markers: &["pubspec.yaml"],
    manifests: &["pubspec.yaml"],
    servers: &[ServerProfile {
        name: "dart",
        candidates: &[ProgramCandidate::SearchPath("dart")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["language-server", "--protocol=lsp"],
        install: "install Dart from https://dart.dev/get-dart",
        runs: Some("the analyzer's plugins"),
        ..SERVER
    }],
    letters: "$",
    given: &[
        Variable("FLUTTER_ROOT", ""),
        Beside("dart", "lib"),
        Variable("PUB_CACHE", "hosted"),
        Variable("PUB_CACHE", "git"),
        Home(".pub-cache/hosted"),
        Home(".pub-cache/git"),
    ],
    ..ROW
};

pub(crate) const FORTRAN: Language = Language {
    id: "fortran",
    name: "Fortran",
    files: &[
        ("f90", "fortran"),
        ("f95", "fortran"),
        ("f03", "fortran"),
        ("f08", "fortran"),
        ("f", "fortran"),
    ],
    servers: &[ServerProfile {
        name: "fortls",
        candidates: &[ProgramCandidate::SearchPath("fortls")],
        proof: VersionCheck::Version(&["--version"]),
        install: "pip install fortls",
        ..SERVER
    }],
    declaration: r"(?i)^\s*(?:subroutine|function|module|program|interface|type(?:\s*::)?)\s+NAME",
    comment: "!",
    separator: "%",
    ..ROW
};
