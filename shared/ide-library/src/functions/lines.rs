//! `lines`: some lines of a file, as a range with their text.
//!
//! The result is one range and not a list of lines, so that it can be given to `source` or `findReferences`. Its text
//! is that of the lines, unchanged.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Arguments, Failure, Gap, GapCause, Interrupt, Invocation, Notes, Value};
use ide_protocol::{Column, Definition, FileRange, Line, LinesResult, Location, Operation, Point};

use crate::ambiguity::which;
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::excerpt::{Budget, clip, lines_of};
use crate::failure::{invalid, sentence};
use crate::place_argument::PlaceArgument;
use crate::resolve::Resolver;
use crate::row::{Code, plain, with_host};
use crate::spelling::{ParsedPlace, is_path, symbol_of};
use crate::symbol::{Symbol, last_line};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("lines(path, first?, last?)", with_host(host, lines))
}

/// The wanted lines; without an end, all that follow.
struct Wanted {
    path: String,
    first: Line,
    last: Option<Line>,
}

async fn lines(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let wanted = wanted(&host, &invocation).await?;
    let last = wanted.last.unwrap_or_else(|| Line::from_index(usize::MAX));
    let answer = lines_of(&host, &wanted.path, wanted.first, last).await?;
    note_completeness(Operation::Lines, &invocation.notes, &answer.completeness);
    if answer.lines.is_empty() && answer.line_count > 0 {
        return Err(beyond(&answer, wanted.first).into());
    }
    if let Some(last) = wanted.last.filter(|last| u64::from(last.get()) > answer.line_count.max(1)) {
        invocation.notes.add(format!(
            "`{}` ends before line {last}: it has {}.",
            answer.path,
            count(answer.line_count)
        ));
    }
    Ok(plain(&range(answer, wanted.first, &invocation.notes)))
}

async fn wanted(host: &CachedHost, invocation: &Invocation) -> Result<Wanted, Interrupt> {
    let arguments = &invocation.arguments;
    match (arguments.read("path")?, number(arguments, "first")?, number(arguments, "last")?) {
        (PlaceArgument::Text(path), Some(first), last) => between(path, first, last.unwrap_or(first)),
        (PlaceArgument::Text(path), None, Some(last)) => between(path, Line::FIRST, last),
        (PlaceArgument::Text(text), None, None) => of_text(host, invocation, text).await,
        (given, None, None) => of_place(host, invocation, given).await,
        _ => Err(invalid(
            "`first` and `last` count the lines of a file, and this is a range or a symbol already",
            "Leave them out, or give the path.",
        )
        .into()),
    }
}

fn between(path: String, first: Line, last: Line) -> Result<Wanted, Interrupt> {
    if last < first {
        let advice = format!("Write lines(`{path}`, {last}, {first}).");
        return Err(invalid(format!("the last line ({last}) is before the first ({first})"), advice).into());
    }
    Ok(Wanted { path, first, last: Some(last) })
}

async fn of_place(
    host: &CachedHost,
    invocation: &Invocation,
    given: PlaceArgument,
) -> Result<Wanted, Interrupt> {
    Ok(match given {
        PlaceArgument::Selection(selection) => of_range(&selection.range()),
        PlaceArgument::Range(range) => of_range(&range),
        PlaceArgument::Definition(pasted) => of_range(&Definition::from(*pasted).defined_at),
        PlaceArgument::Location(Location { path, line, .. }) => {
            Wanted { path, first: line, last: Some(line) }
        }
        PlaceArgument::Symbol(symbol) => of_symbol(host, invocation, &symbol).await?,
        PlaceArgument::Text(text) => of_text(host, invocation, text).await?,
    })
}

/// Resolves a place, a file, or a symbol if there is no such file.
async fn of_text(host: &CachedHost, invocation: &Invocation, text: String) -> Result<Wanted, Interrupt> {
    if let Some(place) = ParsedPlace::read(&text) {
        return Ok(of_range(&place.range()));
    }
    if is_path(&text)
        || text.contains('.') && !text.contains('@')
        || lines_of(host, &text, Line::FIRST, Line::FIRST).await.is_ok()
    {
        return Ok(Wanted { path: text, first: Line::FIRST, last: None });
    }
    of_symbol(host, invocation, &symbol_of(&text)).await
}

async fn of_symbol(host: &CachedHost, invocation: &Invocation, symbol: &Symbol) -> Result<Wanted, Interrupt> {
    let mut found = Resolver::new(host, invocation).symbol(symbol).await?;
    if found.len() > 1 {
        return Err(which(&symbol.name, &found, Some("path")));
    }
    Ok(of_range(&found.remove(0).defined_at))
}

fn of_range(range: &FileRange) -> Wanted {
    Wanted { path: range.path.clone(), first: range.start.line, last: Some(last_line(range)) }
}

/// Returns the number of a line, if it is given.
fn number(arguments: &Arguments, parameter: &str) -> Result<Option<Line>, Failure> {
    let Some(value) = arguments.get(parameter) else { return Ok(None) };
    let number: Option<u32> = value.read().ok();
    number.and_then(Line::new).map(Some).ok_or_else(|| {
        let shown = value.to_json();
        invalid(
            format!("`{parameter}` is {shown}, which is no line"),
            "Lines are whole numbers that count from 1.",
        )
    })
}

fn beyond(answer: &LinesResult, first: Line) -> Failure {
    let message = format!("`{}` has no line {first}: it has {}", answer.path, count(answer.line_count));
    invalid(message, format!("Write lines(`{}`, 1, {}).", answer.path, answer.line_count))
}

fn count(lines: u64) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// Returns the lines as a range, cut to the budget.
fn range(answer: LinesResult, first: Line, notes: &Notes) -> FileRange {
    let mut room = Budget::new();
    let mut text = Vec::new();
    let mut end = Point { line: first, column: Column::FIRST };
    for line in &answer.lines {
        let shown = clip(&line.text);
        if !room.take(&shown) {
            let last = answer.lines.last().map_or(line.line, |it| it.line);
            let rest = format!("lines(`{}`, {}, {last})", answer.path, line.line);
            let cut = format!("cut before line {}", line.line);
            let note = sentence(&format!("{cut}; the rest is {rest}"));
            notes.add_gap(note, Gap::new(GapCause::Limit, cut));
            break;
        }
        end = Point { line: line.line, column: Column::from_index(line.text.chars().count()) };
        text.push(shown);
    }
    let start = Point { line: first, column: Column::FIRST };
    FileRange {
        text: Some(text.join("\n")),
        external: answer.external,
        ..FileRange::new(answer.path, start, end)
    }
}
