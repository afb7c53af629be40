//! Reconstruction of the specification from the text of its rendered page.
//!
//! The page has lost its tags, fences and heading marks; `outline.txt` has their places.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

const OUTLINE: &str = include_str!("outline.txt");

/// A part of the page inside a tag or a fence.
pub(super) struct Region<'a> {
    pub(super) kind: &'a str,
    pub(super) lines: RangeInclusive<usize>,
}

/// Rebuilds the document; fails for any other page.
pub(crate) fn rebuild(page: &str) -> Result<String, String> {
    let lines: Vec<&str> = page.lines().collect();
    let whole = region("document")?;
    if lines.len() != count()? || lines.get(whole.start() - 1) != Some(&"---") {
        return Err(format!("this is not the page of the specification: it has {} lines", lines.len()));
    }
    let mut document = String::new();
    let regions = regions()?;
    let mut number = *whole.start();
    while number <= *whole.end() {
        if let Some(region) = regions.iter().find(|it| *it.lines.start() == number) {
            document.push_str(&around(region, &text(&lines, &region.lines)));
            number = region.lines.end() + 1;
        } else {
            let _ = writeln!(document, "{}", line(number, lines[number - 1]));
            number += 1;
        }
    }
    Ok(document)
}

/// Returns some lines of the page: `345-363`.
pub(super) fn lines_of(page: &str, wanted: &str) -> Result<String, String> {
    Ok(text(&page.lines().collect::<Vec<_>>(), &range(wanted)?))
}

/// Returns the code of the block that is only shown.
pub(crate) fn shown(page: &str) -> Result<String, String> {
    let lines: Vec<&str> = page.lines().collect();
    Ok(text(&lines, &region("shown")?) + "\n</define>\n")
}

fn text(lines: &[&str], range: &RangeInclusive<usize>) -> String {
    lines[range.start() - 1..*range.end()].join("\n")
}

/// Returns the text of a region inside its tag or fence.
fn around(region: &Region<'_>, text: &str) -> String {
    match region.kind {
        "text" => format!("\n```text\n{text}\n```\n\n"),
        "shown" => format!("\n````markdown\n{text}\n</define>\n````\n\n"),
        tag => format!("\n<{tag}>\n\n```typescript\n{text}\n```\n\n</{tag}>\n\n"),
    }
}

/// Returns the rows of the outline: a word, and the rest.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    OUTLINE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let problem = || format!("`{text}` is no range of lines");
    let (first, last) = text.split_once('-').ok_or_else(problem)?;
    Ok(first.parse().map_err(|_| problem())?..=last.parse().map_err(|_| problem())?)
}

fn region(wanted: &str) -> Result<RangeInclusive<usize>, String> {
    let row = rows().find(|(kind, _)| *kind == wanted);
    range(row.ok_or_else(|| format!("the outline has no `{wanted}`"))?.1)
}

pub(super) fn regions() -> Result<Vec<Region<'static>>, String> {
    let wanted = |(kind, _): &(&str, &str)| matches!(*kind, "define" | "example" | "text" | "shown");
    rows().filter(wanted).map(|(kind, lines)| Ok(Region { kind, lines: range(lines)? })).collect()
}

/// Returns the number of lines of the page.
fn count() -> Result<usize, String> {
    let row = rows().find(|(kind, _)| *kind == "lines").ok_or("the outline has no `lines`")?;
    row.1.parse().map_err(|_| format!("`{}` is no number", row.1))
}

/// Returns a line of prose, with its heading mark and with tags as inline code.
fn line(number: usize, text: &str) -> String {
    let word = number.to_string();
    let is_heading =
        |(kind, lines): &(&str, &str)| kind.starts_with('h') && lines.split(' ').any(|it| it == word);
    let level: Option<usize> = rows().find(is_heading).and_then(|(kind, _)| kind[1..].parse().ok());
    let Some(level) = level else { return text.to_owned() };
    format!("{} {}", "#".repeat(level), text.replace('<', "`<").replace('>', ">`"))
}
