//! `search`: the lines that match a regular expression.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Gap, GapCause, Interrupt, Invocation, Value};
use ide_protocol::{ErrorCode, IdeError, Operation, SearchQuestion, SearchResult};

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::{escape, from_wire, invalid};
use crate::row::{Code, plain, with_host};

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("search(path, pattern, extension?)", with_host(host, search))
}

async fn search(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let arguments = &invocation.arguments;
    let pattern = checked_pattern(arguments.text("pattern")?)?;
    let path = match arguments.text("path")?.trim() {
        "" => ".",
        path => path,
    };
    let extension: Option<String> = arguments.read("extension")?;
    let extension = extension.map(|it| checked_extension(&it)).transpose()?;
    let context = host.later_context().map(|_| 0);
    let question = SearchQuestion { path: path.to_owned(), pattern, extension, context };
    let answer = match host.ask(Operation::Search, &question).await {
        Ok(answer) => answer,
        Err(error) => {
            return Err(refused_glob(&question, &error).unwrap_or_else(|| from_wire(advised(error))).into());
        }
    };
    if let Some(later) = host.later_context() {
        later.keep(&question, &answer);
    }
    match cut(&answer) {
        Some(note) => {
            let reason = format!("the first {} of {}", answer.hits.len(), answer.total);
            invocation.notes.add_gap(note, Gap::new(GapCause::Limit, reason));
        }
        None => note_completeness(Operation::Search, &invocation.notes, &answer.completeness),
    }
    let found_nothing = answer.hits.is_empty() && answer.completeness.reasons().is_empty();
    if found_nothing && let Some(note) = missed(&host, &question).await {
        invocation.notes.add(note);
    }
    Ok(plain(&answer.hits))
}

/// Rejects patterns that cannot be meant: a backspace is a `\b` that went through a quoted string.
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

/// Returns the suffix of file names. `*.rs`, as a shell writes it, means `.rs`. Other globs are rejected, because no
/// name ends so.
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

/// Returns the failure for a path that is a glob: no file or folder is called so.
fn refused_glob(question: &SearchQuestion, error: &IdeError) -> Option<Failure> {
    let SearchQuestion { path, pattern, .. } = question;
    let star = path.find(['*', '?'])?;
    if !matches!(error.kind, ErrorCode::NotFound | ErrorCode::OutsideWorkspace) {
        return None;
    }
    let folder = path[..star].rsplit_once('/').map_or(".", |(folder, _)| folder);
    let end = path.rsplit('*').next().filter(|it| it.starts_with('.') && !it.contains(['/', '{', '?']));
    let end = end.map_or(String::new(), |it| format!(", `{it}`"));
    let advice = format!("Write search(`{folder}`, `{pattern}`{end}).");
    Some(invalid(format!("expected a file or folder, got the glob `{path}`"), advice).argument("path"))
}

/// Adds advice to an error: a path that does not exist may be a pattern in the wrong position.
fn advised(error: IdeError) -> IdeError {
    if error.kind != ErrorCode::NotFound {
        return error;
    }
    let order = "`search` takes the path first, then the pattern.";
    let advice = error.recovery.as_ref().map_or_else(|| order.to_owned(), |it| format!("{it} {order}"));
    error.recovery(advice)
}

/// Returns a note if hits were left out and the host did not note it.
fn cut(answer: &SearchResult) -> Option<String> {
    let shown = answer.hits.len() as u64;
    (answer.completeness.note().is_none() && answer.total > shown).then(|| {
        format!(
            "These are the first {shown} of {} matching lines; name a folder, a file or an extension.",
            answer.total
        )
    })
}

/// Returns a note if nothing matches but another reading of the pattern does. Each reading costs one more search,
/// which is far cheaper than another turn of the agent.
async fn missed(host: &CachedHost, question: &SearchQuestion) -> Option<String> {
    for (pattern, reading) in other_readings(&question.pattern) {
        let asked = SearchQuestion { pattern: pattern.clone(), context: Some(0), ..question.clone() };
        let total = host.ask(Operation::Search, &asked).await.map_or(0, |answer| answer.total);
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
    // A pattern without letters has no other case.
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
