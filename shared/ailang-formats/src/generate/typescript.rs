//! The target TypeScript: types, schemas of zod, classes of errors, capabilities and functions.
//!
//! [`declarations`] prints the same types for the functions of a registry, without code.

mod capabilities;
mod comment;
mod declarations;
mod errors;
mod file;
mod helpers;
mod names;
mod schema;
mod style;
mod tools;
mod types;

use ailang::Diagnostics;
pub use declarations::{FoundFunction, declarations, signature};

use self::capabilities::capabilities;
use self::errors::errors;
use self::file::File;
use self::names::Names;
use self::style::Style;
use self::tools::tools;
use super::model::Model;
use super::options::GenerateOptions;
use super::target::{Target, runtime_header};
use super::writer::Writer;

/// The target.
#[derive(Debug)]
pub(super) struct TypeScript;

impl Target for TypeScript {
    fn print(&self, model: &Model, options: &GenerateOptions, diagnostics: &mut Diagnostics) -> String {
        let style = Style::read(&options.style, diagnostics);
        let names = Names::new(model);
        let file = File { model, options, style, names: &names };
        let mut body = Writer::new("  ");
        file.types(&mut body);
        errors(&file, &mut body);
        capabilities(&file, &mut body);
        tools(&file, &mut body);
        file.table(&mut body);
        file.with_head(&body.finish())
    }

    fn runtime(&self, options: &GenerateOptions) -> Option<(&'static str, String)> {
        let style = Style::read(&options.style, &mut Diagnostics::default());
        let text = style.restyled(include_str!("typescript/runtime.ts.txt"));
        Some(("ailang-runtime.ts", format!("// {}\n{text}", runtime_header())))
    }

    fn styles(&self) -> &[&str] {
        Style::KEYS
    }

    fn indentation(&self) -> Option<usize> {
        Some(2)
    }
}
