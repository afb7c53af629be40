//! `xs.slice(1, 3)`, which is `drop` and `take`.

use dialect::ForeignIdiom;

use super::positional;

pub(super) fn rows() -> Vec<ForeignIdiom> {
    let slices = ["slice", "substring", "subList"].map(|name| {
        ForeignIdiom::from_fn(name, |written| {
            if let Some([list, from]) = positional(written) {
                return Some(from_on(list, from));
            }
            let [list, from, to] = positional(written)?;
            between(list, from, to)
        })
    });
    let counts = [first("first"), last("last")];
    slices.into_iter().chain(counts).collect()
}

/// From a negative index on: the last ones.
fn from_on(list: &str, from: &str) -> String {
    let function = if from.starts_with('-') { "take" } else { "drop" };
    format!("{function}({list}, {from})")
}

fn between(list: &str, from: &str, to: &str) -> Option<String> {
    match (from.starts_with('-'), to.starts_with('-')) {
        (false, false) if from == "0" => Some(format!("take({list}, {to})")),
        (false, false) => Some(format!("drop(take({list}, {to}), {from})")),
        (false, true) if from == "0" => Some(format!("drop({list}, {to})")),
        (false, true) => Some(format!("drop(drop({list}, {to}), {from})")),
        (true, true) => {
            let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
            (from < to).then(|| format!("take(drop({list}, {to}), {})", from - to))
        }
        (true, false) => None,
    }
}

/// `first(xs, 3)`, `xs.first(x => …)`
fn first(name: &'static str) -> ForeignIdiom {
    ForeignIdiom::from_fn(name, |written| {
        let [list, what] = positional(written)?;
        let function = if what.contains("=>") { "find" } else { "take" };
        Some(format!("{function}({list}, {what})"))
    })
}

/// `last(xs, 3)`
fn last(name: &'static str) -> ForeignIdiom {
    ForeignIdiom::from_fn(name, |written| {
        let [list, what] = positional(written)?;
        if what.contains("=>") {
            return Some(format!("find(reverse({list}), {what})"));
        }
        let count: u32 = what.parse().ok()?;
        Some(format!("take({list}, -{count})"))
    })
}
