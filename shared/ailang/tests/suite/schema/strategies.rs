//! Strategies for types, and for values that fit them or nearly so. The tests of `ailang-formats` use them too.

use ailang::Values;
use dialect::{Literal, Pattern, RecordType, Refinement, Type};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts at the edges of patterns, lengths and named forms.
pub(super) const TEXTS: &[&str] = &[
    "",
    "a",
    "ab",
    "abc",
    "abc\n",
    "a\nb",
    "\n",
    "\r",
    "\u{2028}",
    " ",
    "\u{a0}",
    "\u{feff}",
    "\u{85}",
    "٣",
    "3",
    "12",
    "😀",
    "😀😀",
    "é",
    "K",
    "ſ",
    "A",
    "AB",
    "a.b",
    "a-b",
    "/x",
    "a b",
    "a@b.co",
    "a@b",
    "@b.co",
    "a@b.co\n",
    ".a@b.co",
    "a..b@c.de",
    "a@-b.co",
    "a@b-.co",
    "a@b.c-o",
    "a@b..co",
    "a@b@c.de",
    "ä@b.co",
    "{}|@b.co",
    "http://a",
    "https://",
    "https://a b",
    "https:/x",
    "https:x",
    "https:",
    "https:///x",
    "https://x",
    "https://?x",
    "HTTP://x",
    "x:y",
    "x:/y",
    "x:/",
    "x:",
    "x://",
    "x:///y",
    "x://#",
    "x:////",
    "file:///tmp",
    "file://",
    "file://?",
    "file:x",
    "mailto:a@b.co",
    "mailto:a\u{85}",
    "x:\u{feff}",
    "x:\u{2029}",
    "git+ssh://host/x",
    "://x",
    "1x:y",
    "ftp:/x",
    "wss://x:1",
    "httpx:y",
    "123e4567-E89B-12d3-a456-426614174000",
    "123e4567e89b12d3a456426614174000",
    "123e4567-e89b-12d3-a456-42661417400g",
    "123e4567-e89b-12d3-a456-426614174000\n",
    "a.md",
    "amd",
    ".md",
    "^a",
    "(a)",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(TEXTS).prop_map(str::to_owned),
        1 => "[a-c@.:/ -]{0,8}",
        1 => "\\PC{0,4}",
        1 => Just(format!("{}@b.co", "a".repeat(249))),
        1 => Just(format!("{}@b.co", "a".repeat(250))),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    let edges = [
        json!(0),
        json!(0.0),
        json!(-0.0),
        json!(1),
        json!(1.0),
        json!(-1),
        json!(0.5),
        json!(1.5),
        json!(2),
        json!(3),
        json!(6),
        json!(30.0),
        json!(0.1),
        json!(0.3),
        json!(0.7),
        json!(1e16),
        json!(1e300),
        json!(-1e300),
        json!(9_007_199_254_740_991_i64),
        json!(9_007_199_254_740_991.0),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(-9_007_199_254_740_991_i64),
        json!(-9_007_199_254_740_992_i64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(i64::MAX),
    ];
    prop_oneof![
        prop::sample::select(edges.to_vec()),
        (-9..9_i64).prop_map(Value::from),
        (-20..20_i64).prop_map(|it| json!(it as f64 / 4.0))
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[abé]|Ok|at|next", inner, 0..3)
                .prop_map(|it| it.into_iter().collect()),
        ]
    })
}

fn bound() -> impl Strategy<Value = serde_json::Number> {
    number().prop_map(|it| it.as_number().expect("it is one").clone())
}

fn of_number() -> impl Strategy<Value = Refinement> {
    let step = prop_oneof![
        (1..7_u64).prop_map(|it| json!(it)),
        Just(json!(0)),
        Just(json!(-2)),
        Just(json!(0.5)),
        Just(json!(0.25)),
        Just(json!(0.1)),
        Just(json!(2.0))
    ];
    prop_oneof![
        bound().prop_map(Refinement::Min),
        bound().prop_map(Refinement::Max),
        step.prop_map(|it| Refinement::MultipleOf(it.as_number().expect("it is one").clone())),
        Just(Refinement::Integer),
        Just(Refinement::Positive),
        Just(Refinement::Negative),
    ]
}

fn pattern() -> impl Strategy<Value = Refinement> {
    let patterns = [
        ("^[a-z]+$", ""),
        ("^[a-z]+$", "i"),
        (r"^\d+$", ""),
        ("b", ""),
        ("^(a|b)*[^c]{1,3}$", ""),
        (r"^\@|\-b", ""),
        (r"[\-\.\/]x?", "u"),
        ("k", "i"),
        ("s|é", "i"),
        (r"^\s$", "i"),
        (r"^[^a]$", "i"),
        (r"\b3", "i"),
        (r"^.b", "i"),
        (r"^\w{2,}?$", ""),
        (r"^\u{1F600}+$", "u"),
        (r"^[\S]+@[^\s]+$", ""),
        (r"^(?<a>a)-(?:b)$", "i"),
        (r"^\p{L}+$", "u"),
    ];
    prop::sample::select(patterns.to_vec()).prop_map(|(pattern, flags)| {
        Refinement::Regex(Pattern::parse(pattern, flags).expect("it is portable"))
    })
}

fn of_text() -> impl Strategy<Value = Refinement> {
    let part = prop::sample::select(vec!["a", "", ".md", "^a", "(a", "/", "-", "\n", "😀"]);
    prop_oneof![
        (0..4_usize).prop_map(Refinement::MinLength),
        (0..4_usize).prop_map(Refinement::MaxLength),
        Just(Refinement::NonEmpty),
        part.clone().prop_map(|it| Refinement::StartsWith(it.to_owned())),
        part.prop_map(|it| Refinement::EndsWith(it.to_owned())),
        pattern(),
        Just(Refinement::Email),
        Just(Refinement::Url),
        Just(Refinement::Uuid),
    ]
}

fn of_list() -> impl Strategy<Value = Refinement> {
    prop_oneof![
        (0..3_usize).prop_map(Refinement::MinItems),
        (0..3_usize).prop_map(Refinement::MaxItems),
        Just(Refinement::NonEmpty),
        Just(Refinement::Unique),
    ]
}

fn refined(
    ty: impl Strategy<Value = Type>,
    by: impl Strategy<Value = Refinement>,
) -> impl Strategy<Value = Type> {
    (ty, prop::collection::vec(by, 1..4)).prop_map(|(ty, by)| Type::Refined(ty.into(), by))
}

fn literal() -> impl Strategy<Value = Type> {
    prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        bound().prop_map(Literal::Number),
        text().prop_map(Literal::Text),
    ]
    .prop_map(Type::Literal)
}

/// Returns any type of data.
fn any_type() -> impl Strategy<Value = Type> {
    let plain = prop::sample::select(vec![
        Type::Any,
        Type::Null,
        Type::Bool,
        Type::Number,
        Type::Text,
        Type::Object,
        Type::Named("Tree".into()),
    ]);
    let leaf = prop_oneof![
        2 => plain,
        1 => literal(),
        2 => refined(Just(Type::Number), of_number()),
        3 => refined(Just(Type::Text), of_text()),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| Type::List(it.into())),
            inner.clone().prop_map(|it| Type::Map(it.into())),
            inner.clone().prop_map(|it| Type::Optional(it.into())),
            refined(inner.clone().prop_map(|it| Type::List(it.into())), of_list()),
            refined(inner.clone(), prop_oneof![of_number(), of_text(), of_list()]),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Type::union),
            fields(inner.clone(), vec!["a", "b", "é"]),
            prop::collection::vec(fields(inner, vec!["Ok", "a", "b"]), 2..3).prop_map(Type::union),
        ]
    })
}

fn fields(inner: impl Strategy<Value = Type>, names: Vec<&'static str>) -> impl Strategy<Value = Type> {
    let name = prop::sample::subsequence(names, 0..3);
    let members = prop::collection::vec((inner, any::<bool>()), 3);
    (name, members).prop_map(|(names, members)| {
        let fields = names.into_iter().zip(members).map(|(name, (ty, optional))| dialect::Parameter {
            name: name.to_owned(),
            ty,
            optional,
            default: None,
            aliases: Vec::new(),
        });
        Type::Fields(fields.collect())
    })
}

/// Returns values that fit the type, or nearly so.
fn near(ty: &Type) -> BoxedStrategy<Value> {
    let exact = match ty {
        Type::Any => json().boxed(),
        Type::Null => Just(Value::Null).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::Number => number().boxed(),
        Type::Text => text().prop_map(Value::from).boxed(),
        Type::Object => {
            prop::collection::hash_map("[ab]", json(), 0..3).prop_map(|it| it.into_iter().collect()).boxed()
        }
        Type::Literal(Literal::Text(text)) => Just(text.as_str().into()).boxed(),
        Type::Literal(Literal::Number(number)) => Just(number.clone().into()).boxed(),
        Type::Literal(Literal::Bool(value)) => Just((*value).into()).boxed(),
        Type::List(inner) => prop::collection::vec(near(inner), 0..4).prop_map(Value::from).boxed(),
        Type::Map(inner) => prop::collection::hash_map("[ab]", near(inner), 0..3)
            .prop_map(|it| it.into_iter().collect())
            .boxed(),
        Type::Optional(inner) => prop_oneof![1 => Just(Value::Null), 4 => near(inner)].boxed(),
        Type::Refined(inner, _) => near(inner),
        Type::Union(members) => proptest::strategy::Union::new(members.iter().map(near)).boxed(),
        Type::Fields(fields) => near_fields(fields),
        Type::Named(_) => near_tree(),
        Type::Function { .. } => unreachable!("only types of data are made"),
    };
    prop_oneof![12 => exact, 1 => json()].boxed()
}

fn near_fields(fields: &[dialect::Parameter]) -> BoxedStrategy<Value> {
    let each: Vec<_> = fields
        .iter()
        .map(|field| (Just(field.name.clone()), prop::option::weighted(0.9, near(&field.ty))))
        .collect();
    let more = prop::option::weighted(0.05, ("[abé]|Ok", json()));
    (each, more)
        .prop_map(|(each, more)| {
            let there = each.into_iter().filter_map(|(name, value)| Some((name, value?)));
            there.chain(more).collect()
        })
        .boxed()
}

/// Returns a checker with one registered type, which is recursive.
pub(crate) fn tree() -> Values {
    Values::new(&[RecordType::new("Tree(at: int.min(0), next?: List<Tree?>)", "One.")], [])
}

fn near_tree() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![number(), json()].prop_map(|at| json!({"at": at}));
    leaf.prop_recursive(2, 6, 2, |inner| {
        let next = prop::collection::vec(prop_oneof![4 => inner, 1 => Just(Value::Null)], 0..2);
        (0..3_i64, next).prop_map(|(at, next)| json!({"at": at, "next": next}))
    })
    .boxed()
}

pub(crate) fn typed() -> impl Strategy<Value = (Type, Value)> {
    any_type().prop_flat_map(|ty| {
        let value = near(&ty);
        (Just(ty), value)
    })
}
