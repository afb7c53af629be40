//! Splits the hover text of a server into a signature and plain documentation.

use crate::fallback::source::markdown::{Part, parts};

/// The signature and documentation of a symbol, as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HoverText {
    pub(crate) signature: String,
    pub(crate) docs: Option<String>,
}

/// Parses a server's Markdown. The signature is the last block of code before any prose, since the module's
/// path may come first. Otherwise it is the last block of code.
pub(crate) fn parse(markdown: &str) -> HoverText {
    let parts = parts(markdown);
    let leading = parts.iter().take_while(|it| it.is_code).count();
    let codes = || parts.iter().enumerate().filter(|(_, it)| it.is_code).map(|(at, _)| at);
    let at = if leading > 0 { codes().take(leading).last() } else { codes().next_back() };
    let is_prose_first = leading == 0;
    let signature = at.map_or_else(String::new, |at| signature(&parts[at].lines));
    let rest = parts.iter().enumerate().filter(|(index, it)| {
        let is_path = it.is_code && *index < leading;
        Some(*index) != at && !is_path
    });
    let docs: Vec<String> = rest.flat_map(|(_, it)| prose(it, is_prose_first)).collect();
    let docs = docs.join("\n").trim().to_owned();
    HoverText { signature, docs: (!docs.is_empty()).then_some(docs) }
}

/// Returns a signature's lines without labels of servers: `(function) def f()`, `// In class Square`.
fn signature(lines: &[&str]) -> String {
    let lines = lines.iter().filter(|it| !it.trim_start().starts_with("// "));
    let joined = lines.copied().collect::<Vec<_>>().join("\n");
    let joined = joined.trim();
    let labelled = joined.strip_prefix('(').and_then(|it| it.split_once(") "));
    match labelled.filter(|(label, _)| label.chars().all(|it| it.is_alphabetic() || it == ' ')) {
        Some((_, rest)) => rest.to_owned(),
        None => joined.to_owned(),
    }
}

/// Returns the lines of prose without marks. Lines before the signature that repeat it are left out.
fn prose(part: &Part<'_>, repeats: bool) -> Vec<String> {
    part.plain_lines(|line| {
        // What rust-analyzer guesses of what a function gives: it says nothing of the function.
        if line.starts_with("Implements notable traits: ") {
            return true;
        }
        let marks = ["### ", "→ ", "Parameters:", "- `", "provided by ", "Type: ", "Size: ", "Offset: "];
        repeats && marks.iter().any(|it| line.starts_with(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, signature: &str, docs: &str) {
        let docs = (!docs.is_empty()).then(|| docs.to_owned());
        assert_eq!(parse(markdown), HoverText { signature: signature.to_owned(), docs }, "{markdown}");
    }

    #[test]
    fn each_server_has_its_form() {
        check(
            "\n```rust\nshapes::draw\n```\n\n```rust\npub fn draw(shape: &dyn Shape) -> f64\n```\n\n---\n\nDraws one.\n\n# Panics\n\nNever, see [`Shape`](https://docs.rs/shapes).",
            "pub fn draw(shape: &dyn Shape) -> f64",
            "Draws one.\n\nPanics\n\nNever, see `Shape`.",
        );
        check(
            "```rust\npub fn new() -> Self\n```\n\n---\n\nImplements notable traits: `Future<Output = {unknown}>`\n\n---\n\nMakes one.",
            "pub fn new() -> Self",
            "Makes one.",
        );
        check(
            "```python\n(method) def area(self: Self@Square) -> float\n```\n---\nHow&nbsp;large it\\_is.",
            "def area(self: Self@Square) -> float",
            "How large it_is.",
        );
        check(
            "### instance-method `area`\n\n---\n→ `double`\n\nHow large it is.\n\n---\n```cpp\n// In Square\npublic: double area() const override\n```",
            "public: double area() const override",
            "How large it is.",
        );
        check("plain words", "", "plain words");
        check("```go\nfunc Draw(shape Shape) float64\n```", "func Draw(shape Shape) float64", "");
        check("", "", "");
    }

    #[test]
    fn examples_in_documentation_stay() {
        check(
            "```ts\nfunction f(): void\n```\nSay:\n```ts\nf(); // now\n```\narr[0] and [x] stay",
            "function f(): void",
            "Say:\nf(); // now\narr[0] and [x] stay",
        );
    }
}
