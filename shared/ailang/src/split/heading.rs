//! Headings of prose.

/// Parses a heading such as `## When to use` into its depth and its text; `None` for any other line.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[depth..].strip_prefix(' ')?;
    (1..=6).contains(&depth).then(|| (depth, text.trim_end_matches('#').trim()))
}
