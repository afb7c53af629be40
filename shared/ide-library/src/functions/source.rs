//! `source`: the text of definitions and ranges, with line numbers.

use std::collections::HashMap;
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Gap, GapCause, Interrupt, Invocation, Notes, Value};
use futures::{StreamExt, stream};
use ide_protocol::{FileRange, Line, LinesResult, Operation, SourceLine};
use source_text::visible;

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::excerpt::{Budget, clip, lines_of};
use crate::row::{Code, past_the_end, with_host};
use crate::spelling::{display_lines, display_location, display_path};
use crate::symbol::last_line;

/// The maximum number of ranges that are read concurrently.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("source(places, skip?)", with_host(host, source))
}

/// Lines of a file, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LineRange {
    path: String,
    first: Line,
    last: Line,
}

async fn source(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let places: Vec<FileRange> = invocation.arguments.read("places")?;
    let ranges = merged(&places);
    let skip: Option<usize> = invocation.arguments.read("skip")?;
    let mut changed: Vec<&FileRange> = Vec::new();
    let mut page = Page::new(&invocation.notes, skip.unwrap_or(0));
    let read = |it: LineRange| {
        let host = Arc::clone(&host);
        async move { lines_of(&host, &it.path, it.first, it.last).await }
    };
    let mut answers = stream::iter(ranges.clone()).map(read).buffered(AT_A_TIME);
    for range in &ranges {
        let answer = answers.next().await.expect("each range is answered");
        let read = answer.as_ref().map(|it| it.lines.as_slice()).unwrap_or_default();
        changed.extend(places.iter().filter(|it| it.path == range.path && is_changed(it, read)));
        if !page.add(range, answer) {
            page.note_rest();
            break;
        }
    }
    note_changed(&invocation.notes, &changed);
    page.text()
}

/// Returns true if the lines differ from the text with which the place was found.
fn is_changed(place: &FileRange, lines: &[SourceLine]) -> bool {
    let line = lines.iter().find(|it| it.line == place.start.line);
    let noted = place.text.as_ref().and_then(|it| it.lines().next());
    // A line that is too long was cut, and what was left out counted.
    let is_count = |it: &str| it.strip_prefix('+').is_some_and(|it| it.parse::<usize>().is_ok());
    let stands_in = |line: &SourceLine, noted: &str| {
        noted.split('…').map(str::trim).all(|it| is_count(it) || line.text.contains(it))
    };
    line.zip(noted).is_some_and(|(line, noted)| !stands_in(line, noted))
}

fn note_changed(notes: &Notes, changed: &[&FileRange]) {
    let Some(first) = changed.first() else { return };
    let more = if changed.len() > 1 { format!(", nor do {} more", changed.len() - 1) } else { String::new() };
    let place = display_location(&first.location());
    notes.add(format!("{place} does not read as it did when it was found{more}; look for it again."));
}

/// Groups the places by file, sorts them in each, and joins those that touch.
fn merged(places: &[FileRange]) -> Vec<LineRange> {
    let mut paths: Vec<&str> = Vec::new();
    let mut files: HashMap<&str, Vec<&FileRange>> = HashMap::new();
    for place in places {
        let here = files.entry(&place.path).or_default();
        if here.is_empty() {
            paths.push(&place.path);
        }
        here.push(place);
    }
    paths.into_iter().flat_map(|path| merged_in(path, files.remove(path).unwrap_or_default())).collect()
}

fn merged_in(path: &str, mut here: Vec<&FileRange>) -> Vec<LineRange> {
    here.sort_by_key(|it| it.start);
    let mut merged: Vec<LineRange> = Vec::new();
    for range in here {
        let (first, last) = (range.start.line, last_line(range));
        match merged.last_mut() {
            Some(before) if first.index() <= before.last.index() + 1 => before.last = before.last.max(last),
            _ => merged.push(LineRange { path: path.to_owned(), first, last }),
        }
    }
    merged
}

/// The shown lines.
struct Page<'call> {
    lines: Vec<String>,
    room: Budget,
    /// The number of lines to leave out at the beginning.
    skip: usize,
    /// The number of lines so far, including those left out.
    count: usize,
    path: Option<String>,
    failed: Option<Failure>,
    notes: &'call Notes,
}

impl<'call> Page<'call> {
    fn new(notes: &'call Notes, skip: usize) -> Self {
        Self { lines: Vec::new(), room: Budget::new(), skip, count: 0, path: None, failed: None, notes }
    }

    /// Adds a range. Returns false if there is not enough space for all of it.
    fn add(&mut self, range: &LineRange, answer: Result<LinesResult, Failure>) -> bool {
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                let lines = display_lines(&range.path, range.first, range.last);
                let reason = format!("`{lines}` could not be read");
                self.notes.add_gap(format!("{reason}."), Gap::new(GapCause::Failed, reason));
                self.failed.get_or_insert(failure);
                return true;
            }
        };
        note_completeness(Operation::Lines, self.notes, &answer.completeness);
        let skipped = self.skip.saturating_sub(self.count).min(answer.lines.len());
        self.count += skipped;
        let left = &answer.lines[skipped..];
        if left.is_empty() && skipped > 0 {
            return true;
        }
        let is_new_file = self.path.as_ref() != Some(&answer.path);
        if !self.push(if is_new_file { head(&answer) } else { "     …".to_owned() }) {
            return false;
        }
        let fits = left.iter().all(|it| {
            let fits = self.push(format!("{:>4}  {}", it.line, clip(&visible(&it.text))));
            self.count += usize::from(fits);
            fits
        });
        self.path = Some(answer.path);
        fits
    }

    fn push(&mut self, line: String) -> bool {
        let line = line.trim_end().to_owned();
        let fits = self.room.take(&line);
        if fits {
            self.lines.push(line);
        }
        fits
    }

    /// Notes that there is more, with the program that shows it.
    fn note_rest(&self) {
        let cut = format!("Cut after {} lines", self.count);
        let otherwise = format!("{cut}; ask for fewer places.");
        self.notes.add_rest(format!("{cut}; the rest is "), "skip", self.count, otherwise);
    }

    /// Returns the text. Fails if nothing could be read.
    fn text(self) -> Result<Value, Interrupt> {
        match self.failed {
            Some(failure) if self.lines.is_empty() => Err(failure.into()),
            _ if self.lines.is_empty() && self.skip > 0 => Err(past_the_end("lines", self.count).into()),
            _ => Ok(self.lines.join("\n").into()),
        }
    }
}

fn head(answer: &LinesResult) -> String {
    let external = if answer.external { " (external)" } else { "" };
    display_path(&answer.path) + external
}
