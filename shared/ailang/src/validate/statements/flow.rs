//! The errors of statements, and the tools that they call.

use indexmap::IndexMap;
use source_text::Span;

use crate::names::Scope;
use crate::syntax::{Definition, Documentation, Tool, Type, TypeKind};

/// The errors of some statements.
#[derive(Debug, Default)]
pub(super) struct Flow<'a> {
    /// The errors, each with its first origin.
    pub(super) errors: IndexMap<*const Definition, Origin<'a>>,
    /// `true` if some code has unknown errors.
    pub(super) is_open: bool,
    /// `true` if a tool is called, so that the errors of every tool are included.
    pub(super) is_calling: bool,
}

/// The origin of an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    pub(super) error: &'a Definition,
    pub(super) span: Span,
    /// The called tool; `None` for a `throw`.
    pub(super) tool: Option<&'a str>,
}

/// A called tool.
#[derive(Debug)]
pub(super) struct Called<'w, 'a> {
    pub(super) name: &'a str,
    pub(super) tool: &'a Tool,
    /// `true` if a call changes something, as far as the tool says.
    pub(super) writes: bool,
    pub(super) scope: Scope<'w, 'a>,
    pub(super) span: Span,
}

impl<'a> Flow<'a> {
    pub(super) fn add(&mut self, origin: Origin<'a>) {
        self.errors.entry(std::ptr::from_ref(origin.error)).or_insert(origin);
    }

    pub(super) fn join(&mut self, inner: Self) {
        inner.errors.into_values().for_each(|origin| self.add(origin));
        self.is_open |= inner.is_open;
        self.is_calling |= inner.is_calling;
    }
}

/// Returns `true` if a tool does not promise that it changes nothing.
pub(super) fn may_write(documentation: &Documentation) -> bool {
    documentation.tag("readOnly").is_none() && documentation.tag("pure").is_none()
}

/// Returns `true` for `Result`, which is unwrapped where its value is needed, and then throws its error.
pub(super) fn is_result(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::Named { path, .. } if path.text() == "Result")
}
