//! `source`: the text of definitions and ranges, with line numbers.

use std::collections::HashMap;
use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Interrupt, Invocation, Notes, Value};
use futures::{StreamExt, stream};
use ide_protocol::{FileRange, Line, LinesResult, SourceLine};

use super::{Code, asking, past_the_end};
use crate::excerpt::{Room, clip, lines_of};
use crate::memory::Memory;
use crate::remark::remark;
use crate::spelling::{spell, spell_lines};
use crate::symbol::{last_line, start_of};

/// How many stretches are read at the same time.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("source(places, skip?)", asking(host, source))
}

/// Lines of a file, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    path: String,
    first: Line,
    last: Line,
}

async fn source(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let places: Vec<FileRange> = invocation.arguments.read("places")?;
    let stretches = merged(&places);
    let skip: Option<usize> = invocation.arguments.read("skip")?;
    let mut changed: Vec<&FileRange> = Vec::new();
    let mut page = Page::new(&invocation.notes, skip.unwrap_or(0));
    let read = |it: Stretch| {
        let host = Arc::clone(&host);
        async move { lines_of(&host, &it.path, it.first, it.last).await }
    };
    let mut answers = stream::iter(stretches.clone()).map(read).buffered(AT_A_TIME);
    for stretch in &stretches {
        let answer = answers.next().await.expect("each stretch is answered");
        let read = answer.as_ref().map(|it| it.lines.as_slice()).unwrap_or_default();
        changed.extend(places.iter().filter(|it| it.path == stretch.path && is_changed(it, read)));
        if !page.add(stretch, answer) {
            page.say_rest();
            break;
        }
    }
    say_changed(&invocation.notes, &changed);
    page.text()
}

/// Whether the lines are not those that the place was found in.
fn is_changed(place: &FileRange, lines: &[SourceLine]) -> bool {
    let line = lines.iter().find(|it| it.line == place.start.line);
    let told = place.text.as_ref().and_then(|it| it.lines().next());
    // A line that is too long is told in part.
    let stands_in = |line: &SourceLine, told: &str| told.split('…').all(|it| line.text.contains(it.trim()));
    line.zip(told).is_some_and(|(line, told)| !stands_in(line, told))
}

fn say_changed(notes: &Notes, changed: &[&FileRange]) {
    let Some(first) = changed.first() else { return };
    let more = if changed.len() > 1 { format!(", nor do {} more", changed.len() - 1) } else { String::new() };
    let place = spell(&start_of(first));
    notes.add(format!("{place} does not read as it did when it was found{more}; look for it again."));
}

/// The places file by file, in each in order, those that touch as one.
fn merged(places: &[FileRange]) -> Vec<Stretch> {
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

fn merged_in(path: &str, mut here: Vec<&FileRange>) -> Vec<Stretch> {
    here.sort_by_key(|it| it.start);
    let mut merged: Vec<Stretch> = Vec::new();
    for range in here {
        let (first, last) = (range.start.line, last_line(range));
        match merged.last_mut() {
            Some(before) if first.index() <= before.last.index() + 1 => before.last = before.last.max(last),
            _ => merged.push(Stretch { path: path.to_owned(), first, last }),
        }
    }
    merged
}

/// What is shown.
struct Page<'call> {
    lines: Vec<String>,
    room: Room,
    /// How many lines of source are left out before the first that is shown.
    skip: usize,
    /// How many lines of source there were, those left out included.
    count: usize,
    path: Option<String>,
    failed: Option<Failure>,
    notes: &'call Notes,
}

impl<'call> Page<'call> {
    fn new(notes: &'call Notes, skip: usize) -> Self {
        Self { lines: Vec::new(), room: Room::new(), skip, count: 0, path: None, failed: None, notes }
    }

    /// Adds a stretch. Gives false where there is no room for all of it.
    fn add(&mut self, stretch: &Stretch, answer: Result<LinesResult, Failure>) -> bool {
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                self.notes.add(format!(
                    "`{}` could not be read.",
                    spell_lines(&stretch.path, stretch.first, stretch.last)
                ));
                self.failed.get_or_insert(failure);
                return true;
            }
        };
        remark(self.notes, &answer);
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
            let fits = self.push(format!("{:>4}  {}", it.line, clip(&it.text)));
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

    /// Says that there is more, with the program that shows it.
    fn say_rest(&self) {
        let cut = format!("Cut after {} lines", self.count);
        let otherwise = format!("{cut}; ask for fewer places.");
        self.notes.add_rest(format!("{cut}; the rest is "), "skip", self.count, otherwise);
    }

    /// Fails when nothing could be read.
    fn text(self) -> Result<Value, Interrupt> {
        match self.failed {
            Some(failure) if self.lines.is_empty() => Err(failure.into()),
            _ if self.lines.is_empty() && self.skip > 0 => Err(past_the_end("lines", self.count).into()),
            _ => Ok(self.lines.join("\n").into()),
        }
    }
}

fn head(answer: &LinesResult) -> String {
    if answer.external { format!("{} (external)", answer.path) } else { answer.path.clone() }
}
