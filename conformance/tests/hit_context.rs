//! The number of files that are parsed for the code around hits of a search: those of hits that an answer shows, unless
//! the program looks at that code.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use conformance::workspace::Workspace;
use libtest_mimic::Trial;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    tests![only_files_of_shown_hits_are_parsed, what_is_shown_does_not_depend_on_the_program]
}

/// The number of files with hits.
const FILES: usize = 200;

/// The event of the log that says so of each file.
const PARSING: &str = "parsing a file for the code around hits";

/// A workspace in which each file has five hits, in a function and in a test.
struct Hits {
    workspace: Workspace,
    home: TempDir,
}

impl Hits {
    fn new() -> Result<Self> {
        let text = |name: usize| {
            let hits = "    let user = user + 1; // user\n".repeat(4);
            format!("fn f{name}(user: u8) {{\n{hits}}}\n")
        };
        let files: Vec<_> = (0..FILES).map(|it| (format!("src/f{it:03}.rs"), text(it))).collect();
        let workspace = Workspace::new(files.iter().map(|(path, text)| (path.as_str(), text.as_str())))?;
        let home = TempDir::new()?;
        fs::create_dir_all(home.path().join("dialect"))?;
        fs::write(home.path().join("dialect/config.toml"), "[languages.rust]\ndisabled = true\n")?;
        Ok(Self { workspace, home })
    }

    /// Runs a program. Returns its answer and the number of files that were parsed for it.
    fn ask(&self, program: &str) -> Result<(Value, usize)> {
        let mut command = Command::new(crate::programs()?.path("dialect-under-test"));
        for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env(variable, self.home.path());
        }
        // Its own log is to say what is parsed.
        command.env("DIALECT_SERVER", "off");
        command.current_dir(self.workspace.root()).env("DIALECT_LOG", "adapter=debug");
        let output = command.args(["eval", "--json", program]).output()?;
        let log = String::from_utf8(output.stderr)?;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let is_failed = [".path", "`.`).count()"].iter().any(|it| program.ends_with(it));
        ensure!((answer["outcome"] == "success") != is_failed, "{program}: {answer}\n{log}");
        Ok((answer, log.matches(PARSING).count()))
    }
}

fn only_files_of_shown_hits_are_parsed() -> Result<()> {
    let hits = Hits::new()?;
    let parsed = |program: &str| -> Result<usize> { Ok(hits.ask(program)?.1) };
    // Nothing is shown of a hit.
    for program in [
        "search(`.`, `user`).count()",
        "search(`.`, `user`).map(hit => hit.path).take(3)",
        "brief(search(`.`, `user`))",
        "search(`.`, `nothing has this`)",
        // There are more lines than hits, so that it cannot decide.
        "search(`.`, `.`).count()",
    ] {
        assert_eq!(parsed(program)?, 0, "{program}");
    }
    // The first hits are shown.
    let plain = parsed("search(`.`, `user`)")?;
    assert!((5..=40).contains(&plain), "a plain search: {plain}");
    assert_eq!(parsed("search(`.`, `user`).take(7)")?, 2);
    assert_eq!(parsed("search(`.`, `user`).drop(995)")?, 1);
    assert_eq!(parsed("search(`.`, `user`).filter(hit => hit.path.endsWith(`f150.rs`))")?, 1);
    // The program looks at the code around each of them, or that is not known.
    for program in [
        "search(`.`, `user`).filter(hit => hit.role == `comment`).count()",
        "search(`.`, `user`).groupBy(hit => hit.in).count()",
        "toText(search(`.`, `user`)).length",
        // Its failure may show them.
        "search(`.`, `user`).path",
    ] {
        assert_eq!(parsed(program)?, FILES, "{program}");
    }
    Ok(())
}

fn what_is_shown_does_not_depend_on_the_program() -> Result<()> {
    let hits = Hits::new()?;
    for shape in ["X", "X.drop(300)", "X[17]", "X.groupBy(hit => hit.path)", "{hits: X, last: X.last()}"] {
        let shown = |search: &str| hits.ask(&shape.replace('X', search));
        let (later, few) = shown("search(`.`, `user`)")?;
        let (at_once, all) = shown("search(`.`, `user`).filter(hit => hit.role != `none`)")?;
        assert_eq!(later["value"], at_once["value"], "{shape}");
        assert!(few <= all && all >= FILES, "{shape}: {few} of {all} files");
        assert!(later.to_string().contains(r#""in":"f"#), "{shape}");
    }
    Ok(())
}
