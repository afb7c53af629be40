//! Values that are of a type, or nearly so.

use dialect::{Literal, Parameter, Refinement, Type};
use serde_json::{Map, Number, Value, json};

use super::Checked;

/// The most values for one type.
const MOST: usize = 60;

/// The deepest nesting of values.
const DEEPEST: usize = 4;

/// Texts that named forms, patterns and lengths tell apart.
const TEXTS: &[&str] = &[
    "",
    "a",
    "ab",
    "abc",
    "abc\n",
    "A",
    "é",
    "😀",
    "😀😀",
    "a b",
    " ",
    "3",
    "٣",
    "true",
    "a@b.co",
    "a@b",
    "a@b.co\n",
    "ä@b.co",
    "https://example.org/a?b#c",
    "https://",
    "https:x",
    "HTTP://x",
    "https://a b",
    "mailto:a@b.co",
    "123e4567-E89B-12d3-a456-426614174000",
    "123e4567-e89b-12d3-a456-426614174000\n",
    "123e4567e89b12d3a456426614174000",
    "1.2.3",
    "1.2.3-rc.1+5",
    "application/pdf",
    "2026-11",
    "AB-12",
    "a.md",
    "/a/b",
    "\u{2028}",
];

/// Returns values for a type; those of parts come from [`Checked::accepts`].
pub(super) fn samples(of: &Checked<'_>, ty: &Type, depth: usize) -> Vec<Value> {
    let mut all = match ty {
        Type::Named(name) => match of.named.find(name) {
            Some(it) => samples(of, it, depth),
            None => Vec::new(),
        },
        Type::Literal(literal) => literals(literal),
        Type::Number => numbers(),
        Type::Text => TEXTS.iter().map(|it| json!(it)).collect(),
        Type::Bool => vec![json!(true), json!(false)],
        Type::List(inner) => lists(of, inner, depth),
        Type::Map(inner) => maps(of, inner, depth),
        Type::Object => vec![json!({}), json!({"a": 1}), json!({"a": {"b": null}, "c": []})],
        Type::Fields(fields) => objects(of, fields, depth),
        Type::Optional(inner) => samples(of, inner, depth),
        Type::Union(members) => unions(of, members, depth),
        Type::Refined(inner, rules) => {
            let mut all = samples(of, inner, depth);
            all.extend(rules.iter().flat_map(edges));
            all.extend(combined(rules));
            all
        }
        Type::Any | Type::Null | Type::Function { .. } => Vec::new(),
    };
    all.extend([json!(null), json!(true), json!(0), json!("a"), json!([]), json!({}), json!({"None": {}})]);
    without_repetitions(all)
}

fn without_repetitions(all: Vec<Value>) -> Vec<Value> {
    let mut seen = std::collections::HashSet::new();
    all.into_iter().filter(|it| seen.insert(it.to_string())).take(MOST).collect()
}

/// Returns the first accepted values of a type.
fn accepted(of: &Checked<'_>, ty: &Type, depth: usize) -> Vec<Value> {
    samples(of, ty, depth + 1).into_iter().filter(|it| of.accepts(ty, it)).collect()
}

/// Returns the first rejected values of a type.
fn rejected(of: &Checked<'_>, ty: &Type, depth: usize) -> Vec<Value> {
    samples(of, ty, depth + 1).into_iter().filter(|it| !of.accepts(ty, it)).collect()
}

fn literals(literal: &Literal) -> Vec<Value> {
    match literal {
        Literal::Bool(it) => vec![json!(it), json!(!it), json!(i32::from(*it)), json!(it.to_string())],
        Literal::Number(it) => vec![json!(it), json!(it.as_f64()), json!(it.to_string())],
        Literal::Text(it) => {
            vec![json!(it), json!(it.to_uppercase()), json!(format!("{it}\n")), json!(format!("{it} "))]
        }
    }
}

fn numbers() -> Vec<Value> {
    let floats = [0.0, -0.0, 0.5, 1.5, -1.5, 30.0, 0.1, 0.3, 1e16, 1e300, -1e300, 9_007_199_254_740_992.0];
    let integers = [1, -1, 2, 3, 7, 30, 100, 1_760_000_000, 9_007_199_254_740_991, -9_007_199_254_740_991];
    integers.into_iter().map(|it: i64| json!(it)).chain(floats.into_iter().map(|it| json!(it))).collect()
}

fn lists(of: &Checked<'_>, inner: &Type, depth: usize) -> Vec<Value> {
    let mut all = vec![json!([])];
    if depth >= DEEPEST {
        return all;
    }
    let ok = accepted(of, inner, depth);
    all.extend(ok.iter().take(6).map(|it| json!([it])));
    if let [first, second, ..] = &ok[..] {
        all.extend([json!([first, second]), json!([first, first]), json!([first, second, first])]);
    }
    all.extend(rejected(of, inner, depth).iter().take(6).map(|it| json!([it])));
    all
}

fn maps(of: &Checked<'_>, inner: &Type, depth: usize) -> Vec<Value> {
    let mut all = vec![json!({})];
    if depth >= DEEPEST {
        return all;
    }
    let ok = accepted(of, inner, depth);
    all.extend(ok.iter().take(4).map(|it| json!({"a": it})));
    all.extend(ok.first().map(|it| json!({"a": it, "😀": it, "": it, "__proto__": it, "toString": it})));
    all.extend(
        rejected(of, inner, depth).iter().take(4).flat_map(|it| [json!({"a": it}), json!({"__proto__": it})]),
    );
    all
}

/// Returns an object with all fields, one with the required ones, and objects that differ from these by one field.
fn objects(of: &Checked<'_>, fields: &[Parameter], depth: usize) -> Vec<Value> {
    if depth >= DEEPEST {
        return vec![json!({})];
    }
    let ok: Vec<Vec<Value>> = fields.iter().map(|it| accepted(of, &it.ty, depth)).collect();
    let with = |is_in: &dyn Fn(&Parameter) -> bool| -> Map<String, Value> {
        let given = fields.iter().zip(&ok).filter(|(field, _)| is_in(field));
        given.filter_map(|(field, ok)| Some((field.name.clone(), ok.first()?.clone()))).collect()
    };
    let (all, required) = (with(&|_| true), with(&|field| !field.optional));
    let mut samples = vec![Value::from(required.clone()), Value::from(all.clone())];
    for name in ["unknownField", "__proto__", "constructor"] {
        let mut extra = required.clone();
        extra.entry(name).or_insert(json!(1));
        samples.push(extra.into());
    }
    for (field, ok) in fields.iter().zip(&ok) {
        let mut without = all.clone();
        without.remove(&field.name);
        samples.push(without.into());
        let others =
            ok.iter().skip(1).take(3).cloned().chain(rejected(of, &field.ty, depth).into_iter().take(4));
        samples.extend(others.chain([Value::Null]).map(|value| {
            let mut changed = all.clone();
            changed.insert(field.name.clone(), value);
            Value::from(changed)
        }));
    }
    samples.push(Value::Array(all.into_iter().map(|(_, it)| it).collect()));
    samples
}

fn unions(of: &Checked<'_>, members: &[Type], depth: usize) -> Vec<Value> {
    let share = (MOST / members.len().max(1)).max(3);
    let mut all: Vec<Value> =
        members.iter().flat_map(|it| accepted(of, it, depth).into_iter().take(share)).collect();
    let tagged: Vec<&Map<String, Value>> =
        all.iter().filter_map(Value::as_object).filter(|it| it.len() == 1).collect();
    let both: Map<String, Value> = tagged.iter().flat_map(|it| (*it).clone()).collect();
    let wrong: Option<Value> =
        tagged.first().and_then(|it| it.values().next()).map(|payload| json!({"WrongTag": payload}));
    all.extend(wrong);
    // In a result, the tag whose payload is none may be another field of a newer version.
    let mut mixed = both.clone();
    mixed.values_mut().take(1).for_each(|it| *it = Value::Null);
    all.extend([both, mixed].map(Value::from));
    all.extend(members.iter().flat_map(|it| rejected(of, it, depth).into_iter().take(4)));
    all
}

/// Returns texts that begin, go on and end as all rules for texts want it.
fn combined(rules: &[Refinement]) -> Vec<Value> {
    let part = |of: &dyn Fn(&Refinement) -> Option<String>| rules.iter().find_map(of).unwrap_or_default();
    let start = part(&|it| if let Refinement::StartsWith(text) = it { Some(text.clone()) } else { None });
    let end = part(&|it| if let Refinement::EndsWith(text) = it { Some(text.clone()) } else { None });
    let middle = part(&|it| if let Refinement::Regex(pattern) = it { Some(pattern.example()) } else { None });
    if start.is_empty() && end.is_empty() {
        return Vec::new();
    }
    let lengths = [0, 1, 5, 20].into_iter().map(|it| "é".repeat(it));
    lengths.map(|fill| json!(format!("{start}{middle}{fill}{end}"))).collect()
}

/// Returns the values at the edge of a refinement.
fn edges(refinement: &Refinement) -> Vec<Value> {
    let near = |number: &Number| {
        let at = number.as_f64().unwrap_or_default();
        [at, at - 1.0, at + 1.0, at + 0.5].into_iter().filter_map(ailang::number).map(Value::Number).collect()
    };
    let lengths = |count: usize| {
        let around = count.saturating_sub(1)..=count.saturating_add(1).min(2_000);
        around
            .flat_map(|it| {
                [json!("a".repeat(it)), json!("😀".repeat(it)), json!((0..it).collect::<Vec<_>>())]
            })
            .collect()
    };
    match refinement {
        Refinement::Min(it) | Refinement::Max(it) | Refinement::MultipleOf(it) => near(it),
        Refinement::MinLength(it) | Refinement::MaxLength(it) if *it <= 2_000 => lengths(*it),
        Refinement::Email => {
            vec![json!(format!("{}@b.co", "a".repeat(249))), json!(format!("{}@b.co", "a".repeat(250)))]
        }
        Refinement::StartsWith(it) | Refinement::EndsWith(it) => vec![json!(it), json!(format!("{it}{it}"))],
        Refinement::Unique => {
            vec![json!([1, 1.0]), json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]), json!(["1", 1, true])]
        }
        Refinement::Regex(pattern) => {
            let text = pattern.example();
            vec![json!(text), json!(format!("{text}\n"))]
        }
        _ => Vec::new(),
    }
}
