//! One file, with what all its parts share.

use super::comment::documentation;
use super::helpers::HELPERS;
use super::names::Names;
use super::schema::Schemas;
use super::style::Style;
use super::types::{Callbacks, TypePrinter};
use crate::generate::model::{Model, NamedType};
use crate::generate::options::GenerateOptions;
use crate::generate::target::header;
use crate::generate::writer::Writer;

/// A file that is being printed.
pub(super) struct File<'a> {
    pub(super) model: &'a Model,
    pub(super) options: &'a GenerateOptions,
    pub(super) style: Style,
    pub(super) names: &'a Names,
}

impl File<'_> {
    /// Returns the printer of types.
    pub(super) fn printer(&self) -> TypePrinter<'_> {
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
            is_recursive: Box::new(|name| self.model.is_recursive(name)),
            callbacks: Callbacks::Promises,
        }
    }

    pub(super) fn schemas(&self) -> Schemas<'_> {
        Schemas::new(self)
    }

    /// Prints all types, and their schemas.
    pub(super) fn types(&self, out: &mut Writer) {
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

    pub(super) fn declare(&self, it: &NamedType, out: &mut Writer) {
        let printer = self.printer();
        let name = self.names.ty(&it.name);
        let end = self.style.end;
        self.comment(&it.docs, &[], out);
        match &it.ty {
            _ if !it.methods.is_empty() => {
                out.block(format!("export interface {name} {{"), "}", |out| {
                    for field in &it.fields {
                        self.comment(it.parts.get(&field.name).map_or("", |it| it), &[], out);
                        out.line(format!("{}{end}", printer.field(field)));
                    }
                    for method in &it.methods {
                        self.comment(&method.docs, &[], out);
                        out.line(format!("{}{end}", printer.method(method)));
                    }
                });
            }
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

    /// Prints the table of all schemas.
    pub(super) fn table(&self, out: &mut Writer) {
        if !self.options.validators || self.model.types.is_empty() && self.model.tools.is_empty() {
            return;
        }
        let types = self.model.types.iter().map(|it| (it.name.clone(), self.names.schema(&it.name)));
        let tools = self.model.tools.iter().flat_map(|it| {
            let names = self.names.tool(&it.name);
            [(format!("{}.input", it.name), &*names.schema), (format!("{}.output", it.name), &*names.result)]
        });
        out.gap();
        self.comment(
            "The schemas by name: of types, and as `tool.input` and `tool.output` of the parameters and the result of a tool.",
            &[],
            out,
        );
        let close = format!("}}{}", self.style.end);
        out.block("export const schemas: Readonly<Record<string, z.ZodType>> = {", &close, |out| {
            types
                .chain(tools)
                .for_each(|(name, schema)| out.line(format!("{}: {schema},", self.style.quoted(&name))));
        });
    }

    /// Prints a comment of documentation, if there is any.
    pub(super) fn comment(&self, docs: &str, tags: &[String], out: &mut Writer) {
        if self.options.documentation
            && let Some(comment) = documentation(docs, tags)
        {
            out.line(comment);
        }
    }

    /// Returns the whole text: the header, the imports and the helpers that the body needs.
    pub(super) fn with_head(&self, body: &str) -> String {
        let Style { end, .. } = self.style;
        let mut head = format!("// {}\n/* eslint-disable */\n", header(self.model));
        if body.contains("z.") && self.options.validators {
            head.push_str(&format!("\nimport {{ z }} from {}{end}\n", self.style.quoted("zod")));
        }
        let mut needed: Vec<&str> = Vec::new();
        // A helper may need those before it in the table.
        for (call, helper) in HELPERS.iter().rev() {
            if body.contains(call) || needed.iter().any(|it| it.contains(call)) {
                needed.push(helper);
            }
        }
        for helper in needed.iter().rev() {
            head.push('\n');
            head.push_str(&self.style.restyled(helper));
        }
        let body = body.trim_start_matches('\n');
        if body.trim().is_empty() {
            return head + &format!("\nexport {{}}{end}\n");
        }
        format!("{head}\n{body}")
    }
}
