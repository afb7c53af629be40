//! Functions that call a function for each element.

use dialect::{Failure, Interrupt, Invocation, Value};

use crate::arguments;
use crate::failure::{name, wrong_element};
use crate::row::{Code, calling};

pub(crate) fn code() -> Vec<Code> {
    vec![
        calling("map(list, f)", map),
        calling("filter(list, f)", filter),
        calling("find(list, f)", find),
        calling("any(list, f?)", any),
        calling("all(list, f?)", all),
        calling("reduce(list, f, start?)", reduce),
    ]
}

async fn map(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    Ok(f.call_each(list).await?.into())
}

async fn filter(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let kept = f.call_each(list).await?;
    let both = list.iter().zip(kept).filter(|(_, kept)| *kept == Value::Bool(true));
    Ok(Value::List(both.map(|(item, _)| item.clone()).collect()))
}

async fn find(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let found = f.position(list, &true.into()).await?;
    Ok(found.map_or(Value::Null, |index| list[index].clone()))
}

async fn any(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok((position("any", &invocation, true).await?.is_some()).into())
}

async fn all(invocation: Invocation) -> Result<Value, Interrupt> {
    Ok((position("all", &invocation, false).await?.is_none()).into())
}

/// Returns the index of the first element that is `wanted`, or for which `f` is.
async fn position(function: &str, invocation: &Invocation, wanted: bool) -> Result<Option<usize>, Interrupt> {
    let list = invocation.arguments.list("list")?;
    if let Some(f) = arguments::function(invocation, "f") {
        return f.position(list, &wanted.into()).await;
    }
    invocation.work.spend(arguments::value(invocation, "list").bytes())?;
    let wrong = list.iter().enumerate().find(|(_, it)| !matches!(it, Value::Bool(_)));
    if let Some((index, found)) = wrong {
        let failure = wrong_element(function, "booleans", index, found);
        return Err(failure.recovery(format!("Say what to look for: {function}(list, x => …)")).into());
    }
    Ok(list.iter().position(|it| *it == Value::Bool(wanted)))
}

async fn reduce(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let (mut sofar, rest) = match (invocation.arguments.get("start"), list) {
        (Some(start), list) => (start.clone(), list),
        (None, [first, rest @ ..]) => (first.clone(), rest),
        (None, []) => {
            return Err(Failure::thrown(name::EMPTY_LIST, []).argument("list").into());
        }
    };
    for item in rest {
        sofar = f.call(vec![sofar, item.clone()]).await?;
    }
    Ok(sofar)
}
