//! Methods of values. What is not here may be a function of the registry, which takes the receiver first.

use dialect::ast::{Call, Expression};
use dialect::{GivenArgument, Object, Value};
use source_text::Span;

use super::expression::spelled;
use super::halt::{Halt, Run, noun};
use super::interpreter::Interpreter;
use super::member::unwrapped;
use super::place::place_of;

/// The methods that take a function.
const WITH_FUNCTION: &[&str] = &["map", "filter", "forEach", "find", "some", "every", "reduce", "flatMap"];

/// The methods that change a list in its variable.
const CHANGING: &[&str] = &["push", "pop"];

impl Interpreter {
    /// Calls a method.
    pub(super) async fn method_call(&self, receiver: &Expression, call: &Call, span: Span) -> Run {
        let name = call.name.text.as_str();
        if CHANGING.contains(&name) && place_of(receiver).is_some_and(|(it, _)| self.scope.get(it).is_some())
        {
            return self.changing(receiver, call, span).await;
        }
        let of = self.evaluate(receiver).await?;
        if of == Value::Null && call.or_null {
            return Ok(Value::Null);
        }
        if let Some(function @ Value::Function(_)) = of.fields().and_then(|fields| fields.get(name)) {
            let arguments = self.arguments(&call.arguments).await?;
            return self.apply(function, arguments, span).await;
        }
        let arguments = self.arguments(&call.arguments).await?;
        self.method(of, name, arguments, span).await
    }

    async fn method(&self, of: Value, name: &str, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let values: Vec<Value> = arguments.iter().map(|it| it.value.clone()).collect();
        if let Some(value) = self.result_method(&of, name, &values, span)? {
            return Ok(value);
        }
        let of = match unwrapped(&of) {
            Some(result) => result.map_err(|error| super::member::thrown(error, span))?,
            None => of,
        };
        let bytes = values.iter().map(Value::bytes).fold(of.bytes(), usize::saturating_add);
        self.spend(bytes, span)?;
        if let (Value::List(items), Some(function)) = (&of, values.first())
            && WITH_FUNCTION.contains(&name)
            && matches!(function, Value::Function(_))
        {
            return self.with_function(items.to_vec(), name, &values, span).await;
        }
        match plain(&of, name, &values) {
            Some(result) => self.measured(result.map_err(|message| Halt::mistake(span, message))?, span),
            None => self.function_of(of, name, arguments, span).await,
        }
    }

    /// Calls a function of the registry with the receiver as its first argument.
    async fn function_of(&self, of: Value, name: &str, arguments: Vec<GivenArgument>, span: Span) -> Run {
        let signatures = self.state.linked.registry.signatures();
        if !{ signatures }.any(|it| it.name == name) {
            return Err(Halt::mistake(span, format!("{} has no method `{name}`", noun(&of))));
        }
        let receiver = GivenArgument { name: None, value: of };
        self.call_tool(name, [receiver].into_iter().chain(arguments).collect(), span).await
    }

    /// Calls a method of a `Result`, an `Option`, or of a value that may be one; `None` for other methods.
    fn result_method(&self, of: &Value, name: &str, values: &[Value], span: Span) -> Run<Option<Value>> {
        let result = match unwrapped(of) {
            Some(result) => result,
            None if *of == Value::Null => Err(super::member::missing_value()),
            None => Ok(of.clone()),
        };
        Ok(Some(match name {
            "isOk" | "isSome" => Value::Bool(result.is_ok()),
            "isErr" | "isNone" => Value::Bool(result.is_err()),
            "unwrap" => result.map_err(|error| super::member::thrown(error, span))?,
            "unwrapOr" => result.unwrap_or_else(|_| values.first().cloned().unwrap_or_default()),
            "error" => result.err().unwrap_or_default(),
            _ => return Ok(None),
        }))
    }

    /// Changes a list in its variable.
    async fn changing(&self, receiver: &Expression, call: &Call, span: Span) -> Run {
        let place = self.place(receiver).await?;
        let mut values = self.positional(&call.arguments).await?;
        for value in &mut values {
            *value = self.inserted(std::mem::take(value), place.1.len() + 1, span)?;
        }
        let most = self.state.limits.list_length;
        let is_push = call.name.text == "push";
        let changed = self.change(&place, receiver.span, move |slot| match slot {
            Value::List(items) if is_push && items.len() + values.len() <= most => {
                items.extend(values);
                Ok(items.len().into())
            }
            Value::List(_) if is_push => Err(format!("a list has at most {most} elements")),
            Value::List(items) => Ok(items.pop().unwrap_or_default()),
            found => Err(format!("{} is no list", noun(found))),
        })?;
        changed.map_err(|message| Halt::mistake(span, message))
    }

    async fn with_function(&self, items: Vec<Value>, name: &str, values: &[Value], span: Span) -> Run {
        let function = &values[0];
        if name == "reduce" {
            return self.reduce(items, values, span).await;
        }
        let mut made = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            let result = self.apply_values(function, vec![item.clone(), index.into()], span).await?;
            match (name, result) {
                ("map", result) => made.push(result),
                ("flatMap", Value::List(more)) => {
                    self.spend(more.len() * 32, span)?;
                    made.extend(more);
                }
                ("flatMap", result) => made.push(result),
                ("forEach", _)
                | ("filter" | "find" | "some", Value::Bool(false))
                | ("every", Value::Bool(true)) => {}
                ("filter", Value::Bool(true)) => made.push(item),
                ("find", Value::Bool(true)) => return Ok(item),
                ("some", Value::Bool(true)) => return Ok(Value::Bool(true)),
                ("every", Value::Bool(false)) => return Ok(Value::Bool(false)),
                (_, found) => {
                    let message =
                        format!("the function of `{name}` returns true or false, not {}", noun(&found));
                    return Err(Halt::mistake(span, message));
                }
            }
        }
        match name {
            "forEach" | "find" => Ok(Value::Null),
            "some" => Ok(Value::Bool(false)),
            "every" => Ok(Value::Bool(true)),
            _ => self.measured(made.into(), span),
        }
    }

    async fn reduce(&self, items: Vec<Value>, values: &[Value], span: Span) -> Run {
        let mut items = items.into_iter();
        let start = values.get(1).cloned().or_else(|| items.next());
        let mut result =
            start.ok_or_else(|| Halt::mistake(span, "`reduce` of an empty list needs a second argument"))?;
        for item in items {
            result = self.apply_values(&values[0], vec![result, item], span).await?;
        }
        Ok(result)
    }
}

/// Calls a method that needs no function; `None` if there is none of that name.
fn plain(of: &Value, name: &str, values: &[Value]) -> Option<Result<Value, String>> {
    if name == "toString" {
        return Some(Ok(spelled(of).into()));
    }
    match (of, of.fields()) {
        (Value::List(items), _) => of_list(items, name, values),
        (Value::Text(text), _) => of_text(text, name, values),
        (_, Some(fields)) => of_object(name, fields, values).map(Ok),
        _ => None,
    }
}

fn of_list(items: &[Value], name: &str, values: &[Value]) -> Option<Result<Value, String>> {
    let first = values.first();
    Some(Ok(match name {
        "join" => {
            let separator = first.map_or(",".to_owned(), spelled);
            items.iter().map(spelled).collect::<Vec<_>>().join(&separator).into()
        }
        "includes" => items.iter().any(|it| first.is_some_and(|first| it.equals(first))).into(),
        "indexOf" => match items.iter().position(|it| first.is_some_and(|first| it.equals(first))) {
            Some(at) => at.into(),
            None => Value::Number((-1).into()),
        },
        "slice" => items[range(values, items.len())].to_vec().into(),
        "concat" => {
            let mut all = items.to_vec();
            for value in values {
                match value {
                    Value::List(more) => all.extend(more.iter().cloned()),
                    value => all.push(value.clone()),
                }
            }
            all.into()
        }
        "reverse" => items.iter().rev().cloned().collect::<Vec<_>>().into(),
        "sort" if values.is_empty() => return Some(sorted(items)),
        _ => return None,
    }))
}

/// Returns the list in order. Numbers and texts have one.
fn sorted(items: &[Value]) -> Result<Value, String> {
    let pair = items.windows(2).find(|pair| pair[0].order(&pair[1]).is_none());
    if let Some([one, other]) = pair {
        return Err(format!("{} and {} have no order", noun(one), noun(other)));
    }
    let mut items = items.to_vec();
    items.sort_by(|one, other| one.order(other).unwrap_or(std::cmp::Ordering::Equal));
    Ok(items.into())
}

fn of_text(text: &str, name: &str, values: &[Value]) -> Option<Result<Value, String>> {
    let given = |index: usize| values.get(index).map(spelled).unwrap_or_default();
    Some(Ok(match name {
        "includes" => text.contains(&given(0)).into(),
        "startsWith" => text.starts_with(&given(0)).into(),
        "endsWith" => text.ends_with(&given(0)).into(),
        "indexOf" => match text.find(&given(0)) {
            Some(at) => text[..at].chars().count().into(),
            None => Value::Number((-1).into()),
        },
        "slice" | "substring" => {
            let chars: Vec<char> = text.chars().collect();
            chars[range(values, chars.len())].iter().collect::<String>().into()
        }
        "split" => return Some(split(text, &given(0))),
        "trim" => text.trim().into(),
        "toUpperCase" => text.to_uppercase().into(),
        "toLowerCase" => text.to_lowercase().into(),
        "replace" => return Some(replaced(text, &given(0), &given(1), 1)),
        "replaceAll" => return Some(replaced(text, &given(0), &given(1), usize::MAX)),
        "repeat" => return Some(repeated(text, values)),
        _ => return None,
    }))
}

/// The most parts that a text is split into. A list has no more elements.
const MOST_PARTS: usize = 100_000;

fn split(text: &str, separator: &str) -> Result<Value, String> {
    let count = if separator.is_empty() { text.chars().count() } else { text.matches(separator).count() };
    if count > MOST_PARTS {
        return Err(format!("the text would have more than {MOST_PARTS} parts"));
    }
    let parts: Vec<Value> = match separator {
        "" => text.chars().map(|char| char.to_string().into()).collect(),
        separator => text.split(separator).map(Value::from).collect(),
    };
    Ok(parts.into())
}

/// The most bytes of a text that a method makes.
const LONGEST: usize = 16 << 20;

fn replaced(text: &str, from: &str, to: &str, times: usize) -> Result<Value, String> {
    let found = text.matches(from).take(times).count();
    match found.checked_mul(to.len()).and_then(|more| more.checked_add(text.len())) {
        Some(bytes) if bytes <= LONGEST => Ok(text.replacen(from, to, times).into()),
        _ => Err(format!("the text would have more than {LONGEST} bytes")),
    }
}

fn repeated(text: &str, values: &[Value]) -> Result<Value, String> {
    let times = match values.first() {
        Some(Value::Number(times)) => times.as_u64().and_then(|it| usize::try_from(it).ok()),
        _ => None,
    };
    let times = times.ok_or("`repeat` takes a number of times")?;
    match times.checked_mul(text.len()) {
        Some(bytes) if bytes <= LONGEST => Ok(text.repeat(times).into()),
        _ => Err(format!("the text would have more than {LONGEST} bytes")),
    }
}

/// Calls a function on the fields of an object.
pub(super) fn of_object(name: &str, fields: &Object, values: &[Value]) -> Option<Value> {
    let key = values.first().and_then(Value::as_text);
    Some(match name {
        "keys" => fields.keys().map(|key| key.as_str().into()).collect::<Vec<Value>>().into(),
        "values" => fields.values().cloned().collect::<Vec<Value>>().into(),
        "entries" => {
            let pairs = fields.iter().map(|(key, value)| vec![key.as_str().into(), value.clone()].into());
            pairs.collect::<Vec<Value>>().into()
        }
        "has" | "includes" => key.is_some_and(|key| fields.contains_key(key)).into(),
        "get" => key.and_then(|key| fields.get(key)).cloned().unwrap_or_default(),
        _ => return None,
    })
}

/// Returns `true` if a list has an element, an object a key, or a text a part.
pub(super) fn includes(of: &Value, item: &Value) -> Result<bool, String> {
    match (of, of.fields(), item.as_text()) {
        (Value::List(items), ..) => Ok(items.iter().any(|it| it.equals(item))),
        (Value::Text(text), _, Some(part)) => Ok(text.contains(part)),
        (_, Some(fields), Some(key)) => Ok(fields.contains_key(key)),
        _ => Err(format!("{} is not in {}", noun(item), noun(of))),
    }
}

/// Returns the range of `slice(start, end)`. Negative numbers count from the end.
fn range(values: &[Value], length: usize) -> std::ops::Range<usize> {
    let at = |index: usize, otherwise: usize| match values.get(index) {
        Some(Value::Number(number)) => {
            let number = number.as_i64().unwrap_or(i64::MAX);
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let from_start = if number < 0 { length.saturating_add(number) } else { number };
            usize::try_from(from_start.clamp(0, length)).unwrap_or(otherwise)
        }
        _ => otherwise,
    };
    let (start, end) = (at(0, 0), at(1, length));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::{DICT_METHODS, LIST_METHODS, TEXT_METHODS};

    #[test]
    fn the_methods_that_editors_offer_exist() {
        let list = Value::from(vec![Value::from("a")]);
        let dict = Value::from(serde_json::json!({"a": 1}));
        for (of, declarations) in
            [(list, LIST_METHODS), (Value::from("a"), TEXT_METHODS), (dict, DICT_METHODS)]
        {
            for declaration in declarations.iter().filter(|it| it.contains('(')) {
                let (name, parameters) = declaration.split_once('(').unwrap();
                let is_own = CHANGING.contains(&name) || WITH_FUNCTION.contains(&name);
                let values: Vec<Value> = match parameters {
                    ")" => Vec::new(),
                    "times)" => vec![Value::from(1_u32)],
                    _ => vec![Value::from("a"), Value::from("a")],
                };
                assert!(is_own || plain(&of, name, &values).is_some(), "{declaration}");
            }
        }
        for name in CHANGING.iter().chain(WITH_FUNCTION) {
            assert!(LIST_METHODS.iter().any(|it| it.starts_with(&format!("{name}("))), "{name}");
        }
    }
}
