//! Repair of missing quotes, the most common mistake, before YAML is parsed.

use source_text::Span;

use super::yaml::Node;

/// YAML with the missing quotes inserted.
#[derive(Debug, Default)]
pub(super) struct Repaired {
    pub(super) text: String,
    /// The offset in `text` of each inserted byte, in order.
    inserted: Vec<usize>,
    /// The values that start with `@`, as places of the original.
    pub(super) imports: Vec<Span>,
    /// The texts with a colon, as places of the original.
    pub(super) colons: Vec<Span>,
}

/// Quotes values that start with `@`, and titles and summaries with a colon.
pub(super) fn repair(yaml: &str) -> Repaired {
    let mut repaired = Repaired::default();
    let mut start = 0;
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        match unquoted(text) {
            Some((value, is_import)) => repaired.quote(line, value, start, is_import),
            None => repaired.text.push_str(line),
        }
        start += line.len();
    }
    repaired
}

/// Returns the value of a line that needs quotes; `true` if it starts with `@`.
fn unquoted(line: &str) -> Option<(Span, bool)> {
    let start = value_start(line)?;
    let value = without_comment(&line[start..]);
    let span = Span::new(start, start + value.len());
    if value.starts_with('@') {
        return Some((span, true));
    }
    let is_text = line.starts_with("title:") || line.starts_with("summary:");
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!', '%', '`']);
    let has_colon = value.contains(": ") || value.ends_with(':');
    (is_text && is_plain && has_colon).then_some((span, false))
}

/// Returns the start of the value: behind a `key: ` at the line's start, or behind `- `.
fn value_start(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let behind = match trimmed.strip_prefix("- ") {
        Some(rest) => rest,
        None if indent == 0 => line.split_once(':').filter(|(_, rest)| rest.starts_with(' '))?.1,
        None => return None,
    };
    let value = behind.trim_start();
    (!value.is_empty()).then(|| line.len() - value.len())
}

fn without_comment(value: &str) -> &str {
    value.find(" #").map_or(value, |at| &value[..at]).trim_end()
}

impl Repaired {
    fn quote(&mut self, line: &str, value: Span, line_start: usize, is_import: bool) {
        let place = Span::new(line_start + value.start, line_start + value.end);
        if is_import {
            self.imports.push(place);
        } else {
            self.colons.push(place);
        }
        self.text.push_str(&line[..value.start]);
        self.insert();
        for char in line[value.range()].chars() {
            self.text.push(char);
            if char == '\'' {
                self.insert();
            }
        }
        self.insert();
        self.text.push_str(&line[value.end..]);
    }

    fn insert(&mut self) {
        self.inserted.push(self.text.len());
        self.text.push('\'');
    }

    /// Converts an offset of the repaired text to one of the original.
    pub(super) fn original(&self, offset: usize) -> usize {
        offset - self.inserted.partition_point(|at| *at < offset)
    }

    /// Converts the places of a tree to those of the document, in which the YAML starts at byte `start`.
    pub(super) fn relocate(&self, node: &mut Node, start: usize) {
        use super::yaml::NodeKind;
        let moved = |offset| start + self.original(offset);
        node.span = Span::new(moved(node.span.start), moved(node.span.end));
        match &mut node.kind {
            NodeKind::Text(_) => {}
            NodeKind::List(items) => items.iter_mut().for_each(|item| self.relocate(item, start)),
            NodeKind::Map(fields) => fields.iter_mut().for_each(|(key, value)| {
                self.relocate(key, start);
                self.relocate(value, start);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_quotes_gets_them() {
        let yaml =
            "title: It's: that\nid: a:b\nrelated: @import(./x) # y\nlist:\n  - @b/c\nsummary: \"a: b\"\n";
        let repaired = repair(yaml);
        let wanted = "title: 'It''s: that'\nid: a:b\nrelated: '@import(./x)' # y\nlist:\n  - '@b/c'\nsummary: \"a: b\"\n";
        assert_eq!(repaired.text, wanted);
        let at = |text: &str, what| text.find(what).unwrap();
        assert_eq!(repaired.original(at(&repaired.text, "# y")), at(yaml, "# y"));
        assert_eq!(repaired.original(at(&repaired.text, "b/c")), at(yaml, "b/c"));
        assert_eq!((repaired.imports.len(), repaired.colons.len()), (2, 1));
    }
}
