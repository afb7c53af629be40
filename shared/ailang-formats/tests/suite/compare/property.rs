//! Verdicts of `compare` against values: what a comparison calls compatible is.

use ailang::{Document, Documents};
use ailang_formats::{Impact, compare};
use dialect::{Parameter, Refinement, Type};
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::strategies::{tree, typed};
use crate::suite::bridges::has_other_rules;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![what_is_called_compatible_is]
}

const TREE: &str = "type Tree = { at: int.min(0), next?: List<Option<Tree>> }\n";

/// Returns a type as documents spell it.
fn spelled(ty: &Type) -> String {
    match ty {
        Type::Object => "JSONObject".to_owned(),
        Type::List(inner) => format!("List<{}>", spelled(inner)),
        Type::Map(inner) => format!("Dict<string, {}>", spelled(inner)),
        Type::Optional(inner) => format!("Option<{}>", spelled(inner)),
        Type::Union(members) => members.iter().map(spelled).collect::<Vec<_>>().join(" | "),
        Type::Refined(inner, rules) => {
            rules.iter().fold(spelled(inner), |text, rule| format!("{text}{}", plain(&rule.to_string())))
        }
        Type::Fields(fields) => {
            let field = |it: &Parameter| {
                let mark = if it.optional { "?" } else { "" };
                format!("{:?}{mark}: {}", it.name, spelled(&it.ty))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        ty => plain(&ty.to_string()),
    }
}

/// Escapes what would be an interpolation in a document.
fn plain(text: &str) -> String {
    text.replace("${", "\\${")
}

/// Returns types that differ from one in a single place, each by more or by less.
fn changes(ty: &Type) -> Vec<Type> {
    let mut all = vec![Type::Any, Type::union(vec![ty.clone(), Type::Bool])];
    match ty {
        Type::Number => all.push(Type::Refined(ty.clone().into(), vec![Refinement::Integer])),
        Type::Text => all.push(Type::Refined(ty.clone().into(), vec![Refinement::NonEmpty])),
        Type::List(inner) => all.extend(changes(inner).into_iter().map(|it| Type::List(it.into()))),
        Type::Map(inner) => all.extend(changes(inner).into_iter().map(|it| Type::Map(it.into()))),
        Type::Optional(inner) => {
            all.push((**inner).clone());
            all.extend(changes(inner).into_iter().map(|it| Type::Optional(it.into())));
        }
        Type::Union(members) => {
            all.extend((0..members.len()).map(|at| Type::union(without(members, at))));
            all.extend(each(members, changes).into_iter().map(Type::union));
        }
        Type::Fields(fields) => {
            all.extend((0..fields.len()).map(|at| Type::Fields(without(fields, at))));
            all.extend(each(fields, field_changes).into_iter().map(Type::Fields));
        }
        Type::Refined(inner, rules) => {
            all.push((**inner).clone());
            let others = each(rules, rule_changes).into_iter();
            all.extend(others.map(|rules| Type::Refined(inner.clone(), rules)));
        }
        _ => {}
    }
    if !matches!(ty, Type::Optional(_) | Type::Any | Type::Null) {
        all.push(Type::Optional(ty.clone().into()));
    }
    all
}

fn field_changes(field: &Parameter) -> Vec<Parameter> {
    let toggled = Parameter { optional: !field.optional, ..field.clone() };
    let others = changes(&field.ty).into_iter().map(|ty| Parameter { ty, ..field.clone() });
    others.chain([toggled]).collect()
}

fn rule_changes(rule: &Refinement) -> Vec<Refinement> {
    use Refinement as R;
    match rule {
        R::Min(_) => vec![R::Positive, R::Min(1.into()), R::Min((-1).into())],
        R::Max(_) => vec![R::Negative, R::Max(1.into()), R::Max((-1).into())],
        R::MultipleOf(_) => vec![R::MultipleOf(2.into()), R::MultipleOf(3.into()), R::MultipleOf(6.into())],
        R::MinLength(_) | R::NonEmpty => vec![R::MinLength(1), R::MinLength(2)],
        R::MaxLength(_) | R::Email => vec![R::MaxLength(1), R::MaxLength(254)],
        R::StartsWith(text) => vec![R::StartsWith(format!("{text}a")), R::NonEmpty],
        R::EndsWith(text) => vec![R::EndsWith(format!("a{text}")), R::NonEmpty],
        R::MinItems(count) => vec![R::MinItems(count + 1), R::NonEmpty],
        R::MaxItems(count) => vec![R::MaxItems(count + 1)],
        _ => Vec::new(),
    }
}

fn without<T: Clone>(list: &[T], at: usize) -> Vec<T> {
    let others = list.iter().enumerate().filter(|(index, _)| *index != at);
    others.map(|(_, it)| it.clone()).collect()
}

/// Returns copies of a list, each with one change of one element.
fn each<T: Clone>(list: &[T], changes: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let at = |index: usize| {
        let changed = changes(&list[index]).into_iter();
        changed.map(move |it| {
            let mut copy = list.to_vec();
            copy[index] = it;
            copy
        })
    };
    (0..list.len()).flat_map(at).collect()
}

/// Returns the impact of a change of a tool's signature.
fn impact(old: &str, new: &str) -> Option<Impact> {
    let documents = |signature: &str| {
        let text =
            format!("---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\n{TREE}{signature}\n</define>\n");
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(text));
        let parsed = documents.get("a.md").expect("it was added");
        assert!(parsed.diagnostics.is_empty(), "{signature}: {:?}", parsed.diagnostics);
        documents
    };
    compare(&documents(old), "a.md", &documents(new), "a.md").expect("both are there").impact()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    fn what_is_called_compatible_is((old, value) in typed(), choice in any::<Index>()) {
        let changed = changes(&old);
        let new = choice.get(&changed).clone();
        prop_assume!(!has_other_rules(&old) && !has_other_rules(&new));
        let (before, after) = (spelled(&old), spelled(&new));
        let is_of = |ty: &Type| tree().check(ty, &value).is_ok();

        let given = impact(&format!("tool f(x: {before})"), &format!("tool f(x: {after})"));
        let is_broken = is_of(&old) && !is_of(&new);
        prop_assert!(given == Some(Impact::Major) || !is_broken, "{value}: {before} → {after}");

        let received = impact(&format!("tool f() -> {before}"), &format!("tool f() -> {after}"));
        let is_understood = tree().ignoring_unknown_fields().check(&old, &value).is_ok();
        let is_broken = is_of(&new) && !is_understood;
        prop_assert!(received == Some(Impact::Major) || !is_broken, "result {value}: {before} → {after}");

        let is_same = given.is_none() && received.is_none();
        prop_assert!(!is_same || is_of(&old) == is_of(&new), "{value}: {before} = {after}");
    }
}
