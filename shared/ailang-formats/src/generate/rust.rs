//! The target Rust: types that are read from JSON with all checks, errors, capabilities and functions.
//!
//! The code needs `serde` with its derives, `serde_json`, and `regex` where a document has patterns.

mod capabilities;
mod decode;
mod errors;
mod file;
mod names;
mod tools;
mod types;

use ailang::{Code, Diagnostics};

use self::capabilities::capabilities;
use self::errors::errors;
use self::file::File;
use self::names::named;
use self::tools::tools;
use self::types::{checks, types};
use super::hoisted::Nameless;
use super::model::Model;
use super::options::GenerateOptions;
use super::target::{Target, header};
use super::writer::Writer;

/// The target.
#[derive(Debug)]
pub(super) struct Rust;

impl Target for Rust {
    fn print(&self, model: &Model, options: &GenerateOptions, diagnostics: &mut Diagnostics) -> String {
        let file = File { model, options, names: &named(model) };
        for name in file.left_out() {
            super::target::warn(
                diagnostics,
                Code::FUNCTION,
                format!("`{name}` is left out: functions are no data"),
            );
        }
        let mut body = Writer::new("    ");
        types(&file, &mut body);
        errors(&file, &mut body);
        capabilities(&file, &mut body);
        tools(&file, &mut body);
        checks(&file, &mut body);
        with_head(&file, &body.finish())
    }

    fn nameless(&self) -> Option<Nameless> {
        Some(Nameless::Unions)
    }

    fn indentation(&self) -> Option<usize> {
        Some(4)
    }
}

/// The helpers of code that reads JSON.
const PRELUDE: &str = include_str!("rust/prelude.txt");

/// The helpers of rules, by name.
const HELPERS: &[(&str, &str)] = &[
    ("is_multiple", include_str!("rust/is_multiple.txt")),
    ("all_differ", include_str!("rust/all_differ.txt")),
    ("found!", include_str!("rust/found.txt")),
    ("find", include_str!("rust/fill.txt")),
];

/// Returns the whole text: the header, the imports and the helpers.
fn with_head(file: &File<'_>, body: &str) -> String {
    let mut text = format!(
        "// {}\n#![allow(clippy::all, clippy::pedantic, clippy::restriction, clippy::nursery)]\n\
         #![allow(dead_code, unused_imports, unused_mut, unused_variables, async_fn_in_trait)]\n\
         #![allow(non_camel_case_types, non_snake_case, unused_macros, deprecated)]\n\n",
        header(file.model)
    );
    text.push_str(PRELUDE);
    for (name, code) in HELPERS {
        if body.contains(&format!("{name}(")) || *name == "find" && body.contains("fill(") {
            text.push('\n');
            text.push_str(code);
        }
    }
    format!("{text}\n{}\n", body.trim())
}
