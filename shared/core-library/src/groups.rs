//! What is equal, and what belongs together.

use std::collections::HashSet;

use dialect::{Failure, Function, Interrupt, Invocation, Object, Value, show};
use indexmap::IndexMap;

use crate::equality::key;
use crate::failure::{name, wrong_result};
use crate::given;
use crate::row::calling;

pub(crate) fn rows() -> Vec<Function> {
    vec![
        calling(
            "groupBy(list: List<any>, f: (item: any) -> any) -> object",
            "An object of lists: the elements by what f gives for them, which names the group.",
            group_by,
        )
        .foreign(["group", "groupedBy", "partitionBy"])
        .docs("Groups come in the order of their first elements. A name is a string, a number or a boolean.")
        .example("findReferences(`User`).groupBy(r => r.path)"),
        calling(
            "unique(list: List<any>, f?: (item: any) -> any) -> List<any>",
            "Of equal elements, or those with equal f, the first.",
            unique,
        )
        .foreign(["uniq", "distinct", "dedup", "dedupe", "set", "uniqBy", "uniqueBy", "distinctBy"])
        .docs("Equal is what `==` says: 1 and 1.0, records with the same fields.")
        .example("findReferences(`User`).map(r => r.path).unique()"),
    ]
}

async fn group_by(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let names = f.call_each(list).await?;
    let mut groups: IndexMap<String, (&Value, Vec<Value>)> = IndexMap::new();
    for (index, (item, given)) in list.iter().zip(&names).enumerate() {
        let name = group_name(index, given)?;
        let (first, group) = groups.entry(name).or_insert((given, Vec::new()));
        if !first.equals(given) {
            return Err(same_name(first, given).into());
        }
        group.push(item.clone());
    }
    let fields = groups.into_iter().map(|(name, (_, group))| (name, group.into()));
    Ok(Value::Object(fields.collect::<Object>()))
}

fn group_name(index: usize, given: &Value) -> Result<String, Failure> {
    match given {
        Value::Text(text) => Ok(text.clone()),
        Value::Bool(_) => Ok(show(given)),
        Value::Number(number) => Ok(number_name(number)),
        found => {
            let wanted = "strings, numbers or booleans";
            let recovery = match found {
                Value::Null => "Name the group of null: groupBy(list, x => x.name ?? `none`)",
                _ => "Name the group: groupBy(list, x => x.path), or x => toText(x)",
            };
            Err(wrong_result("groupBy", wanted, index, found).recovery(recovery))
        }
    }
}

/// 3.0 is 3, and so is its group.
fn number_name(number: &serde_json::Number) -> String {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "within i128")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e38 => {
            (float as i128).to_string()
        }
        _ => number.to_string(),
    }
}

fn same_name(first: &Value, other: &Value) -> Failure {
    let message = format!("{} and {} would be the same group", show(first), show(other));
    Failure::raised(name::SAME_KEY, message).recovery("Make them alike: groupBy(list, x => toText(x))")
}

async fn unique(invocation: Invocation) -> Result<Value, Interrupt> {
    let list = invocation.arguments.list("list")?;
    let keys = match given::function(&invocation, "f") {
        Some(f) => f.call_each(list).await?,
        None => list.to_vec(),
    };
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (index, (item, given)) in list.iter().zip(&keys).enumerate() {
        let key = key(given).ok_or_else(|| wrong_result("unique", "data", index, given))?;
        if seen.insert(key) {
            kept.push(item.clone());
        }
    }
    Ok(kept.into())
}
