//! Describes a symbol by the text of its definition.

use std::sync::Arc;

use ide_protocol::{DescriptionResult, Reason, Target};

use super::fallback_reason::FallbackReason;
use super::found_definition::FoundDefinition;
use super::sources::ParsedFiles;
use crate::blocking;
use crate::fallback::source::languages::{Language, ids};
use crate::fallback::source::markdown;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The most lines of documentation in an answer.
const LINES: usize = 60;

/// The most lines of a type that is shown with its members.
const MEMBERS: usize = 20;

/// Describes a target; `None` unless it means exactly one definition.
pub(crate) async fn description(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    target: &Target,
    instead: &FallbackReason,
) -> Option<DescriptionResult> {
    let (roots, target, instead) = (Arc::clone(roots), target.clone(), instead.clone());
    let looking = blocking::spawn(move || {
        let mut sources = ParsedFiles::new(&roots, language, instead.until);
        let found = sources.resolve_target(&target);
        let [seen] = <[FoundDefinition; 1]>::try_from(found).ok()?;
        if instead.is_early && (infers(&seen) || target.at.as_ref().is_some_and(|at| !seen.begins_at(at))) {
            return None;
        }
        Some(DescriptionResult {
            completeness: instead.completeness([Reason::UninferredTypes { why: instead.why.clone() }]),
            signature: whole_type(&seen).filter(|_| instead.is_early).unwrap_or_else(|| signature(&seen)),
            docs: docs(&seen),
        })
    });
    looking.await
}

/// Returns `true` for what may have a type that is not written: `let x = 1`.
fn infers(seen: &FoundDefinition) -> bool {
    let kind = seen.definition().kind;
    !kind.is_type() && !kind.is_callable()
}

/// Returns the text of a short type with its members, which servers show too.
fn whole_type(seen: &FoundDefinition) -> Option<String> {
    let definition = seen.definition();
    let text = seen.source.text.as_str().get(definition.signature.start..definition.whole.end)?;
    (definition.kind.is_type() && text.lines().count() <= MEMBERS).then(|| text.to_owned())
}

fn signature(seen: &FoundDefinition) -> String {
    let written = seen.definition().signature(seen.source.text.as_str());
    written.trim_end_matches("=>").trim_end().to_owned()
}

/// Returns the comments before a definition, otherwise Python's docstring.
fn docs(seen: &FoundDefinition) -> Option<String> {
    let (definition, text) = (seen.definition(), seen.source.text.as_str());
    // A signature that begins its definition has nothing before it.
    let before = text.get(definition.whole.start..definition.signature.start).unwrap_or_default();
    // Servers show the same comments as Markdown.
    let written = comments(before).map(|it| markdown::plain(&it)).or_else(|| docstring(seen));
    written.map(|it| it.lines().take(LINES).collect::<Vec<_>>().join("\n"))
}

/// Returns the text of comments without their marks; other lines are dropped.
fn comments(text: &str) -> Option<String> {
    let mut lines = Vec::new();
    let mut is_block = false;
    for line in text.lines().map(str::trim) {
        let marks = ["///", "//!", "//", "/**", "/*", "#", "*"];
        let is_attribute = line.starts_with("#[") || line.starts_with("#!");
        let mark = marks.into_iter().find(|it| line.starts_with(it)).filter(|_| !is_attribute);
        is_block |= line.starts_with("/*");
        if mark.is_some() || is_block {
            let plain = mark.and_then(|it| line.strip_prefix(it)).unwrap_or(line);
            let is_end = plain.trim_end().ends_with('/') && is_block;
            lines.push(plain.trim_end().trim_end_matches("*/").trim_end_matches("/").trim().to_owned());
            is_block &= !(is_end || line.ends_with("*/"));
        }
    }
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Returns the string in triple quotes at the start of a body.
fn docstring(seen: &FoundDefinition) -> Option<String> {
    if seen.source.language.id() != ids::PYTHON {
        return None;
    }
    let definition = seen.definition();
    let body = seen.source.text.as_str().get(definition.signature.end..definition.whole.end)?;
    let body = body.trim_start_matches(|it: char| it == ':' || it.is_whitespace());
    let body = body.trim_start_matches(['r', 'R', 'u', 'U']);
    let quotes = [r#"""""#, "'''"].into_iter().find(|it| body.starts_with(it))?;
    let inner = body[quotes.len()..].split(quotes).next()?;
    let lines: Vec<_> = inner.trim().lines().map(str::trim).collect();
    Some(lines.join("\n")).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_without_their_marks() {
        for (text, expected) in [
            ("/// Who somebody is.\n/// More.\n#[derive(Clone)]\n", Some("Who somebody is.\nMore.")),
            ("/**\n * Greets.\n * @param to whom\n */\n", Some("Greets.\n@param to whom")),
            ("/* One. */\n", Some("One.")),
            ("# Greets.\n", Some("Greets.")),
            ("#[test]\n@decorated\n", None),
            ("", None),
        ] {
            assert_eq!(comments(text).as_deref(), expected, "{text}");
        }
    }
}
