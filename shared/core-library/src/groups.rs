//! Groups and duplicates.

use std::borrow::Cow;
use std::collections::HashSet;

use dialect::{Failure, Interrupt, Invocation, List, Object, Value, show, show_start};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::arguments;
use crate::equality::key;
use crate::failure::{name, wrong_result};
use crate::row::{Code, calling};

/// The most bytes of a key that a failure shows.
const LONGEST: usize = 200;

pub(crate) fn code() -> Vec<Code> {
    vec![calling("groupBy(list, f)", group_by), calling("unique(list, f?)", unique)]
}

async fn group_by(invocation: Invocation) -> Result<Value, Interrupt> {
    let (list, f) = (invocation.arguments.list("list")?, invocation.arguments.function("f")?);
    let names = List::from(f.call_each(list).await?);
    invocation.work.spend(Value::List(names.clone()).bytes())?;
    let mut groups: IndexMap<Cow<'_, str>, (&Value, Vec<Value>), RandomState> = IndexMap::default();
    for (index, (item, given)) in list.iter().zip(names.iter()).enumerate() {
        let name = group_name(index, given)?;
        let (first, group) = groups.entry(name).or_insert((given, Vec::new()));
        if !first.equals(given) {
            return Err(same_name(first, given).into());
        }
        group.push(item.clone());
    }
    let fields = groups.into_iter().map(|(name, (_, group))| (name.into_owned(), group.into()));
    Ok(Value::Object(fields.collect::<Object>()))
}

fn group_name(index: usize, given: &Value) -> Result<Cow<'_, str>, Failure> {
    match given {
        Value::Text(text) => Ok(Cow::Borrowed(text)),
        Value::Bool(_) => Ok(show(given).into()),
        Value::Number(number) => Ok(number_name(number).into()),
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

/// Returns the name of a number's group; 3.0 and 3 share one.
fn number_name(number: &serde_json::Number) -> String {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "within i128")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e38 => {
            (float as i128).to_string()
        }
        _ => number.to_string(),
    }
}

/// Creates the failure for two keys of one name, with the starts of the two.
fn same_name(first: &Value, other: &Value) -> Failure {
    let [first, other] = [first, other].map(|it| Value::from(show_start(it, LONGEST)));
    Failure::thrown(name::SAME_KEY, [("first", first), ("other", other)])
}

async fn unique(invocation: Invocation) -> Result<Value, Interrupt> {
    let list = invocation.arguments.list("list")?;
    let keys = match arguments::function(&invocation, "f") {
        Some(f) => f.call_each(list).await?,
        None => list.to_vec(),
    };
    let keys = List::from(keys);
    // A key is written, and then looked up.
    invocation.work.spend(Value::List(keys.clone()).bytes().saturating_mul(2))?;
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (index, (item, given)) in list.iter().zip(keys.iter()).enumerate() {
        let key = key(given).ok_or_else(|| wrong_result("unique", "data", index, given))?;
        if seen.insert(key) {
            kept.push(item.clone());
        }
    }
    Ok(kept.into())
}
