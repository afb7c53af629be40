//! Every row of `docs/features.md` names tests and places that exist, or says why it has no test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::MetadataCommand;
use libtest_mimic::Trial;
use literate::cases;

pub(crate) fn trials() -> Vec<Trial> {
    tests![every_row_names_what_holds_it, a_test_that_is_not_there_is_missed]
}

/// Remarks that a row may have beside a test, or in its place.
const REMARKS: [&str; 4] = ["*Otherwise*", "*By construction*", "*Untested*", "*Not yet*"];

fn every_row_names_what_holds_it() -> Result<()> {
    let page = std::fs::read_to_string(root().join("docs/features.md"))?;
    let rows: Vec<&str> = page.lines().filter(|it| is_row(it)).collect();
    ensure!(rows.len() > 200, "the tables are not read any more");
    let programs = programs()?;
    let broken: Vec<String> = rows.into_iter().filter_map(|it| problem(&programs, it).err()).collect();
    ensure!(broken.is_empty(), "these name nothing that exists:\n{}", broken.join("\n"));
    Ok(())
}

/// The search for tests finds renamed ones missing.
fn a_test_that_is_not_there_is_missed() -> Result<()> {
    let programs = programs()?;
    for test in [
        "no program: E16",
        "cases: E999",
        "dialect: 7-json: A heading that nobody wrote",
        "dialect: 99-absent: Calls in calls",
        "dialect: [needs] a_need_that_nobody_has",
        "dialect: [absent] a_need_says_where_and_is_told_once",
        "component unit: audit::chain::tests::nobody_wrote_this",
        "ailang: valid/v99-absent.md",
    ] {
        ensure!(!exists(&programs, test), "{test}");
    }
    Ok(())
}

/// Returns true for the rows of tables that are no headings.
fn is_row(line: &str) -> bool {
    line.starts_with("| ") && !line.starts_with("| what ") && !line.starts_with("| --- ")
}

fn problem(programs: &BTreeMap<String, Program>, row: &str) -> Result<(), String> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [what, place, held] = cells[..] else { return Err(format!("{row} (a row has three cells)")) };
    if let Some(place) = spans(place).find(|it| !root().join(it).exists()) {
        return Err(format!("{what}: {place}"));
    }
    let tests: Vec<&str> = spans(held).filter(|it| it.contains(": ")).collect();
    if tests.is_empty() && !REMARKS.iter().any(|it| held.contains(it)) {
        return Err(format!("{what}: no test"));
    }
    match tests.into_iter().find(|it| !exists(programs, it)) {
        Some(test) => Err(format!("{what}: {test}")),
        None => Ok(()),
    }
}

/// Returns what stands between backticks.
fn spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn exists(programs: &BTreeMap<String, Program>, test: &str) -> bool {
    let Some((program, name)) = test.split_once(": ") else { return false };
    programs.get(program).is_some_and(|it| it.has(name))
}

/// The sources of a test program.
struct Program {
    /// The files of its crate, with their texts.
    files: Vec<(PathBuf, String)>,
    is_unit: bool,
}

impl Program {
    /// Returns true if the sources have a test that the page calls so.
    fn has(&self, test: &str) -> bool {
        if self.is_unit {
            let name = test.rsplit("::").next().unwrap_or(test);
            return self.files.iter().any(|(_, text)| defines(text, name));
        }
        if let Some((kind, name)) = test.strip_prefix('[').and_then(|it| it.split_once("] ")) {
            let is_of_kind = |path: &Path, text: &str| {
                path.ends_with(format!("{kind}.rs"))
                    || path.ends_with(format!("{kind}/mod.rs"))
                    || text.contains(&format!("with_kind(\"{kind}\")"))
            };
            let found = |(path, text): &(PathBuf, String)| {
                is_of_kind(path, text) && (defines(text, name) || quotes(text, name))
            };
            return self.files.iter().any(found) || self.has_row(name);
        }
        let is_case = test.split_once(": ").is_some_and(|(chapter, heading)| {
            let chapter = format!("{chapter}.md");
            self.files.iter().any(|(path, text)| path.ends_with(&chapter) && has_case(text, heading))
        });
        let found = |(path, text): &(PathBuf, String)| {
            path.ends_with(test) || defines(text, test) || quotes(text, test)
        };
        is_case || self.files.iter().any(found)
    }

    /// Returns true if a table of tests has the row that a name of the form `FILE.md: FIRST CELL` means.
    fn has_row(&self, name: &str) -> bool {
        name.split_once(".md: ").is_some_and(|(table, cell)| {
            let (table, row) = (format!("{table}.md"), format!("| {cell} |"));
            let mut tables = self.files.iter().filter(|(path, _)| path.ends_with(&table));
            tables.any(|(_, text)| text.lines().any(|it| it.starts_with(&row)))
        })
    }
}

/// Returns true if a test is a function of the text, or a row of a macro that makes functions.
fn defines(text: &str, name: &str) -> bool {
    text.contains(&format!("fn {name}(")) || text.contains(&format!("    {name}: "))
}

/// Returns true if a literal of the text ends with the name, or with what stands behind a comma or colon in it: what
/// stands before is the language or server that the test is about.
fn quotes(text: &str, name: &str) -> bool {
    let behind = [", ", ": "].into_iter().flat_map(|mark| name.match_indices(mark));
    let parts = behind.map(|(at, mark)| &name[at + mark.len()..]).chain([name]);
    parts.into_iter().any(|part| {
        let mut found = text.match_indices(part);
        found.any(|(at, _)| {
            text[at + part.len()..].starts_with('"') && !text[..at].ends_with(char::is_alphanumeric)
        })
    })
}

/// Returns true if a chapter has a case below the heading, whose backticks do not count.
fn has_case(text: &str, heading: &str) -> bool {
    cases(text).iter().any(|it| {
        let name = it.name.replace('`', "");
        name.strip_suffix(heading).is_some_and(|it| it.is_empty() || it.ends_with(" / "))
    })
}

/// Reads the sources of every test program: by its name, and for a crate's own tests by `crate unit`.
fn programs() -> Result<BTreeMap<String, Program>> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec()?;
    let mut programs = BTreeMap::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
        let tests = package.targets.iter().filter(|it| it.is_test());
        for target in tests {
            let files = sources(folder.as_std_path())?;
            programs.insert(target.name.clone(), Program { files, is_unit: false });
        }
        let files = sources(&folder.as_std_path().join("src"))?;
        programs.insert(format!("{} unit", package.name), Program { files, is_unit: true });
    }
    Ok(programs)
}

/// Reads the sources, documents and data below a folder, without those of workspaces of their own.
fn sources(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let is_apart = ["target", "fuzz", "bench", "agents"].iter().any(|it| path.ends_with(it));
            found.extend(if is_apart { Vec::new() } else { sources(&path)? });
        } else if path.extension().is_some_and(|it| it == "rs" || it == "md" || it == "json") {
            let text = std::fs::read_to_string(&path).unwrap_or_default(); // some are no text on purpose
            found.push((path, text));
        }
    }
    Ok(found)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it lies in the repository")
}
