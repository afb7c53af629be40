//! Renames in files with byte order marks, line breaks of each kind, tabs, and characters of several units, by every
//! installed server. Each name is used for one symbol only, so the right text is known: every whole word is replaced, and
//! no other byte changes.
//!
//! A rename may be refused, and it may say that it is not complete. It never changes another text.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use adapter::fallback::Editor;
use ide_protocol::{ApplyQuestion, DiagnosticsQuestion, EditsResult, RenameQuestion};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::truth::Dice;
use crate::world::{self, Disk, World, pinned, silent, waiting};

/// The servers, each with its language and how its files are written.
const SERVERS: [(&str, &str, &Language); 6] = [
    ("ty", "python", &PYTHON),
    ("basedpyright", "python", &PYTHON),
    ("tsc", "typescript", &TYPESCRIPT),
    ("clangd", "c", &C),
    ("rust-analyzer", "rust", &RUST),
    ("bash-language-server", "shell", &SHELL),
];

/// The number of renames of a server in a run of all tests.
const RENAMES: usize = 12;

/// The number of names in one workspace.
const NAMES: usize = 12;

/// Lines in which `NAME` is the name of a function, `MODULE` that of its file, and `FILE` that of the file itself.
struct Language {
    extension: &'static str,
    /// The folder of its files.
    folder: &'static str,
    definition: &'static str,
    /// The first line of a file that uses the function; `PREFIX` stands for characters of several units.
    first: &'static str,
    next: &'static str,
    /// Texts that may stand for `PREFIX`, with `é😀` in it; also at the start of definitions, if it is `true`.
    prefix: (&'static str, bool),
    comment: &'static str,
    /// Further files, from the names of modules.
    project: fn(&World, &[String]),
}

const PYTHON: Language = Language {
    extension: "py",
    folder: "",
    definition: "def NAME(n): return n",
    first: "PREFIXfrom MODULE import NAME; print(NAME(1))",
    next: "print(NAME(2))",
    prefix: ("\"é😀\"; ", false),
    comment: "#",
    project: |world, _| world.write("pyproject.toml", "[project]\nname = \"it\"\n"),
};

const TYPESCRIPT: Language = Language {
    extension: "ts",
    folder: "",
    definition: "export function NAME(n: number) { return n }",
    first: "PREFIXimport { NAME } from \"./MODULE\"; NAME(1)",
    next: "NAME(2)",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    project: |world, _| world.write("tsconfig.json", "{}\n"),
};

const C: Language = Language {
    extension: "c",
    folder: "",
    definition: "int NAME(int n) { return n; }",
    first: "PREFIXint NAME(int n); int first_FILE(void) { return NAME(1); }",
    next: "int next_FILE(void) { return NAME(2); }",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    project: |world, modules| {
        let root = world.root().canonicalize().unwrap();
        let entry = |it: &String| {
            format!(r#"{{"directory": {root:?}, "file": "{it}.c", "command": "cc -c {it}.c"}}"#)
        };
        let entries: Vec<_> = modules.iter().map(entry).collect();
        world.write("compile_commands.json", &format!("[{}]\n", entries.join(",\n")));
    },
};

const RUST: Language = Language {
    extension: "rs",
    folder: "src/",
    definition: "pub fn NAME(n: u8) -> u8 { n }",
    first: "PREFIXuse crate::MODULE::NAME; pub fn first() -> u8 { NAME(1) }",
    next: "pub fn next() -> u8 { NAME(2) }",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    project: |world, modules| {
        let package = "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        world.write("Cargo.toml", package);
        world.write("src/lib.rs", &modules.iter().map(|it| format!("pub mod {it};\n")).collect::<String>());
    },
};

const SHELL: Language = Language {
    extension: "sh",
    folder: "",
    definition: ": \"x\"; NAME() { echo \"$1\"; }",
    first: "PREFIXsource ./MODULE.sh; NAME 1",
    next: "NAME 2",
    prefix: (": \"é😀\"; ", false),
    comment: "#",
    project: |_, _| {},
};

pub(crate) fn servers() -> impl Iterator<Item = world::Server> {
    SERVERS.iter().map(|(server, language, _)| (*language, *server))
}

pub(crate) fn trials() -> Vec<Trial> {
    let count = std::env::var("DIALECT_RENAMES").ok().and_then(|it| it.parse().ok()).unwrap_or(RENAMES);
    let trial = |(server, id, language): (&'static str, &'static str, &'static Language)| {
        let name = format!("{server}: a rename changes no other text");
        world::trial(name, &world::missing(id, server), move |runtime| {
            rename_all(runtime, &world::settings(id, server), language, count)
        })
    };
    SERVERS.into_iter().map(trial).collect()
}

/// The results of the renames of a server.
#[derive(Debug, Default)]
struct Figures {
    exact: usize,
    /// Uses were left, as the answer said.
    incomplete: usize,
    refused: usize,
    /// Why, for a few of them.
    reasons: Vec<String>,
}

fn rename_all(runtime: &Runtime, settings: &str, language: &Language, count: usize) -> Result<(), Failed> {
    let mut figures = Figures::default();
    for seed in 0..count.div_ceil(NAMES) {
        let made = World::without_session(&[], settings);
        let made = if language.extension == "rs" { made.without_std() } else { made };
        let left = count - seed * NAMES;
        let outcome = Project::write(made, language, seed as u64 + 1).rename(runtime, left, &mut figures);
        if let Err(failed) = outcome {
            eprintln!("seed {seed}, after {figures:?}");
            return Err(failed);
        }
    }
    eprintln!("{}: {figures:?}", language.extension);
    if figures.exact * 3 < count { Err(format!("few renames are done: {figures:?}").into()) } else { Ok(()) }
}

/// A workspace, with its files as they are to be on disk.
struct Project {
    world: World,
    files: BTreeMap<String, String>,
    /// The names with the path of their definition and its line.
    names: Vec<(String, String, u32)>,
    dice: Dice,
}

impl Project {
    fn write(world: World, language: &Language, seed: u64) -> Self {
        let Language { extension, folder, .. } = language;
        let mut project = Self { world, files: BTreeMap::new(), names: Vec::new(), dice: Dice::new(seed) };
        let mut modules = Vec::new();
        for index in 0..NAMES {
            let (name, module) = (format!("rate{index}"), format!("m{index}"));
            let (text, line) = project.file(language, (&name, &module, &module), false);
            let path = format!("{folder}{module}.{extension}");
            project.files.insert(path.clone(), text);
            project.names.push((name.clone(), path, line));
            modules.push(module.clone());
            for user in 0..2 {
                let file = format!("u{index}_{user}");
                let (text, _) = project.file(language, (&name, &module, &file), true);
                project.files.insert(format!("{folder}{file}.{extension}"), text);
                modules.push(file);
            }
        }
        (language.project)(&project.world, &modules);
        for (path, text) in &project.files {
            project.world.write(path, text);
        }
        project
    }

    /// Returns the text of a file, and the line of its first statement, from 1.
    fn file(&mut self, language: &Language, of: (&str, &str, &str), is_user: bool) -> (String, u32) {
        let (prefix, starts_definition) = language.prefix;
        let prefix = match self.dice.below(4) {
            0 => prefix.to_owned(),
            1 => prefix.replace("é😀", "e\u{301}\t𝒳"),
            2 => prefix.replace("é😀", "\u{200d}ß"),
            _ => String::new(),
        };
        let mut lines = Vec::new();
        match is_user {
            true => lines.extend([language.first.replace("PREFIX", &prefix), language.next.to_owned()]),
            false if starts_definition => lines.push(prefix + language.definition),
            false => lines.push(language.definition.to_owned()),
        }
        let comment = language.comment;
        let above = match self.dice.below(3) {
            // A line break within a comment, which clangd, rust-analyzer and bash-language-server take for none: renames
            // there are refused.
            0 => vec![format!("{comment} a\r{comment} b")],
            _ => Vec::new(),
        };
        lines.push(format!("{comment}\té😀 xNAMEx"));
        let line = 1 + 2 * above.len() as u32;
        let lines: Vec<_> = above.into_iter().chain(lines).collect();
        let line_break = if self.dice.below(2) == 0 { "\n" } else { "\r\n" };
        let mark = if self.dice.below(2) == 0 { "\u{feff}" } else { "" };
        let text = format!("{mark}{}{}", lines.join(line_break), line_break.repeat(self.dice.below(4)));
        let (name, module, file) = of;
        (text.replace("NAME", name).replace("MODULE", module).replace("FILE", file), line)
    }

    fn rename(mut self, runtime: &Runtime, count: usize, figures: &mut Figures) -> Result<(), Failed> {
        self.world.open(runtime);
        let done = runtime.block_on(async {
            for index in 0..count.min(NAMES) {
                // Some files are open in the server, and others are not.
                let paths: Vec<_> = self.files.keys().cloned().collect();
                let path = Some(paths[self.dice.below(paths.len())].clone());
                let _ =
                    self.world.fallback.diagnostics(waiting(DiagnosticsQuestion { path }), silent()).await;
                self.rename_one(index, figures).await?;
            }
            Ok(())
        });
        runtime.block_on(self.world.stop());
        done
    }

    async fn rename_one(&mut self, index: usize, figures: &mut Figures) -> Result<(), Failed> {
        let (old, path, line) = self.names[index].clone();
        let new = format!("share{index}");
        let question = RenameQuestion { target: pinned(&old, &path, line), new_name: new.clone() };
        let answer = match self.world.fallback.rename(waiting(question), silent()).await {
            Ok(answer) => answer,
            Err(error) => {
                figures.refused += 1;
                figures.reasons.extend((figures.reasons.len() < 5).then(|| error.message.clone()));
                return Ok(());
            }
        };
        self.apply(&answer).await?;
        let mut is_exact = true;
        for (path, before) in &self.files {
            let after = fs::read_to_string(self.world.root().join(path)).unwrap();
            let words = before.matches(old.as_str()).count();
            is_exact &= after == replaced(before, &old, &new, words);
            if !(0..1 << words).any(|some| after == replaced_some(before, &old, &new, some)) {
                return Err(format!("{path} was {before:?} and is {after:?}: {answer:?}").into());
            }
        }
        match is_exact {
            true => figures.exact += 1,
            false if answer.completeness.complete && answer.mentions.is_empty() => {
                return Err(format!("uses of {old} are left in silence: {answer:?}").into());
            }
            false => figures.incomplete += 1,
        }
        for (path, text) in &mut self.files {
            *text = fs::read_to_string(self.world.root().join(path)).unwrap();
        }
        Ok(())
    }

    async fn apply(&self, answer: &EditsResult) -> Result<(), Failed> {
        let edits = answer.edits.iter().map(|it| it.id.clone()).collect();
        let disk: Arc<dyn Editor> = Arc::new(Disk);
        let applied = self.world.fallback.apply(waiting(ApplyQuestion { edits }), disk).await;
        applied.map(drop).map_err(|error| format!("not applied: {}", error.message).into())
    }
}

/// Returns the text with the first `count` occurrences replaced where they are whole words.
fn replaced(text: &str, old: &str, new: &str, count: usize) -> String {
    replaced_some(text, old, new, (1 << count) - 1)
}

/// Returns the text with some of its occurrences replaced: those whose bit is set, and that are whole words.
fn replaced_some(text: &str, old: &str, new: &str, some: usize) -> String {
    let (mut result, mut rest, mut index) = (String::new(), text, 0);
    while let Some(at) = rest.find(old) {
        let (before, behind) = (&rest[..at], &rest[at + old.len()..]);
        let is_letter = |it: char| it.is_alphanumeric() || it == '_';
        let is_whole = !before.ends_with(is_letter) && !behind.starts_with(is_letter);
        result += before;
        result += if is_whole && some >> index & 1 == 1 { new } else { old };
        (rest, index) = (behind, index + 1);
    }
    result + rest
}
