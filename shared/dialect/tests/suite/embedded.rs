//! Expressions in a language of statements: its names and calls, and its rules.

use std::sync::{Arc, Mutex};

use dialect::code::Code;
use dialect::{
    Callee, Caller, Embedded, EmbeddedLambda, Embedding, Failure, GivenArgument, Interrupt, Limits, Notes,
    Registry, Value, Work, diagnostic, show,
};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::{BoxFuture, ready};
use libtest_mimic::Trial;
use source_text::Span;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        names_and_calls_mean_what_the_language_says,
        operands_are_evaluated_in_their_order,
        the_language_says_what_conditions_members_and_elements_are
    ]
}

/// A language with one variable `n`, which each call of `next()` increases. Other calls return their words.
#[derive(Default)]
struct Counting(Mutex<u32>);

impl Counting {
    fn n(&self) -> u32 {
        *self.0.lock().expect("no test panics while it holds it")
    }
}

impl Embedding for Counting {
    fn name(&self, name: &str, _: Span) -> Result<Value, Interrupt> {
        match name {
            "n" => Ok(self.n().into()),
            "xs" => Ok(vec![1_u32.into(), 2_u32.into()].into()),
            _ => Err(Failure::raised("Unknown", format!("`{name}` is unknown")).into()),
        }
    }

    fn defined(&self, owner: &str, name: &str, _: Span) -> Result<Option<Value>, Interrupt> {
        Ok((owner == "module").then(|| format!("{owner}/{name}").into()))
    }

    fn calls_definition(&self, owner: &str, _: &str) -> bool {
        owner == "module"
    }

    fn changes(&self, variable: &str, method: &str) -> bool {
        (variable, method) == ("xs", "push")
    }

    fn call<'a>(
        &'a self,
        callee: Callee<'a>,
        given: Vec<GivenArgument>,
        _: Span,
    ) -> BoxFuture<'a, Result<Value, Interrupt>> {
        if let Callee::Name("next") = callee {
            let mut n = self.0.lock().expect("no test panics while it holds it");
            *n += 1;
            return ready(Ok((*n).into())).boxed();
        }
        let callee = match callee {
            Callee::Name(name) => name.to_owned(),
            Callee::Definition(owner, name) => format!("{owner}/{name}"),
            Callee::Method(of, name) => format!("{} {name}", show(&of)),
            Callee::Place(place, name) => {
                format!("{}{} {name}", place.variable, show(&Value::from(place.steps)))
            }
            Callee::Value(value) => format!("({})", show(&value)),
        };
        let given = given.into_iter().map(|it| {
            let name = it.name.map(|name| format!("{name}=")).unwrap_or_default();
            name + &show(&it.value)
        });
        let said = format!("{callee}: {}", given.collect::<Vec<_>>().join(", "));
        ready(Ok(said.into())).boxed()
    }

    fn lambda(&self, lambda: &Arc<EmbeddedLambda>) -> Value {
        format!("a function of {}", lambda.parameters.join(" and ")).into()
    }

    fn holds(&self, value: &Value) -> Option<bool> {
        (*value == Value::Null).then_some(false)
    }

    fn member(&self, of: &Value, name: &str, _: Span) -> Result<Option<Value>, Interrupt> {
        Ok(of.fields().and_then(|it| it.get(name)).cloned())
    }

    fn element(&self, of: &Value, index: &Value, _: Span) -> Result<Option<Value>, Interrupt> {
        let at = index.read::<usize>().ok();
        Ok(at.and_then(|at| of.as_list()?.get(at)).cloned())
    }

    fn is(&self, value: &Value, owner: Option<&str>, name: &str, _: Span) -> Result<bool, Interrupt> {
        Ok(owner.is_none() && value.type_name() == name)
    }

    fn spelled(&self, value: &Value) -> String {
        show(value)
    }
}

/// Returns the value of an expression, or the reason why it has none.
fn evaluated(text: &str) -> String {
    let limits = Limits::default();
    let code = Code::read(text, Span::new(0, text.len()), &limits);
    let expression = code.expression(0);
    assert_eq!(expression.failures, [], "{text}");
    let embedded = Embedded::new(&expression.value, &["quoting"]);
    assert!(embedded.depth() > 0 && embedded.span().end == text.len(), "{text}");
    let caller = Caller::new(&Registry::default(), &limits, &Work::new(&limits), &Notes::default());
    let caller = caller.reading(text.into());
    match block_on(caller.evaluate(&embedded, Arc::new(Counting::default()))) {
        Ok(value) => show(&value),
        Err(interrupt) => {
            let failure = interrupt.into_failure().expect("nobody asks");
            let place = failure.span.map_or("", |span| &text[span.range()]);
            format!("{} at {place}", diagnostic(&failure).message)
        }
    }
}

fn names_and_calls_mean_what_the_language_says() {
    for (text, expected) in [
        ("n", "0"),
        ("nothing + 1", "`nothing` is unknown at nothing"),
        ("f(1, ...xs, ...{ a: 2 }, b = 3)", r#""f: 1, 1, 2, a=2, b=3""#),
        ("f(...1)", "`...` takes a List, not a number at 1"),
        ("module.name", r#""module/name""#),
        ("module.call(1)", r#""module/call: 1""#),
        ("n.method()", r#""0 method: ""#),
        ("null?.method(next())", "null"),
        ("xs.push(n)", r#""xs[] push: 0""#),
        ("xs[next()].a.push(n)", r#""xs[1,\"a\"] push: 1""#),
        ("xs.pop()", r#""[1,2] pop: ""#),
        ("f(1)(2)", r#""(\"f: 1\"): 2""#),
        ("(x, y) => x", r#""a function of x and y""#),
        ("quoting(module.Error, 1)", r#""quoting: \"Error\", 1""#),
        ("2 in xs", r#""[1,2] contains: 2""#),
        ("n is number", "true"),
        ("n is module.number", "false"),
    ] {
        assert_eq!(evaluated(text), expected, "{text}");
    }
}

fn operands_are_evaluated_in_their_order() {
    for (text, expected) in [
        ("next() + n", "2"),
        ("n + next()", "1"),
        ("[next(), n, next()]", "[1,1,2]"),
        ("{ a: next(), ...{ b: n }, c: next() }", r#"{"a":1,"b":1,"c":2}"#),
        ("\"${next()} ${n}\"", r#""1 1""#),
        ("[10, 20][next()] + n", "21"),
        ("next() < n || n == next()", "false"),
        ("f(next(), n, next())", r#""f: 1, 1, 2""#),
    ] {
        assert_eq!(evaluated(text), expected, "{text}");
    }
}

fn the_language_says_what_conditions_members_and_elements_are() {
    for (text, expected) in [
        ("null ? 1 : 2", "2"),
        ("!null && true", "true"),
        ("1 ? 1 : 2", "a condition is true or false, not a number at 1"),
        ("{ a: 1 }.a", "1"),
        ("{ a: 1 }.b", "an object has no member `b` at .b"),
        ("{ a: 1 }?.b", "null"),
        ("{ a: 1 }.b ?? 2", "2"),
        ("xs[1]", "2"),
        ("xs[5]", "there is no element 5 in a list of 2 at [5]"),
        ("xs[5] ?? 0", "0"),
        ("{ a: xs[5] }.a ?? 0", "there is no element 5 in a list of 2 at [5]"),
        ("[{ a: 1 }].a", "a List has no member `a` at .a"),
        ("+n", "0"),
        ("-(next())", "-1"),
        ("+xs", "`+` takes a number, not a List at xs"),
        ("await next()", "1"),
        ("[1, ...]", "what is left out cannot run at ..."),
    ] {
        assert_eq!(evaluated(text), expected, "{text}");
    }
}
