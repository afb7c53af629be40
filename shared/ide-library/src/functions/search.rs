//! `search`: which lines match a pattern.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{ErrorCode, IdeError, SearchResult};

use super::{Code, asking, plain};
use crate::SearchQuestion;
use crate::failure::{escape, invalid, of_wire};
use crate::memory::Memory;
use crate::remark::remark;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("search(path, pattern, extension?)", asking(host, search))
}

async fn search(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let arguments = &invocation.arguments;
    let pattern = checked_pattern(arguments.text("pattern")?)?;
    let path = match arguments.text("path")?.trim() {
        "" => ".",
        path => path,
    };
    let extension: Option<String> = arguments.read("extension")?;
    let extension = extension.map(|it| checked_extension(&it)).transpose()?;
    checked_path(path, &pattern)?;
    let question = SearchQuestion { path: path.to_owned(), pattern, extension };
    let answer = host.search(question.clone()).await.map_err(|error| of_wire(advised(error)))?;
    match cut(&answer) {
        Some(note) => invocation.notes.add(note),
        None => remark(&invocation.notes, &answer),
    }
    let found_nothing = answer.hits.is_empty() && answer.complete && answer.note.is_none();
    if found_nothing && let Some(note) = missed(&host, &question).await {
        invocation.notes.add(note);
    }
    Ok(plain(&answer.hits))
}

/// Refuses patterns that nobody means: a backspace is `\b` that went through a quoted string.
fn checked_pattern(pattern: &str) -> Result<String, Interrupt> {
    if pattern.contains(['\u{8}', '\u{c}']) {
        let raw = pattern.replace('\u{8}', r"\b").replace('\u{c}', r"\f");
        let message =
            "the pattern holds a control character: in quotes, \\b is a backspace and \\f a form feed";
        let advice = format!("Between backticks a backslash is a backslash: `{raw}`");
        return Err(invalid(message, advice).argument("pattern").into());
    }
    Ok(pattern.to_owned())
}

/// The end of a file's name; what a shell writes for it, `*.rs`, is taken as that, and no other glob is: it would be
/// the end of no name, and find nothing.
fn checked_extension(extension: &str) -> Result<String, Interrupt> {
    let end = extension.trim().trim_start_matches("**/").trim_start_matches('*');
    if !end.contains(['*', '?', '{', ',', '[', '/']) {
        return Ok(end.to_owned());
    }
    let message = format!("`{extension}` is no end of a file's name");
    let advice =
        "Write one such as `.rs`; for several, [`.rs`, `.ts`].map(it => search(`.`, `…`, it)).flatten()";
    Err(invalid(message, advice).argument("extension").into())
}

/// Refuses a glob as the path.
fn checked_path(path: &str, pattern: &str) -> Result<(), Interrupt> {
    let Some(star) = path.find(['*', '?']) else { return Ok(()) };
    let folder = path[..star].rsplit_once('/').map_or(".", |(folder, _)| folder);
    let end = path.rsplit('*').next().filter(|it| it.starts_with('.') && !it.contains(['/', '{', '?']));
    let end = end.map_or(String::new(), |it| format!(", `{it}`"));
    let advice = format!("Write search(`{folder}`, `{pattern}`{end}).");
    Err(invalid(format!("expected a file or folder, got the glob `{path}`"), advice).argument("path").into())
}

/// A path that is not there may be a pattern that came first.
fn advised(error: IdeError) -> IdeError {
    if error.kind != ErrorCode::NotFound {
        return error;
    }
    let order = "`search` takes the path first, then the pattern.";
    let advice = error.recovery.as_ref().map_or_else(|| order.to_owned(), |it| format!("{it} {order}"));
    error.recovery(advice)
}

/// Hits were left out, and the host did not say so itself.
fn cut(answer: &SearchResult) -> Option<String> {
    let shown = answer.hits.len() as u64;
    (answer.note.is_none() && answer.total > shown).then(|| {
        format!(
            "These are the first {shown} of {} matching lines; name a folder, a file or an extension.",
            answer.total
        )
    })
}

/// Nothing matches: says so only where a reading of the pattern that may have been meant does. Each reading is one
/// more question, asked only in this case: a walk over the files costs far less than another turn of the agent.
async fn missed(host: &Memory, question: &SearchQuestion) -> Option<String> {
    for (pattern, reading) in other_readings(&question.pattern) {
        let asked = SearchQuestion { pattern: pattern.clone(), ..question.clone() };
        let total = host.search(asked).await.map_or(0, |answer| answer.total);
        if total > 0 {
            let lines = if total == 1 { "1 line matches" } else { &format!("{total} lines match") };
            return Some(format!("No line matches; {reading}, {lines}: `{pattern}`"));
        }
    }
    None
}

fn other_readings(pattern: &str) -> impl Iterator<Item = (String, &'static str)> {
    let bars = pattern.replace(r"\|", "|");
    let literal = escape(pattern);
    let any_case = format!("(?i){pattern}");
    let readings = [
        (bars, r"with `|` for alternatives (`\|` is a bar)"),
        (literal, "taken literally"),
        (any_case, "ignoring case"),
    ];
    let pattern = pattern.to_owned();
    // Without letters there is no other case to ask about.
    let has_case = pattern.chars().any(|char| char.is_alphabetic());
    let readings = readings.into_iter().take(if has_case { 3 } else { 2 });
    readings.filter(move |(other, _)| *other != pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_readings_differ_from_the_pattern() {
        let readings = |pattern| other_readings(pattern).map(|(it, _)| it).collect::<Vec<_>>();
        assert_eq!(readings("User"), ["(?i)User"]);
        assert_eq!(readings(r"a\|b"), ["a|b", r"a\\\|b", r"(?i)a\|b"]);
        assert_eq!(readings("f(x)"), [r"f\(x\)", "(?i)f(x)"]);
        assert_eq!(readings("404"), [""; 0]);
        assert_eq!(readings("(1)"), [r"\(1\)"]);
    }
}
