use std::thread;

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;
use crate::VALUE_DEPTH;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn read(json: &str) -> Result<Value, String> {
    Value::read(&raw(json), "result").map_err(|it| it.to_string())
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Int(1), |value, _| Value::List(vec![value]))
}

#[test]
fn an_error_names_the_place() {
    let bad = r#"{"items":[{"type":"null"},{"type":"dict","entries":{"a b":{"type":"zzz"}}}],"type":"list"}"#;
    let place = r#"unsupported plugin transport value type "zzz" at result.items[1].entries["a b"]"#;
    assert_eq!(read(bad), Err(place.to_owned()));
    let value = Value::Dict([("k".to_owned(), Value::List(vec![Value::Float(f64::NAN)]))].into());
    let error = value.write("kwargs.x").map(|it| it.get().to_owned()).map_err(|it| it.to_string());
    assert_eq!(
        error,
        Err("unsupported value: NaN is no JSON number at kwargs.x.entries.k.items[0]".to_owned())
    );
}

#[test]
fn members_that_the_type_does_not_need_may_be_wrong() {
    let json = r#"{"value":7,"items":[3],"entries":5,"remote":{"id":[{}]},"Type":"int","more":[{"a":[]}]}"#;
    assert_eq!(read(json), Ok(Value::Int(7)));
    assert_eq!(
        read(r#"{"TYPE":"remote","Remote":{"ID":"1","x":{}}}"#).unwrap(),
        Value::Remote(Remote { library: String::new(), class: String::new(), id: "1".to_owned() })
    );
}

/// The stack of a small thread. Everything that is done with a value must fit into it.
const SMALL_STACK: usize = 1 << 20;

#[test]
fn depth_costs_no_stack() {
    let work = || {
        let value = nested(VALUE_DEPTH);
        let json = value.write("args[0]").unwrap();
        let back = Value::read(&json, "result").unwrap();
        assert!(back == value && back.clone() == value && back.clone() != Value::Null);
        assert_eq!(format!("{value:?}"), json.get());
        assert!(
            nested(VALUE_DEPTH + 1).write("args[0]").unwrap_err().to_string().contains("deeper than 4900")
        );
        let deeper = format!(r#"{{"type":"list","items":[{}]}}"#, json.get());
        assert!(Value::read(&raw(&deeper), "result").unwrap_err().to_string().contains("deeper than 4900"));
        let hostile = raw(&("[".repeat(200_000) + &"]".repeat(200_000)));
        assert!(Value::read(&hostile, "result").is_err());
        let unneeded = format!(r#"{{"type":"null","x":{}}}"#, hostile.get());
        assert_eq!(Value::read(&raw(&unneeded), "result").unwrap(), Value::Null);
    };
    thread::Builder::new().stack_size(SMALL_STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_deep_place_is_shown_in_short() {
    let json = nested(300).write("a").unwrap().get().replace("\"int\"", "\"zzz\"");
    let error = read(&json).unwrap_err();
    assert!(error.len() < 300 && error.contains('…'), "{error}");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("JSON has no others", |it| it.is_finite()).prop_map(Value::Float),
            any::<String>().prop_map(Value::String),
            "cb-[0-9]{1,3}".prop_map(Value::Callback),
            ("[a-z.]{1,5}", "\\PC{0,5}", "\\PC{1,5}")
                .prop_map(|(library, class, id)| Value::Remote(Remote { library, class, id })),
        ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(Value::Dict),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_comes_back_as_it_was_sent(value in value()) {
        let json = value.write("args[0]").unwrap();
        prop_assert!(!json.get().contains('\n'));
        let back = Value::read(&json, "result").unwrap();
        prop_assert_eq!(&back.clone(), &value);
        let again = back.write("result").unwrap();
        prop_assert_eq!(again.get(), json.get());
    }

    #[test]
    fn any_json_is_read(json in r#"(\{"(type|value|items|entries|remote)":(("(list|dict|int|remote)"|1\.5|null|\[\{\}\]|\{"id":"x"\}),"items":)?){1,4}(1|null|\[\]|\[null,\{\}\])"#) {
        let closed = json.clone() + &"}".repeat(json.matches('{').count() - json.matches('}').count());
        if let Ok(raw) = RawValue::from_string(closed) {
            let _ = Value::read(&raw, "result");
        }
    }
}
