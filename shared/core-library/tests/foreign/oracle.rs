//! Expressions as Python and C's family write them, and their values there.

use proptest::prelude::*;

/// A language, with its spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Script,
}

/// An expression that both languages have, each in its own spelling.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Number(i64),
    Text(String),
    Bool(bool),
    /// `+`, `-`, `*`
    Arithmetic(char, Box<Self>, Box<Self>),
    /// The remainder and the quotient without a fraction, by a number that is not 0.
    Remainder(Box<Self>, i64),
    Quotient(Box<Self>, i64),
    /// `+` of two texts
    Join(Box<Self>, Box<Self>),
    Compare(&'static str, Box<Self>, Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>),
    /// `x in [1, 2]`, `"a" in "abc"`
    In(Box<Self>, Box<Self>, bool),
    List(Vec<Self>),
    Conditional(Box<Self>, Box<Self>, Box<Self>),
    /// Text with expressions in it.
    Template(Vec<Self>),
}

/// A value of such an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(i64),
    Text(String),
    Bool(bool),
    List(Vec<Self>),
}

use Expression as E;

impl Expression {
    /// Evaluates it as the language does.
    pub(crate) fn value(&self, language: Language) -> Value {
        let number = |it: &Self| match it.value(language) {
            Value::Number(number) => number,
            other => panic!("{other:?} is no number"),
        };
        let text = |it: &Self| match it.value(language) {
            Value::Text(text) => text,
            other => panic!("{other:?} is no text"),
        };
        let holds = |it: &Self| it.value(language) == Value::Bool(true);
        match self {
            E::Number(number) => Value::Number(*number),
            E::Text(text) => Value::Text(text.clone()),
            E::Bool(bool) => Value::Bool(*bool),
            E::Arithmetic('+', one, other) => Value::Number(number(one) + number(other)),
            E::Arithmetic('-', one, other) => Value::Number(number(one) - number(other)),
            E::Arithmetic(_, one, other) => Value::Number(number(one) * number(other)),
            E::Remainder(one, by) if language == Language::Python => {
                Value::Number((number(one) % by + by) % by)
            }
            E::Remainder(one, by) => Value::Number(number(one) % by),
            E::Quotient(one, by) => {
                let rest = (number(one) % by + by) % by;
                Value::Number((number(one) - rest) / by)
            }
            E::Join(one, other) => Value::Text(text(one) + &text(other)),
            E::Compare(operator, one, other) => {
                let (one, other) = (one.value(language), other.value(language));
                let order = match (&one, &other) {
                    (Value::Number(one), Value::Number(other)) => one.cmp(other),
                    (Value::Text(one), Value::Text(other)) => one.cmp(other),
                    _ => panic!("these are not compared"),
                };
                Value::Bool(match *operator {
                    "==" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<" => order.is_lt(),
                    _ => order.is_ge(),
                })
            }
            E::And(one, other) => Value::Bool(holds(one) && holds(other)),
            E::Or(one, other) => Value::Bool(holds(one) || holds(other)),
            E::Not(of) => Value::Bool(!holds(of)),
            E::In(item, all, negated) => {
                let found = match all.value(language) {
                    Value::List(items) => items.contains(&item.value(language)),
                    Value::Text(all) => all.contains(&text(item)),
                    other => panic!("{other:?} holds nothing"),
                };
                Value::Bool(found != *negated)
            }
            E::List(items) => Value::List(items.iter().map(|it| it.value(language)).collect()),
            E::Conditional(condition, then, otherwise) => {
                if holds(condition) {
                    then.value(language)
                } else {
                    otherwise.value(language)
                }
            }
            E::Template(parts) => {
                let shown = |it: &Self| match it.value(language) {
                    Value::Number(number) => number.to_string(),
                    Value::Text(text) => text,
                    Value::Bool(bool) if language == Language::Script => bool.to_string(),
                    Value::Bool(bool) => if bool { "True" } else { "False" }.to_owned(),
                    Value::List(_) => panic!("lists are not in templates"),
                };
                Value::Text(parts.iter().map(shown).collect())
            }
        }
    }

    /// Spells it with no brackets but those that the language needs.
    pub(crate) fn spell(&self, language: Language) -> String {
        self.at(0, language)
    }

    fn at(&self, least: usize, language: Language) -> String {
        let (text, tightness) = match language {
            Language::Python => self.python(),
            Language::Script => self.script(),
        };
        if tightness < least { format!("({text})") } else { text }
    }

    /// Spells it as Python does; returns how tightly it binds.
    fn python(&self) -> (String, usize) {
        let at = |it: &Self, least| it.at(least, Language::Python);
        match self {
            E::Bool(bool) => (if *bool { "True" } else { "False" }.to_owned(), 9),
            E::Conditional(condition, then, otherwise) => {
                (format!("{} if {} else {}", at(then, 1), at(condition, 1), at(otherwise, 0)), 0)
            }
            E::Or(one, other) => (format!("{} or {}", at(one, 1), at(other, 2)), 1),
            E::And(one, other) => (format!("{} and {}", at(one, 2), at(other, 3)), 2),
            E::Not(of) => (format!("not {}", at(of, 3)), 3),
            E::Compare(operator, one, other) => (format!("{} {operator} {}", at(one, 5), at(other, 5)), 4),
            E::In(item, all, negated) => {
                let word = if *negated { "not in" } else { "in" };
                (format!("{} {word} {}", at(item, 5), at(all, 5)), 4)
            }
            E::Quotient(one, by) => (format!("{} // {by}", at(one, 6)), 6),
            E::Template(parts) => {
                let part = |it: &Self| match it {
                    E::Text(text) => text.clone(),
                    it => format!("{{{}}}", at(it, 0)),
                };
                (format!("f\"{}\"", parts.iter().map(part).collect::<String>()), 9)
            }
            _ => self.both(Language::Python),
        }
    }

    /// Spells it as C's family does.
    fn script(&self) -> (String, usize) {
        let at = |it: &Self, least| it.at(least, Language::Script);
        match self {
            E::Bool(bool) => (bool.to_string(), 9),
            E::Conditional(condition, then, otherwise) => {
                (format!("{} ? {} : {}", at(condition, 1), at(then, 0), at(otherwise, 0)), 0)
            }
            E::Or(one, other) => (format!("{} || {}", at(one, 1), at(other, 2)), 1),
            E::And(one, other) => (format!("{} && {}", at(one, 2), at(other, 3)), 2),
            E::Compare(operator @ ("==" | "!="), one, other) => {
                (format!("{} {operator}= {}", at(one, 4), at(other, 4)), 3)
            }
            E::Compare(operator, one, other) => (format!("{} {operator} {}", at(one, 5), at(other, 5)), 4),
            E::Not(of) => (format!("!{}", at(of, 8)), 7),
            E::Template(parts) => {
                let part = |it: &Self| match it {
                    E::Text(text) => text.clone(),
                    // Without a bound name it is text.
                    it => match it.value(Language::Script) {
                        Value::Number(_) => format!("${{n - 5 + {}}}", at(it, 6)),
                        Value::Bool(_) => format!("${{n > 2 && {}}}", at(it, 3)),
                        _ => format!("${{n > 2 ? {} : 0}}", at(it, 0)),
                    },
                };
                (format!("`{}`", parts.iter().map(part).collect::<String>()), 9)
            }
            _ => self.both(Language::Script),
        }
    }

    /// Spells what both languages spell alike.
    fn both(&self, language: Language) -> (String, usize) {
        let at = |it: &Self, least| it.at(least, language);
        match self {
            E::Number(number) => (number.to_string(), if *number < 0 { 7 } else { 9 }),
            E::Text(text) => (format!("\"{text}\"").replace('"', "'"), 9),
            E::Arithmetic(operator @ '*', one, other) => {
                (format!("{} {operator} {}", at(one, 6), at(other, 7)), 6)
            }
            E::Arithmetic(operator, one, other) => (format!("{} {operator} {}", at(one, 5), at(other, 6)), 5),
            E::Remainder(one, by) => (format!("{} % {by}", at(one, 6)), 6),
            E::Join(one, other) => (format!("{} + {}", at(one, 5), at(other, 6)), 5),
            E::List(items) => {
                let items: Vec<String> = items.iter().map(|it| at(it, 0)).collect();
                (format!("[{}]", items.join(", ")), 9)
            }
            other => panic!("{other:?} differs"),
        }
    }
}

/// Generates expressions of a language that give numbers, texts or conditions.
pub(crate) fn expressions(language: Language) -> impl Strategy<Value = Expression> {
    prop_oneof![
        numbers(language, 3),
        texts(language, 3),
        conditions(language, 3),
        (conditions(language, 2), conditions(language, 2))
            .prop_map(|(one, other)| E::Or(one.into(), other.into())),
    ]
}

fn numbers(language: Language, depth: u32) -> BoxedStrategy<Expression> {
    let leaf = (-5_i64..20).prop_map(E::Number);
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || numbers(language, depth - 1);
    let arithmetic = (prop::sample::select(vec!['+', '-', '*']), inner(), inner())
        .prop_map(|(operator, one, other)| E::Arithmetic(operator, one.into(), other.into()));
    let rest = (inner(), 2_i64..5).prop_map(|(one, by)| E::Remainder(one.into(), by));
    let quotient = (inner(), 2_i64..5).prop_map(move |(one, by)| match language {
        Language::Python => E::Quotient(one.into(), by),
        Language::Script => E::Remainder(one.into(), by),
    });
    let chosen = (conditions(language, depth - 1), inner(), inner())
        .prop_map(|(condition, one, other)| E::Conditional(condition.into(), one.into(), other.into()));
    prop_oneof![leaf, arithmetic, rest, quotient, chosen].boxed()
}

fn texts(language: Language, depth: u32) -> BoxedStrategy<Expression> {
    let leaf = "[a-c ]{0,3}".prop_map(E::Text);
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || texts(language, depth - 1);
    let joined = (inner(), inner()).prop_map(|(one, other)| E::Join(one.into(), other.into()));
    let chosen = (conditions(language, depth - 1), inner(), inner())
        .prop_map(|(condition, one, other)| E::Conditional(condition.into(), one.into(), other.into()));
    let part = prop_oneof![
        "[a-c ]{1,3}".prop_map(E::Text),
        numbers(language, depth - 1),
        conditions(language, depth - 1)
    ];
    let template = prop::collection::vec(part, 1..4).prop_map(E::Template);
    prop_oneof![leaf, joined, chosen, template.clone(), template].boxed()
}

fn conditions(language: Language, depth: u32) -> BoxedStrategy<Expression> {
    let leaf = any::<bool>().prop_map(E::Bool);
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || conditions(language, depth - 1);
    let operator = || prop::sample::select(vec!["==", "!=", "<", ">="]);
    let of_numbers = (operator(), numbers(language, depth - 1), numbers(language, depth - 1));
    let of_texts = (operator(), texts(language, depth - 1), texts(language, depth - 1));
    let compared = prop_oneof![of_numbers, of_texts]
        .prop_map(|(it, one, other)| E::Compare(it, one.into(), other.into()));
    let both = (inner(), inner()).prop_map(|(one, other)| E::And(one.into(), other.into()));
    let either = (inner(), inner()).prop_map(|(one, other)| E::Or(one.into(), other.into()));
    let negated = inner().prop_map(|it| E::Not(it.into()));
    if language == Language::Script {
        return prop_oneof![leaf, compared, both, either, negated].boxed();
    }
    let items = prop::collection::vec(numbers(language, 1), 0..4).prop_map(E::List);
    let in_list = (numbers(language, depth - 1), items, any::<bool>());
    let in_text = (texts(language, depth - 1), texts(language, depth - 1), any::<bool>());
    let contained = prop_oneof![in_list, in_text]
        .prop_map(|(item, all, negated)| E::In(item.into(), all.into(), negated));
    prop_oneof![leaf, compared, both, either, negated, contained].boxed()
}
