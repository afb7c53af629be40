//! Schemas of zod.

use std::collections::HashSet;

use dialect::{Literal, Parameter, Refinement, Type};
use serde_json::Value;

use super::file::File;
use crate::generate::model::{Kind, NamedType};
use crate::generate::rule::{KINDS, Rule, demand, rules};
use crate::generate::writer::Writer;

/// A printer of schemas, which knows those that were declared already.
pub(super) struct Schemas<'a> {
    file: &'a File<'a>,
    declared: HashSet<&'a str>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(file: &'a File<'a>) -> Self {
        Self { file, declared: HashSet::new() }
    }

    /// Returns a printer for code behind all schemas of types.
    pub(super) fn behind(file: &'a File<'a>) -> Self {
        Self { file, declared: file.model.types.iter().map(|it| it.name.as_str()).collect() }
    }

    /// Declares the schema of a type.
    pub(super) fn declare(&mut self, it: &'a NamedType, out: &mut Writer) {
        let name = self.file.names.schema(&it.name);
        let of = if self.file.options.types {
            format!("<{}>", self.file.names.ty(&it.name))
        } else {
            String::new()
        };
        match it.methods.is_empty() {
            true => self.constant(name, &of, &it.ty, out),
            // Its values are no data, so nothing can be checked.
            false => out.line(format!(
                "export const {name}: z.ZodType{of} = anyValue as z.ZodType<any>{}",
                self.file.style.end
            )),
        }
        self.declared.insert(&it.name);
    }

    /// Declares a schema as a constant.
    pub(super) fn constant(&self, name: &str, of: &str, ty: &Type, out: &mut Writer) {
        let end = self.file.style.end;
        let open = format!("export const {name}: z.ZodType{of} =");
        match ty {
            Type::Fields(fields) if !fields.is_empty() && proto(fields).is_none() => {
                out.block(format!("{open} struct({{"), &format!("}}){end}"), |out| {
                    for field in fields {
                        out.line(format!(
                            "{}: {},",
                            self.file.style.property(&field.name),
                            self.field(field)
                        ));
                    }
                });
            }
            ty => out.line(format!("{open} {}{end}", self.schema(ty))),
        }
    }

    /// Declares the schema of a result.
    pub(super) fn result(&self, name: &str, of: &str, ty: &Type, out: &mut Writer) {
        let end = self.file.style.end;
        out.line(format!("export const {name}: z.ZodType{of} = result({}){end}", self.schema(ty)));
    }

    /// Returns the schema of a type. The compiler gives up on schemas deep in each other, so their types are left out.
    fn schema(&self, ty: &Type) -> String {
        let schema = self.known(ty);
        let height = height(ty);
        if height > 0 && height.is_multiple_of(10) { format!("({schema} as z.ZodType<any>)") } else { schema }
    }

    fn known(&self, ty: &Type) -> String {
        let style = self.file.style;
        match ty {
            Type::Any => "anyValue".to_owned(),
            Type::Null => "z.null()".to_owned(),
            Type::Bool => "z.boolean()".to_owned(),
            Type::Number => "z.number()".to_owned(),
            Type::Text => "z.string()".to_owned(),
            Type::Object => "anyObject".to_owned(),
            Type::Literal(literal) => format!("z.literal({})", style.json(&constant(literal))),
            Type::List(inner) => format!("z.array({})", self.schema(inner)),
            Type::Map(inner) => format!("dictionary({})", self.schema(inner)),
            Type::Fields(fields) if fields.is_empty() => "struct({})".to_owned(),
            Type::Fields(fields) => {
                let others = fields.iter().filter(|it| it.name != PROTO);
                let each: Vec<String> = others
                    .map(|it| format!("{}: {}", self.file.style.property(&it.name), self.field(it)))
                    .collect();
                let schema = format!("struct({{ {} }})", each.join(", "));
                match proto(fields) {
                    Some(proto) => format!("withProto({}, {schema})", self.field(proto)),
                    None => schema,
                }
            }
            Type::Optional(inner) => format!("{}.nullable()", self.schema(inner)),
            Type::Union(members) => self.union(members),
            Type::Refined(inner, refinements) => self.refined(inner, refinements),
            Type::Named(name) if self.declared.contains(&**name) => self.file.names.schema(name).to_owned(),
            Type::Named(name) => format!("z.lazy(() => {})", self.file.names.schema(name)),
            Type::Function { .. } => {
                let ty = self.file.printer().print(ty);
                format!("z.custom<{ty}>((value) => typeof value === {})", style.quoted("function"))
            }
        }
    }

    /// Returns the schema of a field.
    fn field(&self, field: &Parameter) -> String {
        let schema = self.schema(&field.ty);
        match (&field.default, field.optional) {
            (Some(default), _) => format!("{schema}.default({})", self.file.style.json(default)),
            (None, true) => format!("{schema}.optional()"),
            (None, false) => schema,
        }
    }

    fn union(&self, members: &[Type]) -> String {
        let literals: Option<Vec<Value>> = members
            .iter()
            .map(|it| match it {
                Type::Literal(literal) => Some(constant(literal)),
                _ => None,
            })
            .collect();
        match literals {
            Some(literals) => {
                let is_text = literals.iter().all(Value::is_string);
                let list = self.file.style.json(&literals.into());
                if is_text { format!("z.enum({list})") } else { format!("z.literal({list})") }
            }
            None => {
                let each: Vec<String> = members.iter().map(|it| self.schema(it)).collect();
                format!("z.union([{}])", each.join(", "))
            }
        }
    }

    fn refined(&self, inner: &Type, refinements: &[Refinement]) -> String {
        let mut schema = self.schema(inner);
        let kind = self.file.model.kind(inner);
        for refinement in refinements {
            let message = self.file.style.quoted(&format!("expected {}", demand(refinement)));
            let rules = rules(refinement, kind);
            let fluent = rules.iter().map(|rule| method(rule, inner)).collect::<Option<Vec<_>>>();
            match fluent.filter(|it| !it.is_empty()) {
                Some(calls) => calls.iter().for_each(|(name, argument)| {
                    let arguments =
                        if argument.is_empty() { message.clone() } else { format!("{argument}, {message}") };
                    schema.push_str(&format!(".{name}({arguments})"));
                }),
                None => {
                    let value = if self.file.options.types { "value" } else { "value: any" };
                    let condition = self.condition(refinement, kind);
                    schema.push_str(&format!(".refine(({value}) => {condition}, {message})"));
                }
            }
        }
        schema
    }

    /// Returns the condition of a refinement. Values of several kinds are told apart.
    fn condition(&self, refinement: &Refinement, kind: Kind) -> String {
        let all = |kind: Kind| {
            let each: Vec<String> =
                rules(refinement, kind).iter().map(|rule| self.rule(rule, kind)).collect();
            each.join(" && ")
        };
        if kind != Kind::Mixed {
            return all(kind);
        }
        let style = self.file.style;
        let guarded = KINDS.iter().filter(|kind| !rules(refinement, **kind).is_empty()).map(|kind| {
            let other = match kind {
                Kind::Number => format!("typeof value !== {}", style.quoted("number")),
                Kind::Text => format!("typeof value !== {}", style.quoted("string")),
                Kind::List => "!Array.isArray(value)".to_owned(),
                _ => format!(
                    "(typeof value !== {} || value === null || Array.isArray(value))",
                    style.quoted("object")
                ),
            };
            format!("({other} || ({}))", all(*kind))
        });
        guarded.collect::<Vec<_>>().join(" && ")
    }

    fn rule(&self, rule: &Rule, kind: Kind) -> String {
        let style = self.file.style;
        let count = if kind == Kind::Map { "Object.keys(value).length" } else { "value.length" };
        match rule {
            Rule::Min(least) => format!("value >= {least}"),
            Rule::Max(most) => format!("value <= {most}"),
            Rule::Positive => "value > 0".to_owned(),
            Rule::Negative => "value < 0".to_owned(),
            Rule::Integer => "Number.isSafeInteger(value)".to_owned(),
            Rule::MultipleOf(step) => format!("isMultiple(value, {step})"),
            Rule::MinLength(least) => format!("[...value].length >= {least}"),
            Rule::MaxLength(most) => format!("[...value].length <= {most}"),
            Rule::StartsWith(start) => format!("value.startsWith({})", style.quoted(start)),
            Rule::EndsWith(end) => format!("value.endsWith({})", style.quoted(end)),
            Rule::Matches(pattern) => format!("{}.test(value)", regex(pattern)),
            Rule::Lacks(pattern) => format!("!{}.test(value)", regex(pattern)),
            Rule::MinCount(least) => format!("{count} >= {least}"),
            Rule::MaxCount(most) => format!("{count} <= {most}"),
            Rule::Unique => "allDiffer(value)".to_owned(),
        }
    }
}

/// Returns the method of zod with exactly the meaning of a rule, and its argument.
fn method(rule: &Rule, inner: &Type) -> Option<(&'static str, String)> {
    Some(match (inner, rule) {
        (Type::Number, Rule::Min(least)) => ("min", least.to_string()),
        (Type::Number, Rule::Max(most)) => ("max", most.to_string()),
        (Type::Number, Rule::Positive) => ("positive", String::new()),
        (Type::Number, Rule::Negative) => ("negative", String::new()),
        (Type::Number, Rule::Integer) => ("int", String::new()),
        (Type::Text, Rule::MinLength(1)) => ("min", "1".to_owned()),
        (Type::Text, Rule::Matches(pattern)) => ("regex", regex(pattern)),
        (Type::Text, Rule::StartsWith(_) | Rule::EndsWith(_)) => return None,
        (Type::List(_), Rule::MinCount(least)) => ("min", least.to_string()),
        (Type::List(_), Rule::MaxCount(most)) => ("max", most.to_string()),
        _ => return None,
    })
}

/// Returns a pattern as a literal.
fn regex(pattern: &dialect::Pattern) -> String {
    let ecma = pattern.ecma().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    if ecma.is_empty() { "/(?:)/u".to_owned() } else { format!("/{}/u", with_escaped_slashes(&ecma)) }
}

/// Escapes the slashes that would end a literal.
fn with_escaped_slashes(pattern: &str) -> String {
    let (mut out, mut escaped, mut in_class) = (String::new(), false, false);
    for char in pattern.chars() {
        if char == '/' && !escaped && !in_class {
            out.push('\\');
        }
        match char {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        escaped = char == '\\' && !escaped;
        out.push(char);
    }
    out
}

/// The key with which objects of zod would get another prototype.
const PROTO: &str = "__proto__";

fn proto(fields: &[Parameter]) -> Option<&Parameter> {
    fields.iter().find(|it| it.name == PROTO)
}

/// Returns the number of types in each other, which documents bound.
fn height(ty: &Type) -> usize {
    ty.parts().into_iter().map(|it| 1 + height(it)).max().unwrap_or_default()
}

fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Bool(value) => (*value).into(),
        Literal::Number(number) => number.clone().into(),
        Literal::Text(text) => text.as_str().into(),
    }
}
