//! Methods of lists.

use dialect::{Arguments, Effect, Failure, Function, Interrupt, Invocation, Value};

use super::row::{further, pure, range};

/// A method that changes a list in its variable.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    name: &'static str,
    /// The name of its row.
    pub(crate) row: &'static str,
    /// Changes the list, and returns the result of the call.
    pub(crate) apply: fn(&mut Vec<Value>, Vec<Value>) -> Value,
}

const CHANGES: [Change; 2] = [
    Change {
        name: "push",
        row: "List.push",
        apply: |items, values| {
            items.extend(values);
            items.len().into()
        },
    },
    Change { name: "pop", row: "List.pop", apply: |items, _| items.pop().unwrap_or_default() },
];

impl Change {
    /// Returns the change that a method makes.
    pub(crate) fn of(name: &str) -> Option<Self> {
        CHANGES.into_iter().find(|it| it.name == name)
    }

    /// Returns the values that become elements.
    pub(crate) fn values(self, arguments: &Arguments) -> Result<Vec<Value>, Failure> {
        Ok(further(arguments)?.to_vec())
    }

    /// Calls the method on a list that is in no variable.
    fn of_copy(self, invocation: &Invocation) -> Result<Value, Failure> {
        Ok((self.apply)(&mut list(invocation)?.to_vec(), self.values(&invocation.arguments)?))
    }
}

pub(super) fn rows() -> Vec<Function> {
    let [push, pop] = CHANGES;
    vec![
        pure(
            "List.push(list: List<any>, ...) -> number",
            "Appends elements to a list in a variable, as in TypeScript; Dialect writes `[...list, item]`.",
            move |it| push.of_copy(it),
        ),
        pure(
            "List.pop(list: List<any>) -> any",
            "Takes the last element out of a list in a variable, as in TypeScript; Dialect returns it alone.",
            move |it| pop.of_copy(it),
        ),
        Function::new(
            "List.forEach(list: List<any>, f: (item: any) -> any) -> null",
            "Calls f with each element, and returns null as in TypeScript; Dialect returns the results.",
            for_each,
        )
        .effect(Effect::Pure),
        Function::new(
            "List.flatMap(list: List<any>, f: (item: any) -> any) -> List<any>",
            "Joins the lists that f returns; Dialect writes `flatten(map(list, f))`.",
            flat_map,
        )
        .effect(Effect::Pure),
        pure(
            "List.indexOf(list: List<any>, item: any) -> number",
            "Returns the index of an element, -1 without it as in TypeScript; Dialect has no such function.",
            index_of,
        ),
        pure(
            "List.slice(list: List<any>, start?: int, end?: int) -> List<any>",
            "Returns the elements from start to before end; Dialect writes `drop` and `take`.",
            |it| Ok(list(it)?[range(it, list(it)?.len())?].to_vec().into()),
        ),
        pure(
            "List.concat(list: List<any>, ...) -> List<any>",
            "Appends elements, and the elements of lists; Dialect writes `[...list, ...other]`.",
            concat,
        ),
    ]
}

fn list(invocation: &Invocation) -> Result<&[Value], Failure> {
    invocation.arguments.list("list")
}

async fn for_each(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (list(&invocation)?, invocation.arguments.function("f")?);
    f.call_each(list).await?;
    Ok(Value::Null)
}

async fn flat_map(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (list(&invocation)?, invocation.arguments.function("f")?);
    let results = f.call_each(list).await?;
    joined(&invocation, results).map_err(Interrupt::from)
}

fn concat(invocation: &Invocation) -> Result<Value, Failure> {
    let own = list(invocation)?.iter().cloned().map(|item| Value::from(vec![item]));
    let parts = own.chain(further(&invocation.arguments)?.iter().cloned());
    joined(invocation, parts.collect())
}

/// Joins the lists among values, one level deep.
fn joined(invocation: &Invocation, values: Vec<Value>) -> Result<Value, Failure> {
    let bytes = values.iter().map(Value::bytes).fold(0, usize::saturating_add);
    invocation.work.check_room(bytes)?;
    let mut all = Vec::with_capacity(values.len());
    for value in values {
        match value {
            Value::List(items) => all.extend(items),
            value => all.push(value),
        }
    }
    Ok(all.into())
}

fn index_of(invocation: &Invocation) -> Result<Value, Failure> {
    let (list, item) = (list(invocation)?, invocation.arguments.get("item").unwrap_or(&Value::Null));
    invocation.work.spend(list.len().saturating_mul(item.bytes()))?;
    let found = list.iter().position(|it| it.equals(item));
    Ok(found.map_or_else(|| Value::Number((-1).into()), Value::from))
}
