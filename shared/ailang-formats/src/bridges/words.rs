//! Words of other authors, as comments, front matter and Markdown.

use ailang::split::Part;
use ailang::syntax::{DocTag, Documentation, is_banner};
use ailang::{Document, LONGEST_DOCS, visible_line};
use serde_json::Value;

use super::remark::Remarks;

/// Returns a text as a comment that sets no tags.
pub(super) fn comment(text: &str, at: &str, remarks: &mut Remarks) -> Documentation {
    let mut left = LONGEST_DOCS;
    let mut lines: Vec<String> = Vec::new();
    let mut is_changed = false;
    for line in text.trim_matches('\n').lines() {
        if left == 0 {
            break;
        }
        let line = line.trim_end();
        let shown = sayable(&visible_line(line, left));
        left -= shown.chars().count().min(left);
        is_changed |= left > 0 && shown != line;
        lines.push(shown);
    }
    if is_changed {
        let what = "lines of the description";
        remarks.changed(
            at,
            what,
            "they would be tags or marks of comments, or hide characters, and are escaped",
        );
    }
    if text.chars().count() > LONGEST_DOCS {
        remarks.lost(at, "the end of the description", format!("{LONGEST_DOCS} characters are kept"));
    }
    Documentation { text: lines.join("\n").trim_matches('\n').to_owned(), tags: Vec::new() }
}

/// Returns a line of a comment that parses as itself, and not as a tag or the mark of a comment.
fn sayable(line: &str) -> String {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    match rest.chars().next() {
        _ if is_banner(rest) => format!("{indent}\\{rest}"),
        Some('@') => format!("{indent}\\{rest}"),
        Some('*') if rest.starts_with("* ") => format!("{indent}- {}", &rest[2..]),
        Some('*') if rest == "*" => format!("{indent}\\{rest}"),
        Some('/' | '!') if indent.is_empty() => format!("\\{rest}"),
        _ => line.to_owned(),
    }
}

/// Returns the description of a schema, an operation or a tool.
pub(super) fn description(schema: &Value, at: &str, remarks: &mut Remarks) -> Documentation {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    let (title, description) = (text("title"), text("description"));
    let words = if description.is_empty() { title } else { description };
    if description.is_empty() && !title.is_empty() {
        remarks.changed(at, "`title`", "it becomes the comment, which exports write as a description");
    }
    let mut documentation = comment(words, at, remarks);
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        documentation.tags.push(tag("deprecated", ""));
    }
    documentation
}

pub(super) fn tag(name: &str, text: &str) -> DocTag {
    DocTag { name: name.to_owned(), text: text.to_owned(), span: source_text::Span::default() }
}

/// Returns Markdown of another author as a quotation, which opens no blocks.
pub(super) fn quotation(text: &str) -> String {
    let text = without_tags(&text.replace("\r\n", "\n"));
    let lines = text.trim().lines().map(|line| format!("> {}", visible_line(line, LONGEST_DOCS)));
    lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Escapes the tags of blocks in Markdown, except in fences, so that they are text.
pub(super) fn without_tags(markdown: &str) -> String {
    let document = Document::parse(markdown);
    let part = |part: &Part| {
        let text = document.text(part.span());
        if matches!(part, Part::Fence(_)) { text.to_owned() } else { escaped_tags(text) }
    };
    let escaped: String = document.parts.iter().map(part).collect();
    // What was in a block may be a fence or the end of one now.
    let is_plain = Document::parse(escaped.as_str()).blocks().next().is_none();
    if is_plain { escaped } else { escaped_tags(&escaped) }
}

fn escaped_tags(text: &str) -> String {
    const TAGS: [&str; 4] = ["<define", "</define", "<example", "</example"];
    let is_tag = |rest: &str| {
        TAGS.iter().any(|tag| rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
    };
    let each = text.char_indices().map(|(at, char)| (char, char == '<' && is_tag(&text[at..])));
    each.flat_map(|(char, is_tag)| if is_tag { "&lt;".chars().collect() } else { vec![char] }).collect()
}
