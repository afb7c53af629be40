//! JSON Schema of types: an independent validator accepts exactly the values of a type.

mod strategies;

use ailang::{Document, Documents, Interface, SchemaError, Values};
use dialect::{Refinement, Type};
use expect_test::expect;
use jsonschema::Validator;
use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::{Value, json};
use strategies::{TEXTS, tree, typed};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        what_is_of_a_type_is_what_its_schema_accepts,
        schemas_accept_the_same_at_the_edges,
        schemas_say_what_types_say,
        types_of_documents_have_schemas,
        what_is_no_data_is_refused
    ]
}

fn ty(text: &str) -> Type {
    Type::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compiles the schema of a type, and validates it against the meta-schema.
fn validator(values: &Values, ty: &Type) -> Validator {
    let schema = values.schema(ty).unwrap_or_else(|error| panic!("{ty}: {error}"));
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{schema:#}: {error}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{schema:#}: {error}"))
}

/// Returns `true` if a type has a step that schemas only name in a comment.
fn has_inexact_step(ty: &Type) -> bool {
    let is_inexact =
        |it: &Refinement| matches!(it, Refinement::MultipleOf(step) if !ailang::schema::is_exact(step));
    matches!(ty, Type::Refined(_, rules) if rules.iter().any(is_inexact))
        || ty.parts().into_iter().any(has_inexact_step)
}

fn agree(values: &Values, ty: &Type, value: &Value) -> Result<(), TestCaseError> {
    let checked = values.check(ty, value);
    let is_accepted = validator(values, ty).is_valid(value);
    // A schema does not hold steps that no float is equal to.
    if is_accepted && has_inexact_step(ty) {
        return Ok(());
    }
    prop_assert_eq!(
        checked.is_ok(),
        is_accepted,
        "{} as {}: {:?}\n{:#}",
        value,
        ty,
        checked,
        values.schema(ty).expect("it has one")
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    fn what_is_of_a_type_is_what_its_schema_accepts((ty, value) in typed()) {
        agree(&tree(), &ty, &value)?;
        agree(&tree().ignoring_unknown_fields(), &ty, &value)?;
    }
}

/// Compares all named forms, patterns and bounds on texts and numbers at the edges.
fn schemas_accept_the_same_at_the_edges() {
    let refinements = [
        "string.email()",
        "string.url()",
        "string.uuid()",
        "string.minLength(2)",
        "string.maxLength(2)",
        "string.regex(/^[a-z]+$/)",
        "string.regex(/^[a-z]+$/i)",
        "string.regex(/^\\s/)",
        "string.regex(/^.$/i)",
        "string.startsWith(\"^a\")",
        "string.endsWith(\".md\")",
        "int",
        "number.min(1.5)",
        "number.max(1)",
        "number.multipleOf(3)",
        "number.multipleOf(0.25)",
        "int.min(-9007199254740993)",
        "9007199254740993",
        "3",
        "string.url()?",
        "(string | number).url()",
        "(string | number?).integer()",
    ];
    let numbers = [
        json!(1),
        json!(1.5),
        json!(3.0),
        json!(-3),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(1e300),
    ];
    for text in refinements {
        let Ok(ty) = Type::parse(text) else { panic!("{text} is no type") };
        let validator = validator(&Values::default(), &ty);
        for value in TEXTS.iter().map(|it| json!(it)).chain(numbers.clone()).chain([Value::Null]) {
            // Beyond 2^53 the digits of a number are not those of its float.
            if text.contains("multipleOf") && value.as_f64().is_some_and(|it| it.abs() > 9e15) {
                continue;
            }
            let is_of_it = ailang::check_value(&ty, &value).is_ok();
            assert_eq!(validator.is_valid(&value), is_of_it, "{value} as {text}");
        }
    }
}

fn schemas_say_what_types_say() {
    let schema = |text: &str| tree().schema(&ty(text)).expect("it has one");
    let shown = [
        schema(
            "{mode: \"fast\" | \"safe\", limit: int.min(1) = 20, tags?: List<string.nonEmpty()>.maxItems(9).unique()}",
        ),
        schema("{Ok: {value: Tree}} | {Err: {value: string?}}"),
        schema("(\"a\" | 3)?"),
        schema("Map<string, number>"),
    ];
    let shown: Vec<String> = shown.iter().map(Value::to_string).collect();
    expect![[r##"
        {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"mode":{"enum":["fast","safe"]},"limit":{"type":"integer","minimum":1,"maximum":9007199254740991,"default":20},"tags":{"type":"array","items":{"type":"string","minLength":1},"maxItems":9,"uniqueItems":true}},"required":["mode"],"additionalProperties":false}
        {"$schema":"https://json-schema.org/draft/2020-12/schema","oneOf":[{"type":"object","properties":{"Ok":{"type":"object","properties":{"value":{"$ref":"#/$defs/Tree"}},"required":["value"],"additionalProperties":false}},"required":["Ok"],"additionalProperties":false},{"type":"object","properties":{"Err":{"type":"object","properties":{"value":{"type":["string","null"]}},"required":["value"],"additionalProperties":false}},"required":["Err"],"additionalProperties":false}],"$defs":{"Tree":{"type":"object","properties":{"at":{"type":"integer","minimum":0,"maximum":9007199254740991},"next":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}}},"required":["at"],"additionalProperties":false}}}
        {"$schema":"https://json-schema.org/draft/2020-12/schema","enum":["a",3,null]}
        {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":{"type":"number"}}"##]].assert_eq(&shown.join("\n"));
}

fn types_of_documents_have_schemas() {
    let text = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\n\
                type Page<T> = { items: List<T>, next?: string }\n\
                type Issue = { number: int.positive(), title: string, parent?: Issue }\n\
                type Size = { px: number }\n\
                enum State { Open, Closed }\n\
                type Shape = Circle(radius: number) | Point\n\
                // Lists.\n// @readOnly\ntool list(state: State.default(\"Open\"), at?: Shape, size?: Size) -> Page<Issue>\n</define>\n";
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(text));
    let interface = Interface::load(&documents).unwrap_or_else(|rejected| panic!("{rejected}"));
    let signature = dialect::Signature::parse(&interface.functions()[0].signature).expect("it was checked");
    let values = interface.values();
    let arguments = validator(&values, &Type::Fields(signature.parameters));
    let accepted = json!({"state": "Closed", "at": {"Circle": {"radius": 1}}, "size": {"px": 2}});
    assert!(arguments.is_valid(&accepted) && arguments.is_valid(&json!({})));
    for refused in [
        json!({"state": "Ajar"}),
        json!({"at": {"Circle": {}}}),
        json!({"at": {"Circle": {"radius": 1}, "Point": {}}}),
        json!({"size": {}}),
    ] {
        assert!(!arguments.is_valid(&refused), "{refused}");
    }
    let returned = validator(&values.ignoring_unknown_fields(), &signature.returns);
    assert!(returned.is_valid(
        &json!({"items": [{"number": 1, "title": "", "parent": {"number": 2, "title": ""}, "new": 1}]})
    ));
    assert!(
        !returned
            .is_valid(&json!({"items": [{"number": 1, "title": "", "parent": {"number": 0, "title": ""}}]}))
    );
}

fn what_is_no_data_is_refused() {
    let reported = |text: &str| tree().schema(&ty(text)).expect_err(text).to_string();
    assert_eq!(
        reported("{each: List<(item: any) -> boolean>}"),
        "`(item: any) -> boolean` is the type of functions, which are no data and have no schema"
    );
    assert_eq!(reported("{a: Bush?}"), "no document declares the type `Bush`");
    let deep = (0..300).fold(Type::Any, |inner, _| Type::List(inner.into()));
    assert_eq!(tree().schema(&deep), Err(SchemaError::TooDeep));
}
