//! The flow of gaps through each function: what it makes of a list that lacks elements, or of another partial value.
//!
//! A function that is monotone passes it on: from a part of its argument it makes a part of its result. All others
//! decide on it, because a part gives them another result.

use dialect::{Flow, Function};

/// The flow of each function, and the reason.
const FLOWS: &[(&str, Flow, &str)] = &[
    ("map", Flow::Each, "fewer elements give fewer results; an index counts those before"),
    ("filter", Flow::Chosen, "each element stays or goes for itself"),
    ("find", Flow::Element, "an earlier match may be missing, or the only one"),
    ("any", Flow::Decides, "the element that is true may be missing"),
    ("all", Flow::Decides, "the element that is false may be missing"),
    ("reduce", Flow::Decides, "any combination of the elements, so also a count"),
    ("count", Flow::Decides, "it counts what is missing as absent"),
    ("take", Flow::Part, "a list of elements that are there, and as incomplete as the whole"),
    ("drop", Flow::Part, "what comes after the nth of a part comes after the nth of the whole"),
    ("first", Flow::First, "an earlier element may be missing"),
    ("last", Flow::Element, "a later element may be missing"),
    ("reverse", Flow::Ordered, "the same elements; the end is the start then"),
    ("flatten", Flow::Flattened, "fewer lists, or shorter ones, give fewer elements"),
    ("range", Flow::Decides, "it takes numbers, which lack no part"),
    ("sort", Flow::Ordered, "it compares elements with each other, but keeps all"),
    ("sortBy", Flow::Ordered, "the results of `f` decide the order"),
    ("min", Flow::Extreme, "a smaller element may be missing"),
    ("max", Flow::Extreme, "a larger element may be missing"),
    ("groupBy", Flow::Grouped, "fewer groups, or smaller ones; the results of `f` decide which"),
    ("unique", Flow::Distinct, "the same elements; with `f` the first of a group may be missing"),
    ("keys", Flow::Names, "fewer fields have fewer names"),
    ("values", Flow::Part, "fewer fields have fewer values"),
    ("get", Flow::Element, "the field or element may be missing, so that `otherwise` comes"),
    ("merge", Flow::Merged, "a field of `other` may be missing, so that that of `object` stays"),
    ("contains", Flow::Decides, "what it looks for may be missing"),
    ("sum", Flow::Decides, "it counts what is missing as 0"),
    ("toNumber", Flow::Decides, "a part of a text is another number"),
    ("truncate", Flow::Decides, "a part of a text is another number"),
    ("join", Flow::Text, "fewer elements give a shorter text"),
    ("split", Flow::Part, "a shorter text has fewer parts"),
    ("replace", Flow::Part, "a shorter text stays one; what is replaced, and by what, decides"),
    ("startsWith", Flow::Decides, "the start may be missing"),
    ("endsWith", Flow::Decides, "the end may be missing"),
    ("lower", Flow::Part, "each character for itself"),
    ("upper", Flow::Part, "each character for itself"),
    ("trim", Flow::Part, "each character for itself"),
    ("toText", Flow::Text, "a part of the value is a part of its text"),
    ("matches", Flow::Decides, "what it looks for may be missing"),
];

/// Adds the flow to a function.
pub(crate) fn with_flow(row: Function) -> Function {
    let name = row.signature.split('(').next().unwrap_or_default();
    match FLOWS.iter().find(|(of, ..)| *of == name) {
        Some((_, flow, _)) => row.flow(*flow),
        None => row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_classified_once_with_a_reason() {
        let library = crate::library();
        let declared: Vec<_> = library.functions.iter().map(|it| it.signature.split('(').next()).collect();
        let classified: Vec<_> = FLOWS.iter().map(|(name, ..)| Some(*name)).collect();
        assert_eq!(classified, declared, "the table has the functions in the order of the document");
        assert!(FLOWS.iter().all(|(.., reason)| !reason.is_empty()));
    }
}
