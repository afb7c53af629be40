//! Checks project files that can make tools run code: Cargo's configuration and manifests, and
//! `rust-project.json`.
//!
//! In a restricted workspace only keys on an allowlist may occur: harmless ones, and those that the server's
//! environment overrides. A project with any other key is not loaded: an unknown key may run code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use ide_protocol::Reason;
use toml::{Table, Value};

use super::projects::Projects;
use crate::fallback::source::languages::{Language, RootRule};
use crate::xdg_dirs;

/// The maximum number of configuration files that include each other.
const INCLUDE_LIMIT: usize = 32;

/// The reason why a project is not loaded in a restricted workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {cause}", .file.display())]
pub(crate) struct Refusal {
    file: PathBuf,
    cause: String,
}

/// The result of checking the files of a language's projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Review {
    /// `true` if a file names a program that fetches credentials: Cargo must then stay offline.
    pub(crate) wants_credentials: bool,
    /// The reasons why projects are not loaded.
    refused: Vec<Refusal>,
    /// Files with flags for the compiler, which are overridden.
    flags: BTreeSet<PathBuf>,
}

/// Removes the projects that could run code of the workspace, and adds a reason for each; blocking.
pub(crate) fn review(language: &Language, projects: &mut Projects, folders: &[PathBuf]) -> Review {
    let mut review = Review::default();
    if language.root != RootRule::CargoWorkspace {
        return review;
    }
    for manifest in std::mem::take(&mut projects.manifests) {
        match review.check(&manifest, folders) {
            Ok(()) => projects.manifests.push(manifest),
            Err(refusal) => {
                let (path, cause) = (manifest.display().to_string(), refusal.to_string());
                projects.left_out.push(Reason::RefusedProject { path, cause });
                review.refused.push(refusal);
            }
        }
    }
    let ignored = |it: &PathBuf| Reason::IgnoredFlags { path: it.display().to_string() };
    projects.left_out.extend(review.flags.iter().map(ignored));
    review
}

impl Review {
    /// Returns the reason why the first refused project is not loaded.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.refused.first()
    }

    fn check(&mut self, manifest: &Path, folders: &[PathBuf]) -> Result<(), Refusal> {
        let is_description = manifest.extension().is_some_and(|it| it == "json");
        if is_description {
            check_description(manifest)?;
        } else {
            check_manifest(manifest)?;
        }
        // The server starts Cargo in the project's folder, and is itself started in a folder above.
        let beside = manifest.parent().into_iter().chain(folders.iter().map(PathBuf::as_path));
        let real = beside.clone().filter_map(|it| it.canonicalize().ok()).collect::<Vec<_>>();
        let above: BTreeSet<_> =
            beside.chain(real.iter().map(PathBuf::as_path)).flat_map(Path::ancestors).collect();
        let own = [cargo_home(), xdg_dirs::home().map(|it| it.join(".cargo"))];
        let own: Vec<_> =
            own.into_iter().flatten().flat_map(|it| it.canonicalize().into_iter().chain([it])).collect();
        for folder in above.into_iter().map(|it| it.join(".cargo")).filter(|it| !own.contains(it)) {
            for name in ["config.toml", "config"] {
                self.check_config(&folder.join(name), &mut BTreeSet::new())?;
            }
        }
        Ok(())
    }

    /// Checks a file of Cargo's configuration and those that it includes.
    fn check_config(&mut self, file: &Path, seen: &mut BTreeSet<PathBuf>) -> Result<(), Refusal> {
        if !seen.insert(file.to_owned()) {
            return Ok(());
        }
        if seen.len() > INCLUDE_LIMIT {
            return Err(refusal(file, "is one of too many files that include each other"));
        }
        let Some(text) = read(file)? else { return Ok(()) };
        let table = table(file, &text)?;
        for (key, value) in &table {
            let place = match (key.as_str(), value) {
                ("alias" | "cache" | "cargo-new" | "future-incompat-report" | "install", _) => None,
                ("net" | "patch" | "paths" | "resolver" | "source" | "term", _) => None,
                ("http", Value::Table(all)) => other_than(HTTP, all),
                ("build", Value::Table(all)) => {
                    self.note_flags(file, all);
                    all.iter().find(|(key, value)| !is_plain_build(key, value)).map(|(key, _)| key.clone())
                }
                ("target", Value::Table(all)) => all.iter().find_map(|(target, value)| {
                    let Value::Table(all) = value else { return Some(target.clone()) };
                    self.note_flags(file, all);
                    other_than(TARGET, all).map(|it| format!("{target}.{it}"))
                }),
                ("env", Value::Table(all)) => other_than(VARIABLES, all),
                ("unstable", Value::Table(all)) => other_than(UNSTABLE, all),
                ("profile", Value::Table(all)) => profile_key(all),
                ("registry", Value::Table(all)) => {
                    self.wants_credentials |= asks_for_credentials(all);
                    other_than(REGISTRY, all)
                }
                ("registries", Value::Table(all)) => all.iter().find_map(|(name, value)| {
                    let Value::Table(all) = value else { return Some(name.clone()) };
                    self.wants_credentials |= asks_for_credentials(all);
                    other_than(REGISTRY, all).map(|it| format!("{name}.{it}"))
                }),
                ("credential-alias", _) => {
                    self.wants_credentials = true;
                    None
                }
                ("include", included) => {
                    let beside = file.parent().unwrap_or(Path::new("/"));
                    for path in included_by(included).ok_or_else(|| sets(file, "include"))? {
                        let path = beside.join(path);
                        self.check_config(&path.canonicalize().unwrap_or(path), seen)?;
                    }
                    None
                }
                _ => return Err(sets(file, key)),
            };
            if let Some(place) = place {
                return Err(sets(file, &format!("{key}.{place}")));
            }
        }
        Ok(())
    }

    fn note_flags(&mut self, file: &Path, table: &Table) {
        if table.contains_key("rustflags") {
            self.flags.insert(file.to_owned());
        }
    }
}

const HTTP: &[&str] = &["check-revoke", "debug", "low-speed-limit", "multiplexing", "timeout", "user-agent"];

/// Nothing is linked or run, and the environment overrides flags.
const TARGET: &[&str] = &["ar", "linker", "runner", "rustdocflags", "rustflags"];

/// Variables that load nothing and name no program.
const VARIABLES: &[&str] =
    &["CARGO_WORKSPACE_DIR", "RUST_BACKTRACE", "RUST_LOG", "RUST_MIN_STACK", "RUST_TEST_THREADS"];

const UNSTABLE: &[&str] = &["build-std", "build-std-features", "config-include", "gc", "mtime-on-use"];

/// Programs for credentials run only while Cargo downloads.
const REGISTRY: &[&str] =
    &["credential-provider", "default", "global-credential-providers", "index", "protocol", "token"];

const PROFILE: &[&str] = &[
    "codegen-units",
    "debug",
    "debug-assertions",
    "incremental",
    "inherits",
    "lto",
    "opt-level",
    "overflow-checks",
    "panic",
    "rpath",
    "split-debuginfo",
    "strip",
];

fn other_than(harmless: &[&str], table: &Table) -> Option<String> {
    table.keys().find(|it| !harmless.contains(&it.as_str())).cloned()
}

/// Returns `true` if a key of `[build]` is harmless or overridden: compilers, their wrappers, and flags.
fn is_plain_build(key: &str, value: &Value) -> bool {
    match key {
        "dep-info-basedir" | "incremental" | "jobs" | "target-dir" => true,
        "rustc" | "rustc-workspace-wrapper" | "rustc-wrapper" | "rustdoc" | "rustdocflags" | "rustflags" => {
            true
        }
        // A file that specifies a target can name a library for the compiler to load.
        "target" => match value {
            Value::String(target) => is_triple(target),
            Value::Array(all) => all.iter().all(|it| it.as_str().is_some_and(is_triple)),
            _ => false,
        },
        _ => false,
    }
}

fn is_triple(target: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let has_dots_of_version =
        |it: &str| it.strip_prefix("thumbv8m.").is_some_and(|it| it.chars().all(is_plain));
    target.chars().all(is_plain) || has_dots_of_version(target)
}

/// Returns the first key of these profiles that is not known to be harmless.
fn profile_key(profiles: &Table) -> Option<String> {
    fn other(profile: &Value) -> Option<String> {
        let Value::Table(profile) = profile else { return Some("of an unknown form".to_owned()) };
        profile.iter().find_map(|(key, value)| match (key.as_str(), value) {
            (key, _) if PROFILE.contains(&key) => None,
            ("build-override", value) => other(value).map(|it| format!("{key}.{it}")),
            ("package", Value::Table(all)) => {
                all.iter().find_map(|(name, value)| other(value).map(|it| format!("{key}.{name}.{it}")))
            }
            _ => Some(key.clone()),
        })
    }
    profiles.iter().find_map(|(name, value)| other(value).map(|it| format!("{name}.{it}")))
}

fn asks_for_credentials(table: &Table) -> bool {
    table.contains_key("credential-provider") || table.contains_key("global-credential-providers")
}

/// Returns the paths of an `include`; `None` when its form is unknown.
fn included_by(include: &Value) -> Option<Vec<String>> {
    match include {
        Value::String(path) => Some(vec![path.clone()]),
        Value::Table(table) => match table.get("path") {
            Some(Value::String(path)) => Some(vec![path.clone()]),
            _ => None,
        },
        Value::Array(all) => Some(all.iter().map(included_by).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

/// Checks a manifest for keys that reach the compiler without a build: profiles and targets.
fn check_manifest(file: &Path) -> Result<(), Refusal> {
    let Some(text) = read(file)? else { return Ok(()) };
    let Ok(table) = text.parse::<Table>() else {
        // The server tells what is wrong with it. Only features of Cargo's that are not stable could do harm.
        let may_have_features = text.contains("cargo-features") || text.contains('\\');
        return if may_have_features { Err(refusal(file, "is no TOML")) } else { Ok(()) };
    };
    if let Some(Value::Table(profiles)) = table.get("profile")
        && let Some(key) = profile_key(profiles).filter(|it| !it.ends_with(".trim-paths"))
    {
        return Err(sets(file, &format!("profile.{key}")));
    }
    let package = table.get("package").or_else(|| table.get("project")).and_then(Value::as_table);
    for key in ["default-target", "forced-target"] {
        let target = package.and_then(|it| it.get(key));
        if target.is_some_and(|it| !it.as_str().is_some_and(is_triple)) {
            return Err(sets(file, &format!("package.{key}")));
        }
    }
    Ok(())
}

/// Keys of `rust-project.json` that name no program and load no code.
const DESCRIPTION: &[&str] = &["cfg_groups", "crates"];

const CRATE: &[&str] = &[
    "cfg",
    "cfg_groups",
    "crate_attrs",
    "deps",
    "display_name",
    "edition",
    "env",
    "is_proc_macro",
    "is_workspace_member",
    "repository",
    "root_module",
    "source",
    "target",
    "version",
];

fn check_description(file: &Path) -> Result<(), Refusal> {
    let Some(text) = read(file)? else { return Ok(()) };
    let description: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&text).map_err(|error| refusal(file, &format!("is not read: {error}")))?;
    if let Some(key) = description.keys().find(|it| !DESCRIPTION.contains(&it.as_str())) {
        return Err(sets(file, key));
    }
    let crates = description.get("crates").and_then(serde_json::Value::as_array);
    for (n, one) in crates.into_iter().flatten().enumerate() {
        let keys = one.as_object().ok_or_else(|| sets(file, &format!("crates[{n}]")))?;
        let is_plain = |key: &str, value: &serde_json::Value| match key {
            "target" => value.is_null() || value.as_str().is_some_and(is_triple),
            _ => CRATE.contains(&key),
        };
        if let Some((key, _)) = keys.iter().find(|(key, value)| !is_plain(key, value)) {
            return Err(sets(file, &format!("crates[{n}].{key}")));
        }
    }
    Ok(())
}

/// Returns the text of a file; `None` if there is none. Other kinds of files are refused: reading them might
/// never end.
fn read(file: &Path) -> Result<Option<String>, Refusal> {
    let unreadable = |error: io::Error| refusal(file, &format!("cannot be read: {error}"));
    match fs::metadata(file) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(unreadable(error)),
        Ok(it) if it.is_dir() => Ok(None),
        Ok(it) if !it.is_file() => Err(refusal(file, "is no regular file")),
        Ok(_) => fs::read_to_string(file).map(Some).map_err(unreadable),
    }
}

fn table(file: &Path, text: &str) -> Result<Table, Refusal> {
    text.parse().map_err(|error: toml::de::Error| refusal(file, &format!("is no TOML: {}", error.message())))
}

fn sets(file: &Path, key: &str) -> Refusal {
    refusal(file, &format!("sets `{key}`, which may run code of the workspace"))
}

fn refusal(file: &Path, cause: &str) -> Refusal {
    Refusal { file: file.to_owned(), cause: cause.to_owned() }
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME").map(PathBuf::from)
}

#[cfg(test)]
#[path = "project_files_tests.rs"]
mod tests;
