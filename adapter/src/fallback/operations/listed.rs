//! Places in a sentence.

/// The first of them, and how many more there are: `a, b and 3 more`.
pub(super) fn listed(places: &[String], limit: usize) -> String {
    let first = places[..places.len().min(limit)].join(", ");
    match places.len().saturating_sub(limit) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_counted() {
        let places = ["a", "b", "c"].map(str::to_owned);
        for (count, expected) in [(0, ""), (1, "a"), (2, "a, b"), (3, "a, b and 1 more")] {
            assert_eq!(listed(&places[..count], 2), expected);
        }
    }
}
