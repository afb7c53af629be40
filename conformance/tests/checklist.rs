//! Every obligation of `CHECKLIST.md` names a scenario or a test that exists.

use std::path::Path;

use anyhow::Result;
use libtest_mimic::Trial;
use literate::cases;

pub(crate) fn trials() -> Vec<Trial> {
    tests![every_obligation_names_what_shows_it]
}

fn every_obligation_names_what_shows_it() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checklist = std::fs::read_to_string(root.join("CHECKLIST.md"))?;
    let obligations: Vec<&str> = checklist.lines().filter_map(|it| it.strip_prefix("- ")).collect();
    assert!(obligations.len() > 20, "the list is not read any more");
    let broken: Vec<_> = obligations.into_iter().filter(|it| !is_shown(root, it)).collect();
    assert!(broken.is_empty(), "these name nothing that exists:\n{}", broken.join("\n"));
    Ok(())
}

fn is_shown(root: &Path, obligation: &str) -> bool {
    let Some((file, name)) = obligation.rsplit_once(" — ").and_then(|(_, it)| it.split_once(": ")) else {
        return false;
    };
    if file.ends_with(".rs") {
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        return text.contains(&format!("fn {name}(")) || text.contains(&format!("    {name}: "));
    }
    let text = std::fs::read_to_string(root.join("suites").join(format!("{file}.md"))).unwrap_or_default();
    cases(&text).iter().any(|it| it.name.ends_with(&format!(" / {name}")))
}
