//! Detection of a workspace's languages and projects. Nothing of the workspace is run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cargo_metadata::{Metadata, MetadataCommand};
use ide_protocol::Reason;

use super::confined::Confinement;
use super::launch::Environment;
use super::projects::Projects;
use super::{compilation_database, launch};
use crate::fallback::source::languages::{LANGUAGES, Language, RootRule};
use crate::fallback::workspace::walk;
use crate::{blocking, xdg_dirs};

/// The time Cargo may take to describe a workspace.
const METADATA_TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of files to open so that their projects are loaded.
const ANCHOR_LIMIT: usize = 64;

/// The maximum number of projects for one server.
const PROJECT_LIMIT: usize = 16;

/// The languages and project markers found in the session's folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DetectedLanguages {
    /// The number of files by extension, without the dot.
    pub(crate) extensions: BTreeMap<String, usize>,
    /// The number of files by language, where their content decides; they do not count for their extension.
    pub(crate) by_content: BTreeMap<&'static str, usize>,
    /// Files that mark a project, sorted by depth.
    pub(crate) markers: Vec<PathBuf>,
    /// `true` if the walk stopped at its limit.
    pub(crate) cut: bool,
}

/// Walks the folders once, and counts files by extension; blocking.
pub(crate) fn languages(folders: &[PathBuf]) -> DetectedLanguages {
    let mut detected = DetectedLanguages::default();
    for folder in folders {
        let entries = walk::builder(folder, folder).build().filter_map(Result::ok);
        for (count, entry) in entries.enumerate() {
            if count >= walk::ENTRY_LIMIT {
                detected.cut = true;
                break;
            }
            if entry.file_type().is_some_and(|it| it.is_file()) {
                detected.add(entry.into_path());
            }
        }
        detected.markers.extend(LANGUAGES.iter().filter_map(|it| marker_above(it, folder)));
    }
    detected.markers.sort_by_key(|it| (it.components().count(), it.clone()));
    detected.markers.dedup();
    detected
}

/// Returns the marker above a folder that lies within a larger project.
fn marker_above(language: &Language, folder: &Path) -> Option<PathBuf> {
    let home = xdg_dirs::home();
    let is_bounded = language.root != RootRule::CargoWorkspace;
    for above in folder.ancestors().skip(1).take_while(|it| Some(*it) != home.as_deref()) {
        // Cargo looks further up by itself; for others a repository is where a project ends.
        if is_bounded && above.join(".git").exists() || above.parent().is_none() {
            return marker_in(language, above);
        }
        if let Some(marker) = marker_in(language, above) {
            return Some(marker);
        }
    }
    None
}

fn marker_in(language: &Language, folder: &Path) -> Option<PathBuf> {
    language.markers.iter().map(|name| folder.join(name)).find(|it| it.is_file())
}

impl DetectedLanguages {
    fn add(&mut self, path: PathBuf) {
        if let Some(language) = LANGUAGES.iter().find(|it| it.content.is_some() && it.owns(&path)) {
            *self.by_content.entry(language.id).or_default() += 1;
        } else if let Some(extension) = path.extension().and_then(|it| it.to_str()) {
            *self.extensions.entry(extension.to_owned()).or_default() += 1;
        }
        // Names of markers are text; a name that is not text marks nothing.
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        if LANGUAGES.iter().any(|it| it.markers.contains(&name)) && !is_vendored(&path) {
            self.markers.push(path);
        }
    }

    /// Returns the languages that have files, the one with most files first.
    pub(crate) fn languages(&self) -> Vec<&'static Language> {
        let mut found: Vec<_> = LANGUAGES.iter().filter(|it| self.has(it)).collect();
        found.sort_by_key(|it| std::cmp::Reverse(self.files(it)));
        found
    }

    /// Returns `true` if there are files of the language. A project above the folders does not count.
    fn has(&self, language: &Language) -> bool {
        self.files(language) > 0
    }

    /// Returns the number of files of a language.
    pub(crate) fn files(&self, language: &Language) -> usize {
        let by_name = language.files.iter().filter_map(|(it, _)| self.extensions.get(*it));
        by_name.chain(self.by_content.get(language.id)).sum()
    }

    pub(crate) fn markers_of<'a>(&'a self, language: &'a Language) -> impl Iterator<Item = &'a PathBuf> {
        self.markers.iter().filter(|it| {
            it.file_name().and_then(|it| it.to_str()).is_some_and(|it| language.markers.contains(&it))
        })
    }

    /// Lists the most frequent extensions, for a sentence.
    pub(crate) fn commonest(&self) -> String {
        let mut kinds: Vec<_> = self.extensions.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let kinds: Vec<_> =
            kinds.into_iter().take(4).map(|(kind, count)| format!("{count} `.{kind}`")).collect();
        kinds.join(", ")
    }
}

/// Returns `true` for crates of `cargo vendor`, which puts a checksum next to each manifest: they are
/// dependencies, not projects.
fn is_vendored(manifest: &Path) -> bool {
    manifest.with_file_name(".cargo-checksum.json").exists()
}

/// Finds the projects of a language that its server loads.
pub(crate) async fn projects(
    language: &'static Language,
    detected: &DetectedLanguages,
    folders: &[PathBuf],
    environment: &Environment,
) -> Projects {
    let mut projects = match language.root {
        RootRule::CargoWorkspace => return cargo_projects(language, detected, folders, environment).await,
        RootRule::Marked => marked(language, detected, folders),
        RootRule::Session | RootRule::CompilationDatabase => session(language, detected, folders),
    };
    let kept = environment.confinement().map(Confinement::compilation);
    let with_anchors = blocking::spawn(move || {
        projects.anchors = anchors(language, &projects);
        if language.root == RootRule::CompilationDatabase {
            compilation_database::prepare(language, &mut projects, kept.as_ref());
        }
        projects
    });
    with_anchors.await
}

/// Returns the folders with markers, and the session's folders that lie in none of them.
fn marked(language: &Language, detected: &DetectedLanguages, folders: &[PathBuf]) -> Projects {
    let mut projects = Projects::default();
    for marker in detected.markers_of(language) {
        let Some(folder) = marker.parent() else { continue };
        if !projects.folders.contains(folder) && projects.folders.len() == PROJECT_LIMIT {
            projects.left_out = vec![Reason::MergedProjects { limit: PROJECT_LIMIT }];
            break;
        }
        projects.add(marker.clone());
    }
    let loose: Vec<_> = folders
        .iter()
        .filter(|folder| !projects.folders.iter().any(|it| folder.starts_with(it)))
        // A folder of projects is none itself, unless something lies beside them.
        .filter(|folder| projects.folders.is_empty() || holds_loose(language, folder, &projects.folders))
        .cloned()
        .collect();
    projects.folders.extend(loose);
    projects.manifests.sort();
    projects
}

fn session(language: &Language, detected: &DetectedLanguages, folders: &[PathBuf]) -> Projects {
    let mut manifests: Vec<_> = detected.markers_of(language).cloned().collect();
    manifests.sort();
    Projects { manifests, folders: walk::outermost(folders).cloned().collect(), ..Projects::default() }
}

/// Returns `true` if a folder holds sources of the language outside of the `except` folders.
fn holds_loose(language: &Language, folder: &Path, except: &BTreeSet<PathBuf>) -> bool {
    first_source(language, folder, |it| it != folder && except.contains(it)).is_some()
}

/// Finds the uppermost source in a folder, without the folders that `skips` accepts; blocking.
fn first_source(language: &Language, root: &Path, skips: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut level = vec![root.to_owned()];
    let mut looked_at = 0;
    while !level.is_empty() && looked_at < walk::ENTRY_LIMIT {
        let mut below = Vec::new();
        for folder in level {
            let entries = walk::builder(&folder, root).max_depth(Some(1)).sort_by_file_name(Ord::cmp).build();
            for entry in entries.filter_map(Result::ok).filter(|it| it.depth() == 1) {
                looked_at += 1;
                let is_file = entry.file_type().is_some_and(|it| it.is_file());
                match is_file {
                    true if language.owns(entry.path()) => return Some(entry.into_path()),
                    false if entry.path().is_dir() && !skips(entry.path()) => below.push(entry.into_path()),
                    _ => {}
                }
            }
        }
        level = below;
    }
    None
}

/// Picks one source of each folder with a marker, and of each of the server's folders; blocking.
fn anchors(language: &Language, projects: &Projects) -> Vec<PathBuf> {
    let marked: BTreeSet<_> =
        projects.manifests.iter().filter_map(|it| it.parent()).map(Path::to_owned).collect();
    let all: BTreeSet<_> = marked.iter().chain(&projects.folders).cloned().collect();
    let sources = all.iter().take(ANCHOR_LIMIT).filter_map(|folder| {
        first_source(language, folder, |it| marked.contains(it))
            .or_else(|| first_source(language, folder, |_| false))
    });
    let sources: BTreeSet<_> = sources.collect();
    sources.into_iter().collect()
}

async fn cargo_projects(
    language: &Language,
    detected: &DetectedLanguages,
    folders: &[PathBuf],
    environment: &Environment,
) -> Projects {
    let mut projects = Projects::default();
    let mut covered = BTreeSet::new();
    let mut single = BTreeSet::new();
    let mut left_out = 0;
    for marker in detected.markers_of(language) {
        if covered.contains(marker) {
            continue;
        }
        if projects.manifests.len() == PROJECT_LIMIT {
            left_out += 1;
            continue;
        }
        if marker.file_name().is_some_and(|it| it != "Cargo.toml") {
            projects.add(marker.clone());
            continue;
        }
        match metadata(marker, environment).await {
            Ok(metadata) => projects.add_workspace(&metadata, &mut covered, &mut single),
            // The folder that the session is about counts even when it is broken: its server says how.
            Err(_) if governs(marker, folders) => projects.add(enclosing_workspace(marker)),
            Err(cause) => {
                projects.left_out.push(Reason::UnloadedProject { path: marker.display().to_string(), cause });
            }
        }
    }
    if left_out > 0 {
        projects.left_out.push(Reason::UnloadedProjects { count: left_out, limit: PROJECT_LIMIT });
    }
    projects.manifests.sort();
    projects.manifests.dedup();
    // Members come and go; what holds them stays, and with it the server.
    projects.folders = walk::outermost(&projects.folders).cloned().collect();
    projects
}

/// Returns `true` if the manifest lies in a session's folder or above one.
fn governs(manifest: &Path, folders: &[PathBuf]) -> bool {
    manifest.parent().is_some_and(|folder| folders.iter().any(|it| it.starts_with(folder)))
}

/// Finds the outermost manifest above with a `[workspace]` table, by its text, where Cargo failed.
fn enclosing_workspace(manifest: &Path) -> PathBuf {
    let above = manifest.ancestors().skip(2).map(|it| it.join("Cargo.toml"));
    let has_workspace = |it: &PathBuf| {
        // Most folders above have no manifest.
        let text = std::fs::read_to_string(it).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("[workspace"))
    };
    above.filter(has_workspace).last().unwrap_or_else(|| manifest.to_owned())
}

/// Runs `cargo metadata` without dependencies, which runs no code of the workspace.
async fn metadata(manifest: &Path, environment: &Environment) -> Result<Metadata, String> {
    let cargo = environment.cargo.as_ref().ok_or("there is no Cargo")?;
    let mut command = MetadataCommand::new();
    command.cargo_path(cargo).manifest_path(manifest).no_deps().other_options(["--offline".to_owned()]);
    let output = launch::run(command.cargo_command(), environment, METADATA_TIMEOUT).await;
    let output = output.map_err(|cause| format!("Cargo {cause}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    MetadataCommand::parse(stdout).map_err(|_| complaint(&stderr))
}

/// Returns Cargo's error message in one line.
fn complaint(stderr: &str) -> String {
    let error = stderr.lines().find_map(|it| it.strip_prefix("error: "));
    error.or_else(|| stderr.lines().next()).unwrap_or("Cargo says nothing").trim().to_owned()
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
