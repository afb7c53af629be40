//! The answers of the analysis, in bytes of a text. `convert` translates them for the protocol.

use source_text::{Severity, Span};

/// A kind of thing, for icons and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Type,
    Enum,
    Capability,
    Error,
    Tool,
    Module,
    TypeParameter,
    Variant,
    Field,
    Method,
    Parameter,
    Variable,
    Keyword,
    File,
    Example,
    Heading,
    Text,
    Number,
    Pattern,
    Comment,
    Tag,
    BuiltIn,
}

/// A text that the editor may insert at the cursor (`textDocument/completion`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) label: String,
    pub(crate) kind: Kind,
    /// A signature, or another line.
    pub(crate) detail: String,
    /// Markdown.
    pub(crate) documentation: String,
    pub(crate) insert: String,
    /// The text that it replaces.
    pub(crate) span: Span,
}

/// Markdown about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HoverText {
    pub(crate) span: Span,
    pub(crate) markdown: String,
}

/// A signature of a call that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallHelp {
    pub(crate) label: String,
    pub(crate) documentation: String,
    /// The bytes of the parameters in `label`, each with its documentation.
    pub(crate) parameters: Vec<(Span, String)>,
    pub(crate) active: Option<usize>,
}

/// A coloured stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Highlight {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    pub(crate) is_definition: bool,
}

/// A part of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineItem {
    pub(crate) name: String,
    pub(crate) detail: String,
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// The place of the name.
    pub(crate) name_span: Span,
    pub(crate) children: Vec<OutlineItem>,
}

/// A definition of a package, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageSymbol {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The definition that it is a part of; empty for one of its own.
    pub(crate) container: String,
    /// The place of the name.
    pub(crate) location: Location,
}

/// A text beside the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) offset: usize,
    pub(crate) label: String,
    pub(crate) tooltip: String,
}

/// A place in a document of the package; without a path in the prelude.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Location {
    pub(crate) path: String,
    pub(crate) span: Span,
}

/// A replacement in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextEdit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) span: Span,
    pub(crate) severity: Severity,
    /// The code of the mistake; empty if there is none.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) fixes: Vec<Fix>,
    /// Other places that matter, each with the relation.
    pub(crate) related: Vec<(Location, String)>,
}

/// A correction of a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    pub(crate) title: String,
    pub(crate) edit: TextEdit,
}
