//! Examples that can be run.

use source_text::Span;

use crate::workspace::DocumentView;

/// An example that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExampleLens {
    /// The opening tag.
    pub(crate) span: Span,
    pub(crate) id: String,
}

/// Returns the examples with an id.
pub(crate) fn example_lenses(view: &DocumentView) -> Vec<ExampleLens> {
    let document = view.document();
    let lens = |example: &ailang::Example| {
        let tag = document.text(example.span).lines().next().unwrap_or_default();
        let span = Span::new(example.span.start, example.span.start + tag.len());
        Some(ExampleLens { span, id: example.id()?.to_owned() })
    };
    document.examples.iter().filter_map(lens).collect()
}
