//! Checks and coercions of values against types.

use ailang::{MOST_PROBLEMS, Problem, Values, check_value};
use dialect::{RecordType, Refinement, Type};
use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        rules_are_exact,
        problems_say_what_is_wanted_and_what_is_there,
        types_that_contain_themselves_in_two_ways_end,
        results_may_know_more,
        values_become_what_they_obviously_are,
        a_value_of_a_type_is_accepted_and_stays_as_it_is,
        coercion_comes_to_a_valid_value_and_rests,
        chains_commute,
        just_beyond_a_bound_is_too_far
    ]
}

fn ty(text: &str) -> Type {
    Type::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Prints the place and the rule of each problem.
fn reported(result: Result<(), Vec<Problem>>) -> String {
    let problems = result.err().unwrap_or_default();
    problems.iter().map(|it| format!("{} {}", it.pointer, it.rule)).collect::<Vec<_>>().join(", ")
}

fn rules_are_exact() {
    for (text, value, expected) in [
        ("int", json!(30.0), ""),
        ("int", json!(9_007_199_254_740_992_i64), " integer"),
        ("string.minLength(2)", json!("😀😀"), ""),
        ("string.maxLength(2)", json!("äöü"), " maxLength"),
        ("string.regex(/^[a-z]+$/)", json!("abc\n"), " regex"),
        ("string.regex(/b/)", json!("abc"), ""),
        ("string.regex(/^\\d$/)", json!("٣"), " regex"),
        ("string.email()", json!("a@b"), " email"),
        ("string.uuid()", json!("00000000-0000-0000-0000-00000000000F"), ""),
        ("string?", json!(null), ""),
        ("string", json!(null), " type"),
        ("{a: string, b?: number}", json!({"a": "x"}), ""),
        ("{a: string, b?: number}", json!({"a": "x", "b": null}), "/b type"),
        ("{a: string}", json!({}), " required"),
        ("{a: string}", json!({"a": "x", "c": 1}), "/c unknownField"),
        ("List<{\"a/b~\": int.min(1)}>", json!([{"a/b~": 1}, {"a/b~": 0}]), "/1/a~1b~0 min"),
        ("\"low\" | \"high\"", json!("Low"), " type"),
        ("{Ok: {value: int}} | {Err: {value: string}}", json!({"Ok": {"value": "x"}}), "/Ok/value type"),
        ("number.min(1).max(0)", json!(0.5), " min,  max"),
        ("List<string>.unique()", json!(["a", "a"]), " unique"),
        ("Map<string, int>", json!({"x": 1, "y": "z"}), "/y type"),
    ] {
        let Ok(ty) = Type::parse(text) else { panic!("{text} is no type") };
        assert_eq!(reported(check_value(&ty, &value)), expected, "{value} as {text}");
    }
}

fn problems_say_what_is_wanted_and_what_is_there() {
    let problems = check_value(&ty("{age: int.min(18)}"), &json!({"age": 17})).unwrap_err();
    assert_eq!(problems[0].to_string(), "/age: expected number.min(18), got 17");
    let long = check_value(&Type::Bool, &json!("x".repeat(100_000))).unwrap_err();
    assert!(long[0].message.chars().count() < 150, "{}", long[0]);
    let many = check_value(&ty("List<int>"), &json!(vec!["x"; 1_000])).unwrap_err();
    assert_eq!(many.len(), MOST_PROBLEMS);
}

fn chain() -> Values {
    Values::new(
        &[
            RecordType::new("Left(at: int, next?: Left | Right)", "One way."),
            RecordType::new("Right(at: int, next?: Left | Right)", "The other."),
        ],
        [],
    )
}

fn types_that_contain_themselves_in_two_ways_end() {
    let mut value = json!({"at": []});
    for at in 0..80 {
        value = json!({"next": value, "at": at});
    }
    let either = ty("Left | Right");
    assert!(chain().check(&either, &value).is_err());
    assert!(chain().coerce(&either, &value).is_err());
    let mut deep = json!(1);
    for _ in 0..1_000 {
        deep = json!([deep]);
    }
    let mut lists = Type::Number;
    for _ in 0..1_000 {
        lists = Type::List(Box::new(lists));
    }
    assert!(reported(check_value(&lists, &deep)).ends_with(" depth"));
}

fn results_may_know_more() {
    let value = json!({"at": 1, "new": true});
    let left = ty("Left");
    assert_eq!(reported(chain().check(&left, &value)), "/new unknownField");
    assert_eq!(reported(chain().ignoring_unknown_fields().check(&left, &value)), "");
}

fn values_become_what_they_obviously_are() {
    for (text, value, expected) in [
        ("number", json!("3"), json!(3)),
        ("int.min(2)", json!("2"), json!(2)),
        ("string", json!(3), json!("3")),
        ("boolean", json!("True"), json!(true)),
        ("boolean", json!(0), json!(false)),
        ("\"Low\" | \"High\"", json!("low"), json!("Low")),
        ("List<int>", json!("3"), json!([3])),
        ("{a?: int, b: string?}", json!({"a": null, "b": null}), json!({"b": null})),
        ("List<{a: int}>", json!([{"a": "1"}, {"a": 2}]), json!([{"a": 1}, {"a": 2}])),
    ] {
        let coerced =
            Values::default().coerce(&ty(text), &value).unwrap_or_else(|it| panic!("{text}: {it:?}"));
        assert_eq!(coerced.value, expected, "{text}");
        assert!(!coerced.changes.is_empty());
    }
    for (text, value) in [
        ("number", json!("three")),
        ("int.min(2)", json!("1")),
        ("boolean", json!(2)),
        ("\"a\" | \"A\"", json!(" a")),
        ("number | boolean", json!("1")),
        ("List<int>", json!(null)),
    ] {
        assert!(Values::default().coerce(&ty(text), &value).is_err(), "{value} as {text}");
    }
    let changes = Values::default().coerce(&ty("{a: List<int>}"), &json!({"a": [1, "2"]})).unwrap().changes;
    assert_eq!((changes[0].pointer.as_str(), &changes[0].to), ("/a/1", &json!(2)));
}

/// Returns a type with a value of it.
fn typed() -> impl Strategy<Value = (Type, Value)> {
    let leaf = prop_oneof![
        Just((Type::Null, Value::Null)),
        any::<bool>().prop_map(|it| (Type::Bool, it.into())),
        any::<i32>().prop_map(|it| (Type::Number, it.into())),
        (-50i64..50, 0i64..50).prop_map(|(low, more)| (ty(&format!("int.min({low})")), (low + more).into())),
        "\\PC{0,6}".prop_map(|it| (Type::Text, it.into())),
        "[a-z]{1,6}"
            .prop_map(|it| (ty(&format!("string.minLength({}).startsWith(\"{it}\")", it.len())), it.into())),
        "[a-z]{1,6}".prop_map(|it| (ty(&format!("\"{it}\" | 3 | true")), it.into())),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(ty, value)| (Type::List(ty.into()), json!([value, value]))),
            inner.clone().prop_map(|(ty, value)| (Type::Map(ty.into()), json!({"x": value, "~/": value}))),
            inner.clone().prop_map(|(ty, _)| (Type::Optional(ty.into()), Value::Null)),
            inner.clone().prop_map(|(ty, value)| (ty_of_field(&ty, false), json!({"f": value}))),
            inner.clone().prop_map(|(ty, _)| (ty_of_field(&ty, true), json!({}))),
            (inner.clone(), inner).prop_map(|((a, _), (b, value))| (Type::union([a, b]), value)),
        ]
    })
}

fn ty_of_field(of: &Type, optional: bool) -> Type {
    let mut fields = ty("{f: any}");
    let Type::Fields(declared) = &mut fields else { unreachable!("it was written so") };
    declared[0].ty = of.clone();
    declared[0].optional = optional;
    fields
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![Just("1".to_owned()), Just("TRUE".to_owned()), "\\PC{0,4}"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[fx]|\\PC", inner, 0..3).prop_map(|it| it.into_iter().collect()),
        ]
    })
}

proptest! {
    fn a_value_of_a_type_is_accepted_and_stays_as_it_is((ty, value) in typed()) {
        prop_assert_eq!(check_value(&ty, &value), Ok(()), "{} as {}", value, ty);
        let coerced = Values::default().coerce(&ty, &value).expect("it is valid");
        prop_assert_eq!(coerced.value, value);
        prop_assert!(coerced.changes.is_empty());
    }

    fn coercion_comes_to_a_valid_value_and_rests((ty, _) in typed(), value in any_json()) {
        if let Ok(once) = Values::default().coerce(&ty, &value) {
            prop_assert_eq!(check_value(&ty, &once.value), Ok(()));
            let again = Values::default().coerce(&ty, &once.value).expect("it is valid");
            prop_assert_eq!(&again.value, &once.value);
            prop_assert_eq!(once.changes.is_empty(), once.value == value);
        } else {
            prop_assert!(check_value(&ty, &value).is_err());
        }
    }

    fn chains_commute(value in any_json(), order in Just((0usize..6).collect::<Vec<_>>()).prop_shuffle()) {
        let all = [
            Refinement::Min(0.into()), Refinement::Max(100.into()), Refinement::Integer,
            Refinement::NonEmpty, Refinement::MaxLength(2), Refinement::MaxItems(1),
        ];
        let chained = |order: &[usize]| {
            Type::Refined(Type::Any.into(), order.iter().map(|at| all[*at].clone()).collect())
        };
        let rules = |ty: &Type| {
            let mut rules: Vec<String> =
                check_value(ty, &value).err().unwrap_or_default().into_iter().map(|it| it.rule).collect();
            rules.sort();
            rules
        };
        prop_assert_eq!(rules(&chained(&order)), rules(&chained(&[0, 1, 2, 3, 4, 5])));
    }

    fn just_beyond_a_bound_is_too_far(bound in 0usize..20) {
        let beyond = [
            (format!("number.min({bound})"), json!(bound), json!(bound as f64 - 0.5)),
            (format!("number.max({bound})"), json!(bound), json!(bound as f64 + 0.5)),
            (format!("string.minLength({})", bound + 1), json!("😀".repeat(bound + 1)), json!("😀".repeat(bound))),
            (format!("string.maxLength({bound})"), json!("😀".repeat(bound)), json!("😀".repeat(bound + 1))),
            (format!("List<any>.minItems({})", bound + 1), json!(vec![1; bound + 1]), json!(vec![1; bound])),
            (format!("List<any>.maxItems({bound})"), json!(vec![1; bound]), json!(vec![1; bound + 1])),
        ];
        for (text, on, off) in beyond {
            prop_assert!(check_value(&ty(&text), &on).is_ok(), "{on} as {text}");
            prop_assert!(check_value(&ty(&text), &off).is_err(), "{off} as {text}");
        }
    }
}
