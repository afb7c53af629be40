//! Splits a pattern into code and holes, and replaces the holes by names so that it parses.

use crate::Language;

/// The prefix of the names that replace holes.
const PREFIX: &str = "hole_of_pattern_";

/// A hole without a name for any number of things.
const BODY: &str = "$$$";

/// A hole of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hole {
    /// The text of the hole: `$$$ARGS`.
    pub(super) written: String,
    /// The index of its name among those of the pattern; `None` for `$_` and `$$$`.
    pub(super) name: Option<usize>,
    /// True if it stands for any number of things.
    pub(super) is_many: bool,
}

/// A pattern as written, split into code and holes.
#[derive(Clone, Debug)]
pub(super) struct Source<'a> {
    pieces: Vec<Piece<'a>>,
    pub(super) holes: Vec<Hole>,
    names: Vec<&'a str>,
}

#[derive(Clone, Debug)]
enum Piece<'a> {
    Code { text: &'a str, start: usize },
    Hole { index: usize, start: usize },
}

/// A pattern with names in place of its holes.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) text: String,
    /// The replacement of each hole.
    pub(super) stand_ins: Vec<String>,
    /// The start of each piece in this text and in the pattern.
    starts: Vec<(usize, usize)>,
}

impl<'a> Source<'a> {
    pub(super) fn new(pattern: &'a str, language: Language) -> Self {
        let trimmed = pattern.trim();
        let mut source = Self { pieces: Vec::new(), holes: Vec::new(), names: Vec::new() };
        let mut at = pattern.len() - pattern.trim_start().len();
        let mut rest = trimmed;
        while let Some(dollar) = next_hole(rest, language) {
            source.add_code(&rest[..dollar.start], at);
            source.add_hole(&rest[dollar.clone()], at + dollar.start);
            at += dollar.end;
            rest = &rest[dollar.end..];
        }
        source.add_code(rest, at);
        // In Python, a pattern that ends with a colon has a body, which may be anything.
        if language.id() == "python" && trimmed.ends_with(':') {
            source.add_hole(BODY, pattern.len());
        }
        source
    }

    fn add_code(&mut self, text: &'a str, start: usize) {
        if !text.is_empty() {
            self.pieces.push(Piece::Code { text, start });
        }
    }

    fn add_hole(&mut self, written: &'a str, start: usize) {
        let name = written.trim_start_matches('$');
        let is_many = written.len() - name.len() == 3;
        let name = (!matches!(name, "" | "_")).then(|| {
            self.names.iter().position(|it| *it == name).unwrap_or_else(|| {
                self.names.push(name);
                self.names.len() - 1
            })
        });
        self.pieces.push(Piece::Hole { index: self.holes.len(), start });
        self.holes.push(Hole { written: written.to_owned(), name, is_many });
    }

    /// Returns true if it consists of holes and separators only.
    pub(super) fn is_bare(&self) -> bool {
        let is_code = |piece: &Piece<'_>| match piece {
            Piece::Code { text, .. } => !text.chars().all(|it| it.is_whitespace() || matches!(it, ',' | ';')),
            Piece::Hole { .. } => false,
        };
        !self.pieces.iter().any(is_code)
    }

    /// Returns true if its code contains a text.
    pub(super) fn has(&self, wanted: &str) -> bool {
        self.pieces.iter().any(|it| matches!(it, Piece::Code { text, .. } if text.contains(wanted)))
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.iter().map(|it| (*it).to_owned()).collect()
    }

    /// Writes the pattern with `spellings` for the holes, in which `_` is the name.
    pub(super) fn write(&self, spellings: &[&str]) -> Written {
        let mut written = Written { text: String::new(), stand_ins: Vec::new(), starts: Vec::new() };
        for piece in &self.pieces {
            let (text, start) = match piece {
                Piece::Code { text, start } => ((*text).to_owned(), *start),
                Piece::Hole { index, start } => {
                    let text = spellings[*index].replace('_', &format!("{PREFIX}{index}x"));
                    written.stand_ins.push(text.clone());
                    (text, *start)
                }
            };
            written.starts.push((written.text.len(), start));
            written.text.push_str(&text);
        }
        written
    }
}

impl Written {
    /// Returns the hole that a text replaces.
    pub(super) fn hole(&self, text: &str) -> Option<usize> {
        text.contains(PREFIX).then(|| self.stand_ins.iter().position(|it| it == text)).flatten()
    }

    /// Returns a hole whose replacement is only a part of a text.
    pub(super) fn part_of(&self, text: &str) -> Option<usize> {
        let (_, rest) = text.split_once(PREFIX)?;
        rest.split('x').next()?.parse().ok()
    }

    /// Converts an offset of this text to one of the pattern.
    pub(super) fn in_pattern(&self, offset: usize) -> usize {
        let after = self.starts.partition_point(|(here, _)| *here <= offset);
        let Some((here, there)) = after.checked_sub(1).map(|it| self.starts[it]) else { return 0 };
        let end = self.starts.get(after).map_or(usize::MAX, |it| it.1);
        (there + offset - here).min(end)
    }
}

/// Returns the byte range of the next `$A`, `$_`, `$$$` or `$$$A`.
fn next_hole(text: &str, language: Language) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    while let Some(at) = text[from..].find('$').map(|it| it + from) {
        let rest = &text[at..];
        let dollars = rest.len() - rest.trim_start_matches('$').len();
        let name = &rest[dollars..];
        let length = name.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(name.len());
        let name = &name[..length];
        if dollars == 3 && name.is_empty() || matches!(dollars, 1 | 3) && is_name(name, language) {
            return Some(at..at + dollars + length);
        }
        from = at + dollars;
    }
    None
}

/// Returns true for names of holes: capitals, or any letters in languages whose names have no dollars.
fn is_name(name: &str, language: Language) -> bool {
    let has_dollars = matches!(language.id(), "javascript" | "typescript" | "tsx" | "php" | "ruby" | "bash");
    let is_letter = |it: char| if has_dollars { it.is_ascii_uppercase() } else { it.is_ascii_alphabetic() };
    let is_first = name.starts_with(|it: char| it == '_' || is_letter(it));
    is_first && name.chars().all(|it| it == '_' || it.is_ascii_digit() || is_letter(it))
}
