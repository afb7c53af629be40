//! Properties of all values.

use core_library::library;
use dialect::{Limits, Object, Outcome, Registry, Value, print, print_json, run};
use futures::executor::block_on;
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        every_function_takes_every_value,
        data_that_looks_like_a_call_is_data_again,
        a_sorted_list_is_in_order_and_has_the_same_elements,
        unique_elements_differ_and_stand_for_all,
        groups_hold_every_element_once,
        parts_make_the_whole,
        what_was_split_is_joined_again
    ]
}

fn registry() -> Registry {
    Registry::new([library()]).expect("the tables fit")
}

fn outcome(registry: &Registry, program: &str) -> Outcome {
    block_on(run(registry, program, &Limits::default()))
}

/// Evaluates a program.
fn value(registry: &Registry, program: &str) -> Value {
    match outcome(registry, program) {
        Outcome::Success(success) => success.value,
        other => panic!("{program}\n{other:?}"),
    }
}

fn numbers() -> impl Strategy<Value = Value> {
    let floats = any::<f64>().prop_filter_map("finite", serde_json::Number::from_f64);
    let integers = prop_oneof![any::<i64>().prop_map(Into::into), any::<u64>().prop_map(Into::into)];
    let small = (-3_i64..4).prop_map(Into::into);
    prop_oneof![floats, integers, small].prop_map(Value::Number)
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-c]{0,2}", Just("count".to_owned()), Just("(".to_owned())]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numbers(),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..3).prop_map(|fields| Object::from_iter(fields).into()),
        ]
    })
}

/// Generates names of callables, of their parameters, and of the language's forms.
fn names() -> impl Strategy<Value = String> {
    let registry = registry();
    let forms = [
        "var",
        "lambda",
        "let",
        "if",
        "field",
        "field?",
        "index",
        "quote",
        "attempt",
        "object",
        "apply",
        "spread",
        "+",
        "-",
        "!",
        "then",
        "in",
        "function",
        "arguments",
        "int",
        "length",
        "getUsages",
        "find_references",
    ];
    let callables = registry.signatures().map(|it| it.name.clone());
    let parameters = registry.signatures().flat_map(|it| it.parameters.iter().map(|it| it.name.clone()));
    let all: Vec<String> = callables.chain(parameters).chain(forms.map(str::to_owned)).collect();
    prop_oneof![4 => proptest::sample::select(all), 1 => texts()]
}

/// Generates data that looks like calls in JSON form.
fn lookalikes() -> impl Strategy<Value = Value> {
    let program = names().prop_map(|it| format!("{it}([1])"));
    let leaf = prop_oneof![values(), names().prop_map(Value::from), program.prop_map(Value::from)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names(), inner), 1..4).prop_map(|fields| Object::from_iter(fields).into()),
        ]
    })
}

fn ordered() -> impl Strategy<Value = Vec<Value>> {
    let texts = texts().prop_map(Value::from);
    prop_oneof![prop::collection::vec(numbers(), 0..8), prop::collection::vec(texts, 0..8)]
}

fn items(value: &Value) -> &[Value] {
    value.as_list().expect("it is a list")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    fn every_function_takes_every_value(first in values(), second in values(), third in values()) {
        let registry = registry();
        let given = [first, second, third].map(|it| print(&registry, &it));
        for row in library().functions {
            let name = row.signature.split('(').next().expect("a signature has a name").to_owned();
            let lambda = format!("{name}({}, x => x, {})", given[0], given[1]);
            let calls = (1..=3).map(|count| format!("{name}({})", given[..count].join(", "))).chain([lambda]);
            for program in calls {
                if let Outcome::Success(success) = outcome(&registry, &program) {
                    let printed = print(&registry, &success.value);
                    prop_assert_eq!(value(&registry, &printed), success.value, "{}", program);
                }
            }
        }
    }

    fn data_that_looks_like_a_call_is_data_again(data in lookalikes()) {
        let registry = registry();
        for program in &[print(&registry, &data), print_json(&registry, &data)] {
            prop_assert_eq!(&value(&registry, program), &data, "{}", program);
        }
    }

    fn a_sorted_list_is_in_order_and_has_the_same_elements(list in ordered()) {
        let registry = registry();
        let sorted = value(&registry, &format!("sort({})", print(&registry, &list.clone().into())));
        let sorted = items(&sorted);
        let is_ordered = |pair: &[Value]| pair[0].order(&pair[1]).is_some_and(|it| it.is_le());
        prop_assert!(sorted.windows(2).all(is_ordered));
        prop_assert_eq!(sorted.len(), list.len());
        for item in &list {
            let count = |items: &[Value]| items.iter().filter(|it| it.equals(item)).count();
            prop_assert_eq!(count(sorted), count(&list));
        }
    }

    fn unique_elements_differ_and_stand_for_all(list in prop::collection::vec(values(), 0..8)) {
        let registry = registry();
        let unique = value(&registry, &format!("unique({})", print(&registry, &list.clone().into())));
        let unique = items(&unique);
        for (index, item) in unique.iter().enumerate() {
            prop_assert!(unique[..index].iter().all(|it| !it.equals(item)));
        }
        prop_assert!(list.iter().all(|item| unique.iter().any(|it| it.equals(item))));
    }

    fn groups_hold_every_element_once(list in prop::collection::vec(texts(), 0..8)) {
        let registry = registry();
        let list: Vec<Value> = list.into_iter().map(Value::from).collect();
        let printed = print(&registry, &list.clone().into());
        let groups = value(&registry, &format!("groupBy({printed}, x => x)"));
        let fields = groups.fields().expect("it is an object");
        prop_assert_eq!(fields.values().map(|it| items(it).len()).sum::<usize>(), list.len());
        for (name, group) in fields {
            prop_assert!(items(group).iter().all(|it| it.as_text() == Some(name)));
        }
    }

    fn parts_make_the_whole(list in prop::collection::vec(values(), 0..6), count in -8_i64..8) {
        let registry = registry();
        let printed = print(&registry, &list.clone().into());
        let (head, tail) = if count < 0 { ("drop", "take") } else { ("take", "drop") };
        let program = format!("[...{head}({printed}, {count}), ...{tail}({printed}, {count})]");
        prop_assert_eq!(value(&registry, &program), Value::from(list));
    }

    fn what_was_split_is_joined_again(text in texts(), separator in "[a-c/]{1,2}") {
        let registry = registry();
        let [text_printed, separator] = [text.as_str(), &separator].map(|it| print(&registry, &it.into()));
        let program = format!("split({text_printed}, {separator}).join({separator})");
        prop_assert_eq!(value(&registry, &program), Value::from(text));
    }
}
