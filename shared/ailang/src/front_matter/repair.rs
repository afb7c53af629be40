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

/// Quotes values that start with `@`, and texts with a colon, which may go on in deeper lines.
pub(super) fn repair(yaml: &str) -> Repaired {
    let lines = lines(yaml);
    let (mut repaired, mut start, mut next) = (Repaired::default(), 0, 0);
    while next < lines.len() {
        let count = lines_of_value(&lines[next..]);
        let length: usize = lines[next..next + count].iter().map(|it| it.len()).sum();
        let text = &yaml[start..start + length];
        match unquoted(text) {
            Some((value, is_import)) => repaired.quote(text, value, start, is_import),
            None => repaired.text.push_str(text),
        }
        start += length;
        next += count;
    }
    repaired
}

/// Returns the lines with their breaks, of which YAML has three.
fn lines(yaml: &str) -> Vec<&str> {
    let is_break = |at: usize| match &yaml.as_bytes()[at..] {
        [b'\n', ..] => true,
        [b'\r', rest @ ..] => rest.first() != Some(&b'\n'),
        _ => false,
    };
    let ends = (0..yaml.len()).filter(|at| is_break(*at)).map(|at| at + 1);
    let mut start = 0;
    let mut lines = Vec::new();
    for end in ends.chain([yaml.len()]) {
        if end > start {
            lines.push(&yaml[start..end]);
            start = end;
        }
    }
    lines
}

/// Returns the number of lines of the first value: those that are deeper than its key belong to it.
fn lines_of_value(lines: &[&str]) -> usize {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_blank = |line: &str| line.trim().is_empty();
    let Some(first) = lines.first().filter(|line| key_end(line).is_some() && value_start(line).is_some())
    else {
        return 1;
    };
    let goes_on = |line: &&&str| is_blank(line) || depth(line) > depth(first);
    let rest = lines[1..].iter().take_while(goes_on).count();
    let blank = lines[1..=rest].iter().rev().take_while(|line| is_blank(line)).count();
    1 + rest - blank
}

/// Returns the value that needs quotes; `true` if it starts with `@`.
fn unquoted(text: &str) -> Option<(Span, bool)> {
    let start = value_start(text)?;
    let value = text[start..].trim_end();
    let value = if value.contains(['\n', '\r']) { value } else { without_comment(value) };
    let span = Span::new(start, start + value.len());
    if value.starts_with('@') {
        return Some((span, true));
    }
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!', '%', '`']);
    let has_colon =
        value.split(['\n', '\r']).any(|line| line.contains(": ") || line.trim_end().ends_with(':'));
    (key_end(text).is_some() && is_plain && has_colon).then_some((span, false))
}

/// Returns the end of the key of a line, with its colon; `None` for an item of a list.
fn key_end(line: &str) -> Option<usize> {
    let key = line.split(':').next().unwrap_or_default();
    let name = key.trim_start();
    let is_name =
        !name.is_empty() && !name.starts_with(['-', '#', '"', '\'', '[', '{', '?']) && !name.contains('\n');
    (is_name && line[key.len()..].starts_with(": ")).then_some(key.len() + 1)
}

/// Returns the start of the value: behind the key, or behind `- `.
fn value_start(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let behind = match line[indent..].strip_prefix("- ") {
        Some(rest) => rest,
        None => &line[key_end(line)?..],
    };
    let value = behind.trim_start_matches([' ', '\t']);
    (!value.starts_with(['\n', '\r', '#']) && !value.is_empty()).then(|| line.len() - value.len())
}

fn without_comment(value: &str) -> &str {
    value.find(" #").map_or(value, |at| &value[..at]).trim_end()
}

impl Repaired {
    fn quote(&mut self, text: &str, value: Span, start: usize, is_import: bool) {
        let place = Span::new(start + value.start, start + value.end);
        if is_import {
            self.imports.push(place);
        } else {
            self.colons.push(place);
        }
        self.text.push_str(&text[..value.start]);
        self.insert();
        for char in text[value.range()].chars() {
            self.text.push(char);
            if char == '\'' {
                self.insert();
            }
        }
        self.insert();
        self.text.push_str(&text[value.end..]);
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
    fn any_text_with_a_colon_gets_quotes_and_blocks_stay() {
        for (yaml, wanted) in [
            ("description: Use for x: y\nname: a\n", "description: 'Use for x: y'\nname: a\n"),
            (
                "description: Use\n  for x: y,\n\n  it's z\nname: a",
                "description: 'Use\n  for x: y,\n\n  it''s z'\nname: a",
            ),
            ("metadata:\n  note: a: b\n  other: c\n", "metadata:\n  note: 'a: b'\n  other: c\n"),
            ("description: ends:\r\nname: a\r\n", "description: 'ends:'\r\nname: a\r\n"),
            ("id: a\rdescription: x: y\r", "id: a\rdescription: 'x: y'\r"),
            ("a: \"x: y\"\nb: 'x: y'\nc: {d: e}\n", "a: \"x: y\"\nb: 'x: y'\nc: {d: e}\n"),
            ("a: |\n  x: y: z\n  @w\nb: >-\n  x: y\n", "a: |\n  x: y: z\n  @w\nb: >-\n  x: y\n"),
            (
                "a: \"x\n  y: z: w\"\nurl: https://x.org # n: n\n",
                "a: \"x\n  y: z: w\"\nurl: https://x.org # n: n\n",
            ),
            (
                "rules: # two: of them\n  - when: keyword\n    pattern: mail\n",
                "rules: # two: of them\n  - when: keyword\n    pattern: mail\n",
            ),
        ] {
            let repaired = repair(yaml);
            assert_eq!(repaired.text, wanted);
            assert!(super::super::yaml::parse(&repaired.text).is_ok(), "{yaml}");
        }
    }

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
