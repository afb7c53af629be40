//! Returns lines of a file.

use ide_protocol::{
    Completeness, ErrorCode, IdeError, Line, LinesQuestion, LinesResult, Operation, Reason, Source,
    SourceLine,
};

use super::handler::{Call, Handler};
use crate::fallback::source::text::{ReadError, Text};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath, unreadable};

/// The maximum size of the text in one result, in bytes.
const TEXT_LIMIT: usize = 1024 * 1024;

/// The maximum number of characters shown per line.
const WIDTH_LIMIT: usize = 20_000;

pub(crate) struct Lines;

impl Handler for Lines {
    const OPERATION: Operation = Operation::Lines;
    type Question = LinesQuestion;

    async fn answer(call: &Call, question: LinesQuestion) -> Result<LinesResult, IdeError> {
        call.blocking(move |session| lines(&session.roots, &question)).await
    }
}

/// Returns the requested lines; blocks on file access.
fn lines(roots: &SessionFolders, request: &LinesQuestion) -> Result<LinesResult, IdeError> {
    if request.last < request.first {
        let message = format!("the last line ({}) is before the first ({})", request.last, request.first);
        return Err(IdeError::new(ErrorCode::InvalidRequest, message));
    }
    let place = roots.resolve(&request.path)?;
    let text = match roots.texts().get(&place.path) {
        Some(text) => Text::clone(text),
        None => Text::read(&place.path).map_err(|error| no_text(&place, error))?,
    };
    let line_count = text.line_count();
    if request.first.index() >= line_count && !(line_count == 0 && request.first == Line::FIRST) {
        return Err(beyond_the_end(&place, request.first, line_count));
    }
    let (lines, cut) =
        cut_lines(&text, request.first.index(), request.last.index().min(line_count.max(1) - 1));
    let reason = cut.or_else(|| text.lossy.then_some(Reason::ReplacedBytes {}));
    Ok(LinesResult {
        completeness: Completeness::with(Source("text".into()), reason),
        path: place.spelling,
        external: place.external,
        line_count: line_count as u64,
        lines,
    })
}

/// Returns the lines from `first` to `last` (0-based, inclusive), with the reason if any were cut.
fn cut_lines(text: &Text, first: usize, last: usize) -> (Vec<SourceLine>, Option<Reason>) {
    let (mut lines, mut cut, mut size) = (Vec::new(), None, 0);
    for index in first..=last {
        let Some(line) = text.line(index) else { break };
        size += line.len().min(WIDTH_LIMIT * 4) + 1;
        if size > TEXT_LIMIT && !lines.is_empty() {
            cut = Some(Reason::TextCut { next: Line::from_index(index) });
            break;
        }
        let shown = match line.char_indices().nth(WIDTH_LIMIT) {
            None => line.to_owned(),
            Some((end, _)) => {
                cut = Some(Reason::LinesCut { width: WIDTH_LIMIT });
                format!("{}…", &line[..end])
            }
        };
        lines.push(SourceLine { line: Line::from_index(index), text: shown });
    }
    (lines, cut)
}

fn beyond_the_end(place: &SessionPath, first: Line, line_count: usize) -> IdeError {
    let path = &place.spelling;
    let counted = match line_count {
        0 => "is empty".to_owned(),
        1 => "has one line".to_owned(),
        n => format!("has {n} lines"),
    };
    IdeError::new(ErrorCode::InvalidRequest, format!("`{path}` {counted}; there is no line {first}"))
}

/// Returns the error for a file that is no text, or cannot be read.
pub(super) fn no_text(place: &SessionPath, error: ReadError) -> IdeError {
    let path = &place.spelling;
    match error {
        ReadError::Io(error) => unreadable(path, &error),
        error => {
            let advice = match error {
                ReadError::Folder => {
                    format!("Name a file; ``search(`{path}`, `PATTERN`)`` looks into a folder.")
                }
                ReadError::TooLarge => format!("``search(`{path}`, `PATTERN`)`` finds lines in it."),
                _ => "Only text can be shown.".to_owned(),
            };
            let message = format!("`{path}` has no lines to show: {error}");
            IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(content: &[u8], first: u32, last: u32, expected: Expect) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.rs"), content).unwrap();
        let request = LinesQuestion {
            path: "a.rs".into(),
            first: Line::new(first).unwrap(),
            last: Line::new(last).unwrap(),
        };
        let shown = match lines(&SessionFolders::new(vec![dir.path().to_owned()]), &request) {
            Ok(result) => {
                let lines: Vec<_> =
                    result.lines.iter().map(|it| format!("{} {:?}", it.line, it.text)).collect();
                format!("{}\nof {} {:?}", lines.join("\n"), result.line_count, result.completeness.note())
            }
            Err(error) => error.message,
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_last_line_beyond_the_end_means_to_the_end() {
        check(
            b"one\r\ntwo\nthree\n",
            2,
            99,
            expect![[r#"
                2 "two"
                3 "three"
                of 3 None"#]],
        );
    }

    #[test]
    fn a_first_line_beyond_the_end_is_an_error() {
        check(b"one\n", 2, 3, expect!["`a.rs` has one line; there is no line 2"]);
        check(b"", 2, 3, expect!["`a.rs` is empty; there is no line 2"]);
        check(b"one\n", 2, 1, expect!["the last line (1) is before the first (2)"]);
    }

    #[test]
    fn bytes_that_are_no_text() {
        check(b"a\0b", 1, 1, expect!["`a.rs` has no lines to show: it is a binary file"]);
        check(
            b"caf\xe9",
            1,
            1,
            expect![[r#"
                1 "caf�"
                of 1 Some("bytes that are no UTF-8 are shown as �")"#]],
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let text = Text::from("x".repeat(WIDTH_LIMIT + 1));
        let (lines, cut) = cut_lines(&text, 0, 0);
        assert_eq!(lines[0].text.chars().count(), WIDTH_LIMIT + 1, "with the ellipsis");
        assert_eq!(cut, Some(Reason::LinesCut { width: WIDTH_LIMIT }));
    }

    #[test]
    fn huge_answers_are_cut() {
        let content = "x".repeat(99).repeat(30_000);
        let content: Vec<u8> =
            content.bytes().collect::<Vec<_>>().chunks(99).flat_map(|it| [it, b"\n"].concat()).collect();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.rs"), content).unwrap();
        let request =
            LinesQuestion { path: "a.rs".into(), first: Line::FIRST, last: Line::new(u32::MAX).unwrap() };
        let result = lines(&SessionFolders::new(vec![dir.path().to_owned()]), &request).unwrap();
        assert!(!result.completeness.is_complete());
        assert_eq!(result.lines.len(), 10_485);
        assert_eq!(result.completeness.note().unwrap(), "cut after 1 MiB; line 10486 is the next");
    }
}
