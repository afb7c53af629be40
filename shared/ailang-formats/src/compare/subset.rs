//! Types that are part of others: each value of one is a value of the other.
//!
//! Only what can be shown counts. Patterns are compared by their normal forms; a reason says where two others decide.

use std::cmp::Ordering;
use std::collections::HashSet;

use dialect::{Literal, Parameter, Refinement, Type, Value};
use serde_json::Number;

use super::side::Side;

/// The maximum number of steps of a comparison; beyond, nothing is shown.
const MOST_STEPS: usize = 200_000;

/// The maximum length of a text that is an email address, in characters.
const LONGEST_EMAIL: usize = 254;

/// A comparison of types of two versions.
struct Subset<'c, 'a> {
    part: &'c Side<'a>,
    whole: &'c Side<'a>,
    /// `true` if fields that the whole does not have are ignored.
    is_open: bool,
    /// The pairs that are being compared, which are assumed to hold.
    assumed: HashSet<(String, String)>,
    left: usize,
}

/// The reason for which a type is no part of another.
pub(super) struct Reason {
    /// The place inside the type: `.address.zip`.
    pub(super) path: String,
    part: String,
    whole: String,
    /// `false` if only patterns differ, which may match the same texts.
    is_certain: bool,
}

impl Reason {
    /// Returns both types in words: `took `string`, now takes `int``.
    pub(super) fn words(&self, (before, between): (&str, &str)) -> String {
        let doubt =
            if self.is_certain { "" } else { "; whether one pattern covers the other is not decided" };
        format!("{before} {}, {between} {}{doubt}", self.part, self.whole)
    }
}

/// Returns the innermost places at which values of `part` are none of `whole`; none if all of them are. `is_open` ignores
/// fields that the whole does not have.
pub(super) fn excess(part: (&Side<'_>, &Type), whole: (&Side<'_>, &Type), is_open: bool) -> Vec<Reason> {
    if Subset::new(part.0, whole.0, is_open).holds(part.1, whole.1) {
        return Vec::new();
    }
    Subset::new(part.0, whole.0, is_open).reasons(part.1, whole.1)
}

impl<'c, 'a> Subset<'c, 'a> {
    fn new(part: &'c Side<'a>, whole: &'c Side<'a>, is_open: bool) -> Self {
        Self { part, whole, is_open, assumed: HashSet::new(), left: MOST_STEPS }
    }

    /// Returns `true` if each value of `part` is one of `whole`.
    fn holds(&mut self, part: &Type, whole: &Type) -> bool {
        if part == whole && !matches!(part, Type::Function { .. }) || *whole == Type::Any {
            return true;
        }
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        match (part, whole) {
            (named, other) if is_named(named) => self.opened(named, other, true),
            (other, named) if is_named(named) => self.opened(named, other, false),
            (Type::Union(members), whole) => members.iter().all(|it| self.holds(it, whole)),
            (Type::Optional(inner), whole) => self.holds(&Type::Null, whole) && self.holds(inner, whole),
            (part, Type::Optional(inner)) => *part == Type::Null || self.holds(part, inner),
            (part, Type::Union(members)) => members.iter().any(|it| self.holds(part, it)),
            (Type::Refined(inner, rules), Type::Refined(outer, wanted)) => {
                self.holds(inner, outer) && wanted.iter().all(|it| is_implied(it, rules))
            }
            (Type::Refined(inner, _), whole) => self.holds(inner, whole),
            (Type::Literal(literal), Type::Refined(outer, wanted)) => {
                let value = value(literal);
                self.holds(part, outer) && wanted.iter().all(|it| it.holds(&value))
            }
            (part, whole) => self.structure(part, whole),
        }
    }

    fn opened(&mut self, named: &Type, other: &Type, is_part: bool) -> bool {
        if !self.assumed.insert((format!("{is_part}{named}"), other.to_string())) {
            return true;
        }
        let side = if is_part { self.part } else { self.whole };
        let Some(ty) = side.behind(named) else { return false };
        if is_part { self.holds(&ty, other) } else { self.holds(other, &ty) }
    }

    fn structure(&mut self, part: &Type, whole: &Type) -> bool {
        match (part, whole) {
            (Type::Literal(literal), whole) => matches!(
                (literal, whole),
                (Literal::Bool(_), Type::Bool)
                    | (Literal::Number(_), Type::Number)
                    | (Literal::Text(_), Type::Text)
            ),
            (Type::Bool, Type::Union(_)) => false,
            (Type::List(one), Type::List(other)) | (Type::Map(one), Type::Map(other)) => {
                self.holds(one, other)
            }
            (Type::Map(_) | Type::Fields(_), Type::Object) => true,
            (Type::Fields(fields), Type::Map(value)) => fields.iter().all(|it| self.holds(&it.ty, value)),
            (Type::Fields(some), Type::Fields(all)) => self.fields(some, all),
            _ => false,
        }
    }

    fn fields(&mut self, some: &[Parameter], all: &[Parameter]) -> bool {
        let are_known = self.is_open || some.iter().all(|it| find(all, &it.name).is_some());
        are_known
            && all.iter().all(|wanted| match find(some, &wanted.name) {
                Some(it) => (wanted.optional || !it.optional) && self.holds(&it.ty, &wanted.ty),
                None => wanted.optional,
            })
    }

    /// Returns the innermost places at which a type is no part of another.
    fn reasons(&mut self, part: &Type, whole: &Type) -> Vec<Reason> {
        match (part, whole) {
            (Type::Fields(some), Type::Fields(all)) => self.reasons_in_fields(some, all),
            (Type::List(one), Type::List(other)) | (Type::Map(one), Type::Map(other)) => {
                self.inside("[]", one, other)
            }
            (Type::Optional(one), Type::Optional(other)) => self.inside("", one, other),
            (Type::Union(some), whole) => {
                let missing: Vec<String> =
                    some.iter().filter(|it| !self.holds(it, whole)).map(|it| format!("`{it}`")).collect();
                vec![Reason {
                    path: String::new(),
                    part: missing.join(" or "),
                    whole: format!("`{whole}`"),
                    is_certain: true,
                }]
            }
            _ => vec![Reason {
                path: String::new(),
                part: format!("`{part}`"),
                whole: format!("`{whole}`"),
                is_certain: !self.is_undecided(part, whole),
            }],
        }
    }

    /// Returns `true` if the types differ in patterns alone, which may match the same texts.
    fn is_undecided(&mut self, part: &Type, whole: &Type) -> bool {
        let (Type::Refined(inner, rules), Type::Refined(outer, wanted)) = (part, whole) else { return false };
        let open: Vec<&Refinement> = wanted.iter().filter(|it| !is_implied(it, rules)).collect();
        self.holds(inner, outer)
            && open.iter().all(|it| is_pattern(it) || is_affix(it))
            && (rules.iter().any(is_pattern)
                || rules.iter().any(is_affix) && open.iter().any(|it| is_pattern(it)))
    }

    fn inside(&mut self, step: &str, part: &Type, whole: &Type) -> Vec<Reason> {
        let reasons = self.reasons(part, whole).into_iter();
        reasons.map(|it| Reason { path: format!("{step}{}", it.path), ..it }).collect()
    }

    fn reasons_in_fields(&mut self, some: &[Parameter], all: &[Parameter]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let reason = |name: &str, part: &str, whole: &str| Reason {
            path: format!(".{name}"),
            part: part.to_owned(),
            whole: whole.to_owned(),
            is_certain: true,
        };
        for it in some.iter().filter(|it| !self.is_open && find(all, &it.name).is_none()) {
            reasons.push(reason(&it.name, "an object with the field", "one without it"));
        }
        for wanted in all {
            match find(some, &wanted.name) {
                None if wanted.optional => {}
                None => reasons.push(reason(&wanted.name, "an object without the field", "one with it")),
                Some(it) if it.optional && !wanted.optional => {
                    reasons.push(reason(&wanted.name, "an optional field", "a required one"));
                }
                Some(it) if !self.holds(&it.ty, &wanted.ty) => {
                    reasons.extend(self.inside(&format!(".{}", it.name), &it.ty, &wanted.ty));
                }
                Some(_) => {}
            }
        }
        reasons
    }
}

/// Returns `true` for a name, with refinements or without.
fn is_named(ty: &Type) -> bool {
    match ty {
        Type::Refined(inner, _) => is_named(inner),
        ty => matches!(ty, Type::Named(_)),
    }
}

fn find<'p>(fields: &'p [Parameter], name: &str) -> Option<&'p Parameter> {
    fields.iter().find(|it| it.name == name)
}

fn value(literal: &Literal) -> Value {
    Value::from(match literal {
        Literal::Bool(value) => serde_json::Value::from(*value),
        Literal::Number(number) => number.clone().into(),
        Literal::Text(text) => text.as_str().into(),
    })
}

/// Returns `true` if values that hold to all of `rules` hold to `wanted`.
fn is_implied(wanted: &Refinement, rules: &[Refinement]) -> bool {
    use Refinement as R;
    let zero = Number::from(0);
    rules.iter().any(|rule| match (wanted, rule) {
        (wanted, rule) if wanted == rule => true,
        (R::Min(least), R::Min(it)) => compare(it, least).is_ge(),
        (R::Min(least), R::Positive) => compare(least, &zero).is_le(),
        (R::Max(most), R::Max(it)) => compare(it, most).is_le(),
        (R::Max(most), R::Negative) => compare(most, &zero).is_ge(),
        (R::Positive, R::Min(it)) => compare(it, &zero).is_gt(),
        (R::Negative, R::Max(it)) => compare(it, &zero).is_lt(),
        (R::MinLength(least), R::MinLength(it)) | (R::MinItems(least), R::MinItems(it)) => it >= least,
        (R::MaxLength(most), R::MaxLength(it)) | (R::MaxItems(most), R::MaxItems(it)) => it <= most,
        (R::MinLength(least) | R::MinItems(least), R::NonEmpty) => *least <= 1,
        (R::NonEmpty, R::MinLength(it) | R::MinItems(it)) => *it >= 1,
        (R::NonEmpty, R::Email | R::Url | R::Uuid) => true,
        (R::NonEmpty, R::StartsWith(it) | R::EndsWith(it)) => !it.is_empty(),
        (R::MaxLength(most), R::Email) => *most >= LONGEST_EMAIL,
        (R::StartsWith(start), R::StartsWith(it)) => it.starts_with(start.as_str()),
        (R::EndsWith(end), R::EndsWith(it)) => it.ends_with(end.as_str()),
        (R::MultipleOf(step), R::MultipleOf(it)) => is_multiple(it, step),
        (R::Regex(wanted), R::Regex(it)) => it.is_same(wanted),
        _ => false,
    })
}

/// Returns `true` for a rule that is a pattern.
fn is_pattern(rule: &Refinement) -> bool {
    use Refinement as R;
    matches!(rule, R::Regex(_) | R::Email | R::Url | R::Uuid)
}

/// Returns `true` for a rule about the start or the end of a text.
fn is_affix(rule: &Refinement) -> bool {
    matches!(rule, Refinement::StartsWith(_) | Refinement::EndsWith(_))
}

/// Returns `true` if a whole number is a multiple of another one.
fn is_multiple(number: &Number, step: &Number) -> bool {
    let whole = (number.as_i64(), step.as_i64());
    matches!(whole, (Some(number), Some(step)) if number.checked_rem(step) == Some(0))
}

/// Compares numbers; those that floats cannot tell apart are equal.
fn compare(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}
