//! Lists of places as an agent reads them in answers.

use serde_json::Value;

/// A place as the tool counts: the path in the workspace, line and column from 1, columns in Unicode scalar values.
pub type Place = (String, u64, u64);

/// Reads the places of a list of ranges: lines of `rangeLines(…)`, or `[]`. `None` for another answer.
pub fn places(answer: &str) -> Option<Vec<Place>> {
    if answer == "[]" {
        return Some(Vec::new());
    }
    let lines = answer.strip_prefix("rangeLines(")?.strip_suffix(')')?;
    let lines: Vec<String> = match lines.strip_prefix('`') {
        Some(raw) => raw.strip_suffix('`')?.lines().map(str::to_owned).collect(),
        None => serde_json::from_str::<Vec<String>>(lines).ok()?,
    };
    let (mut path, mut places) = (String::new(), Vec::new());
    for line in lines.iter().filter(|it| !it.is_empty()) {
        match line.strip_prefix(' ').map(str::trim_start) {
            // What places share has a line of its own: ` in function both@8:`.
            Some(place) => match place_of(&path, place) {
                Some(place) => places.push(place),
                None => _ = place.strip_suffix(':')?,
            },
            None => {
                match line.match_indices(':').find_map(|(at, _)| place_of(&line[..at], &line[at + 1..])) {
                    Some(place) => places.push(place),
                    // Behind the path stands what all its places share: `src/auth.rs: call public`.
                    None => {
                        let shared = line.rsplit_once(": ").map(|(path, _)| path);
                        path = shared.or_else(|| line.strip_suffix(':'))?.to_owned();
                    }
                }
            }
        }
    }
    Some(places)
}

/// Reads `LINE:COLUMN-…`.
fn place_of(path: &str, text: &str) -> Option<Place> {
    let (line, rest) = text.split_once(':')?;
    let (column, _) = rest.split_once('-')?;
    Some((path.to_owned(), line.parse().ok()?, column.parse().ok()?))
}

/// Returns a text answer without its backticks or quotes.
pub fn text(answer: &str) -> String {
    let raw = answer.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    raw.map(str::to_owned)
        .or_else(|| match serde_json::from_str(answer) {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        })
        .unwrap_or_else(|| answer.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_each_form() {
        let place = |path: &str, line, column| (path.to_owned(), line, column);
        assert_eq!(places("[]"), Some(vec![]));
        assert_eq!(places("rangeLines(`a b.rs:3:5-9: x`)"), Some(vec![place("a b.rs", 3, 5)]));
        let shared =
            "rangeLines(`\na.rs: call public\n in function f@2:\n  3:5-9: x\n 4:1-2 in function g@4: y\n`)";
        assert_eq!(places(shared), Some(vec![place("a.rs", 3, 5), place("a.rs", 4, 1)]));
        let both = vec![place("a.rs", 3, 5), place("a.rs", 4, 1), place("b.rs", 1, 1)];
        assert_eq!(
            places("rangeLines(`\na.rs:\n 3:5-9 call: f\n 4:1-5:2\nb.rs:1:1-2\n`)"),
            Some(both.clone())
        );
        assert_eq!(
            places("rangeLines([\n\"a.rs:\",\n\" 3:5-9: `f`\",\n\" 4:1-2\",\n\"b.rs:1:1-2\"\n])"),
            Some(both)
        );
        assert_eq!(places("failure: no"), None);
        assert_eq!((text("`a\nb`"), text("\"a\\nb\"")), ("a\nb".into(), "a\nb".into()));
    }
}
