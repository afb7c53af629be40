//! The corpus: each document has exactly the expected diagnostics.
//!
//! `corpus/expected.json` has the codes of each document by path; a document without an entry has none. The
//! documents of a multi-document folder are validated as one package. The file `EXPECT` beside a manifest has
//! its codes.

mod manifest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ailang::{Diagnostic, Document, Documents, Manifest, Severity, Strictness, validate};
use libtest_mimic::{Failed, Trial};
use source_text::LineIndex;

pub(crate) fn trials() -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let text = std::fs::read_to_string(root.join("expected.json")).expect("the expectations are there");
    let expected: BTreeMap<String, BTreeSet<String>> =
        serde_json::from_str(&text).expect("the expectations are lists of codes by path");
    let mut trials = Vec::new();
    for package in packages(&root) {
        trials.extend(package_trials(&root, &package, &expected));
        trials.extend(manifest::trial(&root, &package));
    }
    let known: BTreeSet<String> = trials.iter().map(|trial| trial.name().to_owned()).collect();
    for path in expected.into_keys().filter(|path| !known.contains(path)) {
        trials.push(Trial::test(path, || Err(Failed::from("there is no such document"))));
    }
    trials
}

/// Returns the folders that are packages, each with its documents.
fn packages(root: &Path) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let mut packages = Vec::new();
    for set in ["valid", "invalid", "skills"] {
        // Each of these documents is a package of its own.
        let folder = root.join(set);
        packages.extend(documents(&folder).into_iter().map(|path| (folder.clone(), vec![path])));
    }
    for set in ["valid-multi", "invalid-multi", "packages", "packages/invalid"] {
        for folder in folders(&root.join(set)) {
            if folder.ends_with("packages/invalid") {
                continue;
            }
            let documents = documents(&folder);
            packages.push((folder, documents));
        }
    }
    packages
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths
}

/// Returns all documents below a folder, without the notes about the corpus.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|it| it == "md")
            && path.file_name().is_some_and(|it| it != "README.md")
        {
            found.push(path);
        }
    }
    found
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).expect("it is below").to_string_lossy().replace('\\', "/")
}

fn package_trials(
    root: &Path,
    (folder, paths): &(PathBuf, Vec<PathBuf>),
    expected: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<Trial> {
    let sources = sources(folder, paths);
    let manifest = manifest::of(folder);
    let trial = |path: &PathBuf| {
        let name = relative(root, path);
        let expected = expected.get(&name).cloned().unwrap_or_default();
        let (sources, path) = (sources.clone(), relative(folder, path));
        let manifest = manifest.clone();
        Trial::test(name, move || check(&sources, manifest.as_ref(), &path, &expected))
    };
    paths.iter().map(trial).collect()
}

/// Returns the documents with their paths in the folder.
fn sources(folder: &Path, paths: &[PathBuf]) -> Vec<(String, String)> {
    let source =
        |path: &PathBuf| (relative(folder, path), std::fs::read_to_string(path).expect("it can be read"));
    paths.iter().map(source).collect()
}

fn read(sources: &[(String, String)], manifest: Option<&Manifest>) -> Documents {
    let mut documents = Documents::new();
    for (path, source) in sources {
        documents.insert(path.clone(), Document::parse(source.clone()));
    }
    for dependency in manifest.iter().flat_map(|manifest| &manifest.dependencies) {
        documents.depend_on(&dependency.name.value);
    }
    documents.add_standard_library();
    documents
}

fn check(
    sources: &[(String, String)],
    manifest: Option<&Manifest>,
    path: &str,
    expected: &BTreeSet<String>,
) -> Result<(), Failed> {
    let documents = read(sources, manifest);
    let document = documents.get(path).expect("it was added");
    let pieces: String = document.parts.iter().map(|part| document.text(part.span())).collect();
    if pieces != document.source {
        return Err("the parts are not the document".into());
    }
    let found = validate(&documents, path, Strictness::Normal).expect("it was added");
    check_strictness(&documents, path, &found)?;
    let codes: BTreeSet<String> = found.iter().map(shown).collect();
    if codes == *expected {
        return Ok(());
    }
    let index = LineIndex::new(&document.source);
    let reported: Vec<String> = found.iter().map(|it| it.show(path, &document.source, &index)).collect();
    Err(format!("expected {expected:?}, found {codes:?}\n\n{}", reported.join("\n\n")).into())
}

/// Checks that severities only grow with strictness. Examples are never errors when loose, and the severity
/// of mistakes of structure and syntax is constant.
fn check_strictness(documents: &Documents, path: &str, normal: &[Diagnostic]) -> Result<(), Failed> {
    let worst = |found: &[Diagnostic]| {
        let mut worst: BTreeMap<String, Severity> = BTreeMap::new();
        for it in found {
            let severity = worst.entry(it.code.to_string()).or_insert(it.severity);
            *severity = if rank(it.severity) > rank(*severity) { it.severity } else { *severity };
        }
        worst
    };
    let at = |strictness| worst(&validate(documents, path, strictness).expect("it was added"));
    let (loose, normal, strict) = (at(Strictness::Loose), worst(normal), at(Strictness::Strict));
    let rank_in = |found: &BTreeMap<String, Severity>, code: &str| found.get(code).map_or(0, |it| rank(*it));
    for code in loose.keys().chain(normal.keys()).chain(strict.keys()) {
        let ranks = [&loose, &normal, &strict].map(|found| rank_in(found, code));
        let everywhere = ["AL00", "AL10", "AL20", "AL33", "AL36"].iter().any(|it| code.starts_with(it));
        let holds = ranks.is_sorted()
            && (!code.starts_with("AL34") || ranks[0] < rank(Severity::Error))
            && (!everywhere || ranks[0] == ranks[2]);
        if !holds {
            return Err(format!("{code} loosely, normally and strictly: {ranks:?}").into());
        }
    }
    Ok(())
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 3,
        Severity::Warning => 2,
        Severity::Info => 1,
    }
}

/// Prints a code with its severity, such as `AL0115 warning`; an error as the code alone.
fn shown(diagnostic: &Diagnostic) -> String {
    match diagnostic.severity {
        Severity::Error => diagnostic.code.to_string(),
        Severity::Warning => format!("{} warning", diagnostic.code),
        Severity::Info => format!("{} info", diagnostic.code),
    }
}
