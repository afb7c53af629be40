//! `brief`: places the way grep prints them, the cheapest form to read.

use std::sync::Arc;

use dialect::{Effect, Function, Interrupt, Invocation, Value};
use futures::{StreamExt, stream};

use super::asking;
use crate::Host;
use crate::excerpt::{Room, clip, lines_of};
use crate::symbol::Sight;

/// How many lines are read at the same time.
const AT_A_TIME: usize = 8;

pub(crate) fn row(host: &Arc<dyn Host>) -> Function {
    Function::new(
        "brief(places: List<Location>) -> string",
        "Any places as `path:line: text`, the way grep prints them: the cheapest form.",
        asking(host, brief),
    )
    .effect(Effect::Reads)
    .docs("Places are references, hits, definitions, ranges or `path:line`. Each line is shown once.")
    .example("brief(findReferences(`validateToken`))")
    .example("brief(search(`.`, `TODO`))")
    .example("brief(findDefinitions(`User`))")
}

async fn brief(host: Arc<dyn Host>, invocation: Invocation) -> Result<Value, Interrupt> {
    let places = distinct(invocation.arguments.read("places")?);
    let mut room = Room::new();
    let mut lines: Vec<String> = Vec::new();
    let read = |place| text_of(Arc::clone(&host), place);
    let mut texts = stream::iter(places.clone()).map(read).buffered(AT_A_TIME);
    for place in &places {
        let text = texts.next().await.expect("each place is answered");
        let shown = match text {
            Ok(text) => printed(place, &text),
            Err(why) => {
                invocation.notes.add(why);
                printed(place, "")
            }
        };
        if !shown.iter().all(|line| room.take(line)) {
            let (count, total) = (lines.len(), places.len());
            invocation.notes.add(format!(
                "Cut after {count} lines of {total} places; ask about fewer: a folder, a file."
            ));
            break;
        }
        lines.extend(shown);
    }
    Ok(lines.join("\n").into())
}

/// Each line once: two uses in one line read the same.
fn distinct(places: Vec<Sight>) -> Vec<Sight> {
    let mut seen = std::collections::HashSet::new();
    places.into_iter().filter(|it| seen.insert((it.path.clone(), it.line))).collect()
}

/// The place's text; asked for where the place does not bring it. Else why there is none.
async fn text_of(host: Arc<dyn Host>, place: Sight) -> Result<String, String> {
    if let Some(text) = place.text {
        return Ok(text);
    }
    let answer = lines_of(&*host, &place.path, place.line, place.line).await;
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
