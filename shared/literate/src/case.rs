//! Cases, read from chapters.

use crate::block::{Block, blocks};

/// An example of a chapter: inputs, and the expected outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The headings above it, outermost first, joined by ` / `. Further cases under one heading are numbered
    /// from 2.
    pub name: String,
    /// The inputs in order, shared blocks of the chapter first.
    pub inputs: Vec<Input>,
    /// The expected outcome.
    pub expected: Expectation,
}

/// A fenced block of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The first word of its info string: `dialect`, `world`.
    pub kind: String,
    /// The rest of its info string without `shared`: a path.
    pub subject: String,
    /// The lines, without the last line break.
    pub text: String,
}

/// A fenced block with an expected outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The info string without the `!`: `success`.
    pub kind: String,
    /// The lines, without the last line break.
    pub text: String,
    /// The line of its opening fence, from 1.
    pub line: usize,
}

impl Case {
    /// Returns the text of the first input of a kind.
    pub fn input(&self, kind: &str) -> Option<&str> {
        self.inputs.iter().find(|input| input.kind == kind).map(|input| input.text.as_str())
    }

    /// Returns all inputs of a kind.
    pub fn inputs_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Input> {
        self.inputs.iter().filter(move |input| input.kind == kind)
    }
}

/// Reads the cases of a chapter, in order. Blocks without an expectation after them belong to no case.
pub fn cases(markdown: &str) -> Vec<Case> {
    let mut headings: Vec<(usize, &str)> = Vec::new();
    let mut shared: Vec<Input> = Vec::new();
    let mut inputs: Vec<Input> = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    for block in blocks(markdown) {
        match block {
            Block::Heading { level, title } => {
                headings.retain(|(above, _)| *above < level);
                headings.push((level, title));
                inputs.clear();
            }
            Block::Fence { info, content, line, .. } => {
                let text = content_of(&markdown[content]);
                match info.strip_suffix('!') {
                    Some(kind) => {
                        let name = name(&headings, &cases);
                        let inputs = shared.iter().cloned().chain(inputs.drain(..)).collect();
                        let expected = Expectation { kind: kind.to_owned(), text, line };
                        cases.push(Case { name, inputs, expected });
                    }
                    None => {
                        let (input, is_shared) = input(info, text);
                        if is_shared { &mut shared } else { &mut inputs }.push(input);
                    }
                }
            }
        }
    }
    cases
}

fn content_of(content: &str) -> String {
    content.strip_suffix('\n').unwrap_or(content).to_owned()
}

fn input(info: &str, text: String) -> (Input, bool) {
    let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
    let shared = rest.split(' ').next() == Some("shared");
    let subject = if shared { rest["shared".len()..].trim() } else { rest.trim() };
    (Input { kind: kind.to_owned(), subject: subject.to_owned(), text }, shared)
}

fn name(headings: &[(usize, &str)], before: &[Case]) -> String {
    let titles: Vec<&str> = headings.iter().map(|(_, title)| *title).collect();
    let name = titles.join(" / ");
    let is_same = |case: &&Case| case.name == name || case.name.starts_with(&format!("{name} #"));
    match before.iter().filter(is_same).count() {
        0 => name,
        count => format!("{name} #{}", count + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAPTER: &str = "\
# Calls

Prose.

```world shared src/a.rs
fn a() {}
```

## One

```dialect
f(1)
```

More prose.

```success!
1
```

```dialect
f(2)

f(3)
```

```failure!
```

### Deeper

````dialect
```
````

```success!
two
lines
```

## No case

```dialect
f(4)
```
";

    #[test]
    fn a_chapter_is_its_cases() {
        let cases = cases(CHAPTER);
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["Calls / One", "Calls / One #2", "Calls / One / Deeper"]);
        let inputs: Vec<_> = cases.iter().filter_map(|case| case.input("dialect")).collect();
        assert_eq!(inputs, ["f(1)", "f(2)\n\nf(3)", "```"]);
        let expected: Vec<_> =
            cases.iter().map(|case| (case.expected.kind.as_str(), &*case.expected.text)).collect();
        assert_eq!(expected, [("success", "1"), ("failure", ""), ("success", "two\nlines")]);
        for case in &cases {
            let world: Vec<_> = case.inputs_of("world").map(|it| (&*it.subject, &*it.text)).collect();
            assert_eq!(world, [("src/a.rs", "fn a() {}")]);
        }
    }
}
