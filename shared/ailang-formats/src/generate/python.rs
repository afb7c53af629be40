//! The target Python: models of pydantic, classes of errors, capabilities and functions.

mod capabilities;
mod errors;
mod file;
mod names;
mod rules;
mod tools;
mod types;

use ailang::Diagnostics;

use self::capabilities::capabilities;
use self::errors::errors;
use self::file::File;
use self::names::named;
use self::tools::tools;
use self::types::{adapters, types};
use super::hoisted::Nameless;
use super::model::Model;
use super::options::GenerateOptions;
use super::target::{Target, header, runtime_header};
use super::writer::Writer;

/// The target.
#[derive(Debug)]
pub(super) struct Python;

impl Target for Python {
    fn print(&self, model: &Model, options: &GenerateOptions, _: &mut Diagnostics) -> String {
        let file = File { model, options, names: &named(model) };
        let mut body = Writer::new("    ");
        types(&file, &mut body);
        errors(&file, &mut body);
        capabilities(&file, &mut body);
        tools(&file, &mut body);
        adapters(&file, &mut body);
        with_head(&file, &body.finish())
    }

    fn runtime(&self, _: &GenerateOptions) -> Option<(&'static str, String)> {
        let text = include_str!("python/runtime.py.txt");
        Some(("ailang_runtime.py", format!("# {}\n{text}", runtime_header())))
    }

    fn nameless(&self) -> Option<Nameless> {
        Some(Nameless::Structs)
    }

    fn indentation(&self) -> Option<usize> {
        Some(4)
    }
}

/// The names of modules, each with those that generated code may use.
const IMPORTS: &[(&str, &[&str])] = &[
    ("collections.abc", &["Awaitable", "Callable", "Mapping", "Sequence"]),
    ("dataclasses", &["dataclass", "field", "replace"]),
    ("enum", &["Enum"]),
    ("fractions", &["Fraction"]),
    ("typing", &["Annotated", "Any", "ClassVar", "Literal", "Optional", "Protocol", "TypeAlias", "Union"]),
    ("typing_extensions", &["TypeAliasType"]),
    (
        "pydantic",
        &[
            "AfterValidator",
            "BaseModel",
            "BeforeValidator",
            "ConfigDict",
            "Field",
            "GetPydanticSchema",
            "StrictBool",
            "StrictFloat",
            "StrictInt",
            "StrictStr",
            "TypeAdapter",
        ],
    ),
];

/// Returns the whole text: the header, the imports and the helpers that the body needs.
fn with_head(file: &File<'_>, body: &str) -> String {
    let mut needed: Vec<&str> = Vec::new();
    // A helper may need those before it in the table.
    for (name, code) in rules::HELPERS.iter().rev() {
        if mentions(body, name) || needed.iter().any(|code| mentions(code, name)) {
            needed.push(code);
        }
    }
    let helpers: String = needed.iter().rev().map(|code| format!("\n\n{code}")).collect();
    let body = format!("{helpers}\n\n{}", body.trim_start_matches('\n'));
    let mut head = format!("# {}\n# ruff: noqa\n", header(file.model));
    head.push_str("\nfrom __future__ import annotations\n\n");
    let is_used = |it: &&str| match *it {
        "time" => body.contains("time.time()"),
        module => body.contains(&format!("{module}.")),
    };
    for module in ["json", "math", "re", "time"].into_iter().filter(is_used) {
        head.push_str(&format!("import {module}\n"));
    }
    for (module, names) in IMPORTS {
        let used: Vec<&str> = names.iter().copied().filter(|it| mentions(&body, it)).collect();
        if !used.is_empty() {
            head.push_str(&format!("from {module} import {}\n", used.join(", ")));
        }
    }
    format!("{}\n", (head + &body).trim_end())
}

/// Returns `true` if a name stands in code as a whole word.
fn mentions(code: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    code.match_indices(name)
        .any(|(at, _)| !code[..at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part))
}
