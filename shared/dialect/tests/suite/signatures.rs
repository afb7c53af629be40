//! Properties of signatures as text: a printed one reads as the same, and an error names its place.

use dialect::{
    Function, Invocation, Library, Literal, Parameter, Refinement, Registry, Signature, Type, Value,
};
use libtest_mimic::Trial;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        what_is_printed_reads_as_the_same,
        signatures_too,
        any_text_is_a_type_or_a_mistake,
        what_is_no_signature_says_where,
        types_nest_within_a_limit,
        a_default_is_what_its_parameter_takes
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just("none".to_owned()), "[a-z\"\\\\\n é]{0,6}"]
}

fn number() -> impl Strategy<Value = serde_json::Number> {
    prop_oneof![
        any::<i64>().prop_map(Into::into),
        Just(serde_json::Number::from_f64(0.5).expect("it is finite"))
    ]
}

fn leaf() -> impl Strategy<Value = Type> {
    prop_oneof![
        Just(Type::Any),
        Just(Type::Null),
        Just(Type::Bool),
        Just(Type::Number),
        Just(Type::Text),
        Just(Type::Object),
        Just(Type::Named("hello.Greeting".into())),
        Just(Type::Named("Symbol".into())),
        any::<bool>().prop_map(|it| Type::Literal(Literal::Bool(it))),
        number().prop_map(|it| Type::Literal(Literal::Number(it))),
        text().prop_map(|it| Type::Literal(Literal::Text(it))),
        number().prop_map(|it| refined(Type::Number, vec![Refinement::Min(it), Refinement::Integer])),
        text().prop_map(|it| refined(Type::Text, vec![Refinement::StartsWith(it), Refinement::Email])),
        Just(Type::parse("string.regex(/^[a-z/]+\\/$/i).minLength(2)").expect("it is a type")),
    ]
}

fn refined(ty: Type, refinements: Vec<Refinement>) -> Type {
    Type::Refined(Box::new(ty), refinements)
}

fn parameter(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Parameter> {
    let default = prop_oneof![
        Just(None),
        number().prop_map(|it| Some(it.into())),
        text().prop_map(|it| Some(it.into()))
    ];
    ("[a-z]{1,3}", ty, any::<bool>(), default).prop_map(|(name, ty, optional, default)| Parameter {
        name,
        ty,
        optional: optional || default.is_some(),
        default,
        aliases: Vec::new(),
    })
}

fn distinct(mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    parameters.sort_by(|one, other| one.name.cmp(&other.name));
    parameters.dedup_by(|one, other| one.name == other.name);
    parameters
}

fn ty() -> impl Strategy<Value = Type> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| Type::List(Box::new(it))),
            inner.clone().prop_map(|it| Type::Map(Box::new(it))),
            inner.clone().prop_map(|it| Type::Optional(Box::new(it))),
            inner.clone().prop_map(|it| refined(Type::List(Box::new(it)), vec![Refinement::NonEmpty])),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Type::union),
            prop::collection::vec(parameter(inner.clone()), 0..3).prop_map(|it| Type::Fields(distinct(it))),
            (prop::collection::vec(("[a-z]{1,3}", inner.clone()), 0..3), inner)
                .prop_map(|(parameters, returns)| Type::Function { parameters, returns: Box::new(returns) }),
        ]
    })
}

proptest! {
    fn what_is_printed_reads_as_the_same(ty in ty()) {
        let printed = ty.to_string();
        prop_assert_eq!(Type::parse(&printed), Ok(ty), "{}", printed);
    }

    fn signatures_too(parameters in prop::collection::vec(parameter(ty()), 0..4), returns in ty()) {
        let mut parameters = distinct(parameters);
        parameters.sort_by_key(|it| it.optional);
        let signature = Signature { name: "f".to_owned(), parameters, returns, is_open: false };
        let printed = signature.to_string();
        prop_assert_eq!(Signature::parse(&printed), Ok(signature), "{}", printed);
    }

    fn any_text_is_a_type_or_a_mistake(text in "[a-z(){}\\[\\]<>|,.:?\"/0-9=> -]{0,30}") {
        if let Ok(ty) = Type::parse(&text) {
            prop_assert_eq!(Type::parse(&ty.to_string()), Ok(ty));
        }
    }
}

fn what_is_no_signature_says_where() {
    for (text, at, expected) in [
        ("f(x: )", 5, "a name"),
        ("f(x: string.min(1))", 12, "a refinement that values of this type can have"),
        ("f(x: Symbol.nonEmpty())", 12, "a refinement that values of this type can have"),
        ("f(x: number.least(1))", 12, "a refinement such as `min(1)` or `nonEmpty()`"),
        ("f(x: number.min(`1`))", 16, "a value"),
        ("f(x: string.minLength(-1))", 22, "a whole number"),
        ("f(x: string.regex(/[/))", 18, "a pattern between slashes"),
        ("f(x: Map<number, string>)", 15, "keys of type `string`"),
        ("f(x?: string, y: string)", 15, "`?`, because a required parameter cannot follow an optional one"),
        ("f(x: string, X: string)", 14, "a parameter of another name"),
        ("f(x: {a: string, a: number})", 17, "a field of another name"),
        ("f(x: string | )", 14, "a name"),
        ("f(x: number = )", 14, "a value"),
        ("f(x: string) -> string y", 23, "the end"),
    ] {
        let error = Signature::parse(text).expect_err(text);
        assert_eq!((error.at, error.expected), (at, expected), "{text}");
    }
}

fn types_nest_within_a_limit() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{a: ", "}"), ("List<", ">"), ("(x: ", ") -> any")] {
        let nested = |count: usize| format!("{}any{}", open.repeat(count), close.repeat(count));
        assert!(Type::parse(&nested(50)).is_ok(), "{open}");
        let error = Type::parse(&nested(100_000)).expect_err("it is too deep");
        assert_eq!(error.expected, "a type that is nested less deeply", "{open}");
    }
}

fn a_default_is_what_its_parameter_takes() {
    let library = |signature: &str| {
        let code = |_: Invocation| async { Ok(Value::Null) };
        Library { functions: vec![Function::new(signature, "", code)], ..Library::default() }
    };
    assert!(Registry::new([library("f(x: number.min(1) | \"all\" = \"all\")")]).is_ok());
    let error = Registry::new([library("f(x: number.min(1) = 0)")]).expect_err("0 is less than 1");
    assert_eq!(
        error.to_string(),
        "library ``: `x` of `f(x: number.min(1) = 0) -> any` does not take its own default"
    );
}
