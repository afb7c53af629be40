//! Prose by headings, as much as each level includes.

use dialect::Level;

use crate::Document;
use crate::split::{Part, heading};

/// Words of headings whose text every reader needs.
const KEY: &[&str] = &["overview", "when to use", "safety", "limit", "important"];

/// A heading with the text up to the next one.
#[derive(Debug, Default)]
struct Chapter {
    /// The number of `#`; 0 for the text before the first heading.
    depth: usize,
    heading: String,
    body: String,
    /// The offset of the first fence in the body.
    fence: Option<usize>,
    marked: Option<Level>,
}

/// Returns the prose at a level, with a line break at its end; empty if there is none.
pub(super) fn text(document: &Document, level: Level) -> String {
    let chapters = chapters(document);
    let title = document.front_matter.title.as_ref().map_or("", |title| title.value.as_str());
    let has_title = chapters.iter().any(|it| it.depth == 1);
    let mut parts = Vec::new();
    let mut has_lead = false;
    for chapter in &chapters {
        let is_lead = !has_lead && chapter.depth == usize::from(has_title);
        has_lead |= is_lead;
        let body = match level {
            _ if chapter.is_shown(level) => chapter.body.trim(),
            Level::Standard if is_lead => chapter.first_paragraph(),
            _ => continue,
        };
        let is_title = chapter.depth == 1 && (chapter.heading.trim() == title || level == Level::Standard);
        if chapter.depth > 0 && !is_title {
            parts.push(format!("{} {}", "#".repeat(chapter.depth), chapter.heading));
        }
        if !body.is_empty() {
            parts.push(body.to_owned());
        }
    }
    if parts.is_empty() { String::new() } else { parts.join("\n\n") + "\n" }
}

impl Chapter {
    fn fence(&mut self, text: &str) {
        self.fence.get_or_insert(self.body.len());
        self.body.push_str(text);
    }

    /// Returns the first paragraph, up to a fence. Half of a fence would turn its content into parts of the
    /// document.
    fn first_paragraph(&self) -> &str {
        let text = &self.body[..self.fence.unwrap_or(self.body.len())];
        text.trim_start().split("\n\n").next().unwrap_or_default().trim_end()
    }

    /// Returns `true` if the level includes the whole chapter.
    fn is_shown(&self, level: Level) -> bool {
        let is_key = || {
            let heading = self.heading.to_lowercase();
            self.marked == Some(Level::Standard) || KEY.iter().any(|key| heading.contains(key))
        };
        match level {
            Level::Minimal | Level::Compact => false,
            _ if self.marked == Some(Level::Complete) => level == Level::Complete,
            Level::Standard => is_key(),
            Level::Detailed => self.depth <= 2 || is_key(),
            Level::Complete => true,
        }
    }
}

fn chapters(document: &Document) -> Vec<Chapter> {
    let mut chapters = vec![Chapter::default()];
    let mut is_comment = false;
    for part in &document.parts {
        match part {
            Part::Prose(span) => {
                for line in plain_lines(document.text(*span)).lines() {
                    read(line, &mut chapters, &mut is_comment);
                }
            }
            Part::Fence(fence) => last(&mut chapters).fence(document.text(fence.span)),
            _ => last(&mut chapters).body.push('\n'),
        }
    }
    chapters.retain(|chapter| chapter.depth > 0 || !chapter.body.trim().is_empty());
    chapters
}

fn last(chapters: &mut [Chapter]) -> &mut Chapter {
    chapters.last_mut().expect("there is one from the start")
}

/// Reads a line. Skips HTML comments, except for those that set a level.
fn read(line: &str, chapters: &mut Vec<Chapter>, is_comment: &mut bool) {
    let mark = match line.trim() {
        "<!-- ailang:key -->" => Some(Level::Standard),
        "<!-- ailang:complete -->" => Some(Level::Complete),
        _ => None,
    };
    if mark.is_some() {
        last(chapters).marked = mark;
        return;
    }
    let shown = uncommented(line, is_comment);
    if shown.trim().is_empty() && !line.trim().is_empty() {
        return;
    }
    match heading(&shown) {
        Some((depth, heading)) => {
            chapters.push(Chapter { depth, heading: heading.to_owned(), ..Chapter::default() });
        }
        None => {
            let body = &mut last(chapters).body;
            body.push_str(&shown);
            body.push('\n');
        }
    }
}

/// Returns the text outside of comments.
fn uncommented(line: &str, is_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        let mark = if *is_comment { "-->" } else { "<!--" };
        let (before, behind) = match rest.split_once(mark) {
            Some((before, behind)) => (before, Some(behind)),
            None => (rest, None),
        };
        if !*is_comment {
            out.push_str(before);
        }
        let Some(behind) = behind else { return out };
        *is_comment = !*is_comment;
        rest = behind;
    }
}

/// Converts line ends to line feeds.
pub(super) fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
