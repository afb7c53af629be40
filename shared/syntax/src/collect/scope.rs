//! Sections that set the visibility of the definitions in them, such as `private` in Ruby and `public:` in C++.

use source_text::Span;

use crate::Visibility;

/// A section: from `from` to the end of `span`, definitions have this visibility unless they declare their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) span: Span,
    pub(super) from: usize,
    pub(super) visibility: Visibility,
}
