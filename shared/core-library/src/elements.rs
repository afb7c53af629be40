//! Functions of each element.

use dialect::{Failure, Function, Interrupt, Invocation, Value};

use crate::failure::{name, wrong_element};
use crate::given;
use crate::row::calling;

pub(crate) fn rows() -> Vec<Function> {
    vec![
        calling("map(list: List<any>, f: (item: any) -> any) -> List<any>", "f of each element.", map)
            .foreign(["forEach", "each", "mapAsync", "asyncMap"])
            .docs("A function of two parameters is given the index too.")
            .example("findReferences(`User`).map(r => r.path)"),
        calling(
            "filter(list: List<any>, f: (item: any) -> boolean) -> List<any>",
            "The elements for which f is true.",
            filter,
        )
        .foreign(["where", "keep"])
        .example("findReferences(`User`).filter(r => r.path.startsWith(`src/`))"),
        calling(
            "find(list: List<any>, f: (item: any) -> boolean) -> any",
            "The first element for which f is true, else null.",
            find,
        )
        .foreign(["detect", "findFirst", "firstWhere"])
        .example("findDefinitions(`User`).find(d => d.kind == `struct`)"),
        calling(
            "any(list: List<any>, f?: (item: any) -> boolean) -> boolean",
            "Whether f is true for an element; without f, whether an element is true.",
            any,
        )
        .foreign(["some", "exists", "anyMatch"])
        .example("findReferences(`User`).any(r => r.path.startsWith(`tests/`))"),
        calling(
            "all(list: List<any>, f?: (item: any) -> boolean) -> boolean",
            "Whether f is true for every element, as it is for all of none; without f, whether all are true.",
            all,
        )
        .foreign(["every", "allMatch"])
        .example("findDefinitions(`User`).all(d => d.kind == `struct`)"),
        calling(
            "reduce(list: List<any>, f: (sofar: any, item: any) -> any, start?: any) -> any",
            "What f makes of the first two elements, then of that and the third, and so on.",
            reduce,
        )
        .foreign(["fold", "foldl", "inject"])
        .docs("With a start, that comes before the first element, and is the result of an empty list.")
        .example("[1, 2, 3].reduce((sofar, n) => sofar * n, 1)"),
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

/// Of the first element that is `wanted`, or for which `f` is.
async fn position(function: &str, invocation: &Invocation, wanted: bool) -> Result<Option<usize>, Interrupt> {
    let list = invocation.arguments.list("list")?;
    if let Some(f) = given::function(invocation, "f") {
        return f.position(list, &wanted.into()).await;
    }
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
            let failure = Failure::raised(name::EMPTY_LIST, "the list is empty, and there is no `start`");
            return Err(failure
                .argument("list")
                .recovery("Say what an empty list comes to: reduce(list, f, start)")
                .into());
        }
    };
    for item in rest {
        sofar = f.call(vec![sofar, item.clone()]).await?;
    }
    Ok(sofar)
}
