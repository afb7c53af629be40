//! The manifests of the corpus have exactly the expected diagnostics.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ailang::{Manifest, Strictness};
use libtest_mimic::{Failed, Trial};
use source_text::LineIndex;

/// Returns the manifest of a package, if it has one.
pub(crate) fn of(folder: &Path) -> Option<Manifest> {
    std::fs::read_to_string(folder.join(Manifest::FILE)).ok().map(Manifest::parse)
}

pub(crate) fn trial(root: &Path, (folder, paths): &(PathBuf, Vec<PathBuf>)) -> Option<Trial> {
    let manifest = of(folder)?;
    let expected = std::fs::read_to_string(folder.join("EXPECT")).unwrap_or_default();
    let expected: BTreeSet<String> = expected.split_whitespace().map(str::to_owned).collect();
    let sources = super::sources(folder, paths);
    let path = super::relative(root, &folder.join(Manifest::FILE));
    Some(Trial::test(path, move || check(&manifest, &sources, &expected)))
}

fn check(
    manifest: &Manifest,
    sources: &[(String, String)],
    expected: &BTreeSet<String>,
) -> Result<(), Failed> {
    let documents = super::read(sources, Some(manifest));
    let found = manifest.validate(&documents, Strictness::Normal);
    let codes: BTreeSet<String> = found.iter().map(|it| it.code.to_string()).collect();
    if codes == *expected {
        return Ok(());
    }
    let index = LineIndex::new(&manifest.source);
    let reported: Vec<String> =
        found.iter().map(|it| it.show(Manifest::FILE, &manifest.source, &index)).collect();
    Err(format!("expected {expected:?}, found {codes:?}\n\n{}", reported.join("\n\n")).into())
}
