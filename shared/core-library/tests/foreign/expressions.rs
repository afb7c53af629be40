//! Random expressions of other languages, compared with their values there.

use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::json;

use super::oracle::{Expression, Language, Value, expressions};
use super::{equal, registry, value_offered};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        offers_for_python_have_its_values,
        offers_for_script_have_its_values,
        most_expressions_lead_to_an_offer
    ]
}

fn json_of(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::Bool(bool) => json!(bool),
        Value::List(items) => items.iter().map(json_of).collect(),
    }
}

fn check(expression: &Expression, language: Language, before: &str) -> Result<(), TestCaseError> {
    let program = format!("{before}{}", expression.spell(language));
    let known = json_of(&expression.value(language));
    if let Some((value, offered)) = value_offered(&registry(), &program) {
        prop_assert!(equal(&known, &value), "{program}\nis {known}, but the offer is {value}:\n{offered}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    fn offers_for_python_have_its_values(expression in expressions(Language::Python)) {
        // A word of Python makes each of them Python.
        check(&expression, Language::Python, "n = not True\n")?;
    }

    fn offers_for_script_have_its_values(expression in expressions(Language::Script)) {
        check(&expression, Language::Script, "let n: number = 5;\n")?;
    }
}

/// Most of the expressions lead to a program: otherwise the properties would say nothing.
fn most_expressions_lead_to_an_offer() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for (language, before) in
        [(Language::Python, "n = not True\n"), (Language::Script, "let n: number = 5;\n")]
    {
        let mut offers = 0;
        for _ in 0..200 {
            let tree = expressions(language).new_tree(&mut runner).expect("expressions are generated");
            let program =
                format!("{before}{}", proptest::strategy::ValueTree::current(&tree).spell(language));
            offers += usize::from(value_offered(&registry(), &program).is_some());
        }
        assert!(offers >= 120, "{language:?}: only {offers} of 200 lead to a program");
    }
}
