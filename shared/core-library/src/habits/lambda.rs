//! Functions given otherwise: by the name of a field, before the list, as a comparison of two.

use dialect::ForeignIdiom;

use super::{is_text, name_in, positional};

/// Functions of a list and a function.
const TAKE_FUNCTION: [&str; 12] =
    ["map", "filter", "find", "any", "all", "sortBy", "groupBy", "unique", "min", "max", "reduce", "forEach"];

pub(super) fn rows() -> Vec<ForeignIdiom> {
    let given = TAKE_FUNCTION.map(|name| {
        ForeignIdiom::from_fn(name, move |written| {
            let [first, second] = positional(written)?;
            swapped(name, first, second).or_else(|| of_field(name, first, second))
        })
    });
    let others = [
        ForeignIdiom::from_fn("pluck", |written| {
            let [list, field] = positional(written)?;
            of_field("map", list, field)
        }),
        ForeignIdiom::from_fn("sort", |written| {
            let [list, comparison] = positional(written)?;
            compared(list, comparison)
        }),
        ForeignIdiom::from_fn("sorted", |written| {
            let [list, comparison] = positional(written)?;
            compared(list, comparison)
        }),
        ForeignIdiom::from_fn("reject", |written| {
            let [list, f] = positional(written)?;
            let (parameter, body) = lambda(f)?;
            Some(format!("filter({list}, {parameter} => !({body}))"))
        }),
        ForeignIdiom::from_fn("select", |written| {
            let [list, f] = positional(written)?;
            let chooses = ["==", "!=", "<", " > ", ">=", "&&", "||", "!"].iter().any(|it| f.contains(it));
            let function = if chooses { "filter" } else { "map" };
            of_field("map", list, f).or_else(|| Some(format!("{function}({list}, {f})")))
        }),
        ForeignIdiom::from_fn("sum", |written| match written.positional.as_slice() {
            [list, f] if is_lambda(f) => Some(format!("sum(map({list}, {f}))")),
            [_, _, ..] if written.named.is_empty() => {
                Some(format!("sum([{}])", written.positional.join(", ")))
            }
            _ => None,
        }),
        ForeignIdiom::from_fn("count", |written| {
            let [list, item] = positional(written)?;
            is_literal(item).then(|| format!("count({list}, x => x == {item})"))
        }),
    ];
    given.into_iter().chain(others).collect()
}

/// `map(f, xs)`
fn swapped(name: &str, f: &str, list: &str) -> Option<String> {
    lambda(f)?;
    (!is_lambda(list)).then(|| format!("{name}({list}, {f})"))
}

/// ``xs.map(`name`)``
fn of_field(name: &str, list: &str, field: &str) -> Option<String> {
    let field = name_in(field).or_else(|| of_placeholder(field))?;
    Some(format!("{name}({list}, x => x.{field})"))
}

/// `_.name`, `it.name`, `$0.name`, `&:name`
fn of_placeholder(text: &str) -> Option<&str> {
    let field = ["_.", "it.", "$0.", "$.", "this.", "&:"].iter().find_map(|it| text.strip_prefix(it))?;
    let is_path = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    (!field.is_empty() && field.chars().all(is_path)).then_some(field)
}

/// `xs.sort((a, b) => a.n - b.n)`: by what the two are compared.
fn compared(list: &str, comparison: &str) -> Option<String> {
    let Some((parameters, body)) = lambda(comparison) else { return of_field("sortBy", list, comparison) };
    let Some((one, other)) = parameters.trim_matches(['(', ')']).split_once(',') else {
        return Some(format!("sortBy({list}, {comparison})"));
    };
    let (one, other) = (one.trim(), other.trim());
    let (left, right) = sides(body)?;
    let (first, second, descending) =
        if names(left, one) && names(right, other) { (left, right, "") } else { (right, left, ", true") };
    let of_one = first.strip_prefix(one)?;
    if of_one != second.strip_prefix(other)? {
        return None;
    }
    Some(match of_one {
        "" => format!("sort({list}{descending})"),
        of_one => format!("sortBy({list}, x => x{of_one}{descending})"),
    })
}

/// `a - b`, `a.localeCompare(b)`
fn sides(body: &str) -> Option<(&str, &str)> {
    if let Some((left, rest)) = body.split_once(".localeCompare(") {
        return Some((left.trim(), rest.strip_suffix(')')?.trim()));
    }
    let (left, right) = body.split_once('-')?;
    Some((left.trim(), right.trim()))
}

/// Whether it is the parameter, or something of it.
fn names(side: &str, parameter: &str) -> bool {
    side.strip_prefix(parameter).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn lambda(text: &str) -> Option<(&str, &str)> {
    let (parameters, body) = text.split_once("=>")?;
    let parameters = parameters.trim();
    let is_list = parameters.starts_with('(') && parameters.ends_with(')');
    let is_name = parameters.chars().all(|it| it.is_alphanumeric() || it == '_');
    (is_list && !parameters[1..].contains('(') || is_name).then(|| (parameters, body.trim()))
}

fn is_lambda(text: &str) -> bool {
    lambda(text).is_some()
}

fn is_literal(text: &str) -> bool {
    is_text(text) || text.parse::<f64>().is_ok()
}
