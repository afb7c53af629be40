//! Refinements → keywords.
//!
//! A refinement accepts all values of other types. The keywords for lengths, bounds and patterns do the same,
//! and a negation is restricted to values of its type.

use dialect::Refinement;
use serde_json::{Number, Value, json};

use super::keyword::Schema;
use super::{LARGEST_INTEGER, text};

/// Adds refinements to a schema. `integer` comes last, because narrower bounds replace its own.
pub(super) fn refined(schema: Schema, refinements: &[Refinement]) -> Schema {
    let (whole, others): (Vec<_>, Vec<_>) = refinements.iter().partition(|it| **it == Refinement::Integer);
    others.into_iter().chain(whole).fold(schema, refine)
}

/// Adds one refinement to a schema.
fn refine(schema: Schema, refinement: &Refinement) -> Schema {
    match refinement {
        Refinement::Min(number) => add(schema, "minimum", number.clone().into()),
        Refinement::Max(number) => add(schema, "maximum", number.clone().into()),
        Refinement::MultipleOf(step) => multiple_of(schema, step),
        Refinement::Integer => integer(schema),
        Refinement::Positive => add(schema, "exclusiveMinimum", 0.into()),
        Refinement::Negative => add(schema, "exclusiveMaximum", 0.into()),
        Refinement::MinLength(least) => add(schema, "minLength", (*least).into()),
        Refinement::MaxLength(most) => add(schema, "maxLength", (*most).into()),
        Refinement::NonEmpty => sized(schema, &["minLength", "minItems", "minProperties"], 1),
        Refinement::StartsWith(start) => add(schema, "pattern", format!("^{}", text::escaped(start)).into()),
        Refinement::EndsWith(end) => add(schema, "pattern", format!("{}$", text::escaped(end)).into()),
        Refinement::Regex(pattern) => {
            add(schema, "pattern", text::without_group_names(&pattern.ecma()).into())
        }
        Refinement::Email => add(add(schema, "maxLength", 254.into()), "pattern", text::email().into()),
        Refinement::Url => {
            let schema = add(schema, "pattern", text::url().into());
            add(schema, "not", json!({"type": "string", "pattern": text::WITHOUT_HOST}))
        }
        Refinement::Uuid => add(schema, "pattern", text::UUID.into()),
        Refinement::MinItems(least) => sized(schema, &["minItems", "minProperties"], *least),
        Refinement::MaxItems(most) => sized(schema, &["maxItems", "maxProperties"], *most),
        Refinement::Unique => add(schema, "uniqueItems", true.into()),
        // An unknown refinement must not be dropped silently.
        other => unreachable!("`{other}` has no keyword"),
    }
}

/// Adds a keyword; uses `allOf` if the schema has it already.
fn add(mut schema: Schema, keyword: &str, value: Value) -> Schema {
    if !schema.contains_key(keyword) {
        schema.insert(keyword.to_owned(), value);
        return schema;
    }
    let all = schema.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(all) = all {
        all.push(json!({keyword: value}));
    }
    schema
}

/// Adds the keywords for the type of the schema, or all if it has several types.
fn sized(schema: Schema, keywords: &[&str], count: usize) -> Schema {
    let about = match schema.get("type").and_then(Value::as_str) {
        Some("string") => "Length",
        Some("array") => "Items",
        Some("object") => "Properties",
        _ => "",
    };
    keywords.iter().filter(|it| it.ends_with(about)).fold(schema, |schema, it| add(schema, it, count.into()))
}

/// Restricts a schema to integers that floats represent exactly, unless a bound is narrower.
fn integer(mut schema: Schema) -> Schema {
    if schema.get("type").is_some_and(|it| it == "number") {
        schema.insert("type".to_owned(), "integer".into());
    } else {
        schema = add(schema, "multipleOf", 1.into());
    }
    #[expect(clippy::cast_precision_loss, reason = "it is the largest that does not lose any")]
    let largest = LARGEST_INTEGER as f64;
    let bound = |schema: &Schema, keyword| schema.get(keyword).and_then(Value::as_f64);
    if bound(&schema, "minimum").is_none_or(|it| it < -largest) {
        schema = add(schema, "minimum", (-LARGEST_INTEGER).into());
    }
    if bound(&schema, "maximum").is_none_or(|it| it > largest) {
        schema = add(schema, "maximum", LARGEST_INTEGER.into());
    }
    schema
}

/// Adds `multipleOf`, which has to be positive in a schema. Nothing is a multiple of 0. A step that no float is equal to
/// stays a comment: validators divide floats, and would refuse 19.99 as a multiple of 0.01.
fn multiple_of(schema: Schema, step: &Number) -> Schema {
    match step.as_f64() {
        Some(0.0) | None => add(schema, "not", json!({"type": "number"})),
        Some(_) if !is_exact(step) => add(schema, "$comment", format!("{MULTIPLE}{step}").into()),
        Some(float) if float < 0.0 => {
            let step = step.as_i64().map_or_else(|| json!(-float), |it| json!(it.unsigned_abs()));
            add(schema, "multipleOf", step)
        }
        Some(_) => add(schema, "multipleOf", step.clone().into()),
    }
}

/// The start of the comment that names a step.
const MULTIPLE: &str = "a multiple of ";

/// Returns the step that a comment of a schema names.
pub fn step_of(comment: &Value) -> Option<f64> {
    comment.as_str()?.strip_prefix(MULTIPLE)?.parse().ok()
}

/// Returns `true` if a float is equal to a number, so that dividing by it is exact.
pub fn is_exact(number: &Number) -> bool {
    let written = number.to_string();
    let digits = written.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // Each decimal digit of a fraction is one binary digit of such a float.
    let scale = i32::try_from(digits).map_or(f64::INFINITY, |it| 2_f64.powi(it));
    !written.contains("e-") && number.as_f64().is_some_and(|it| (it * scale).fract() == 0.0)
}
