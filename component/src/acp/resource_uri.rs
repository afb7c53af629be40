//! The parser for URIs of prompt attachments. Pure. URIs come from editors, and from anybody who makes an editor
//! attach them.

use std::path::{Component, Path, PathBuf};

use ide_protocol::{Column, Line, Point};
use url::Url;

/// The maximum length of a URI, in bytes.
const LENGTH: usize = 4096;

/// The target of a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResourceUri {
    /// A range of a file, from the fragment of the URI.
    Range(FileRange),
    /// A whole file.
    File(PathBuf),
    /// Something that is not a file: a web page, a thread, an image.
    Other,
    /// A file or range that cannot be used, with the reason.
    Unusable(&'static str),
}

/// A range of a file that the user attached to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    /// The absolute path, without `.` and `..`.
    pub(crate) path: PathBuf,
    /// The start, inclusive.
    pub(crate) start: Point,
    /// The end, exclusive.
    pub(crate) end: Point,
    /// The name of the attached symbol, if the attachment was one.
    pub(crate) symbol: Option<String>,
}

/// Parses a URI. Ranges are `file:///w/a.rs#L10:20` as Zed writes them, `#L10-L20`, `#L10-20`, `#L10`,
/// `#L10C5-L12C3` or `#L10,5-12,3`. `?column=5` and `?symbol=NAME` may add to them. Zed also writes
/// `zed:///agent/selection?path=/w/a.rs#L10:20`.
pub(crate) fn read(uri: &str) -> ResourceUri {
    if uri.len() > LENGTH {
        return ResourceUri::Unusable("its URI is too long");
    }
    let Ok(uri) = Url::parse(uri) else { return ResourceUri::Unusable("its URI is none") };
    match (uri.scheme(), uri.path()) {
        ("file", _) => match uri.to_file_path() {
            Ok(path) => in_file(&path, &uri, parameter(&uri, "symbol")),
            Err(()) => ResourceUri::Unusable("it is on another machine"),
        },
        ("zed", "/agent/untitled-buffer") => ResourceUri::Unusable("the buffer is no file yet"),
        ("zed", "/agent/selection" | "/agent/file") => at_parameter(&uri, None),
        ("zed", path) => match path.strip_prefix("/agent/symbol/") {
            Some(name) => at_parameter(&uri, Some(name.to_owned())),
            None => ResourceUri::Other,
        },
        _ => ResourceUri::Other,
    }
}

fn at_parameter(uri: &Url, symbol: Option<String>) -> ResourceUri {
    match parameter(uri, "path") {
        Some(path) => in_file(Path::new(&path), uri, symbol),
        None => ResourceUri::Unusable("its URI has no path"),
    }
}

fn parameter(uri: &Url, name: &str) -> Option<String> {
    uri.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn in_file(path: &Path, uri: &Url, symbol: Option<String>) -> ResourceUri {
    let Some(path) = plain(path) else { return ResourceUri::Unusable("its path is none") };
    let Some(fragment) = uri.fragment().filter(|it| !it.is_empty()) else { return ResourceUri::File(path) };
    let Some((first, last)) = ends(fragment) else {
        return ResourceUri::Unusable("its lines cannot be read");
    };
    let column = parameter(uri, "column").and_then(|it| Column::new(it.parse().ok()?));
    let start = Point { line: first.0, column: first.1.unwrap_or(Column::FIRST) };
    let (start, end) = match (column.filter(|_| first == last), last.1) {
        (Some(column), None) => (Point { column, ..start }, Point { column, ..start }),
        (_, Some(column)) => (start, Point { line: last.0, column }),
        (None, None) => (start, Point { line: Line::from_index(last.0.index() + 1), column: Column::FIRST }),
    };
    if end < start {
        return ResourceUri::Unusable("its end is before its start");
    }
    ResourceUri::Range(FileRange { path, start, end, symbol })
}

/// Returns an absolute path without `.` and `..`; `None` for a relative one.
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

/// Parses both ends: `L10:20`, `L10-L20`, `L10C5-L12C3` or `L10`. A single end stands for both.
fn ends(fragment: &str) -> Option<(End, End)> {
    let (first, last) = fragment.split_once([':', '-']).unwrap_or((fragment, fragment));
    let (first, last) = (end(first)?, end(last)?);
    (first.0 <= last.0).then_some((first, last))
}

/// Parses an end: `L10`, `10`, `L10C5` or `10,5`.
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

    /// Describes a range as `/w/a.rs 10:1-21:1`, followed by its symbol.
    fn describe(uri: &str) -> String {
        match read(uri) {
            ResourceUri::Range(FileRange { path, start, end, symbol }) => {
                let ends = format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column);
                format!("{} {ends}{}", path.display(), symbol.map(|it| format!(" {it}")).unwrap_or_default())
            }
            ResourceUri::File(path) => format!("{} whole", path.display()),
            ResourceUri::Other => "other".to_owned(),
            ResourceUri::Unusable(why) => why.to_owned(),
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
            assert_eq!(describe(uri), expected, "{uri}");
        }
    }

    #[test]
    fn a_file_without_lines_is_the_file() {
        assert_eq!(describe("file:///w/a.rs"), "/w/a.rs whole");
        assert_eq!(describe("file:///w/a.rs#"), "/w/a.rs whole");
        assert_eq!(describe("zed:///agent/file?path=/w/a.rs"), "/w/a.rs whole");
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
            assert_eq!(describe(uri), "other", "{uri}");
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
            assert_eq!(describe(uri), expected, "{uri}");
        }
    }

    #[test]
    fn steps_up_are_taken_before_anything_is_made_of_a_path() {
        assert_eq!(describe("file:///w/../etc/x#L1"), "/etc/x 1:1-2:1");
        assert_eq!(describe("file:///w/..%2F..%2Fetc/x#L1"), "/etc/x 1:1-2:1");
        assert_eq!(describe("zed:///agent/selection?path=/w/./a/../../etc/x#L1"), "/etc/x 1:1-2:1");
    }
}
