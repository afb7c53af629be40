//! `brief`: places the way grep prints them, the cheapest form to read.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Notes, Value};
use futures::{StreamExt, stream};

use super::diagnostics::severity_in;
use super::{Code, asking, past_the_end};
use crate::excerpt::{Room, clip, lines_of};
use crate::memory::Memory;
use crate::spelling::spell;
use crate::symbol::Sight;

/// How many lines are read at the same time.
const AT_A_TIME: usize = 8;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("brief(places, skip?)", asking(host, brief))
}

async fn brief(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let mut places = distinct(invocation.arguments.read("places")?);
    let total = places.len();
    let skipped: Option<usize> = invocation.arguments.read("skip")?;
    let skipped = skipped.unwrap_or(0);
    if skipped > 0 && skipped >= total {
        return Err(past_the_end("places", total).into());
    }
    places.drain(..skipped);
    let mut room = Room::new();
    let mut lines: Vec<String> = Vec::new();
    let read = |place| text_of(Arc::clone(&host), place);
    let mut texts = stream::iter(places.clone()).map(read).buffered(AT_A_TIME);
    for (index, place) in places.iter().enumerate() {
        let text = texts.next().await.expect("each place is answered");
        let shown = match text {
            Ok(text) => printed(place, &text),
            Err(why) => {
                invocation.notes.add(why);
                printed(place, "")
            }
        };
        let fitting = shown.iter().take_while(|line| room.take(line)).count();
        if fitting < shown.len() && index > 0 {
            say_rest(&invocation.notes, skipped + index, total);
            break;
        }
        if fitting < shown.len() {
            invocation
                .notes
                .add(format!("The text at {} is cut; source shows it.", spell(&place.location())));
            lines.extend(shown.into_iter().take(fitting));
            if total > skipped + 1 {
                say_rest(&invocation.notes, skipped + 1, total);
            }
            break;
        }
        lines.extend(shown);
    }
    Ok(lines.join("\n").into())
}

/// Says how much was shown, and the program that goes on.
fn say_rest(notes: &Notes, shown: usize, total: usize) {
    let cut = format!("Cut after {shown} of {total} places");
    notes.add_rest(format!("{cut}; the rest is "), "skip", shown, format!("{cut}; ask about fewer."));
}

/// Each line once: two uses in one line read the same. What is said of a line is not its text: of that each once, the
/// worst first.
fn distinct(places: Vec<Sight>) -> Vec<Sight> {
    let mut seen = std::collections::HashSet::new();
    let said = |it: &Sight| it.text.clone().filter(|text| severity_in(text).is_some());
    let is_new = |it: &Sight| seen.insert((it.path.clone(), it.line, said(it)));
    let mut distinct: Vec<_> = places.into_iter().filter(is_new).collect();
    for line in distinct.chunk_by_mut(|a, b| (&a.path, a.line) == (&b.path, b.line)) {
        line.sort_by_key(|it| it.text.as_deref().and_then(severity_in));
    }
    distinct
}

/// The place's text; asked for where the place does not bring it. Else why there is none.
async fn text_of(host: Arc<Memory>, place: Sight) -> Result<String, String> {
    if let Some(text) = place.text {
        return Ok(text);
    }
    let answer = lines_of(&host, &place.path, place.line, place.line).await;
    let line = answer.ok().and_then(|answer| answer.lines.into_iter().next());
    line.map(|it| it.text).ok_or_else(|| format!("`{}:{}` could not be read.", place.path, place.line))
}

/// A line for each line of the text, as grep numbers them.
fn printed(place: &Sight, text: &str) -> Vec<String> {
    let Sight { path, line, external, .. } = place;
    let external = if *external { " (external)" } else { "" };
    let numbers = (line.get()..).zip(if text.is_empty() { vec![""] } else { text.lines().collect() });
    let print = |(number, text): (u32, &str)| format!("{path}:{number}:{external} {}", clip(text.trim()));
    numbers.map(|it| print(it).trim_end().to_owned()).collect()
}
