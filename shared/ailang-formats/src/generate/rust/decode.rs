//! Types in Rust, and the expressions that read them from JSON.

use dialect::{Refinement, Type};

use super::file::{File, quoted};
use crate::generate::model::Kind;
use crate::generate::rule::{KINDS, Rule, demand, rules};

/// A printer of types and of readers.
pub(super) struct Decoder<'a> {
    pub(super) file: &'a File<'a>,
    /// The types that were declared before; others are boxed, because they may contain this one.
    pub(super) declared: &'a [&'a str],
}

impl Decoder<'_> {
    /// Returns a type.
    pub(super) fn print(&self, ty: &Type) -> String {
        match ty {
            Type::Null => "()".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Number => "f64".to_owned(),
            Type::Text => "String".to_owned(),
            Type::Object => "Map<String, Value>".to_owned(),
            Type::List(inner) => format!("Vec<{}>", self.inside(inner)),
            Type::Map(inner) => format!("BTreeMap<String, {}>", self.inside(inner)),
            Type::Optional(inner) => format!("Option<{}>", self.print(inner)),
            Type::Refined(inner, rules) if is_integer(inner, rules) => "i64".to_owned(),
            Type::Refined(inner, _) => self.print(inner),
            Type::Named(name) if self.file.model.is_interface(name) => "Value".to_owned(),
            Type::Named(name) if self.file.options.types && self.declared.contains(&&**name) => {
                self.file.names.ty(name).to_owned()
            }
            Type::Named(name) if self.file.options.types => format!("Box<{}>", self.file.names.ty(name)),
            _ => "Value".to_owned(),
        }
    }

    /// Returns the type of an element, which needs no box.
    fn inside(&self, ty: &Type) -> String {
        Decoder { file: self.file, declared: &self.file.all_types() }.print(ty)
    }

    /// Returns a function that reads an element, which has no box.
    fn reader_inside(&self, ty: &Type) -> String {
        Decoder { file: self.file, declared: &self.file.all_types() }.reader(ty)
    }

    /// Returns a function that reads a value.
    pub(super) fn reader(&self, ty: &Type) -> String {
        match ty {
            Type::Null => "null".to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::Number => "number".to_owned(),
            Type::Text => "text".to_owned(),
            Type::Object => "object".to_owned(),
            Type::List(inner) => format!("|value: &Value| list(value, {})", self.reader_inside(inner)),
            Type::Map(inner) => format!("|value: &Value| map(value, {})", self.reader_inside(inner)),
            Type::Optional(inner) => format!("|value: &Value| nullable(value, {})", self.reader(inner)),
            Type::Refined(inner, rules) => self.refined(inner, rules),
            Type::Named(name) if self.file.model.is_interface(name) => "any".to_owned(),
            Type::Named(name) if self.file.options.types && self.declared.contains(&&**name) => {
                format!("{}::from_json", self.file.names.ty(name))
            }
            Type::Named(_) if self.file.options.types => "FromJson::from_json".to_owned(),
            _ => "any".to_owned(),
        }
    }

    /// Returns an expression that reads a result. It is declared, so that its type is known if nothing needs it.
    pub(super) fn result(&self, value: &str, ty: &Type) -> String {
        format!("read_result::<{}, _>({value}, {})", self.print(ty), self.reader(ty))
    }

    fn refined(&self, inner: &Type, refinements: &[Refinement]) -> String {
        let is_integer = is_integer(inner, refinements);
        let read = if is_integer { "integer".to_owned() } else { self.reader(inner) };
        if !self.file.options.validators {
            return read;
        }
        let kind = self.file.model.kind(inner);
        let rest = refinements.iter().filter(|it| !(is_integer && **it == Refinement::Integer));
        let checks: String = rest.map(|it| format!("{}?; ", check(it, kind))).collect();
        if checks.is_empty() {
            read
        } else {
            format!("|value: &Value| {{ let it = ({read})(value)?; {checks}Ok::<_, Problem>(it) }}")
        }
    }
}

fn is_integer(inner: &Type, refinements: &[Refinement]) -> bool {
    *inner == Type::Number && refinements.contains(&Refinement::Integer)
}

/// Returns the check of a refinement on `value`.
pub(super) fn check(refinement: &Refinement, kind: Kind) -> String {
    let kinds = KINDS.iter().filter(|it| kind == Kind::Mixed || kind == **it);
    let conditions = kinds.flat_map(|kind| {
        rules(refinement, *kind).into_iter().map(|rule| {
            let view = match kind {
                Kind::Number => "as_f64",
                Kind::Text => "as_str",
                Kind::List => "as_array",
                _ => "as_object",
            };
            format!("value.{view}().map_or(true, |it| {})", condition(&rule))
        })
    });
    let conditions = conditions.collect::<Vec<_>>().join(" && ");
    let conditions = if conditions.is_empty() { "true".to_owned() } else { conditions };
    format!("demand({conditions}, {})", quoted(&demand(refinement)))
}

fn condition(rule: &Rule) -> String {
    match rule {
        Rule::Min(least) => format!("it >= {least}_f64"),
        Rule::Max(most) => format!("it <= {most}_f64"),
        Rule::Positive => "it > 0.0".to_owned(),
        Rule::Negative => "it < 0.0".to_owned(),
        Rule::Integer => "it.fract() == 0.0 && it.abs() <= 9_007_199_254_740_991.0".to_owned(),
        Rule::MultipleOf(step) => format!("is_multiple(it, {step}_f64)"),
        Rule::MinLength(least) => format!("it.chars().count() >= {least}"),
        Rule::MaxLength(most) => format!("it.chars().count() <= {most}"),
        Rule::StartsWith(start) => format!("it.starts_with({})", quoted(start)),
        Rule::EndsWith(end) => format!("it.ends_with({})", quoted(end)),
        Rule::Matches(pattern) => format!("found!({}, it)", quoted(pattern.rust())),
        Rule::Lacks(pattern) => format!("!found!({}, it)", quoted(pattern.rust())),
        Rule::MinCount(least) => format!("it.len() >= {least}"),
        Rule::MaxCount(most) => format!("it.len() <= {most}"),
        Rule::Unique => "all_differ(it)".to_owned(),
    }
}
