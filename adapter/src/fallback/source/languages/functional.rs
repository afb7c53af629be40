//! Functional languages: Haskell, OCaml, Elixir, Erlang, Elm, Gleam, F#, Nix.

use super::profile::OutsideFolder::{At, Beside, Cache, Home, Variable};
use super::profile::{ProgramCandidate, SERVER, ServerProfile, VersionCheck, by_system};
use super::row::{Language, ROW, RootRule};

pub(crate) const HASKELL: Language = Language {
    id: "haskell",
    name: "Haskell",
    files: &[("hs", "haskell"), ("lhs", "haskell")],
    markers: &["stack.yaml", "cabal.project", "hie.yaml", "package.yaml"],
    manifests: &["stack.yaml", "cabal.project", "hie.yaml", "package.yaml"],
    servers: &[ServerProfile {
        name: "haskell-language-server",
        candidates: &[
            ProgramCandidate::SearchPath("haskell-language-server-wrapper"),
            ProgramCandidate::SearchPath("haskell-language-server"),
        ],
        proof: VersionCheck::Version(&["--version"]),
        args: &["--lsp"],
        install: "ghcup install hls",
        runs: Some("its Cabal or Stack build"),
        ..SERVER
    }],
    declaration: r"^\s*(?:data|newtype|class|type|module)\s+(?:\w+\.)*NAME",
    comment: "--",
    given: &[Home(".cabal/packages"), Home(".stack/programs"), Home(".ghcup/ghc")],
    ..ROW
};

pub(crate) const OCAML: Language = Language {
    id: "ocaml",
    name: "OCaml",
    files: &[("ml", "ocaml"), ("mli", "ocaml.interface")],
    markers: &["dune-project"],
    manifests: &["dune-project", "dune"],
    servers: &[ServerProfile {
        name: "ocamllsp",
        candidates: &[ProgramCandidate::SearchPath("ocamllsp")],
        proof: VersionCheck::Version(&["--version"]),
        install: "opam install ocaml-lsp-server",
        runs: Some("dune"),
        ..SERVER
    }],
    declaration: r"^\s*(?:let(?:\s+rec)?|and|type|module|val|exception|class)\s+NAME",
    comment: "(*",
    given: &[Variable("OPAM_SWITCH_PREFIX", "lib"), Home(".opam"), Beside("ocamlc", "lib/ocaml")],
    ..ROW
};

pub(crate) const ELIXIR: Language = Language {
    id: "elixir",
    name: "Elixir",
    files: &[("ex", "elixir"), ("exs", "elixir"), ("heex", "phoenix-heex")],
    markers: &["mix.exs"],
    root: RootRule::Marked,
    manifests: &["mix.exs", "mix.lock"],
    servers: &[
        ServerProfile {
            name: "expert",
            candidates: &[ProgramCandidate::SearchPath("expert")],
            args: &["--stdio"],
            install: "download expert from https://expert-lsp.org",
            runs: Some("its Mix build"),
            ..SERVER
        },
        ServerProfile {
            name: "elixir-ls",
            candidates: &[ProgramCandidate::SearchPath("elixir-ls")],
            install: by_system(
                "brew install elixir-ls",
                "unpack https://github.com/elixir-lsp/elixir-ls/releases into the search path",
            ),
            runs: Some("its Mix build"),
            ..SERVER
        },
    ],
    definition: r"\bdef\w*\s*\(?\s*(?:\w+\.)*NAME\b",
    declaration: r"^\s*def\w*\s+(?:\w+\.)*NAME",
    comment: "#",
    given: &[Beside("elixir", "lib"), At("/usr/lib/elixir"), Home(".hex/packages")],
    ..ROW
};

pub(crate) const ERLANG: Language = Language {
    id: "erlang",
    name: "Erlang",
    files: &[("erl", "erlang"), ("hrl", "erlang")],
    markers: &["rebar.config"],
    manifests: &["rebar.config"],
    servers: &[
        ServerProfile {
            name: "elp",
            candidates: &[ProgramCandidate::SearchPath("elp")],
            proof: VersionCheck::Version(&["version"]),
            args: &["server"],
            install: "download elp from https://whatsapp.github.io/erlang-language-platform",
            runs: Some("its rebar3 build"),
            ..SERVER
        },
        ServerProfile {
            name: "erlang_ls",
            candidates: &[ProgramCandidate::SearchPath("erlang_ls")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["--transport", "stdio"],
            install: by_system(
                "brew install erlang_ls",
                "unpack https://github.com/erlang-ls/erlang_ls/releases into the search path",
            ),
            runs: Some("its rebar3 build"),
            ..SERVER
        },
    ],
    declaration: r"^(?:-(?:module|record|define|type)\(\s*)?NAME\s*\(",
    comment: "%",
    separator: ":",
    given: &[At("/usr/lib/erlang"), At("/usr/local/lib/erlang"), Cache("rebar3")],
    ..ROW
};

pub(crate) const ELM: Language = Language {
    id: "elm",
    name: "Elm",
    files: &[("elm", "elm")],
    markers: &["elm.json"],
    root: RootRule::Marked,
    manifests: &["elm.json"],
    servers: &[ServerProfile {
        name: "elm-language-server",
        candidates: &[ProgramCandidate::SearchPath("elm-language-server")],
        proof: VersionCheck::Version(&["--version"]),
        install: "npm install -g @elm-tooling/elm-language-server",
        ..SERVER
    }],
    declaration: r"^(?:type(?:\s+alias)?\s+NAME|NAME\s*:)",
    comment: "--",
    given: &[Variable("ELM_HOME", ""), Home(".elm")],
    ..ROW
};

pub(crate) const GLEAM: Language = Language {
    id: "gleam",
    name: "Gleam",
    files: &[("gleam", "gleam")],
    markers: &["gleam.toml"],
    root: RootRule::Marked,
    manifests: &["gleam.toml"],
    servers: &[ServerProfile {
        name: "gleam",
        candidates: &[ProgramCandidate::SearchPath("gleam")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["lsp"],
        install: by_system(
            "brew install gleam",
            "unpack https://github.com/gleam-lang/gleam/releases into the search path",
        ),
        ..SERVER
    }],
    given: &[Cache("gleam")],
    ..ROW
};

pub(crate) const FSHARP: Language = Language {
    id: "fsharp",
    name: "F#",
    files: &[("fs", "fsharp"), ("fsi", "fsharp"), ("fsx", "fsharp")],
    servers: &[ServerProfile {
        name: "fsautocomplete",
        candidates: &[ProgramCandidate::SearchPath("fsautocomplete")],
        proof: VersionCheck::Version(&["--version"]),
        install: "dotnet tool install --global fsautocomplete",
        runs: Some("its MSBuild targets"),
        ..SERVER
    }],
    declaration: r"^\s*(?:let(?:\s+(?:rec|inline|mutable))*|type|module|and|member\s+\w+\.)\s*NAME",
    ..ROW
};

pub(crate) const NIX: Language = Language {
    id: "nix",
    name: "Nix",
    files: &[("nix", "nix")],
    markers: &["flake.nix"],
    manifests: &["flake.nix", "flake.lock"],
    servers: &[
        ServerProfile {
            name: "nixd",
            candidates: &[ProgramCandidate::SearchPath("nixd")],
            proof: VersionCheck::Version(&["--version"]),
            install: "nix profile install nixpkgs#nixd",
            runs: Some("Nix evaluation"),
            ..SERVER
        },
        ServerProfile {
            name: "nil",
            candidates: &[ProgramCandidate::SearchPath("nil")],
            proof: VersionCheck::Version(&["--version"]),
            install: "nix profile install nixpkgs#nil",
            ..SERVER
        },
    ],
    declaration: r"^\s*(?:\w+\.)*NAME\s*=",
    comment: "#",
    ..ROW
};
