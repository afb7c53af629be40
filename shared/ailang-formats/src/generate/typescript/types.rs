//! Types in TypeScript.

use dialect::{Literal, Parameter, Type};

use super::names::is_keyword;
use super::style::Style;
use crate::generate::model::MethodModel;

/// A printer of types.
pub(super) struct TypePrinter<'a> {
    /// The type of anything.
    pub(super) any: &'static str,
    /// The text after the type of an optional field.
    pub(super) absent: &'static str,
    /// Returns the identifier of a named type.
    pub(super) name: Box<dyn Fn(&str) -> String + 'a>,
    pub(super) style: Style,
    /// Returns `true` for the names of types that contain themselves.
    pub(super) is_recursive: Box<dyn Fn(&str) -> bool + 'a>,
    pub(super) callbacks: Callbacks,
}

/// The functions that can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callbacks {
    /// None: their type has no values.
    None,
    /// Functions that return promises.
    Promises,
    /// Functions that return values or promises.
    Values,
}

impl TypePrinter<'_> {
    /// Returns the type of a value.
    pub(super) fn print(&self, ty: &Type) -> String {
        match ty {
            Type::Any => self.any.to_owned(),
            Type::Null => "null".to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::Number => "number".to_owned(),
            Type::Text => "string".to_owned(),
            Type::Object => format!("Record<string, {}>", self.any),
            Type::Literal(Literal::Text(text)) => self.style.quoted(text),
            Type::Literal(literal) => literal.to_string(),
            Type::List(inner) => format!("{}[]", tight(&self.print(inner))),
            // The compiler looks into the arguments of `Record` at once, which has no end.
            Type::Map(inner) if inner.names().into_iter().any(|it| (self.is_recursive)(it)) => {
                format!("{{ [key: string]: {} }}", self.print(inner))
            }
            Type::Map(inner) => format!("Record<string, {}>", self.print(inner)),
            Type::Fields(fields) if fields.is_empty() => "Record<string, never>".to_owned(),
            Type::Fields(fields) => {
                let each: Vec<String> = fields.iter().map(|it| self.field(it)).collect();
                format!("{{ {} }}", each.join("; "))
            }
            Type::Optional(inner) => format!("{} | null", joinable(&self.print(inner))),
            Type::Union(members) => {
                members.iter().map(|it| joinable(&self.print(it))).collect::<Vec<_>>().join(" | ")
            }
            Type::Refined(inner, _) => self.print(inner),
            Type::Named(name) => (self.name)(name),
            Type::Function { .. } if self.callbacks == Callbacks::None => "never".to_owned(),
            Type::Function { parameters, returns } => {
                let each: Vec<String> = parameters
                    .iter()
                    .map(|(name, ty)| format!("{}: {}", argument(name), self.print(ty)))
                    .collect();
                let (each, returns) = (each.join(", "), self.print(returns));
                match self.callbacks {
                    Callbacks::Values => format!("({each}) => {} | Promise<{returns}>", joinable(&returns)),
                    _ => format!("({each}) => Promise<{returns}>"),
                }
            }
        }
    }

    /// Returns a method without its end: `next(count?: number): Promise<string>`.
    pub(super) fn method(&self, method: &MethodModel) -> String {
        let all = &method.parameters;
        let parameter = |(at, it): (usize, &Parameter)| {
            // Only the last parameters can be left out.
            let is_last = all[at..].iter().all(|it| it.optional);
            let (mark, absent) = match (it.optional, is_last) {
                (true, true) => ("?", ""),
                (true, false) => ("", " | undefined"),
                (false, _) => ("", ""),
            };
            format!("{}{mark}: {}{absent}", argument(&it.name), joinable(&self.print(&it.ty)))
        };
        let each: Vec<String> = all.iter().enumerate().map(parameter).collect();
        let returns =
            if method.returns == Type::Null { "void".to_owned() } else { self.print(&method.returns) };
        format!("{}({}): Promise<{returns}>", self.style.key(&method.name), each.join(", "))
    }

    /// Returns a field without its end: `next?: string`.
    pub(super) fn field(&self, field: &Parameter) -> String {
        let (mark, absent) = if field.optional { ("?", self.absent) } else { ("", "") };
        let ty = self.print(&field.ty);
        let ty = if absent.is_empty() { ty } else { joinable(&ty) };
        format!("{}{mark}: {ty}{absent}", self.style.key(&field.name))
    }
}

/// Returns the name of a parameter.
fn argument(name: &str) -> String {
    if is_keyword(name) { format!("{name}_") } else { name.to_owned() }
}

/// Puts parentheses around a union and a function.
pub(super) fn tight(ty: &str) -> String {
    if has_outside(ty, " | ") || has_outside(ty, " => ") { format!("({ty})") } else { ty.to_owned() }
}

/// Puts parentheses around a function.
fn joinable(ty: &str) -> String {
    if has_outside(ty, " => ") { format!("({ty})") } else { ty.to_owned() }
}

/// Returns `true` if an operator stands outside of all brackets and texts.
fn has_outside(ty: &str, operator: &str) -> bool {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, char) in ty.char_indices() {
        match (char, quote) {
            (_, Some(_)) if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            (char, Some(open)) if char == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(char),
            ('{' | '(' | '<', None) => depth += 1,
            ('>', None) if ty[..at].ends_with('=') => {}
            ('}' | ')' | '>', None) => depth = depth.saturating_sub(1),
            _ if depth == 0 && ty[at..].starts_with(operator) => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_postfix_would_split_gets_parentheses() {
        for (ty, expected) in [
            ("string", "string"),
            ("A | B", "(A | B)"),
            ("{ a: A | B }", "{ a: A | B }"),
            ("{ a: A } | B", "({ a: A } | B)"),
            ("Record<string, A | B>", "Record<string, A | B>"),
            ("\"a | b\"", "\"a | b\""),
            ("(a: A) => Promise<B>", "((a: A) => Promise<B>)"),
        ] {
            assert_eq!(tight(ty), expected);
        }
    }
}
