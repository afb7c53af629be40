//! Renames in files with byte order marks, line breaks of each kind, tabs, and characters of several units, by every
//! installed server. Each name is used for one symbol only, so the right text is known: every whole word is replaced, and
//! no other byte changes. The language's own parser or compiler reads the result.
//!
//! A rename may be refused, and it may say that it is not complete. It never changes another text. The [`places`] that
//! other operations name are where the text is.

mod places;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use ide_protocol::{ApplyQuestion, DiagnosticsQuestion, EditsResult, Operation, RenameQuestion};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::truth::Dice;
use crate::world::{self, World, pinned, waiting};

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
    /// `true` if a lone carriage return ends a line, and so a comment.
    returns_end_lines: bool,
    /// Further files, from the names of modules.
    project: fn(&World, &[String]),
    /// A line in which each server that reports any diagnostics finds one; empty if it reports none.
    wrong: &'static str,
    /// A command that fails if a file is no code.
    parser: &'static [&'static str],
    /// `true` if the command takes the files; otherwise it compiles the project, and fails if a name means nothing.
    parses_files: bool,
}

/// The characters that somebody somewhere takes for the end of a line.
const BREAKS: [char; 6] = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

const PYTHON: Language = Language {
    extension: "py",
    folder: "",
    definition: "def NAME(n): return n",
    first: "PREFIXfrom MODULE import NAME; print(NAME(1))",
    next: "print(NAME(2))",
    prefix: ("\"é😀\"; ", false),
    comment: "#",
    returns_end_lines: true,
    project: |world, _| world.write("pyproject.toml", "[project]\nname = \"it\"\n"),
    wrong: "print(MISSING)",
    parser: &[
        "python3",
        "-c",
        "import ast, sys\nfor it in sys.argv[1:]: ast.parse(open(it, 'rb').read(), it)",
    ],
    parses_files: true,
};

const TYPESCRIPT: Language = Language {
    extension: "ts",
    folder: "",
    definition: "export function NAME(n: number) { return n }",
    first: "PREFIXimport { NAME } from \"./MODULE\"; NAME(1)",
    next: "NAME(2)",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    returns_end_lines: true,
    project: |world, _| world.write("tsconfig.json", "{}\n"),
    wrong: "MISSING;",
    parser: &["tsc", "--noEmit"],
    parses_files: false,
};

const C: Language = Language {
    extension: "c",
    folder: "",
    definition: "int NAME(int n) { return n; }",
    first: "PREFIXint NAME(int n); int first_FILE(void) { return NAME(1); }",
    next: "int next_FILE(void) { return NAME(2); }",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    returns_end_lines: true,
    project: |world, modules| {
        let root = world.root().canonicalize().unwrap();
        let entry = |it: &String| {
            format!(r#"{{"directory": {root:?}, "file": "{it}.c", "command": "cc -c {it}.c"}}"#)
        };
        let entries: Vec<_> = modules.iter().map(entry).collect();
        world.write("compile_commands.json", &format!("[{}]\n", entries.join(",\n")));
    },
    wrong: "int missing(void) { return MISSING; }",
    parser: &["cc", "-fsyntax-only"],
    parses_files: true,
};

const RUST: Language = Language {
    extension: "rs",
    folder: "src/",
    definition: "pub fn NAME(n: u8) -> u8 { n }",
    first: "PREFIXuse crate::MODULE::NAME; pub fn first() -> u8 { NAME(1) }",
    next: "pub fn next() -> u8 { NAME(2) }",
    prefix: ("/* é😀 */ ", true),
    comment: "//",
    returns_end_lines: false,
    project: |world, modules| {
        let package = "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        world.write("Cargo.toml", package);
        world.write("src/lib.rs", &modules.iter().map(|it| format!("pub mod {it};\n")).collect::<String>());
    },
    wrong: "pub fn missing() -> u8 { 1 + }",
    parser: &[
        "rustc",
        "--edition=2021",
        "--crate-type=lib",
        "--emit=metadata",
        "-o",
        "it.rmeta",
        "src/lib.rs",
    ],
    parses_files: false,
};

const SHELL: Language = Language {
    extension: "sh",
    folder: "",
    definition: ": \"x\"; NAME() { echo \"$1\"; }",
    first: "PREFIXsource ./MODULE.sh; NAME 1",
    next: "NAME 2",
    prefix: (": \"é😀\"; ", false),
    comment: "#",
    returns_end_lines: false,
    project: |_, _| {},
    // Bash takes the returns of line breaks for characters of words.
    wrong: "",
    parser: &[
        "bash",
        "-c",
        "for it; do tr -d '\\r' < \"$it\" | bash -n || { echo \"$it\"; exit 1; }; done",
        "bash",
    ],
    parses_files: true,
};

pub(crate) fn servers() -> impl Iterator<Item = world::Server> {
    SERVERS.iter().map(|(server, language, _)| (*language, *server))
}

pub(crate) fn trials() -> Vec<Trial> {
    let count = std::env::var("DIALECT_RENAMES").ok().and_then(|it| it.parse().ok()).unwrap_or(RENAMES);
    let trials = |(server, id, language): (&'static str, &'static str, &'static Language)| {
        let (missing, settings) = (world::missing(id, server), world::settings(id, server));
        let rename = format!("{server}: a rename changes no other text");
        let places = format!("{server}: places are counted by one rule");
        let of_places = settings.clone();
        [
            world::trial(rename, &missing, move |runtime| rename_all(runtime, &settings, language, count)),
            world::trial(places, &missing, move |runtime| {
                places::ask_all(runtime, &of_places, language, count)
            }),
        ]
    };
    SERVERS.into_iter().flat_map(trials).collect()
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

fn rename_all(
    runtime: &Runtime,
    settings: &str,
    language: &'static Language,
    count: usize,
) -> Result<(), Failed> {
    let mut figures = Figures::default();
    for seed in 0..count.div_ceil(NAMES) {
        let left = count - seed * NAMES;
        let project = Project::write(settings, language, seed as u64 + 1);
        if let Err(failed) = project.rename(runtime, left, &mut figures) {
            eprintln!("seed {seed}, after {figures:?}");
            return Err(failed);
        }
    }
    eprintln!("{}: {figures:?}", language.extension);
    if figures.exact * 10 < count * 9 {
        Err(format!("few renames are done: {figures:?}").into())
    } else {
        Ok(())
    }
}

/// A workspace, with its files as they are to be on disk.
struct Project {
    world: World,
    language: &'static Language,
    files: BTreeMap<String, String>,
    /// The names with the path of their definition and its line.
    names: Vec<(String, String, u32)>,
    dice: Dice,
}

impl Project {
    fn write(settings: &str, language: &'static Language, seed: u64) -> Self {
        let world = World::without_session(&[], settings);
        let world = if language.extension == "rs" { world.without_std() } else { world };
        let Language { extension, folder, .. } = language;
        let (files, names, dice) = (BTreeMap::new(), Vec::new(), Dice::new(seed));
        let mut project = Self { world, language, files, names, dice };
        let mut modules = Vec::new();
        for index in 0..NAMES {
            let (name, module) = (format!("rate{index}"), format!("m{index}"));
            let (text, line) = project.file((&name, &module, &module), false);
            let path = format!("{folder}{module}.{extension}");
            project.files.insert(path.clone(), text);
            project.names.push((name.clone(), path, line));
            modules.push(module.clone());
            for user in 0..2 {
                let file = format!("u{index}_{user}");
                let (text, _) = project.file((&name, &module, &file), true);
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
    fn file(&mut self, of: (&str, &str, &str), is_user: bool) -> (String, u32) {
        let language = self.language;
        let (prefix, starts_definition) = language.prefix;
        let prefix = match self.dice.below(5) {
            0 => prefix.to_owned(),
            1 => prefix.replace("é😀", "e\u{301}\t𝒳"),
            2 => prefix.replace("é😀", "\u{200d}ß"),
            // Where definitions may start with it, it is a comment of several lines.
            3 if starts_definition => prefix.replace("é😀", &format!("é{}😀", self.any_break())),
            _ => String::new(),
        };
        let comment = language.comment;
        let mut lines = Vec::new();
        if self.dice.below(2) == 0 {
            let inner = self.any_break();
            lines.push(format!("{comment} a{inner}{comment} b"));
        }
        let above = lines.len();
        match is_user {
            true => lines.extend([language.first.replace("PREFIX", &prefix), language.next.to_owned()]),
            false if starts_definition => lines.push(prefix + language.definition),
            false => lines.push(language.definition.to_owned()),
        }
        lines.push(format!("{comment}\té😀{}{comment} xNAMEx", self.any_break()));
        // The uses are behind one, and before.
        let last = lines.len() - 1;
        lines.swap(last, above.max(last - self.dice.below(2)));
        let line_break = match self.dice.below(if language.returns_end_lines { 3 } else { 2 }) {
            0 => "\n",
            1 => "\r\n",
            _ => "\r",
        };
        let mark = if self.dice.below(2) == 0 { "\u{feff}" } else { "" };
        let text = format!("{mark}{}{}", lines.join(line_break), line_break.repeat(self.dice.below(4)));
        let (name, module, file) = of;
        let text = text.replace("NAME", name).replace("MODULE", module).replace("FILE", file);
        let before = text[..text.find(&format!("{name}(")).unwrap_or_default()].replace("\r\n", "\n");
        (text, 1 + before.matches(['\n', '\r']).count() as u32)
    }

    fn any_break(&mut self) -> char {
        BREAKS[self.dice.below(BREAKS.len())]
    }

    fn rename(mut self, runtime: &Runtime, count: usize, figures: &mut Figures) -> Result<(), Failed> {
        self.world.open(runtime);
        let incomplete = figures.incomplete;
        let done: Result<(), Failed> = runtime.block_on(async {
            for index in 0..count.min(NAMES) {
                // Some files are open in the server, and others are not.
                let paths: Vec<_> = self.files.keys().cloned().collect();
                let path = Some(paths[self.dice.below(paths.len())].clone());
                let _ = self
                    .world
                    .ask(Operation::Diagnostics, waiting(DiagnosticsQuestion { path, ..Default::default() }))
                    .await;
                self.rename_one(index, figures).await?;
            }
            Ok(())
        });
        // A compiler would not find the names that were left, as the answers said.
        let is_parsed = self.language.parses_files || figures.incomplete == incomplete;
        let parsed = done.and_then(|()| if is_parsed { self.parse() } else { Ok(()) });
        runtime.block_on(self.world.stop());
        parsed
    }

    /// Reads all files with the language's own parser.
    fn parse(&self) -> Result<(), Failed> {
        let Language { parser: [program, arguments @ ..], parses_files, .. } = self.language else {
            return Ok(());
        };
        let files = self.files.keys().filter(|_| *parses_files).map(PathBuf::from);
        let mut command = Command::new(program);
        let said = match command.args(arguments).args(files).current_dir(self.world.root()).output() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            said => said.map_err(|error| format!("{program}: {error}"))?,
        };
        let told = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
        match said.status.success() {
            true => Ok(()),
            false => Err(format!("{program}: {}{}", told(&said.stdout), told(&said.stderr)).into()),
        }
    }

    async fn rename_one(&mut self, index: usize, figures: &mut Figures) -> Result<(), Failed> {
        let (old, path, line) = self.names[index].clone();
        let new = format!("share{index}");
        let question = RenameQuestion { target: pinned(&old, &path, line), new_name: new.clone() };
        let answer = match self.world.ask(Operation::Rename, waiting(question)).await {
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
            let words = whole_words(before, &old).count();
            is_exact &= after == replaced(before, &old, &new, words);
            if !(0..1 << words).any(|some| after == replaced_some(before, &old, &new, some)) {
                return Err(format!("{path} was {before:?} and is {after:?}: {answer:?}").into());
            }
        }
        match is_exact {
            true => figures.exact += 1,
            false if answer.completeness.is_complete() && answer.mentions.is_empty() => {
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
        let applied = self.world.ask(Operation::Apply, waiting(ApplyQuestion { edits })).await;
        applied.map(drop).map_err(|error| format!("not applied: {}", error.message).into())
    }
}

/// Returns the text with the first `count` occurrences replaced where they are whole words.
fn replaced(text: &str, old: &str, new: &str, count: usize) -> String {
    replaced_some(text, old, new, (1 << count) - 1)
}

/// Returns the text with some of its occurrences replaced: those whose bit is set.
fn replaced_some(text: &str, old: &str, new: &str, some: usize) -> String {
    let (mut result, mut rest) = (String::new(), 0);
    for (index, at) in whole_words(text, old).enumerate() {
        result += &text[rest..at];
        result += if some >> index & 1 == 1 { new } else { old };
        rest = at + old.len();
    }
    result + &text[rest..]
}

/// Returns where a name stands as a whole word, in bytes.
fn whole_words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    let is_whole = move |at: &usize| {
        !text[..*at].ends_with(is_letter) && !text[at + name.len()..].starts_with(is_letter)
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole)
}
