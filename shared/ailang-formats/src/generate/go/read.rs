//! Types in Go, and the expressions that read them from JSON.

use dialect::{PatternSyntax, Refinement, Type};

use super::{File, quoted};
use crate::generate::model::Kind;
use crate::generate::rule::{KINDS, Rule, demand, rules};

/// Returns a type.
pub(super) fn print(file: &File<'_>, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Number => "float64".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Object => "map[string]any".to_owned(),
        Type::List(inner) => format!("[]{}", print(file, inner)),
        Type::Map(inner) => format!("map[string]{}", print(file, inner)),
        Type::Optional(inner) => format!("*{}", print(file, inner)),
        Type::Refined(inner, rules) if is_integer(inner, rules) => "int64".to_owned(),
        Type::Refined(inner, _) => print(file, inner),
        Type::Named(name) if file.model.is_interface(name) => "any".to_owned(),
        Type::Named(name) if file.options.types => file.names.ty(name).to_owned(),
        _ => "any".to_owned(),
    }
}

/// The function that reads an object of any fields.
pub(super) const OBJECT: &str = "as[map[string]any](\"an object\")";

/// Returns a function that reads a value.
pub(super) fn reader(file: &File<'_>, ty: &Type) -> String {
    match ty {
        Type::Null => "asNull".to_owned(),
        Type::Bool => r#"as[bool]("true or false")"#.to_owned(),
        Type::Number => r#"as[float64]("a number")"#.to_owned(),
        Type::Text => r#"as[string]("a text")"#.to_owned(),
        Type::Object => OBJECT.to_owned(),
        Type::List(inner) => format!("asList({})", reader(file, inner)),
        Type::Map(inner) => format!("asMap({})", reader(file, inner)),
        Type::Optional(inner) => format!("asNullable({})", reader(file, inner)),
        Type::Refined(inner, refinements) => refined(file, inner, refinements),
        Type::Named(name) if file.model.is_interface(name) => "asAny".to_owned(),
        Type::Named(name) if file.options.types => format!("read{}", file.names.ty(name)),
        _ => "asAny".to_owned(),
    }
}

fn refined(file: &File<'_>, inner: &Type, refinements: &[Refinement]) -> String {
    let is_integer = is_integer(inner, refinements);
    let read = if is_integer { "asInteger".to_owned() } else { reader(file, inner) };
    if !file.options.validators {
        return read;
    }
    let kind = file.model.kind(inner);
    let rest = refinements.iter().filter(|it| !(is_integer && **it == Refinement::Integer));
    rest.fold(read, |read, refinement| {
        let conditions = conditions(refinement, kind).join(", ");
        format!("checked({read}, {}, {conditions})", quoted(&demand(refinement)))
    })
}

fn is_integer(inner: &Type, refinements: &[Refinement]) -> bool {
    *inner == Type::Number && refinements.contains(&Refinement::Integer)
}

/// Returns a call of the function that reads a value.
pub(super) fn read(file: &File<'_>, ty: &Type) -> String {
    format!("{}(d, value)", reader(file, ty))
}

/// Returns the conditions of a refinement. Each holds for values that it is not about.
fn conditions(refinement: &Refinement, kind: Kind) -> Vec<String> {
    let kinds = KINDS.iter().filter(|it| kind == Kind::Mixed || kind == **it);
    let mut all: Vec<String> = kinds.flat_map(|kind| rules(refinement, *kind)).map(|it| rule(&it)).collect();
    all.dedup();
    all
}

fn rule(rule: &Rule) -> String {
    match rule {
        Rule::Min(least) => format!("atLeast({least})"),
        Rule::Max(most) => format!("atMost({most})"),
        Rule::Positive => "isPositive".to_owned(),
        Rule::Negative => "isNegative".to_owned(),
        Rule::Integer => "isInteger".to_owned(),
        Rule::MultipleOf(step) => format!("multipleOf({step})"),
        Rule::MinLength(least) => format!("minLength({least})"),
        Rule::MaxLength(most) => format!("maxLength({most})"),
        Rule::StartsWith(start) => format!("startsWith({})", quoted(start)),
        Rule::EndsWith(end) => format!("endsWith({})", quoted(end)),
        Rule::Matches(pattern) => format!("matches({})", quoted(&pattern.written_out(PatternSyntax::Go))),
        Rule::Lacks(pattern) => format!("lacks({})", quoted(&pattern.written_out(PatternSyntax::Go))),
        Rule::MinCount(least) => format!("minCount({least})"),
        Rule::MaxCount(most) => format!("maxCount({most})"),
        Rule::Unique => "allDiffer".to_owned(),
    }
}
