//! A real crate to ask about, and names drawn from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use regex::Regex;
use serde_json::Value;

use crate::random::Random;
use crate::raw_client::Place;
use crate::workspace::Workspace;

/// A definition that was drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub name: String,
    pub at: Place,
    /// True when nothing else of that name is defined in the crate.
    pub is_unique: bool,
}

/// A language that names can be drawn from, and the server that is asked about them.
#[derive(Debug)]
pub struct Kind {
    pub language: &'static str,
    /// LSP's language id of its files.
    pub document: &'static str,
    /// The server's command.
    pub server: &'static [&'static str],
    /// True when a file has to be opened before it is asked about.
    pub opens: bool,
    /// The suffixes of its files.
    suffixes: &'static [&'static str],
    /// A line that defines a name: its first group.
    definition: &'static str,
    /// Files that make a copy a project if it lacks them.
    manifest: (&'static str, &'static str),
}

const KINDS: &[Kind] = &[
    Kind {
        language: "rust",
        document: "rust",
        server: &["rust-analyzer"],
        opens: false,
        suffixes: &["rs"],
        definition: r"\b(?:fn|struct|enum|trait|type|const|static)\s+([A-Za-z_]\w{3,})",
        manifest: ("Cargo.toml", "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    },
    Kind {
        language: "python",
        document: "python",
        server: &["ty", "server"],
        opens: true,
        suffixes: &["py"],
        definition: r"^\s*(?:async\s+)?(?:def|class)\s+([A-Za-z]\w{3,})",
        manifest: ("pyproject.toml", "[project]\nname = \"sample\"\nversion = \"0.1.0\"\n"),
    },
    Kind {
        language: "typescript",
        document: "typescript",
        server: &["tsc", "--lsp", "--stdio"],
        opens: true,
        suffixes: &["ts"],
        definition: r"\b(?:function|class|interface|type|const|enum)\s+([A-Za-z_]\w{3,})",
        manifest: ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true } }\n"),
    },
    Kind {
        language: "c",
        document: "c",
        server: &["clangd"],
        opens: true,
        suffixes: &["c", "h"],
        definition: r"^[A-Za-z_][\w\s*]*?\b([A-Za-z_]\w{3,})\([^;]*$",
        manifest: ("compile_flags.txt", "-I.\n"),
    },
];

impl Kind {
    pub fn of(language: &str) -> Option<&'static Self> {
        KINDS.iter().find(|it| it.language == language)
    }

    fn owns(&self, path: &Path) -> bool {
        path.extension().and_then(|it| it.to_str()).is_some_and(|it| self.suffixes.contains(&it))
    }
}

/// A definition that was drawn, and a place where its name stands elsewhere.
#[derive(Clone, Debug)]
pub struct Used {
    pub name: String,
    pub at: Place,
    pub used_at: Place,
}

/// Copies a folder with all that it holds, and makes it a project.
///
/// # Errors
/// When the disk refuses.
pub fn copy_of_folder(source: &Path, kind: &Kind) -> Result<Workspace> {
    let workspace = Workspace::new([])?;
    let copied = Command::new("cp").arg("-rL").arg(source.join(".")).arg(workspace.root()).status()?;
    if !copied.success() {
        return Err(anyhow!("{} was not copied", source.display()));
    }
    let (manifest, text) = kind.manifest;
    if !workspace.root().join(manifest).exists() {
        workspace.write(manifest, text)?;
    }
    Ok(workspace)
}

/// Returns the number of files of a language.
pub fn n_files(root: &Path, kind: &Kind) -> usize {
    every_file(root).iter().filter(|it| kind.owns(it)).count()
}

/// Definitions whose name stands at one other place at least and is defined once, in an order drawn by the seed, each
/// with one of those places.
///
/// # Errors
/// When the source cannot be read.
pub fn used(root: &Path, kind: &Kind, seed: u64) -> Result<Vec<Used>> {
    let definition = Regex::new(kind.definition)?;
    let word = Regex::new(r"[A-Za-z_]\w{3,}")?;
    let mut defined: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    let mut found: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for path in every_file(root).into_iter().filter(|it| kind.owns(it)) {
        let inside = path.strip_prefix(root)?.display().to_string();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            let is_comment = ["//", "#", "*", "/*"].iter().any(|it| line.trim_start().starts_with(it));
            if is_comment {
                continue;
            }
            let place =
                |at: usize| (inside.clone(), number as u64 + 1, line[..at].chars().count() as u64 + 1);
            let own = definition.captures(line).and_then(|it| it.get(1));
            if let Some(own) = own {
                defined.entry(own.as_str().to_owned()).or_default().push(place(own.start()));
            }
            for other in word.find_iter(line).filter(|it| Some(it.start()) != own.map(|it| it.start())) {
                found.entry(other.as_str().to_owned()).or_default().push(place(other.start()));
            }
        }
    }
    let mut random = Random::new(seed);
    let mut left: Vec<_> = defined.into_iter().filter(|(_, at)| at.len() == 1).collect();
    let mut drawn = Vec::new();
    while !left.is_empty() {
        let (name, mut at) = left.swap_remove(random.below(left.len()));
        let Some(uses) = found.get(&name) else { continue };
        let used_at = uses[random.below(uses.len())].clone();
        drawn.push(Used { name, at: at.remove(0), used_at });
    }
    Ok(drawn)
}

fn every_file(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut files: Vec<_> =
        entries.flat_map(|it| if it.is_dir() { every_file(&it) } else { vec![it] }).collect();
    files.sort();
    files
}

/// Copies the source of a dependency of this package, so that nothing is asked about in place. Dependencies stay
/// as they are locked here, and those that only its tests have are left out: nothing has to be fetched.
///
/// # Errors
/// When cargo does not know the dependency, or the disk refuses.
pub fn copy_of(dependency: &str) -> Result<Workspace> {
    let source = source_of(dependency)?;
    let workspace = Workspace::new([])?;
    for path in files(&source.join("src")) {
        let inside = path.strip_prefix(&source)?.display().to_string();
        workspace.write(&inside, &std::fs::read_to_string(&path)?)?;
    }
    let manifest = std::fs::read_to_string(source.join("Cargo.toml"))?;
    workspace.write("Cargo.toml", &library_alone(&manifest))?;
    if let Ok(readme) = std::fs::read_to_string(source.join("README.md")) {
        workspace.write("README.md", &readme)?;
    }
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    workspace.write("Cargo.lock", &std::fs::read_to_string(lock)?)?;
    Ok(workspace)
}

fn source_of(dependency: &str) -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .context("asking cargo where dependencies are")?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|it| it["name"] == dependency).find_map(|it| it["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| anyhow!("`{dependency}` is no dependency of this workspace"))?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new("/")).to_owned())
}

/// The manifest without the tables of tests, examples, benches and what only they depend on.
fn library_alone(manifest: &str) -> String {
    let mut keeps = true;
    let lines = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            let table = line.trim_matches(['[', ']']);
            keeps = !["dev-dependencies", "test", "example", "bench"].iter().any(|it| table.starts_with(it));
        }
        keeps
    });
    lines.map(|it| format!("{it}\n")).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut files: Vec<_> = entries.flat_map(|it| if it.is_dir() { files(&it) } else { vec![it] }).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "rs"));
    files.sort();
    files
}

/// Returns the number of lines of Rust in the workspace.
pub fn n_lines(root: &Path) -> usize {
    let texts = files(&root.join("src")).into_iter().filter_map(|it| std::fs::read_to_string(it).ok());
    texts.map(|it| it.lines().count()).sum()
}

/// Definitions whose names stand elsewhere too, functions and methods first in every second place, in an order drawn
/// by the seed: whoever takes the first ones has a sample.
///
/// # Errors
/// When the source cannot be read.
pub fn draw(root: &Path, seed: u64) -> Result<Vec<Drawn>> {
    let n_words = n_words(root)?;
    let mut random = Random::new(seed);
    let (mut functions, mut others): (Vec<_>, Vec<_>) =
        definitions(root)?.into_iter().filter(|it| n_words[&it.1] > 1).partition(|it| it.0 == "fn");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, name, _) in functions.iter().chain(&others) {
        *counts.entry(name.clone()).or_default() += 1;
    }
    let mut drawn = Vec::new();
    while !functions.is_empty() && !others.is_empty() {
        for from in [&mut functions, &mut others] {
            let (_, name, at) = from.swap_remove(random.below(from.len()));
            let is_unique = counts[&name] == 1;
            drawn.push(Drawn { name, at, is_unique });
        }
    }
    Ok(drawn)
}

/// Counts the words of the source.
fn n_words(root: &Path) -> Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for path in files(&root.join("src")) {
        let text = std::fs::read_to_string(path)?;
        for word in text.split(|it: char| !it.is_alphanumeric() && it != '_') {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Keyword, name and place of whatever looks like a definition at the start of a line.
fn definitions(root: &Path) -> Result<Vec<(String, String, Place)>> {
    let pattern = Regex::new(concat!(
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern)\s+)*",
        r"(fn|struct|enum|trait|type|const|static|mod)\s+([A-Za-z_]\w*)"
    ))?;
    let mut found = Vec::new();
    for path in files(&root.join("src")) {
        let inside = path.strip_prefix(root)?.display().to_string();
        for (number, line) in std::fs::read_to_string(&path)?.lines().enumerate() {
            let Some(captured) = pattern.captures(line) else { continue };
            let name = captured.get(2).expect("it is not optional");
            if name.as_str() == "_" {
                continue;
            }
            let column = line[..name.start()].chars().count() as u64 + 1;
            let at = (inside.clone(), number as u64 + 1, column);
            found.push((captured[1].to_owned(), name.as_str().to_owned(), at));
        }
    }
    Ok(found)
}
