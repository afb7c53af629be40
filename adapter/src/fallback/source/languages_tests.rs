use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;

use super::*;
use crate::fallback::trust::level::Level;

fn language(id: &str) -> &'static Language {
    LANGUAGES.iter().find(|it| it.id == id).unwrap()
}

static NO_FOLDERS: BTreeSet<std::path::PathBuf> = BTreeSet::new();

fn ground() -> ProjectContext<'static> {
    ProjectContext {
        program: Path::new("/bin/server"),
        search_path: OsStr::new("/bin"),
        projects: &[],
        folders: &NO_FOLDERS,
        level: Level::Restricted,
        target: None,
    }
}

#[test]
fn every_row_is_whole() {
    assert!(LANGUAGES.len() >= 25);
    let mut ids = HashSet::new();
    let mut endings = HashMap::new();
    for language in LANGUAGES {
        assert!(ids.insert(language.id), "{} stands twice", language.id);
        for (ending, _) in language.files {
            let other = endings.insert(*ending, language.id);
            assert_eq!(other, None, "`.{ending}` belongs to {} too", language.id);
        }
        let has_files = !language.files.is_empty() || language.content.is_some();
        assert!(has_files && !language.servers.is_empty(), "{}", language.id);
        for pattern in [language.definition, language.declaration] {
            assert!(pattern.contains("NAME"), "{}: {pattern}", language.id);
            regex::Regex::new(&pattern.replace("NAME", "name")).unwrap();
        }
        for server in language.servers {
            let is_whole =
                !server.name.is_empty() && !server.install.is_empty() && !server.candidates.is_empty();
            assert!(is_whole, "{}: {server:?}", language.id);
            assert!((server.options)(&ground()).is_object(), "{}", server.name);
            if let VersionCheck::VersionLike(_, like) = server.proof {
                regex::Regex::new(like).unwrap();
            }
        }
    }
}

/// Lines that define `name`, and lines that do not.
const DEFINITIONS: &[(&str, &[&str], &[&str])] = &[
    (
        "rust",
        &[
            "pub(crate) async fn name<T>() {}",
            "macro_rules! name {",
            "    static mut name: u32 = 1;",
            "mod r#name;",
            "    pub name: String,",
            "    name,",
            "    name(u32),",
            "struct User { id: u32, name: String }",
        ],
        &["fn names() {}", "let x = user.name;", "fn rename() {}", "/// the name of it"],
    ),
    (
        "typescript",
        &[
            "export default async function name<T>(x: T) {",
            "export const name = () => 1;",
            "  private readonly name: string;",
            "  name(x: number): void {",
            "  #name = 1;",
            "  get name() {",
            "export abstract class name {",
            "const { name } = options;",
            "  name,",
        ],
        &["const x = user.name;", "function names() {}", "// the name of it", "  rename();"],
    ),
    (
        "python",
        &[
            "async def name(x):",
            "class name(Base):",
            "    self.name = 1",
            "name: int = 3",
            "a, name = 1, 2",
            "type name = int",
        ],
        &["    return name", "if x == name:", "# the name of it", "def names():"],
    ),
    (
        "c",
        &[
            "static int *name(int x) {",
            "int name(int x)",
            "#define name(x) x",
            "class name : public Base {",
            "  struct name {",
            "} name;",
            "int Widget::name(int x) {",
            "typedef struct foo name;",
            "int name = 3;",
        ],
        &["  x = name(1);", "    name(1);", "  // the name of it"],
    ),
    (
        "go",
        &[
            "func name(x int) int {",
            "func (w *Widget) name() {",
            "type name struct {",
            "\tname string",
            "var name = 1",
            "\tname = iota",
        ],
        &["\treturn x.name", "// the name of it", "func names() {"],
    ),
    (
        "shell",
        &["name() {", "function name {", "  local -r name=1", "name=3"],
        &["  echo $name", "run name x"],
    ),
    ("ruby", &["  def self.name(x)", "class name", "  attr_reader :name"], &["  x.name", "# the name of it"]),
    (
        "java",
        &["  public static String name(int x) {", "class name {", "  int name = 1;"],
        &["// it is a name"],
    ),
    (
        "ailang",
        &[
            "type name = int",
            "  tool name(x: int) -> int",
            "enum Size { name, Small }",
            "  name?: string",
            "from \"./a.md\" import X as name",
            "type Shape = Circle | name",
        ],
        &["print(x.name + 1)", "The tool `name` is", "type names = int"],
    ),
];

#[test]
fn the_pattern_of_a_row_finds_its_definitions() {
    for (id, definitions, others) in DEFINITIONS {
        let pattern = language(id).definition.replace("NAME", "name");
        let pattern = regex::Regex::new(&pattern).unwrap();
        for line in *definitions {
            assert!(pattern.is_match(line), "{id}: {line}");
        }
        for line in *others {
            assert!(!pattern.is_match(line), "{id}: {line}");
        }
    }
}

#[test]
fn keywords_are_no_names() {
    let rust = language("rust");
    assert!(rust.is_name("user") && rust.is_name("_x") && rust.is_name("é"));
    assert!(!rust.is_name("fn") && !rust.is_name("_") && !rust.is_name("1x") && !rust.is_name(""));
    assert!(!language("python").is_name("def") && language("python").is_name("fn"));
    assert!(language("typescript").is_name("$ZodType") && !language("php").is_name("$user"));
}

#[test]
fn files_have_a_language_and_an_id_of_their_own() {
    for (file, id, file_id) in [
        ("a/b.tsx", "typescript", "typescriptreact"),
        ("a.mjs", "typescript", "javascript"),
        ("a.pyi", "python", "python"),
        ("a.h", "c", "cpp"),
        ("a.c", "c", "c"),
    ] {
        let language = of_file(Path::new(file)).unwrap();
        assert_eq!((language.id, language.file_id(Path::new(file))), (id, Some(file_id)), "{file}");
    }
    assert!(of_file(Path::new("LICENSE")).is_none());
}

#[test]
fn servers_that_run_code_of_the_workspace_are_known() {
    let rust = (language("rust").servers[0].options)(&ground());
    assert_eq!(rust["cargo"]["buildScripts"]["enable"], false);
    assert_eq!(rust["procMacro"]["enable"], false);
    assert_eq!(rust["checkOnSave"], false);
    for id in ["java", "scala", "elixir", "haskell", "swift", "zig", "csharp"] {
        assert!(language(id).servers.iter().all(|it| it.runs.is_some()), "{id}");
    }
    assert!(!language("c").servers[0].args.iter().any(|it| it.contains("query-driver")));
}

/// `$` is a letter of some languages, and stands before every variable of others.
#[test]
fn names_may_have_a_dollar() {
    let line = "const x: $ZodType = f($, ZodType);";
    let words = |id: &str| language(id).words(line).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(words("typescript"), ["const", "x", "$ZodType", "f", "$", "ZodType"]);
    assert_eq!(words("php"), ["const", "x", "ZodType", "f", "ZodType"]);
    assert_eq!(language("typescript").word_at(line, 12), Some(("$ZodType".into(), 9..17)));
    let is_whole = |name: &str, text: &str| language("typescript").has_whole(text, name);
    for (name, text, expected) in [
        ("$ZodType", "x: $ZodType", true),
        ("ZodType", "x: $ZodType", false),
        ("ZodType", "ZodType", true),
        ("x$", "(x$)", true),
        ("x", "x$", false),
        ("x", "$x x$ #x xx x", true),
        ("count", "this.#count", false),
    ] {
        assert_eq!(is_whole(name, text), expected, "{name} in {text}");
    }
    let defined = |name: &str, text: &str| {
        let typescript = language("typescript");
        regex::Regex::new(&typescript.pattern_for(typescript.definition, name)).unwrap().is_match(text)
    };
    assert!(defined("$ZodType", "export interface $ZodType<T> {"));
    assert!(defined("x$", "const x$ = of(1);"));
    assert!(!defined("$ZodType", "export interface ZodType<T> {"));
}

#[test]
fn servers_that_rest_are_those_whose_start_was_measured() {
    let all = LANGUAGES.iter().flat_map(|it| it.servers).filter(|it| it.starts_cheaply);
    let names: Vec<_> = all.map(|it| it.name).collect();
    assert_eq!(names, ["tsc", "tsgo", "ty", "clangd", "gopls", "ailang"]);
}
