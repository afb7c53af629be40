//! Interpreted languages: Ruby, PHP, Lua, Perl, R, Julia.

use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{At, Beside, Home, Variable};
use super::profile::{ProgramCandidate, ProjectContext, SERVER, ServerProfile, VersionCheck, by_system};
use super::row::{Language, PackageRule, ROW, RootRule};

pub(crate) const RUBY: Language = Language {
    id: ids::RUBY,
    name: "Ruby",
    files: &[("rb", "ruby"), ("rake", "ruby"), ("gemspec", "ruby")],
    markers: &["Gemfile"],
    manifests: &["Gemfile", "Gemfile.lock"],
    packages: PackageRule::Manifest(&["Gemfile"]),
    servers: &[
        ServerProfile {
            name: "ruby-lsp",
            candidates: &[ProgramCandidate::SearchPath("ruby-lsp")],
            proof: VersionCheck::Version(&["--version"]),
            install: "gem install ruby-lsp",
            runs: Some("Bundler with its Gemfile"),
            // It would install and load the gems that the workspace names.
            safe_environment: &[("RUBY_LSP_BYPASS_TYPECHECKER", "true"), ("BUNDLE_FROZEN", "true")],
            ..SERVER
        },
        ServerProfile {
            name: "solargraph",
            candidates: &[ProgramCandidate::SearchPath("solargraph")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["stdio"],
            install: "gem install solargraph",
            runs: Some("Bundler with its Gemfile"),
            ..SERVER
        },
    ],
    definition: r"\b(?:def|class|module|alias|attr_\w+)\s+(?:self\.)?:?NAME\b|^\s*@{0,2}NAME\s*=|\bdefine_method\s*\(?:NAME\b|:NAME\b",
    declaration: r"^\s*(?:def|class|module)\s+(?:self\.)?NAME",
    endings: "?!=",
    signs: &[
        "[]", "[]=", "+", "-", "*", "/", "%", "**", "+@", "-@", "!", "~", "==", "!=", "===", "=~", "!~",
        "<=>", "<", "<=", ">", ">=", "<<", ">>", "&", "|", "^",
    ],
    comment: "#",
    separator: "#",
    given: &[
        Variable("GEM_HOME", ""),
        Variable("GEM_PATH", ""),
        Beside("ruby", "lib/ruby"),
        At("/usr/lib/ruby"),
        At("/var/lib/gems"),
        At("/usr/share/rubygems-integration"),
        Home(".gem/ruby"),
        Home(".rbenv/versions"),
        Home(".local/share/gem/ruby"),
    ],
    ..ROW
};

pub(crate) const PHP: Language = Language {
    id: ids::PHP,
    name: "PHP",
    files: &[("php", "php"), ("phtml", "php")],
    markers: &["composer.json"],
    root: RootRule::Session,
    manifests: &["composer.json"],
    packages: PackageRule::Manifest(&["composer.json"]),
    servers: &[
        ServerProfile {
            name: "intelephense",
            candidates: &[ProgramCandidate::SearchPath("intelephense")],
            args: &["--stdio"],
            install: "npm install -g intelephense",
            options: intelephense,
            ..SERVER
        },
        ServerProfile {
            name: "phpactor",
            candidates: &[ProgramCandidate::SearchPath("phpactor")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["language-server"],
            install: "composer global require phpactor/phpactor",
            runs: Some("its composer plugins"),
            ..SERVER
        },
    ],
    folds_case: true,
    definition: r"\b(?:function|class|interface|trait|enum|const|case|namespace)\s+&?NAME\b|\$NAME\b|'NAME'\s*,",
    declaration: concat!(
        r"^\s*(?:(?:abstract|final|readonly|public|private|protected|static)\s+)*",
        r"(?:function|class|interface|trait|enum)\s+&?NAME"
    ),
    separator: "::",
    given: &[Home(".composer/vendor"), Home(".config/composer/vendor"), At("/usr/share/php")],
    ..ROW
};

fn intelephense(_: &ProjectContext<'_>) -> Value {
    json!({ "intelephense": { "telemetry": { "enabled": false } } })
}

pub(crate) const LUA: Language = Language {
    id: "lua",
    name: "Lua",
    files: &[("lua", "lua")],
    markers: &[".luarc.json", ".luarc.jsonc", ".emmyrc.json"],
    manifests: &[".luarc.json", ".luarc.jsonc", ".emmyrc.json"],
    servers: &[
        ServerProfile {
            name: "lua-language-server",
            candidates: &[ProgramCandidate::SearchPath("lua-language-server")],
            proof: VersionCheck::Version(&["--version"]),
            install: by_system(
                "brew install lua-language-server",
                "unpack https://github.com/LuaLS/lua-language-server/releases into the search path",
            ),
            runs: Some("plugins that `.luarc.json` names"),
            ..SERVER
        },
        ServerProfile {
            name: "emmylua_ls",
            candidates: &[ProgramCandidate::SearchPath("emmylua_ls")],
            proof: VersionCheck::Version(&["--version"]),
            install: "cargo install emmylua_ls",
            ..SERVER
        },
    ],
    definition: r"\bfunction\s+(?:[\w.]+[.:])?NAME\b|^\s*(?:local\s+)?(?:[\w.]+\s*,\s*|[\w.]+\.)*NAME\s*[,=]|\{.*\bNAME\s*=",
    declaration: r"^\s*(?:local\s+)?function\s+(?:[\w.]+[.:])?NAME",
    comment: "--",
    given: &[At("/usr/share/lua"), At("/usr/local/share/lua"), Home(".luarocks/share")],
    ..ROW
};

pub(crate) const PERL: Language = Language {
    id: "perl",
    name: "Perl",
    files: &[("pl", "perl"), ("pm", "perl"), ("t", "perl")],
    markers: &["cpanfile", "Makefile.PL"],
    servers: &[ServerProfile {
        name: "perlnavigator",
        candidates: &[ProgramCandidate::SearchPath("perlnavigator")],
        args: &["--stdio"],
        install: "npm install -g perlnavigator-server",
        runs: Some("`perl -c` with its BEGIN blocks"),
        ..SERVER
    }],
    declaration: r"^\s*(?:sub|package)\s+(?:\w+::)*NAME",
    comment: "#",
    separator: "::",
    given: &[
        Variable("PERL5LIB", ""),
        At("/usr/share/perl*"),
        At("/usr/local/share/perl*"),
        At("/usr/lib/*/perl*"),
    ],
    ..ROW
};

pub(crate) const R: Language = Language {
    id: "r",
    name: "R",
    files: &[("R", "r"), ("r", "r")],
    markers: &["DESCRIPTION", "renv.lock"],
    servers: &[ServerProfile {
        name: "languageserver",
        candidates: &[ProgramCandidate::SearchPath("R")],
        proof: VersionCheck::Version(&["--version"]),
        // `--vanilla` ignores profiles, which a workspace may bring.
        args: &["--vanilla", "--slave", "-e", "languageserver::run()"],
        install: "R -e 'install.packages(\"languageserver\")'",
        runs: Some("R code of its packages"),
        ..SERVER
    }],
    declaration: r"^\s*NAME\s*(?:<-|=)\s*function",
    comment: "#",
    separator: "$",
    given: &[
        Variable("R_HOME", "library"),
        Variable("R_LIBS_USER", ""),
        At("/usr/lib/R"),
        At("/usr/local/lib/R"),
    ],
    ..ROW
};

pub(crate) const JULIA: Language = Language {
    id: "julia",
    name: "Julia",
    files: &[("jl", "julia")],
    markers: &["Project.toml"],
    manifests: &["Project.toml"],
    servers: &[ServerProfile {
        name: "jetls",
        candidates: &[ProgramCandidate::SearchPath("jetls")],
        proof: VersionCheck::Version(&["--version"]),
        install: "julia -e 'using Pkg; Pkg.Apps.add(\"JETLS\")'",
        runs: Some("Julia code of its packages"),
        ..SERVER
    }],
    declaration: r"^\s*(?:function|struct|mutable struct|macro|module|abstract type)\s+NAME",
    comment: "#",
    given: &[
        Variable("JULIA_DEPOT_PATH", "packages"),
        Home(".julia/packages"),
        Beside("julia", "share/julia"),
    ],
    ..ROW
};
