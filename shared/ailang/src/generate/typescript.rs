//! The target TypeScript: types, schemas of zod, classes of errors, capabilities and functions.
//!
//! [`declarations`] prints the same types for the functions of a registry, without code.

mod capabilities;
mod comment;
mod declarations;
mod errors;
mod names;
mod schema;
mod style;
mod tools;
mod types;

pub use declarations::{QualifiedName, declarations, signature};

use self::capabilities::capabilities;
use self::comment::documentation;
use self::errors::errors;
use self::names::Names;
use self::schema::Schemas;
use self::style::Style;
use self::tools::tools;
use self::types::TypePrinter;
use super::model::{Model, NamedType};
use super::options::GenerateOptions;
use super::target::{Target, header};
use super::writer::Writer;
use crate::diagnostic::Diagnostics;

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
        file.with_head(&body.finish())
    }

    fn styles(&self) -> &[&str] {
        Style::KEYS
    }
}

/// A file that is being printed.
struct File<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    style: Style,
    names: &'a Names,
}

impl File<'_> {
    /// Returns the printer of types.
    fn printer(&self) -> TypePrinter<'_> {
        let is_declared = self.options.types;
        TypePrinter {
            any: "unknown",
            absent: " | undefined",
            name: Box::new(
                move |name| {
                    if is_declared { self.names.ty(name).to_owned() } else { "any".to_owned() }
                },
            ),
            style: self.style,
            callbacks: true,
        }
    }

    fn schemas(&self) -> Schemas<'_> {
        Schemas::new(self)
    }

    /// Prints all types, and their schemas.
    fn types(&self, out: &mut Writer) {
        let mut schemas = self.schemas();
        for ty in &self.model.types {
            if self.options.types || self.options.validators {
                out.gap();
            }
            if self.options.types {
                self.declare(ty, out);
            }
            if self.options.validators {
                schemas.declare(ty, out);
            }
        }
    }

    fn declare(&self, it: &NamedType, out: &mut Writer) {
        let printer = self.printer();
        let name = self.names.ty(&it.name);
        let end = self.style.end;
        self.comment(&it.docs, &[], out);
        match &it.ty {
            dialect::Type::Fields(fields) => out.block(format!("export interface {name} {{"), "}", |out| {
                for field in fields {
                    let default = field.default.as_ref().map(|it| format!("@default {it}"));
                    self.comment(it.parts.get(&field.name).map_or("", |it| it), default.as_slice(), out);
                    out.line(format!("{}{end}", printer.field(field)));
                }
            }),
            ty => out.line(format!("export type {name} = {}{end}", printer.print(ty))),
        }
    }

    /// Prints a comment of documentation, if there is any.
    fn comment(&self, docs: &str, tags: &[String], out: &mut Writer) {
        if self.options.documentation
            && let Some(comment) = documentation(docs, tags)
        {
            out.line(comment);
        }
    }

    /// Returns the whole text: the header, the imports and the helpers that the body needs.
    fn with_head(&self, body: &str) -> String {
        let Style { end, .. } = self.style;
        let mut head = format!("// {}\n/* eslint-disable */\n", header(self.model));
        if body.contains("z.") && self.options.validators {
            head.push_str(&format!("\nimport {{ z }} from {}{end}\n", self.style.quoted("zod")));
        }
        for (call, helper) in HELPERS {
            if body.contains(call) {
                head.push('\n');
                head.push_str(&self.style.restyled(helper));
            }
        }
        let body = body.trim_start_matches('\n');
        if body.trim().is_empty() {
            return head + &format!("\nexport {{}}{end}\n");
        }
        format!("{head}\n{body}")
    }
}

/// The helpers, each with the text that calls it.
const HELPERS: &[(&str, &str)] = &[
    (
        "anyValue",
        "const anyValue = z.unknown().refine((value) => value !== undefined, \"expected a value\");\n",
    ),
    (
        "isMultiple(",
        "\
function isMultiple(value: number, step: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(step) && Math.abs(value) < 1e38) {
    return step !== 0 && value % step === 0;
  }
  const times = value / step;
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(Math.abs(times), 1);
}
",
    ),
    (
        "allDiffer(",
        "\
function allDiffer(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  if (typeof value === \"object\" && value !== null) {
    const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
    return `{${fields.sort().join()}}`;
  }
  return JSON.stringify(value);
}
",
    ),
];
