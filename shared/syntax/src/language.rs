//! The table of languages: each with a grammar and a folder of queries.

use std::fmt;

use tree_sitter_language::LanguageFn;

use crate::Visibility;
use crate::test_path::TestPaths;

/// A supported language.
#[derive(Clone, Copy)]
pub struct Language(&'static Row);

/// A row of the table.
pub(crate) struct Row {
    id: &'static str,
    name: &'static str,
    /// The extensions of its files, without the dot.
    extensions: &'static [&'static str],
    /// Names of files without an extension.
    files: &'static [&'static str],
    grammar: LanguageFn,
    /// The sources of the outline query, the shared ones first: a language that extends another shares its queries.
    pub(crate) outline: &'static [&'static str],
    /// A part of the outline query that few texts need.
    pub(crate) more: Option<FurtherQuery>,
    pub(crate) roles: &'static [&'static str],
    tests: TestPaths,
    /// The visibility of definitions that declare none.
    pub(crate) visibility: Visibility,
    /// The separator between a container and its member.
    separator: &'static str,
}

/// A query for definitions that the grammar parses as other nodes.
pub(crate) struct FurtherQuery {
    pub(crate) query: &'static str,
    /// The texts before a name that make the query worth running.
    pub(crate) before: &'static [&'static str],
    /// The texts behind a name that do.
    pub(crate) behind: &'static [&'static str],
}

macro_rules! queries {
    ($file:literal: $($folder:literal),+) => {
        &[$(include_str!(concat!("../languages/", $folder, "/", $file, ".scm")), "\n",)+]
    };
}

macro_rules! row {
    ($id:literal, $name:literal, $extensions:expr, $grammar:expr, [$($folder:literal),+], $tests:expr, $visibility:ident, $separator:literal) => {
        row!($id, $name, $extensions, $grammar, [$($folder),+], $tests, $visibility, $separator, more: None)
    };
    ($id:literal, $name:literal, $extensions:expr, $grammar:expr, [$($folder:literal),+], $tests:expr, $visibility:ident, $separator:literal, more: $more:expr) => {
        Row {
            id: $id,
            name: $name,
            extensions: &$extensions,
            files: &[],
            grammar: $grammar,
            outline: queries!("outline": $($folder),+),
            more: $more,
            roles: queries!("roles": $($folder),+),
            tests: $tests,
            visibility: Visibility::$visibility,
            separator: $separator,
        }
    };
}

const fn tests(
    folders: &'static [&'static str],
    ends: &'static [&'static str],
    starts: &'static [&'static str],
) -> TestPaths {
    TestPaths { folders, ends, starts }
}

const ECMASCRIPT_TESTS: TestPaths = tests(
    &["__tests__", "test", "tests", "e2e", "spec"],
    &[
        ".test.js",
        ".test.jsx",
        ".test.mjs",
        ".test.cjs",
        ".test.ts",
        ".test.tsx",
        ".test.mts",
        ".spec.js",
        ".spec.jsx",
        ".spec.mjs",
        ".spec.ts",
        ".spec.tsx",
        ".spec.mts",
        ".test-d.ts",
    ],
    &[],
);

const C_TESTS: TestPaths = tests(
    &["test", "tests", "unittest", "unittests"],
    &["_test.c", "_test.cc", "_test.cpp", "_unittest.cc", "_unittest.cpp", "_tests.cpp"],
    &["test_", "test.", "tests."],
);

static ROWS: [Row; Language::COUNT] = [
    row!(
        "rust",
        "Rust",
        ["rs"],
        tree_sitter_rust::LANGUAGE,
        ["rust"],
        tests(&["tests", "benches"], &["_test.rs", "_tests.rs"], &["tests.rs", "test.rs"]),
        Private,
        "::",
        more: Some(FurtherQuery {
            query: include_str!("../languages/rust/more.scm"),
            before: &["fn", "struct", "enum", "(", "{", "["],
            behind: &[":", "=>"]
        })
    ),
    row!(
        "python",
        "Python",
        ["py", "pyi", "pyw"],
        tree_sitter_python::LANGUAGE,
        ["python"],
        tests(&["tests", "test"], &["_test.py"], &["test_", "conftest.py"]),
        Public,
        "."
    ),
    row!(
        "typescript",
        "TypeScript",
        ["ts", "mts", "cts"],
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ecmascript", "typescript"],
        ECMASCRIPT_TESTS,
        Private,
        "."
    ),
    row!(
        "tsx",
        "TSX",
        ["tsx"],
        tree_sitter_typescript::LANGUAGE_TSX,
        ["ecmascript", "jsx", "typescript"],
        ECMASCRIPT_TESTS,
        Private,
        "."
    ),
    row!(
        "javascript",
        "JavaScript",
        ["js", "jsx", "mjs", "cjs"],
        tree_sitter_javascript::LANGUAGE,
        ["ecmascript", "jsx", "javascript"],
        ECMASCRIPT_TESTS,
        Private,
        "."
    ),
    row!(
        "go",
        "Go",
        ["go"],
        tree_sitter_go::LANGUAGE,
        ["go"],
        tests(&["testdata"], &["_test.go"], &[]),
        Package,
        "."
    ),
    row!(
        "java",
        "Java",
        ["java"],
        tree_sitter_java::LANGUAGE,
        ["java"],
        tests(
            &["test", "tests", "androidTest", "integrationTest"],
            &["Test.java", "Tests.java", "IT.java"],
            &[]
        ),
        Package,
        "."
    ),
    row!("c", "C", ["c"], tree_sitter_c::LANGUAGE, ["c"], C_TESTS, Public, "."),
    row!(
        "cpp",
        "C++",
        ["h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
        tree_sitter_cpp::LANGUAGE,
        ["c", "cpp"],
        C_TESTS,
        Public,
        "::"
    ),
    row!(
        "csharp",
        "C#",
        ["cs", "csx"],
        tree_sitter_c_sharp::LANGUAGE,
        ["csharp"],
        tests(&["test", "tests", "Tests", "Test"], &["Test.cs", "Tests.cs"], &[]),
        Private,
        "."
    ),
    row!(
        "ruby",
        "Ruby",
        ["rb", "rake", "gemspec"],
        tree_sitter_ruby::LANGUAGE,
        ["ruby"],
        tests(&["test", "spec"], &["_test.rb", "_spec.rb"], &["test_"]),
        Public,
        "."
    ),
    row!(
        "php",
        "PHP",
        ["php", "phtml"],
        tree_sitter_php::LANGUAGE_PHP,
        ["php"],
        tests(&["tests", "Tests", "test"], &["Test.php"], &[]),
        Public,
        "::"
    ),
    row!(
        "bash",
        "Bash",
        ["sh", "bash", "bats", "ksh", "zsh"],
        tree_sitter_bash::LANGUAGE,
        ["bash"],
        tests(&["test", "tests"], &[".bats", "_test.sh", "-test.sh"], &["test_", "test-"]),
        Public,
        "."
    ),
];

impl Language {
    /// The number of languages.
    pub(crate) const COUNT: usize = 13;

    /// Returns all languages.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(Self)
    }

    /// Returns the language of a file by its name or extension.
    pub fn of_path(path: &str) -> Option<Self> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let extension = file.rsplit_once('.').map(|(_, it)| it);
        Self::all().find(|it| {
            it.0.files.contains(&file)
                || extension.is_some_and(|extension| it.0.extensions.contains(&extension))
        })
    }

    /// Returns the language with an identifier: `rust`.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::all().find(|it| it.0.id == id)
    }

    /// Returns the identifier, which is also the name of its folder: `csharp`.
    pub fn id(self) -> &'static str {
        self.0.id
    }

    /// Returns the display name: `C#`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the extensions of its files, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.0.extensions
    }

    /// Returns the separator between a container and its member: `::`.
    pub fn separator(self) -> &'static str {
        self.0.separator
    }

    pub(crate) fn row(self) -> &'static Row {
        self.0
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        self.0.grammar.into()
    }

    /// Returns its index in the table, below [`Language::COUNT`].
    pub(crate) fn index(self) -> usize {
        ROWS.iter().position(|it| std::ptr::eq(it, self.0)).expect("a language is a row of the table")
    }

    /// Returns true if a file of this language holds test code, judged by its name and folders. `path` is relative to
    /// the workspace: folders above it are ignored.
    pub fn is_test_path(self, path: &str) -> bool {
        self.0.tests.matches(path)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.id)
    }
}
