//! The languages, and the parts of the generated code that can be left out.

use serde_json::{Map, Value};

/// A language that code can be generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript with schemas of zod 4.
    TypeScript,
    /// Python 3.11 or later with models of pydantic 2.
    Python,
    /// Rust with serde, `serde_json` and regex.
    Rust,
    /// Go 1.21 or later, with its standard library.
    Go,
    /// JSON Schema 2020-12.
    JsonSchema,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 5] = [Self::TypeScript, Self::Python, Self::Rust, Self::Go, Self::JsonSchema];

    /// Returns the name as command lines spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Go => "go",
            Self::JsonSchema => "json-schema",
        }
    }

    /// Parses a name; `None` for an unknown one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns `true` for a language in which there is a runtime.
    pub fn has_runtime(self) -> bool {
        matches!(self, Self::TypeScript | Self::Python)
    }

    /// Returns the name of the file for the document with that id: `email-sender.generated.ts`.
    pub fn file_name(self, id: &str) -> String {
        let snake = id.replace('-', "_").to_lowercase();
        match self {
            Self::TypeScript => format!("{id}.generated.ts"),
            Self::Python => format!("{snake}_generated.py"),
            Self::Rust => format!("{snake}.rs"),
            Self::Go if is_constraint(&snake) => format!("{snake}_.go"),
            Self::Go => format!("{snake}.go"),
            Self::JsonSchema => format!("{id}.schema.json"),
        }
    }
}

/// Returns `true` if Go takes the last word of a file's name for a constraint of builds.
fn is_constraint(snake: &str) -> bool {
    const WORDS: &[&str] = &[
        "test",
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "js",
        "linux",
        "nacl",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "unix",
        "wasip1",
        "windows",
        "zos",
        "386",
        "amd64",
        "amd64p32",
        "arm",
        "arm64",
        "arm64be",
        "armbe",
        "loong64",
        "mips",
        "mips64",
        "mips64le",
        "mips64p32",
        "mips64p32le",
        "mipsle",
        "ppc",
        "ppc64",
        "ppc64le",
        "riscv",
        "riscv64",
        "s390",
        "s390x",
        "sparc",
        "sparc64",
        "wasm",
    ];
    snake.rsplit_once('_').is_some_and(|(_, last)| WORDS.contains(&last))
}

/// The parts of the generated code. Without one of them, everything else still compiles.
///
/// Tools are always generated. Validators of Python, Rust and Go create values of the types, so without types
/// they are left out as well.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerateOptions {
    /// The declarations of types.
    pub types: bool,
    /// The checks of values: refinements, and the checks of parameters.
    pub validators: bool,
    /// The capabilities, and the requests for them before a tool runs.
    pub capabilities: bool,
    /// The classes of errors.
    pub errors: bool,
    /// The comments.
    pub documentation: bool,
    /// In Go and Rust, the function that checks values by the names of their types, also for documents without tools.
    pub by_name: bool,
    /// In TypeScript and Python, a second file with a runtime that runs the tools.
    pub runtime: bool,
    /// The spelling. All languages but Go have `indent` (1 to 8 spaces, or `tab`), and TypeScript has `semi` (boolean)
    /// and `quotes` (`single` or `double`) too; other keys are warnings.
    pub style: Map<String, Value>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            types: true,
            validators: true,
            capabilities: true,
            errors: true,
            documentation: true,
            by_name: false,
            runtime: false,
            style: Map::new(),
        }
    }
}
