//! Edits break and mend, through the chain with real servers, what the compiler tells by the difference between before
//! and after. The short form makes a few edits a language; the long one (`DIALECT_LONG=edits`) makes fifty.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use conformance::chain::{Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use conformance::random::Random;
use conformance::workspace::Workspace;
use libtest_mimic::{Completion, Trial};
use regex::Regex;
use serde_json::json;
use tempfile::TempDir;

use crate::background::number;

pub(crate) fn trials() -> Vec<Trial> {
    PROJECTS.iter().map(trial).collect()
}

fn trial(project: &'static Project) -> Trial {
    let test = move || {
        let runtime = crate::runtime()?;
        let tested = runtime.block_on(make_edits(project));
        runtime.shutdown_background();
        tested
    };
    let name = format!("{}: what edits break and mend is what the compiler says", project.server);
    let compiler = project.compiler[0];
    Trial::ignorable_test(name, move || match crate::answers(compiler) {
        Ok(()) => crate::with_server(project.server, test),
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
    .with_kind("edited_diagnostics")
}

/// A project in one language, with places where it can be broken.
struct Project {
    server: &'static str,
    /// The edits of the long form.
    edits: usize,
    files: &'static [(&'static str, &'static str)],
    wounds: &'static [Wound],
    /// True for a server that may not repeat itself for another version of a text. An answer that says so is not
    /// compared.
    may_be_late: bool,
    /// The start of a comment.
    comment: &'static str,
    /// The compiler, with the pattern of its errors: the path, the line, and the rule if the server gives the same.
    compiler: &'static [&'static str],
    errors: &'static str,
}

/// A place in a file that is whole or broken.
struct Wound {
    path: &'static str,
    whole: &'static str,
    broken: &'static str,
}

const fn wound(path: &'static str, whole: &'static str, broken: &'static str) -> Wound {
    Wound { path, whole, broken }
}

/// An error without its place in the file, which edits move: the path, the rule, and the text of the line. Each stands
/// as often as it occurs.
type Errors = BTreeMap<(String, String, String), usize>;

const PROJECTS: &[Project] = &[
    Project {
        server: "rust-analyzer",
        edits: 13,
        files: &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", RUST),
            ("src/stock.rs", RUST_STOCK),
        ],
        // Those that rust-analyzer finds by itself.
        wounds: &[
            wound("src/lib.rs", "    total + 1\n", "    \"total\"\n"),
            wound("src/lib.rs", "name, price: 1 }", "name }"),
            wound("src/lib.rs", "price: 2 }", "price: 2, size: 3 }"),
            wound("src/lib.rs", "Kind::Big => 1, Kind::Small => 2", "Kind::Big => 1"),
            wound("src/lib.rs", "let mut count = 0;", "let count = 0;"),
            wound("src/lib.rs", "stock.secret()", "stock.secret"),
            wound("src/stock.rs", "pub fn price(&self) -> u32 {", "pub fn price(&self) -> String {"),
            wound(
                "src/stock.rs",
                "impl Labelled for Stock {\n    fn label",
                "impl Labelled for Stock {}\n\nimpl Stock {\n    pub fn label",
            ),
            wound("src/stock.rs", "    pub price: u32,\n", "    pub price: u32,\n    pub size: u32,\n"),
        ],
        may_be_late: false,
        comment: "//",
        compiler: &["cargo", "check", "--offline", "--quiet", "--message-format", "short"],
        errors: r"(?m)^(\S+?):(\d+):\d+: error\[(E\d+)\]",
    },
    Project {
        server: "tsc",
        edits: 13,
        files: &[
            (
                "tsconfig.json",
                "{ \"compilerOptions\": { \"strict\": true, \"noEmit\": true }, \"include\": [\"src\"] }\n",
            ),
            ("src/main.ts", TYPESCRIPT),
            ("src/stock.ts", TYPESCRIPT_STOCK),
        ],
        wounds: &[
            wound("src/main.ts", "return sum;", "return \"sum\";"),
            wound("src/main.ts", "item.name.length", "item.nmae.length"),
            wound("src/main.ts", "label(item, 1)", "label(item)"),
            wound("src/main.ts", "{ size: 1 }", "{ size: 1, more: 2 }"),
            wound(
                "src/main.ts",
                "import { Item, label } from \"./stock\";",
                "import { Item, label, more } from \"./stock\";",
            ),
            wound("src/stock.ts", "price: number;", "price: string;"),
            wound(
                "src/stock.ts",
                "export function label(item: Item, count: number)",
                "export function label(item: Item, count: string)",
            ),
            wound("src/stock.ts", "`${count}`", "`${counts}`"),
        ],
        may_be_late: false,
        comment: "//",
        compiler: &["tsc", "--pretty", "false"],
        errors: r"(?m)^(\S+?)\((\d+),\d+\): error TS(\d+)",
    },
    Project {
        server: "ty",
        edits: 12,
        files: &[
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\nversion = \"0.1.0\"\nrequires-python = \">=3.11\"\n",
            ),
            ("main.py", PYTHON),
            ("stock.py", PYTHON_STOCK),
        ],
        wounds: &[
            wound("main.py", "    return count\n", "    return \"count\"\n"),
            wound("main.py", "item.name.upper()", "item.nmae.upper()"),
            wound("main.py", "label(item, 1)", "label(item)"),
            wound("main.py", "from stock import Item, label", "from stock import Item, label, more"),
            wound("main.py", "len(items)", "len(itmes)"),
            wound("stock.py", "def label(item: Item, count: int)", "def label(item: Item, count: str)"),
            wound("stock.py", "    price: int\n", "    price: str\n"),
            wound("stock.py", "f\"{count}\"", "f\"{counts}\""),
        ],
        may_be_late: false,
        comment: "#",
        compiler: &["ty", "check", "--output-format", "concise"],
        errors: r"(?m)^(\S+?):(\d+):\d+: error\[([\w-]+)\]",
    },
    Project {
        server: "gopls",
        edits: 12,
        files: &[("go.mod", "module example.org/shop\n\ngo 1.19\n"), ("main.go", GO), ("stock.go", GO_STOCK)],
        wounds: &[
            wound("main.go", "return sum", "return \"sum\""),
            wound("main.go", "item.Name", "item.Nmae"),
            wound("main.go", "label(item, 1)", "label(item)"),
            wound("main.go", "Price: 1}", "Price: 1, Size: 2}"),
            wound("main.go", "len(items)", "len(itmes)"),
            wound("stock.go", "Price int", "Price string"),
            wound("stock.go", "count int", "count string"),
        ],
        may_be_late: true,
        comment: "//",
        // gopls has names of its own for rules.
        compiler: &["go", "build", "-gcflags=-e", "./..."],
        errors: r"(?m)^(?:\./)?(\S+?):(\d+):\d+:()",
    },
    Project {
        server: "clangd",
        edits: 12,
        files: &[("compile_flags.txt", ""), ("main.c", C), ("stock.c", C_STOCK), ("stock.h", C_HEADER)],
        wounds: &[
            wound("main.c", "label(&items[at], 1)", "label(&items[at])"),
            wound("main.c", "items[0].name", "items[0].nmae"),
            wound("main.c", ".price = 1", ".size = 1"),
            wound("main.c", "return all;", "return al;"),
            wound("main.c", "at < count;", "at < counts;"),
            wound("stock.c", "item->price", "item->prices"),
            wound("stock.h", "int count);", "int count, int more);"),
            wound("stock.h", "const char *name;", "const char *label;"),
        ],
        may_be_late: false,
        comment: "//",
        // clangd has names of its own for rules.
        compiler: &["gcc", "-fsyntax-only", "main.c", "stock.c"],
        errors: r"(?m)^(\S+?):(\d+):\d+: error:()",
    },
];

const RUST: &str = "\
pub mod stock;

use stock::{Item, Kind, Stock};

pub fn total(stock: &Stock) -> u32 {
    let total = stock.items.iter().fold(0, |sum, it| sum + it.price);
    total + 1
}

pub fn made(name: String) -> Item {
    Item { name, price: 1 }
}

pub fn other(name: String) -> Item {
    let price = 2;
    let _ = price;
    Item { name, price: 2 }
}

pub fn size(kind: Kind) -> u32 {
    match kind { Kind::Big => 1, Kind::Small => 2 }
}

pub fn counted(stock: &Stock) -> usize {
    let mut count = 0;
    count += stock.items.len();
    count
}

pub fn secret(stock: &Stock) -> u32 {
    stock.secret()
}
";

const RUST_STOCK: &str = "\
pub struct Item {
    pub name: String,
    pub price: u32,
}

impl Item {
    pub fn price(&self) -> u32 {
        self.price
    }
}

pub struct Stock {
    pub items: Vec<Item>,
    secret: u32,
}

impl Stock {
    pub fn secret(&self) -> u32 {
        self.secret
    }
}

pub enum Kind {
    Big,
    Small,
}

pub trait Labelled {
    fn label(&self) -> String;
}

impl Labelled for Stock {
    fn label(&self) -> String {
        String::new()
    }
}
";

const C: &str = "\
#include \"stock.h\"

static int sum(const struct item *items, int count) {
    int all = 0;
    for (int at = 0; at < count; at++) {
        all += label(&items[at], 1);
    }
    return all;
}

int main(void) {
    struct item items[] = {{.name = \"a\", .price = 1}};
    const char *name = items[0].name;
    return sum(items, name != 0);
}
";

const C_STOCK: &str = "\
#include \"stock.h\"

int label(const struct item *item, int count) {
    return item->price * count;
}
";

const C_HEADER: &str = "\
struct item {
    const char *name;
    int price;
};

int label(const struct item *item, int count);
";

const TYPESCRIPT: &str = "\
import { Item, label } from \"./stock\";

export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price * 2;
  }
  return sum;
}

export function longest(item: Item): number {
  return item.name.length;
}

export function shown(item: Item): string {
  return label(item, 1);
}

export const made: { size: number } = { size: 1 };
";

const TYPESCRIPT_STOCK: &str = "\
export interface Item {
  name: string;
  price: number;
}

export function label(item: Item, count: number): string {
  return item.name + `${count}`;
}
";

const PYTHON: &str = "\
from stock import Item, label


def total(items: list[Item]) -> int:
    count = 0
    for item in items:
        count += item.price
    return count


def loud(item: Item) -> str:
    return item.name.upper()


def shown(item: Item) -> str:
    return label(item, 1)


def number(items: list[Item]) -> int:
    return len(items)
";

const PYTHON_STOCK: &str = "\
class Item:
    name: str
    price: int


def label(item: Item, count: int) -> str:
    return item.name + f\"{count}\"
";

const GO: &str = "\
package shop

func total(items []Item) int {
\tsum := 0
\tfor _, it := range items {
\t\tsum += it.Price * 2
\t}
\treturn sum
}

func name(item Item) string {
\treturn item.Name
}

func shown(item Item) string {
\treturn label(item, 1)
}

func number(items []Item) int {
\treturn len(items)
}

var made = Item{Name: \"a\", Price: 1}
";

const GO_STOCK: &str = "\
package shop

import \"fmt\"

type Item struct {
\tName  string
\tPrice int
}

func label(item Item, count int) string {
\treturn fmt.Sprint(item.Name, count)
}
";

async fn make_edits(project: &Project) -> Result<()> {
    let edits = if literate::is_long("edits") { project.edits } else { 3 };
    let edits = number("DIALECT_EDITED").unwrap_or(edits);
    let mut random = Random::new(u64::try_from(number("DIALECT_EDITED_SEED").unwrap_or(11))?);
    let workspace = Workspace::new(project.files.iter().copied())?;
    let (mut broken, target) = (BTreeSet::new(), TempDir::with_prefix("target-")?);
    // The first edits find some wounds open.
    for _ in 0..2 {
        toggle(project, &mut broken, random.below(project.wounds.len()), &workspace, random.below(3))?;
    }
    let mut before = errors(project, &workspace, target.path())?;
    let setup =
        Setup { wall: adapter::fallback::wall().is_ok(), ..Setup::new(Shape::Fused, crate::programs()?) };
    let mut chain = Conversation::open(&setup, workspace.root(), &json!({}), Answers::default()).await?;
    chain.call_when_ready("diagnostics()").await?;
    for round in 0..edits {
        let texts = texts(project, &workspace)?;
        let (wound, comments) = (random.below(project.wounds.len()), random.below(3));
        let way = Way::of(random.below(2));
        let path = project.wounds[wound].path;
        match way {
            Way::Editor => {
                // The editor writes what the agent asks it to write.
                let copy = Workspace::new(texts.iter().map(|(path, it)| (path.as_str(), it.as_str())))?;
                toggle(project, &mut broken, wound, &copy, comments)?;
                let content = std::fs::read_to_string(copy.root().join(path))?;
                let params =
                    json!({"sessionId": "A", "path": workspace.root().join(path), "content": content});
                chain.play(&format!("request fs/write_text_file {params}")).await?;
            }
            Way::Agent => {
                let (old, new) = toggle(project, &mut broken, wound, &workspace, comments)?;
                let diff = json!({"type": "diff", "path": workspace.root().join(path), "oldText": old, "newText": new});
                let update = json!({"sessionUpdate": "tool_call", "toolCallId": format!("edit-{round}"), "title": "Edit",
                    "kind": "edit", "status": "completed", "content": [diff]});
                chain.play(&format!("update {update}")).await?;
            }
        }
        let after = errors(project, &workspace, target.path())?;
        let expected = (without(&after, &before), without(&before, &after));
        let said = chain.call_when_ready(PROGRAM).await?;
        let told = told(project, &said.text, &texts, &workspace).with_context(|| format!("{said:?}"))?;
        let what = format!("edit {round} of {path} by the {way:?}, wounds {broken:?}: {said:?}");
        let is_late = project.may_be_late && said.notes.iter().any(|it| it.contains("has not said in time"));
        ensure!(is_late || told == expected, "told {told:#?}\nbut the compiler says {expected:#?}\n{what}");
        before = after;
    }
    chain.end().await
}

const PROGRAM: &str = "diagnostics(since=`edit`).filter(d => d.severity == `error`)\
    .map(d => [d.change, d.path, d.code ?? ``, d.start.line])";

/// The way in which an agent edits.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// It asks the editor to write.
    Editor,
    /// It writes the disk, and reports what it replaced.
    Agent,
}

impl Way {
    fn of(number: usize) -> Self {
        if number == 0 { Self::Editor } else { Self::Agent }
    }
}

/// Breaks or mends a place on disk, and moves the lines of its file by a few comments. Returns the text that is replaced
/// and its replacement.
fn toggle(
    project: &Project,
    broken: &mut BTreeSet<usize>,
    wound: usize,
    workspace: &Workspace,
    comments: usize,
) -> Result<(String, String)> {
    let Wound { path, whole, broken: wounded } = &project.wounds[wound];
    let text = std::fs::read_to_string(workspace.root().join(path))?;
    let is_broken = broken.contains(&wound);
    let (from, to) = if is_broken { (wounded, whole) } else { (whole, wounded) };
    let at = text.find(from).with_context(|| format!("`{from}` is not in {path}"))?;
    let end = at + from.len();
    // From the start of the file on, since its lines move from there.
    let head = format!("{} moved\n", project.comment).repeat(comments);
    let (old, new) = (text[..end].to_owned(), format!("{head}{}{to}", &text[..at]));
    workspace.write(path, &format!("{new}{}", &text[end..]))?;
    if is_broken {
        broken.remove(&wound)
    } else {
        broken.insert(wound)
    };
    Ok((old, new))
}

fn texts(project: &Project, workspace: &Workspace) -> Result<BTreeMap<String, String>> {
    let text = |(path, _): &(&str, &str)| {
        Ok(((*path).to_owned(), std::fs::read_to_string(workspace.root().join(path))?))
    };
    project.files.iter().map(text).collect()
}

/// Returns the errors of the compiler.
fn errors(project: &Project, workspace: &Workspace, target: &Path) -> Result<Errors> {
    let (program, arguments) = project.compiler.split_first().context("there is a compiler")?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(workspace.root())
        .env("CARGO_TARGET_DIR", target)
        .output()
        .with_context(|| (*program).to_owned())?;
    let said = [output.stdout, output.stderr].concat();
    let (said, pattern) = (String::from_utf8_lossy(&said).into_owned(), Regex::new(project.errors)?);
    let mut found = Errors::new();
    for error in pattern.captures_iter(&said) {
        let line = line_of(&std::fs::read_to_string(workspace.root().join(&error[1]))?, error[2].parse()?)?;
        *found.entry((error[1].to_owned(), error[3].to_owned(), line)).or_default() += 1;
    }
    Ok(found)
}

/// Returns the errors that an answer calls new, and those that it calls gone.
fn told(
    project: &Project,
    text: &str,
    before: &BTreeMap<String, String>,
    workspace: &Workspace,
) -> Result<(Errors, Errors)> {
    let (mut new, mut gone) = (Errors::new(), Errors::new());
    let has_rules = !project.errors.ends_with("()");
    for one in serde_json::from_str::<Vec<(String, String, String, usize)>>(text)? {
        let (change, path, rule, line) = one;
        let rule = if has_rules { rule } else { String::new() };
        let (errors, text) = match change.as_str() {
            "new" => (&mut new, std::fs::read_to_string(Path::new(workspace.root()).join(&path))?),
            _ => (&mut gone, before.get(&path).context("a file of the project")?.clone()),
        };
        *errors.entry((path, rule, line_of(&text, line)?)).or_default() += 1;
    }
    // One that only has other words, since it lists another field, is neither for a compiler with words of its own.
    Ok((without(&new, &gone), without(&gone, &new)))
}

fn line_of(text: &str, line: usize) -> Result<String> {
    let found = text.lines().nth(line.checked_sub(1).context("lines count from 1")?);
    Ok(found.with_context(|| format!("there is no line {line}"))?.trim().to_owned())
}

/// Returns the errors that the others do not have.
fn without(errors: &Errors, others: &Errors) -> Errors {
    let rest = errors.iter().map(|(error, count)| {
        (error.clone(), count.saturating_sub(others.get(error).copied().unwrap_or_default()))
    });
    rest.filter(|it| it.1 > 0).collect()
}
