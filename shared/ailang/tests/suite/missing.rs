//! A missing definition is reported wherever its name is used.

use std::path::Path;

use ailang::{Code, Document, Documents, Severity, Strictness, prelude, validate};
use libtest_mimic::Trial;
use source_text::Span;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![a_missing_definition_is_missed]
}

/// The codes that report a missing definition.
const UNKNOWN: &[Code] = &[
    Code::UNKNOWN_TYPE,
    Code::UNKNOWN_CAPABILITY,
    Code::UNKNOWN_ERROR,
    Code::UNKNOWN_TOOL,
    Code::UNKNOWN_VARIABLE,
    Code::UNKNOWN_CATCH,
    Code::UNKNOWN_EXAMPLE_TOOL,
    Code::UNKNOWN_TEST,
];

/// Counts the uses of a name in the code of a document, without comments and texts.
fn uses(document: &Document, name: &str) -> usize {
    let code = document.blocks().flat_map(ailang::split::Block::code);
    let limits = dialect::Limits { depth: 200, source_bytes: 1 << 22, ..dialect::Limits::default() };
    code.map(|stretch| {
        let tokens = dialect::code::Code::read(&document.source, stretch, &limits);
        (0..tokens.tokens().len()).filter(|at| tokens.text_of(*at) == name).count()
    })
    .sum()
}

/// Returns the document without the text of a place.
fn without(document: &Document, span: Span) -> String {
    let blank: String =
        document.text(span).chars().map(|char| if char == '\n' { '\n' } else { ' ' }).collect();
    format!("{}{blank}{}", &document.source[..span.start], &document.source[span.end..])
}

fn a_missing_definition_is_missed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut removed = 0;
    for folder in ["valid", "skills"] {
        for entry in std::fs::read_dir(corpus.join(folder)).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            let document = Document::parse(std::fs::read_to_string(&path).expect("it can be read"));
            for definition in document.definitions() {
                let name = definition.name.text.as_str();
                let is_known = prelude().definitions().any(|known| known.name.text == name);
                let is_local = document
                    .examples
                    .iter()
                    .any(|it| it.program.definitions().any(|it| it.name.text == name));
                let rest = Document::parse(without(&document, definition.span));
                if is_known || is_local || uses(&rest, name) == 0 {
                    continue;
                }
                let mut documents = Documents::new();
                documents.insert("a.md", rest);
                let found = validate(&documents, "a.md", Strictness::Normal).expect("it was added");
                let is_missed = found.iter().any(|it| {
                    it.severity == Severity::Error && UNKNOWN.contains(&it.code) && it.message.contains(name)
                });
                assert!(is_missed, "{} without `{name}`: {found:?}", path.display());
                removed += 1;
            }
        }
    }
    assert!(removed > 60, "only {removed} definitions were removed");
}
