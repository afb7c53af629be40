//! A workspace in four languages whose functions call each other, so that it is known what is used how often.

use std::path::{Path, PathBuf};

use anyhow::Result;
use tempfile::TempDir;

use crate::random::Random;
use crate::workspace::Workspace;

/// Modules of each language, and functions of each module.
const MODULES: usize = 6;
const FUNCTIONS: usize = 5;

/// A language and its way to write a module.
#[derive(Debug)]
struct Language {
    /// The prefix of its names, which no other language has.
    stem: &'static str,
    /// The path of a module.
    path: fn(&str) -> String,
    comment: &'static str,
    /// The import of another module.
    import: fn(&str) -> String,
    /// A function of that name with the calls in it: pairs of module and name.
    function: fn(&str, &[(String, String)]) -> String,
}

static LANGUAGES: [Language; 4] = [
    Language {
        stem: "ra",
        path: |it| format!("rust/src/{it}.rs"),
        comment: "//",
        import: |_| String::new(),
        function: |name, calls| {
            let calls = calls.iter().map(|(module, it)| format!("    crate::{module}::{it}(n);\n"));
            format!("pub fn {name}(n: usize) -> usize {{\n{}    n\n}}\n", calls.collect::<String>())
        },
    },
    Language {
        stem: "py",
        path: |it| format!("python/made/{it}.py"),
        comment: "#",
        import: |it| format!("from made import {it}\n"),
        function: |name, calls| {
            let calls = calls.iter().map(|(module, it)| format!("    {module}.{it}(n)\n"));
            format!("def {name}(n: int) -> int:\n{}    return n\n\n\n", calls.collect::<String>())
        },
    },
    Language {
        stem: "ts",
        path: |it| format!("web/src/{it}.ts"),
        comment: "//",
        import: |it| format!("import * as {it} from \"./{it}\";\n"),
        function: |name, calls| {
            let calls = calls.iter().map(|(module, it)| format!("  {module}.{it}(n);\n"));
            format!(
                "export function {name}(n: number): number {{\n{}  return n;\n}}\n",
                calls.collect::<String>()
            )
        },
    },
    Language {
        stem: "cc",
        path: |it| format!("c/src/{it}.c"),
        comment: "//",
        import: |it| format!("#include \"{it}.h\"\n"),
        function: |name, calls| {
            let calls = calls.iter().map(|(_, it)| format!("    {it}(n);\n"));
            format!("int {name}(int n) {{\n{}    return n;\n}}\n", calls.collect::<String>())
        },
    },
];

/// Files that stay as they are, but for what renames do to the last of each language.
const FIXED: [(&str, &str); 12] = [
    ("rust/Cargo.toml", "[package]\nname = \"made_up\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    (
        "rust/src/shapes.rs",
        "pub trait RustShape {\n    fn area(&self) -> f64;\n}\n\npub struct Square(pub f64);\n\nimpl RustShape for Square {\n    \
         fn area(&self) -> f64 {\n        self.0 * self.0\n    }\n}\n",
    ),
    ("rust/src/named.rs", "pub fn named_ra() {}\n\npub fn calls_it() {\n    named_ra();\n}\n"),
    ("python/pyproject.toml", "[project]\nname = \"made-up\"\nversion = \"0.1.0\"\n"),
    ("python/made/__init__.py", ""),
    (
        "python/made/shapes.py",
        "class PythonShape:\n    def area(self) -> float:\n        raise NotImplementedError\n\n\nclass Round(PythonShape):\n    \
         def area(self) -> float:\n        return 3.0\n",
    ),
    (
        "python/made/named.py",
        "def named_py() -> None:\n    pass\n\n\ndef calls_it() -> None:\n    named_py()\n",
    ),
    ("web/package.json", "{ \"name\": \"made-up\", \"version\": \"0.1.0\" }\n"),
    ("web/tsconfig.json", "{ \"compilerOptions\": { \"strict\": true }, \"include\": [\"src\"] }\n"),
    (
        "web/src/shapes.ts",
        "export interface WebShape {\n  area(): number;\n}\n\nexport class Flat implements WebShape {\n  area(): number {\n    \
         return 0;\n  }\n}\n",
    ),
    (
        "web/src/named.ts",
        "export function named_ts(): void {}\n\nexport function callsIt(): void {\n  named_ts();\n}\n",
    ),
    ("c/compile_flags.txt", "-Iinclude\n"),
];

/// Types that others implement.
pub(super) const TYPES: [&str; 3] = ["RustShape", "PythonShape", "WebShape"];

/// The files in which something is renamed, now this, now that.
const RENAMED: [&str; 3] = ["rust/src/named.rs", "python/made/named.py", "web/src/named.ts"];

/// A workspace that changes.
#[derive(Debug)]
pub(super) struct ChangingWorkspace {
    workspace: Workspace,
    /// The user's settings.
    settings: TempDir,
    /// The number of comments at the start of each module, by language.
    comments: [[usize; MODULES]; LANGUAGES.len()],
}

/// A function of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) path: String,
    /// The number of its calls.
    pub(super) n_uses: usize,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl ChangingWorkspace {
    pub(super) fn new() -> Result<Self> {
        let workspace = Workspace::new(FIXED)?;
        let changing = Self { settings: workspace.without_std()?, workspace, comments: Default::default() };
        let modules: String =
            (0..MODULES).map(|it| format!("pub mod {};\n", module(&LANGUAGES[0], it))).collect();
        changing.workspace.write("rust/src/lib.rs", &(modules + "pub mod named;\npub mod shapes;\n"))?;
        for (t, language) in LANGUAGES.iter().enumerate() {
            for m in 0..MODULES {
                changing.workspace.write(&(language.path)(&module(language, m)), &changing.text(t, m))?;
            }
        }
        for m in 0..MODULES {
            let declared = (0..FUNCTIONS).map(|it| format!("int {}(int n);\n", name(&LANGUAGES[3], m, it)));
            let header = format!("c/include/{}.h", module(&LANGUAGES[3], m));
            changing.workspace.write(&header, &format!("#pragma once\n{}", declared.collect::<String>()))?;
        }
        Ok(changing)
    }

    pub(super) fn root(&self) -> &Path {
        self.workspace.root()
    }

    pub(super) fn settings(&self) -> &Path {
        self.settings.path()
    }

    /// Some function.
    pub(super) fn function(&self, random: &mut Random) -> Function {
        let language = random.one(&LANGUAGES);
        let (m, f) = (random.below(MODULES), random.below(FUNCTIONS));
        // Each is called by its namesake of the module before, and the first by that of the one before that too.
        let n_uses = if f == 0 { 2 } else { 1 };
        Function { name: name(language, m, f), path: (language.path)(&module(language, m)), n_uses }
    }

    /// A comment more in some module, or all of them gone.
    pub(super) fn change(&mut self, random: &mut Random) -> Change {
        let (t, m) = (random.below(LANGUAGES.len()), random.below(MODULES));
        let comments = &mut self.comments[t][m];
        *comments = (*comments + 1) % 5;
        let path = self.root().join((LANGUAGES[t].path)(&module(&LANGUAGES[t], m)));
        Change { path, text: self.text(t, m) }
    }

    /// Returns a name in one of the files for renames, and the name that it may have next.
    pub(super) fn renaming(&self, random: &mut Random) -> (String, String) {
        let text = std::fs::read_to_string(self.root().join(random.one(&RENAMED))).unwrap_or_default();
        let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
        let old = words.find(|it| it.starts_with("named_")).unwrap_or("named_ra");
        let new = old.strip_suffix("_again").map_or_else(|| format!("{old}_again"), str::to_owned);
        (old.to_owned(), new)
    }

    fn text(&self, t: usize, m: usize) -> String {
        let language = &LANGUAGES[t];
        let (next, second) = ((m + 1) % MODULES, (m + 2) % MODULES);
        let mut text = format!("{} é😀\n", language.comment).repeat(self.comments[t][m]);
        text += &[m, next, second]
            .iter()
            .filter(|it| **it != m || language.stem == "cc")
            .map(|it| (language.import)(&module(language, *it)))
            .collect::<String>();
        for f in 0..FUNCTIONS {
            let mut calls = vec![(module(language, next), name(language, next, f))];
            if f == 0 {
                calls.push((module(language, second), name(language, second, f)));
            }
            text += &(language.function)(&name(language, m, f), &calls);
        }
        text
    }
}

fn module(language: &Language, m: usize) -> String {
    format!("{}_part{m}", language.stem)
}

fn name(language: &Language, m: usize, f: usize) -> String {
    format!("{}_work_{m}_{f}", language.stem)
}
