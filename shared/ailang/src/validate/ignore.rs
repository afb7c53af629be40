//! Suppressed advice: `// ailang-ignore AL3204: nobody can recover from this`.

use std::collections::HashMap;

use source_text::{Encoding, LineIndex};

use crate::Document;
use crate::diagnostic::{Code, Diagnostic};

/// The codes that can be suppressed: only advice.
const ADVICE: &[Code] = &[
    Code::ELIDED,
    Code::UNTYPED,
    Code::UNDOCUMENTED,
    Code::EMPTY_SCOPE,
    Code::MISSING_RECOVERY,
    Code::UNKNOWN_MEMBER,
    Code::NOT_RUNNABLE,
    Code::UNUSED_IMPORT,
    Code::REQUIRES_MORE,
    Code::NEVER_THROWN,
    Code::UNCAUGHT,
    Code::LONG_EXAMPLE,
    Code::LONG_PROSE,
];

/// Removes the suppressed diagnostics. A comment suppresses advice on the line below it, and needs a reason.
pub(super) fn without_accepted(document: &Document, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if !document.source.contains(MARK) {
        return found;
    }
    let index = LineIndex::new(&document.source);
    let accepted = accepted(&document.source, &index);
    let line = |it: &Diagnostic| index.position(&document.source, it.span.start, Encoding::Utf8).0;
    found
        .into_iter()
        .filter(|it| !accepted.get(&line(it)).is_some_and(|codes| codes.contains(&it.code)))
        .collect()
}

const MARK: &str = "// ailang-ignore ";

/// Returns the suppressed codes of each line.
fn accepted(source: &str, index: &LineIndex) -> HashMap<usize, Vec<Code>> {
    let mut accepted: HashMap<usize, Vec<Code>> = HashMap::new();
    for line in 0..index.line_count() {
        let text = index.line(source, line).unwrap_or_default().trim_start();
        let Some((codes, reason)) = text.strip_prefix(MARK).and_then(|rest| rest.split_once(':')) else {
            continue;
        };
        if reason.trim().is_empty() {
            continue;
        }
        let codes: Vec<Code> = codes.split([',', ' ']).filter_map(Code::parse).collect();
        let advice = codes.into_iter().filter(|code| ADVICE.contains(code)).collect::<Vec<_>>();
        // Several such comments may precede a line.
        let inherited = accepted.remove(&line).unwrap_or_default();
        accepted.entry(line + 1).or_default().extend(advice.into_iter().chain(inherited));
    }
    accepted
}

#[cfg(test)]
mod tests {
    use crate::{Code, Document, Documents, Strictness, validate};

    fn codes(comment: &str) -> Vec<Code> {
        let source = format!(
            "---\nid: a\ntitle: A\nsummary: S\n---\n<define>\n{comment}\nerror E {{ message = \"m\" }}\n</define>\n"
        );
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source));
        let found = validate(&documents, "a.md", Strictness::Normal).unwrap();
        found.into_iter().map(|it| it.code).collect()
    }

    #[test]
    fn advice_is_accepted_with_a_reason() {
        assert_eq!(codes("// a comment"), [Code::MISSING_RECOVERY]);
        assert_eq!(codes("// ailang-ignore AL3204: nothing helps"), []);
        assert_eq!(codes("// ailang-ignore AL3204"), [Code::MISSING_RECOVERY]);
        assert_eq!(codes("// ailang-ignore AL3018: another code"), [Code::MISSING_RECOVERY]);
        assert_eq!(codes("// ailang-ignore AL3204: first\n// ailang-ignore AL3022: second"), []);
    }
}
