//! Thrown errors of documents.

use ailang::{Document, Documents, Interface};
use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        what_an_error_says_is_made_of_what_it_carries,
        what_is_not_there_is_seen,
        hostile_templates_say_something
    ]
}

const NOW: f64 = 1_760_000_000.0;

fn interface(error: &str) -> Interface {
    let text =
        format!("---\nid: limits\ntitle: Limits\nsummary: Says no.\n---\n<define>\n{error}\n</define>\n");
    let mut documents = Documents::new();
    documents.insert("limits.md", Document::parse(text));
    Interface::load(&documents).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn limited() -> Interface {
    interface(
        r#"error Limited(remaining: int.min(0), resetAt: Timestamp, host?: string) {
  message = "${remaining} left, ${resetAt - now()} s to wait${host == "x" ? " for x" : ""}"
  recovery = "Wait until ${resetAt}; ask ${host}."
  retryable = true
  retryAfter = resetAt + 1
}"#,
    )
}

fn params(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("{value} has no fields") };
    fields
}

fn what_an_error_says_is_made_of_what_it_carries() {
    let carried = params(json!({"remaining": 0, "resetAt": 1_760_000_030, "host": "x"}));
    assert_eq!(
        limited().thrown("Limited", &carried, NOW),
        Ok(json!({
            "error": "Limited",
            "params": {"remaining": 0, "resetAt": 1_760_000_030, "host": "x"},
            "message": "0 left, 30 s to wait for x",
            "recovery": "Wait until 1760000030; ask x.",
            "retryable": true,
            "retryAfter": 1_760_000_031,
        }))
    );
}

fn what_is_not_there_is_seen() {
    let carried = params(json!({"remaining": "3", "resetAt": 1_760_000_030}));
    let thrown = limited().thrown("Limited", &carried, NOW).expect("it carries what it needs");
    assert_eq!(thrown["params"]["remaining"], 3);
    assert_eq!(thrown["recovery"], "Wait until 1760000030; ask ${host}.");
    let reported = |carried: Value| {
        let problems = limited().thrown("Limited", &params(carried), NOW).unwrap_err();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert!(reported(json!({"remaining": 1})).contains("`resetAt:"), "{}", reported(json!({"remaining": 1})));
    assert!(
        reported(json!({"remaining": -1, "resetAt": 1})).starts_with("/remaining: expected number.min(0)")
    );
    assert!(reported(json!({"remaining": 1, "resetAt": 1, "more": 1})).starts_with("/more: expected only"));
    assert!(limited().thrown("Other", &Map::new(), NOW).is_err());
}

/// Returns an expression, whether or not it makes sense.
fn expression() -> impl Strategy<Value = String> {
    let leaves = [
        "a", "b", "now()", "now(1)", "0", "1e308", "\"x\"", "true", "null", "[a]", "{a: 1}", "a.b", "b[0]",
        "x => x",
    ];
    prop::sample::select(leaves.to_vec()).prop_map(str::to_owned).prop_recursive(5, 40, 3, |inner| {
        let operators = ["+", "-", "*", "/", "%", "<", ">=", "==", "!=", "&&", "||", "??"];
        let operator = prop::sample::select(operators.to_vec());
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(l, op, r)| format!("({l} {op} {r})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(c, t, e)| format!("({c} ? {t} : {e})")),
            inner.clone().prop_map(|of| format!("-({of})")),
            inner.clone().prop_map(|of| format!("!({of})")),
            inner.prop_map(|of| format!("({of}).length")),
        ]
    })
}

proptest! {
    /// A template renders for any expression and any parameters.
    fn hostile_templates_say_something(
        hole in prop_oneof![8 => expression(), 1 => "\\PC{0,12}"],
        a in any::<f64>(), b in "\\PC{0,9}|\u{202e}x", now in any::<f64>(),
    ) {
        let text = format!(
            "---\nid: l\ntitle: L\nsummary: S.\n---\n<define>\nerror E(a: any, b: any) {{\n  message = \"m ${{{hole}}}\"\n  recovery = \"r\"\n}}\n</define>\n"
        );
        let mut documents = Documents::new();
        documents.insert("l.md", Document::parse(text));
        if let Ok(interface) = Interface::load(&documents) {
            let thrown = interface.thrown("E", &params(json!({"a": a, "b": b})), now);
            let thrown = thrown.expect("it carries anything");
            let message = thrown["message"].as_str().expect("it says something");
            prop_assert!(message.starts_with('m') && message.chars().count() <= ailang::LONGEST_RECOVERY);
            prop_assert!(message.chars().all(|it| it != '\u{202e}'), "it hides something");
        }
    }
}
