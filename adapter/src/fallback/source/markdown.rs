//! Markdown of documentation as plain text.

/// A block of code, or the text between two.
pub(crate) struct Part<'a> {
    pub(crate) is_code: bool,
    pub(crate) lines: Vec<&'a str>,
}

/// Returns the blocks of code and the text between them, without fences and rules.
pub(crate) fn parts(markdown: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            if in_code {
                parts.push(Part { is_code: true, lines: Vec::new() });
            }
            continue;
        }
        let is_rule = !in_code && line.trim().len() >= 3 && line.trim().chars().all(|it| "-*_".contains(it));
        if is_rule || !in_code && line.trim().is_empty() && parts.last().is_none_or(|it| it.is_code) {
            continue;
        }
        match parts.last_mut().filter(|it| it.is_code == in_code) {
            Some(part) => part.lines.push(line),
            None => parts.push(Part { is_code: in_code, lines: vec![line] }),
        }
    }
    parts
}

/// Returns documentation without marks: fences, headings, links, escapes and entities.
pub(crate) fn plain(markdown: &str) -> String {
    let lines: Vec<_> = parts(markdown).iter().flat_map(|it| it.plain_lines(|_| false)).collect();
    lines.join("\n").trim().to_owned()
}

impl Part<'_> {
    /// Returns the lines without marks; of prose, without those that `is_left_out` names.
    pub(crate) fn plain_lines(&self, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.lines.iter().filter(|it| self.is_code || !is_left_out(it.trim())) {
            let plain = if self.is_code { (*line).to_owned() } else { unmarked(line) };
            // One empty line says as much as two.
            if !plain.is_empty() || lines.last().is_some_and(|it| !it.is_empty()) {
                lines.push(plain);
            }
        }
        lines
    }
}

/// Returns a line of Markdown as text: without heading marks, escapes, links and entities.
fn unmarked(line: &str) -> String {
    let line = line.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let line = line.trim_end();
    let heading = line.trim_start_matches('#');
    let line =
        if heading.len() < line.len() && heading.starts_with(' ') { heading.trim_start() } else { line };
    without_escapes(&without_links(line))
}

/// Replaces `[text](url)` by `text`.
fn without_links(line: &str) -> String {
    let (mut plain, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(text, tail)| Some((text, tail.split_once(')')?.1)));
        plain.push_str(before);
        match link.filter(|(text, _)| !text.contains(['[', ']'])) {
            Some((text, tail)) => {
                plain.push_str(text);
                rest = tail;
            }
            None => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain + rest
}

fn without_escapes(line: &str) -> String {
    let mut plain = String::new();
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        let escapes = char == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        if !escapes {
            plain.push(char);
        } else if let Some(next) = chars.next() {
            plain.push(next);
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_left_out_and_code_stays() {
        for (markdown, expected) in [
            ("# Panics\n\n\nNever, see [`new`](Self::new).", "Panics\n\nNever, see `new`."),
            (
                "Say:\n```ts\nf(a[0]); // now\n```\narr[0] and [x] stay",
                "Say:\nf(a[0]); // now\narr[0] and [x] stay",
            ),
            ("How&nbsp;large it\\_is.", "How large it_is."),
            ("", ""),
        ] {
            assert_eq!(plain(markdown), expected, "{markdown}");
        }
    }
}
