//! `brief`: prints places as grep does, the cheapest form to read.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Gap, GapCause, Interrupt, Invocation, Notes, Value};
use futures::{StreamExt, stream};
use source_text::visible;

use super::diagnostics::severity_in;
use crate::cached_host::CachedHost;
use crate::excerpt::{Budget, clip, lines_of};
use crate::row::{Code, past_the_end, with_host};
use crate::spelling::{display_lines, display_location, display_path};
use crate::symbol::PlaceWithText;

/// The maximum number of lines that are read concurrently.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("brief(places, skip?)", with_host(host, brief))
}

async fn brief(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let mut places = distinct(invocation.arguments.read("places")?);
    let total = places.len();
    let skipped: Option<usize> = invocation.arguments.read("skip")?;
    let skipped = skipped.unwrap_or(0);
    if skipped > 0 && skipped >= total {
        return Err(past_the_end("places", total).into());
    }
    places.drain(..skipped);
    let mut room = Budget::of_places();
    let mut lines: Vec<String> = Vec::new();
    let read = |place| text_of(Arc::clone(&host), place);
    let mut texts = stream::iter(places.clone()).map(read).buffered(AT_A_TIME);
    for (index, place) in places.iter().enumerate() {
        let text = texts.next().await.expect("each place is answered");
        let shown = match text {
            Ok(text) => printed(place, &text),
            Err(why) => {
                let reason = why.trim_end_matches('.').to_owned();
                invocation.notes.add_gap(why, Gap::new(GapCause::Failed, reason));
                printed(place, "")
            }
        };
        let fitting = shown.iter().take_while(|line| room.take(line)).count();
        if fitting < shown.len() && index > 0 {
            note_rest(&invocation.notes, skipped + index, total);
            break;
        }
        if fitting < shown.len() {
            invocation
                .notes
                .add(format!("The text at {} is cut; source shows it.", display_location(&place.location())));
            lines.extend(shown.into_iter().take(fitting));
            if total > skipped + 1 {
                note_rest(&invocation.notes, skipped + 1, total);
            }
            break;
        }
        lines.extend(shown);
    }
    Ok(lines.join("\n").into())
}

/// Notes how many were shown, and the program that continues.
fn note_rest(notes: &Notes, shown: usize, total: usize) {
    let cut = format!("Cut after {shown} of {total} places");
    notes.add_rest(format!("{cut}; the rest is "), "skip", shown, format!("{cut}; ask about fewer."));
}

/// Removes duplicates: two uses in one line look the same. A diagnostic has its message in place of the line; each
/// message occurs once, the worst first.
fn distinct(places: Vec<PlaceWithText>) -> Vec<PlaceWithText> {
    let mut seen = std::collections::HashSet::new();
    let said = |it: &PlaceWithText| it.text.clone().filter(|text| severity_in(text).is_some());
    let is_new = |it: &PlaceWithText| seen.insert((it.path.clone(), it.line, said(it)));
    let mut distinct: Vec<_> = places.into_iter().filter(is_new).collect();
    for line in distinct.chunk_by_mut(|a, b| (&a.path, a.line) == (&b.path, b.line)) {
        line.sort_by_key(|it| it.text.as_deref().and_then(severity_in));
    }
    distinct
}

/// Returns the text of a place, from the host if the place has none. The error is the reason why there is none.
async fn text_of(host: Arc<CachedHost>, place: PlaceWithText) -> Result<String, String> {
    if let Some(text) = place.text {
        return Ok(text);
    }
    let answer = lines_of(&host, &place.path, place.line, place.line).await;
    let line = answer.ok().and_then(|answer| answer.lines.into_iter().next());
    line.map(|it| it.text)
        .ok_or_else(|| format!("`{}` could not be read.", display_lines(&place.path, place.line, place.line)))
}

/// Returns a line for each line of the text, numbered as by grep.
fn printed(place: &PlaceWithText, text: &str) -> Vec<String> {
    let PlaceWithText { path, line, external, .. } = place;
    let (path, external) = (display_path(path), if *external { " (external)" } else { "" });
    let numbers = (line.get()..).zip(if text.is_empty() { vec![""] } else { text.lines().collect() });
    let print =
        |(number, text): (u32, &str)| format!("{path}:{number}:{external} {}", clip(&visible(text.trim())));
    numbers.map(|it| print(it).trim_end().to_owned()).collect()
}
