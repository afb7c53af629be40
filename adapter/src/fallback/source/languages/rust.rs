//! Rust.

use std::fs;
use std::path::{Path, PathBuf};

use ide_protocol::Reason;
use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{Beside, Home, Variable};
use super::profile::{
    FILES, FileRule, ProgramCandidate, ProjectContext, ReadyRule, SERVER, ServerProfile, SymbolsRule,
    VersionCheck,
};
use super::row::{InstallPlaces, Language, PackageRule, PartRule, ROW, RootRule, SupertypeRule, Targets};
use crate::fallback::source::text::LoneReturn;

pub(crate) const RUST: Language = Language {
    id: ids::RUST,
    name: "Rust",
    files: &[("rs", "rust")],
    markers: &["Cargo.toml", "rust-project.json"],
    root: RootRule::CargoWorkspace,
    manifests: &["Cargo.toml", "Cargo.lock", "rust-project.json"],
    targets: Targets {
        files: &["build.rs", "src/main.rs", "src/lib.rs"],
        folders: &["src/bin", "examples", "tests", "benches"],
    },
    packages: PackageRule::Manifest(&["Cargo.toml"]),
    shared_installs: &[
        (
            &[Variable("CARGO_HOME", ""), Home(".cargo")],
            InstallPlaces {
                below: &["registry/cache", "registry/src", "registry/index", "git/db", "git/checkouts"],
                depth: 1,
            },
        ),
        // `toolchains/stable/lib/rustlib/src`
        (&[Variable("RUSTUP_HOME", ""), Home(".rustup")], InstallPlaces { below: &["toolchains"], depth: 3 }),
    ],
    servers: &[ServerProfile {
        name: "rust-analyzer",
        candidates: &[
            ProgramCandidate::Rustup("rust-analyzer"),
            ProgramCandidate::SearchPath("rust-analyzer"),
        ],
        proof: VersionCheck::Version(&["--version"]),
        install: "rustup component add rust-analyzer rust-src",
        names_formatter: Some("rust-analyzer.toml"),
        // Set to nothing, they override the project's `rustflags`: a flag can load a library into the
        // compiler.
        safe_environment: &[("CARGO_ENCODED_RUSTFLAGS", ""), ("CARGO_ENCODED_RUSTDOCFLAGS", "")],
        section: "rust-analyzer",
        options,
        unknown,
        ready: ReadyRule::ServerStatus {
            loading: &["rustAnalyzer/Fetching", "rustAnalyzer/SessionFolders Scanned"],
        },
        files: FileRule {
            only_open: false,
            needs_anchor: false,
            announces: false,
            needs_disk: false,
            keeps_mark: true,
            lone_return: LoneReturn::IsCharacter,
            ..FILES
        },
        symbols: SymbolsRule {
            is_asked: true,
            limit: SYMBOL_LIMIT,
            with_dependencies: Some("*"),
            has_fields: false,
            ..SERVER.symbols
        },
        ..SERVER
    }],
    is_plain: true,
    not_loaded,
    diagnostics_gap: Some(|| Reason::CompilerNotRun {}),
    has_macro_input: true,
    supertypes: SupertypeRule::Blocks,
    parts: PartRule::Blocks,
    // A trait does not hide the members of another trait.
    members_hide_inherited: false,
    calls_types: true,
    definition: concat!(
        r"(?:\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+",
        r"(?:mut\s+)?(?:r#)?NAME\b|^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?NAME\s*(?:[,({=]|:(?:[^:]|$)|$)|",
        // After a brace, an attribute or a comment.
        r"[{(,\]/]\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?NAME\s*:(?:[^:]|$)|\]\s*(?:r#)?NAME\s*(?:[,({=]|$)|",
        r"\benum\b[^;]*\b(?:r#)?NAME\b)"
    ),
    defines_plainly: true,
    declaration: r"\b(?:fn|struct|enum|union|trait|type|mod|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?NAME",
    keywords: &[
        "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let",
        "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
        "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
        "virtual", "where", "while", "yield", "_",
    ],
    raw: "r#",
    separator: "::",
    given: &[
        Variable("CARGO_HOME", "registry"),
        Variable("CARGO_HOME", "git"),
        Home(".cargo/registry"),
        Home(".cargo/git"),
        Variable("RUSTUP_HOME", "toolchains"),
        Home(".rustup/toolchains"),
        Beside("rustc", "lib/rustlib"),
    ],
    ..ROW
};

const SYMBOL_LIMIT: usize = 20_000;

fn not_loaded(runs_code: bool) -> &'static str {
    match runs_code {
        true => "not loaded (cfg'd out, or in no crate)",
        false => {
            "not loaded (cfg'd out, maybe by a feature that is off in a restricted workspace, or in no crate)"
        }
    }
}

/// Returns the options. In a restricted workspace they disable build scripts, procedural macros and checks.
fn options(ground: &ProjectContext<'_>) -> Value {
    let runs_code = ground.level.runs_code();
    let mut cargo = json!({ "buildScripts": { "enable": runs_code } });
    if runs_code {
        cargo["features"] = json!("all");
        // A separate target folder, so that the user's builds do not wait for its lock.
        cargo["targetDir"] = ground.target.map_or(json!(true), |it| json!(it));
    }
    json!({
        "linkedProjects": ground.projects,
        "cargo": cargo,
        "procMacro": { "enable": runs_code },
        // Priming lost references inside macro calls in most starts of a small workspace.
        "cachePriming": { "enable": false },
        "checkOnSave": false,
        // Diagnostics are pulled; the experimental ones are wrong too often.
        "diagnostics": {
            "enable": true,
            "experimental": { "enable": false },
            // Procedural macros were disabled by us.
            "disabled": if runs_code { json!([]) } else { json!(["macro-error"]) },
        },
        // The memory layout is of little use in a description.
        "hover": { "memoryLayout": { "enable": false }, "dropGlue": { "enable": false } },
        "workspace": {
            "symbol": {
                "search": { "kind": "all_symbols", "limit": SYMBOL_LIMIT, "excludeImports": true }
            }
        },
    })
}

/// Notes what the restricted options hide: code from build scripts and procedural macros.
fn unknown(ground: &ProjectContext<'_>, manifests: &[PathBuf]) -> Option<&'static str> {
    if ground.level.runs_code() {
        return None;
    }
    let texts: Vec<_> =
        manifests.iter().filter_map(|it| Some((it.as_path(), fs::read_to_string(it).ok()?))).collect();
    let has_script = texts.iter().any(|(path, text)| has_build_script(path, text));
    let has_macros = texts.iter().any(|(_, text)| makes_macros(text))
        || ground.projects.iter().any(|it| may_use_macros(it, &texts));
    match (has_script, has_macros) {
        (false, false) => None,
        (true, false) => Some("nothing of what build scripts make"),
        (false, true) => Some("nothing of what procedural macros make"),
        (true, true) => Some("nothing of what build scripts and procedural macros make"),
    }
}

fn has_build_script(manifest: &Path, text: &str) -> bool {
    let named =
        text.lines().find_map(|it| it.trim_start().strip_prefix("build")?.trim_start().strip_prefix('='));
    match named {
        Some(name) => name.trim() != "false",
        None => manifest.with_file_name("build.rs").is_file(),
    }
}

/// Returns `true` for the manifest of a crate with procedural macros.
pub(crate) fn makes_macros(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(|it| it.replace([' ', '\t'], ""));
    lines.any(|it| it.starts_with("proc-macro=true") || it.starts_with("proc_macro=true"))
}

/// Returns whether a dependency may bring macros; one that was never downloaded may.
fn may_use_macros(project: &Path, manifests: &[(&Path, String)]) -> bool {
    let Ok(lock) = fs::read_to_string(project.with_file_name("Cargo.lock")) else {
        return manifests.iter().any(|(_, text)| has_foreign_dependencies(text));
    };
    let sources = registry_sources();
    let mut foreign = lock.split("[[package]]").filter(|it| it.contains("\nsource = "));
    foreign.any(|package| {
        let field = |name: &str| {
            package.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
        };
        let (Some(name), Some(version)) = (field("name"), field("version")) else { return true };
        let mut texts = sources
            .iter()
            .filter_map(|it| fs::read_to_string(it.join(format!("{name}-{version}/Cargo.toml"))).ok());
        texts.next().is_none_or(|it| makes_macros(&it))
    })
}

/// Returns the folders of downloaded crates, one for each registry.
fn registry_sources() -> Vec<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home);
    let registries = cargo.and_then(|it| fs::read_dir(it.join("registry/src")).ok());
    registries.into_iter().flatten().flatten().map(|it| it.path()).collect()
}

/// Returns whether a manifest names dependencies that are not on this disk.
fn has_foreign_dependencies(manifest: &str) -> bool {
    fn is_foreign(dependency: &toml::Value) -> bool {
        dependency.get("path").is_none() && dependency.get("workspace").is_none()
    }
    fn any_in(table: &toml::Table) -> bool {
        table.iter().any(|(key, value)| match value.as_table() {
            Some(all) if key.ends_with("dependencies") => all.values().any(is_foreign),
            Some(inner) => any_in(inner),
            None => false,
        })
    }
    manifest.parse::<toml::Table>().is_ok_and(|it| any_in(&it))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;

    use super::*;
    use crate::fallback::trust::level::Level;

    #[test]
    fn what_nobody_runs_is_unknown_only_where_there_is_any() {
        const PACKAGE: &str = "[package]\nname = \"a\"\n";
        for (manifest, others, expected) in [
            ("", &[][..], None),
            ("", &[("build.rs", "")][..], Some("nothing of what build scripts make")),
            ("build = false\n", &[("build.rs", "")], None),
            ("build = \"make.rs\"\n", &[], Some("nothing of what build scripts make")),
            ("[dependencies]\nb = { path = \"b\" }\nc.workspace = true\n", &[], None),
            ("[dependencies]\nb = \"1\"\n", &[], Some("nothing of what procedural macros make")),
            (
                "[target.'cfg(unix)'.dev-dependencies]\nb = { version = \"1\" }\n",
                &[("build.rs", "")],
                Some("nothing of what build scripts and procedural macros make"),
            ),
            (
                "[dependencies]\nb = \"1\"\n",
                &[("Cargo.lock", "[[package]]\nname = \"a\"\nversion = \"1\"\n")],
                None,
            ),
            (
                "",
                &[("Cargo.lock", "[[package]]\nname = \"no such\"\nversion = \"1\"\nsource = \"x\"\n")],
                Some("nothing of what procedural macros make"),
            ),
            ("[lib]\nproc-macro = true\n", &[], Some("nothing of what procedural macros make")),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("Cargo.toml");
            fs::write(&path, format!("{PACKAGE}{manifest}")).unwrap();
            others.iter().for_each(|(name, text)| fs::write(dir.path().join(name), text).unwrap());
            let (projects, folders) = ([path], BTreeSet::new());
            let ground = |level| ProjectContext {
                program: Path::new(""),
                search_path: OsStr::new(""),
                projects: &projects,
                folders: &folders,
                level,
                target: None,
            };
            assert_eq!(unknown(&ground(Level::Restricted), &projects), expected, "{manifest}{others:?}");
            assert_eq!(unknown(&ground(Level::Confined), &projects), None);
        }
    }
}
