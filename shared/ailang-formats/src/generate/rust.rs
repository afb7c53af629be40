//! The target Rust: types that are read from JSON with all checks, errors, capabilities and functions.
//!
//! The code needs `serde` with its derives, `serde_json`, and `regex` where a document has patterns.

mod capabilities;
mod decode;
mod errors;
mod file;
mod helpers;
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

/// Returns the whole text: the header, the imports and the helpers.
fn with_head(file: &File<'_>, body: &str) -> String {
    let read = body.lines().filter_map(|it| it.strip_prefix("impl FromJson for ")?.strip_suffix(" {"));
    let read: Vec<&str> = read.collect();
    let mut body = body.trim().to_owned();
    if !read.is_empty() {
        body.push_str(&format!("\n\ndeserialize!({});\n", wrapped(&read)));
    }
    format!(
        "// {}\n#![allow(clippy::all, clippy::pedantic, deprecated, nonstandard_style, unused, async_fn_in_trait)]\n\n{}\n{}\n",
        header(file.model),
        helpers::head(&body),
        body.trim()
    )
}

/// Returns names in lines of bounded length.
fn wrapped(names: &[&str]) -> String {
    let whole = names.join(", ");
    if whole.len() <= 80 {
        return whole;
    }
    let mut text = String::from("\n    ");
    let mut length = 0;
    for (at, name) in names.iter().enumerate() {
        if length > 0 && length + name.len() > 90 {
            text.push_str("\n    ");
            length = 0;
        } else if at > 0 {
            text.push(' ');
        }
        let comma = if at + 1 < names.len() { "," } else { "" };
        text.push_str(&format!("{name}{comma}"));
        length += name.len() + 2;
    }
    text + "\n"
}
