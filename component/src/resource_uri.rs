//! What the URI of something attached to a prompt names: pure. URIs come from editors, and from whoever made the
//! editor attach them.

use std::path::{Component, Path, PathBuf};

use ide_protocol::{Column, Line, Point};
use url::Url;

/// A URI that is longer is not looked into.
const LENGTH: usize = 4096;

/// What a URI names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mention {
    /// A stretch of a file.
    Stretch(Stretch),
    /// A file as a whole.
    File(PathBuf),
    /// Nothing of a file: a web page, a thread, an image.
    Other,
    /// Something of a file, in a way that cannot be made use of; says why.
    Odd(&'static str),
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Absolute, without `.` and `..`.
    pub(crate) path: PathBuf,
    /// Where it starts.
    pub(crate) start: Point,
    /// Where it ends, exclusive.
    pub(crate) end: Point,
    /// The symbol that was attached, when it was one.
    pub(crate) symbol: Option<String>,
}

/// Reads `file:///w/a.rs#L10:20`, which is lines 10 to 20 as Zed writes them, `#L10-L20`, `#L10-20`, `#L10`,
/// `#L10C5-L12C3`, `#L10,5-12,3`, with `?column=5` and `?symbol=NAME`; and `zed:///agent/selection?path=/w/a.rs#L10:20`.
pub(crate) fn read(uri: &str) -> Mention {
    if uri.len() > LENGTH {
        return Mention::Odd("its URI is too long");
    }
    let Ok(uri) = Url::parse(uri) else { return Mention::Odd("its URI is none") };
    match (uri.scheme(), uri.path()) {
        ("file", _) => match uri.to_file_path() {
            Ok(path) => of_file(&path, &uri, parameter(&uri, "symbol")),
            Err(()) => Mention::Odd("it is on another machine"),
        },
        ("zed", "/agent/untitled-buffer") => Mention::Odd("the buffer is no file yet"),
        ("zed", "/agent/selection" | "/agent/file") => at_parameter(&uri, None),
        ("zed", path) => match path.strip_prefix("/agent/symbol/") {
            Some(name) => at_parameter(&uri, Some(name.to_owned())),
            None => Mention::Other,
        },
        _ => Mention::Other,
    }
}

fn at_parameter(uri: &Url, symbol: Option<String>) -> Mention {
    match parameter(uri, "path") {
        Some(path) => of_file(Path::new(&path), uri, symbol),
        None => Mention::Odd("its URI has no path"),
    }
}

fn parameter(uri: &Url, name: &str) -> Option<String> {
    uri.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn of_file(path: &Path, uri: &Url, symbol: Option<String>) -> Mention {
    let Some(path) = plain(path) else { return Mention::Odd("its path is none") };
    let Some(fragment) = uri.fragment().filter(|it| !it.is_empty()) else { return Mention::File(path) };
    let Some((first, last)) = ends(fragment) else { return Mention::Odd("its lines cannot be read") };
    let column = parameter(uri, "column").and_then(|it| Column::new(it.parse().ok()?));
    let start = Point { line: first.0, column: first.1.unwrap_or(Column::FIRST) };
    let (start, end) = match (column.filter(|_| first == last), last.1) {
        (Some(column), None) => (Point { column, ..start }, Point { column, ..start }),
        (_, Some(column)) => (start, Point { line: last.0, column }),
        (None, None) => (start, Point { line: Line::from_index(last.0.index() + 1), column: Column::FIRST }),
    };
    if end < start {
        return Mention::Odd("its end is before its start");
    }
    Mention::Stretch(Stretch { path, start, end, symbol })
}

/// An absolute path without `.` and `..`; `None` for any other.
fn plain(path: &Path) -> Option<PathBuf> {
    let is_text = path.to_str().is_some_and(|it| !it.contains('\0'));
    if !path.is_absolute() || !is_text {
        return None;
    }
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

type End = (Line, Option<Column>);

/// `L10:20`, `L10-L20`, `L10C5-L12C3`, `L10`: both ends, the second the first where there is one.
fn ends(fragment: &str) -> Option<(End, End)> {
    let (first, last) = fragment.split_once([':', '-']).unwrap_or((fragment, fragment));
    let (first, last) = (end(first)?, end(last)?);
    (first.0 <= last.0).then_some((first, last))
}

/// `L10`, `10`, `L10C5`, `10,5`
fn end(text: &str) -> Option<End> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let (line, column) = match text.split_once(['C', ',']) {
        Some((line, column)) => (line, Some(Column::new(number(column)?)?)),
        None => (text, None),
    };
    Some((Line::new(number(line)?)?, column))
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/w/a.rs 10:1-21:1`, with the symbol behind it.
    fn told(uri: &str) -> String {
        match read(uri) {
            Mention::Stretch(Stretch { path, start, end, symbol }) => {
                let ends = format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column);
                format!("{} {ends}{}", path.display(), symbol.map(|it| format!(" {it}")).unwrap_or_default())
            }
            Mention::File(path) => format!("{} whole", path.display()),
            Mention::Other => "other".to_owned(),
            Mention::Odd(why) => why.to_owned(),
        }
    }

    #[test]
    fn lines_are_read_in_every_spelling() {
        for (uri, expected) in [
            ("file:///w/a.rs#L10:20", "/w/a.rs 10:1-21:1"),
            ("file:///w/a.rs#L10:10", "/w/a.rs 10:1-11:1"),
            ("file:///w/a.rs#L10-L20", "/w/a.rs 10:1-21:1"),
            ("file:///w/a.rs#L10-20", "/w/a.rs 10:1-21:1"),
            ("file:///w/a.rs#L10", "/w/a.rs 10:1-11:1"),
            ("file:///w/a.rs#10", "/w/a.rs 10:1-11:1"),
            ("file:///w/a.rs#L10C5-L12C3", "/w/a.rs 10:5-12:3"),
            ("file:///w/a.rs#L10,5", "/w/a.rs 10:5-10:5"),
            ("file:///w/a.rs#10,5-12,3", "/w/a.rs 10:5-12:3"),
            ("file://localhost/w/a.rs#L1", "/w/a.rs 1:1-2:1"),
            ("file:///w/a.rs?column=5#L10:10", "/w/a.rs 10:5-10:5"),
            ("file:///w/a.rs?column=5#L10:12", "/w/a.rs 10:1-13:1"),
            ("file:///w/a.rs?symbol=User#L3:9", "/w/a.rs 3:1-10:1 User"),
            ("zed:///agent/selection?path=/w/a.rs#L10:20", "/w/a.rs 10:1-21:1"),
            ("zed:///agent/symbol/User?path=%2Fw%2Fa.rs#L3:9", "/w/a.rs 3:1-10:1 User"),
            ("file:///w/%C3%A9%20b.rs#L1:2", "/w/é b.rs 1:1-3:1"),
        ] {
            assert_eq!(told(uri), expected, "{uri}");
        }
    }

    #[test]
    fn a_file_without_lines_is_the_file() {
        assert_eq!(told("file:///w/a.rs"), "/w/a.rs whole");
        assert_eq!(told("file:///w/a.rs#"), "/w/a.rs whole");
        assert_eq!(told("zed:///agent/file?path=/w/a.rs"), "/w/a.rs whole");
    }

    #[test]
    fn what_is_no_file_is_left_alone() {
        for uri in [
            "https://example.org/a.rs#L10",
            "zed:///agent/thread/1?name=L10",
            "zed:///agent/pasted-image",
            "data:text/plain,a#L1",
            "mailto:a@b",
        ] {
            assert_eq!(told(uri), "other", "{uri}");
        }
    }

    #[test]
    fn hostile_uris_are_named_as_such() {
        let long = format!("file:///{}#L1", "a".repeat(LENGTH));
        for (uri, expected) in [
            ("", "its URI is none"),
            ("/w/a.rs#L10", "its URI is none"),
            ("file://elsewhere/w/a.rs#L10", "it is on another machine"),
            ("file:///w/a.rs#L0:3", "its lines cannot be read"),
            ("file:///w/a.rs#L20:10", "its lines cannot be read"),
            ("file:///w/a.rs#L12C9-L12C3", "its end is before its start"),
            ("file:///w/a.rs#L99999999999:5", "its lines cannot be read"),
            ("file:///w/a.rs#L-1:5", "its lines cannot be read"),
            ("file:///w/a.rs#L+1", "its lines cannot be read"),
            ("file:///w/a.rs#main", "its lines cannot be read"),
            ("file:///w/%00.rs#L1", "its path is none"),
            ("file:///w/%FF.rs#L1", "its path is none"),
            ("zed:///agent/selection?path=a.rs#L1", "its path is none"),
            ("zed:///agent/selection#L1", "its URI has no path"),
            ("zed:///agent/untitled-buffer#L1:10", "the buffer is no file yet"),
            (&long, "its URI is too long"),
        ] {
            assert_eq!(told(uri), expected, "{uri}");
        }
    }

    #[test]
    fn steps_up_are_taken_before_anything_is_made_of_a_path() {
        assert_eq!(told("file:///w/../etc/x#L1"), "/etc/x 1:1-2:1");
        assert_eq!(told("file:///w/..%2F..%2Fetc/x#L1"), "/etc/x 1:1-2:1");
        assert_eq!(told("zed:///agent/selection?path=/w/./a/../../etc/x#L1"), "/etc/x 1:1-2:1");
    }
}
