//! The comparison of what an example printed with its `output` fence.

/// The mark that stands for anything in a line.
const ANYTHING: char = '…';

/// The first line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The index of the line in the expected text.
    pub(super) line: usize,
    /// The expected line; `None` behind the last one.
    pub(super) expected: Option<String>,
    /// The printed line; `None` behind the last one.
    pub(super) printed: Option<String>,
}

/// Returns the first difference. Blanks at the ends of lines and empty lines at the end do not count.
pub(super) fn difference(expected: &str, printed: &str) -> Option<Difference> {
    let (mut expected, mut printed) = (lines(expected), lines(printed));
    let mut line = 0;
    loop {
        match (expected.next(), printed.next()) {
            (None, None) => return None,
            (Some(wanted), Some(found)) if matches(wanted, found) => line += 1,
            (wanted, found) => {
                let (expected, printed) = (wanted.map(str::to_owned), found.map(str::to_owned));
                return Some(Difference { line, expected, printed });
            }
        }
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().map(str::trim_end)
}

/// Returns `true` if a line is the expected one.
fn matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsis_stands_for_anything_in_a_line() {
        for (expected, line) in [
            ("", ""),
            ("a", "a"),
            ("a…c", "abbc"),
            ("…", ""),
            ("…", "anything"),
            ("id: …, at …", "id: 7, at noon"),
            ("…a…", "bab"),
            ("a…a", "aa"),
        ] {
            assert!(matches(expected, line), "{expected} {line}");
        }
        for (expected, line) in [("a", "ab"), ("a…c", "abcd"), ("a…a", "a"), ("…b…a", "ab"), ("x", "")]
        {
            assert!(!matches(expected, line), "{expected} {line}");
        }
    }

    #[test]
    fn the_first_line_that_differs_is_found() {
        assert_eq!(difference("a\nb\n", "a\nb  \n\n"), None);
        let difference = difference("a\nb\n", "a\n").unwrap();
        assert_eq!(
            (difference.line, difference.expected.as_deref(), difference.printed),
            (1, Some("b"), None)
        );
        assert_eq!(super::difference("", "x").unwrap().expected, None);
    }
}
