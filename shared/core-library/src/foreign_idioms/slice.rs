//! Slices such as `xs.slice(1, 3)`, which are `drop` and `take`.

use dialect::ForeignIdiom;

use super::written::positional;

pub(super) fn rows() -> Vec<ForeignIdiom> {
    let slices = ["slice", "substring", "subList"].map(|name| {
        ForeignIdiom::from_fn(name, |written| {
            if let Some([list, from]) = positional(written) {
                return from_on(list, from).filter(|_| is_slice(name, from, from));
            }
            let [list, from, to] = positional(written)?;
            between(list, from, to).filter(|_| is_slice(name, from, to))
        })
    });
    let counts = [first("first"), last("last"), char_at(), substr()];
    slices.into_iter().chain(counts).collect()
}

/// Returns `false` for `substring` with bounds that it swaps, or takes for 0.
fn is_slice(name: &str, from: &str, to: &str) -> bool {
    let bounds = (from.parse::<u32>(), to.parse::<u32>());
    name != "substring" || matches!(bounds, (Ok(from), Ok(to)) if from <= to)
}

/// Rewrites a slice without an end; a negative start counts from the end.
fn from_on(list: &str, from: &str) -> Option<String> {
    let number: i64 = from.parse().ok()?;
    let function = if number < 0 { "take" } else { "drop" };
    Some(format!("{function}({list}, {from})"))
}

/// Rewrites a slice. The signs of its bounds decide, so they must be known.
fn between(list: &str, from: &str, to: &str) -> Option<String> {
    let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
    match (from < 0, to < 0) {
        (false, false) if from == 0 => Some(format!("take({list}, {to})")),
        (false, false) => Some(format!("drop(take({list}, {to}), {from})")),
        (false, true) if from == 0 => Some(format!("drop({list}, {to})")),
        (false, true) => Some(format!("drop(drop({list}, {to}), {from})")),
        (true, true) => (from < to).then(|| format!("take(drop({list}, {to}), {})", from - to)),
        (true, false) => None,
    }
}

/// Rewrites `text.charAt(1)`; there is nothing before the first.
fn char_at() -> ForeignIdiom {
    ForeignIdiom::from_fn("charAt", |written| {
        let [text, at] = positional(written)?;
        at.parse::<u32>().is_ok().then(|| format!("{text}.drop({at}).take(1)"))
    })
}

/// Rewrites `text.substr(1, 2)`.
fn substr() -> ForeignIdiom {
    ForeignIdiom::from_fn("substr", |written| {
        let [text, from, length] = positional(written)?;
        let (from, length): (u32, u32) = (from.parse().ok()?, length.parse().ok()?);
        Some(format!("take(drop({text}, {from}), {length})"))
    })
}

/// Rewrites `first(xs, 3)` and `xs.first(x => …)`.
fn first(name: &'static str) -> ForeignIdiom {
    ForeignIdiom::from_fn(name, |written| {
        let [list, what] = positional(written)?;
        let function = if what.contains("=>") { "find" } else { "take" };
        Some(format!("{function}({list}, {what})"))
    })
}

/// Rewrites `last(xs, 3)`.
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
