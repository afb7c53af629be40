//! A text with its syntax tree, read within bounds.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::collect::collect;
use crate::{Language, Outline, Role, role};

/// Texts beyond so many bytes are not read: they are generated, or data.
const SIZE_LIMIT: usize = 4 * 1024 * 1024;

/// How often the parser may report per kilobyte, and how often in any case. It reports after each hundred steps, and
/// takes about one step a byte; texts that are no code of the language take far more.
const REPORTS_PER_KILOBYTE: usize = 20;
const REPORTS: usize = 1_000;

/// A text of a language, with its syntax tree.
#[derive(Debug)]
pub struct Parsed<'text> {
    pub(crate) language: Language,
    pub(crate) text: &'text str,
    pub(crate) tree: Tree,
}

/// The syntax tree of a text, kept apart from it.
#[derive(Clone, Debug)]
pub struct Kept {
    language: Language,
    tree: Tree,
    /// In bytes.
    length: usize,
}

impl Kept {
    /// The tree over its text again, without reading it. `None` for a text of another length: what is said of places
    /// in another text of the same length is about the text that was read.
    pub fn over<'text>(&self, text: &'text str) -> Option<Parsed<'text>> {
        let Self { language, tree, length } = self;
        (text.len() == *length).then(|| Parsed { language: *language, text, tree: tree.clone() })
    }
}

impl<'text> Parsed<'text> {
    /// Its tree, to be put over the same text again. It takes about ten times the bytes of the text.
    pub fn keep(&self) -> Kept {
        Kept { language: self.language, tree: self.tree.clone(), length: self.text.len() }
    }

    /// Reads a text; what does not parse is skipped. `None` for more than four mebibytes, and for a text that takes
    /// far longer than code of its size does.
    pub fn new(language: Language, text: &'text str) -> Option<Self> {
        if text.len() > SIZE_LIMIT {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&language.grammar()).ok()?;
        let mut left = REPORTS + text.len() / 1024 * REPORTS_PER_KILOBYTE;
        let mut within_bounds = |_: &_| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut within_bounds);
        let bytes = text.as_bytes();
        let mut rest = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut rest, None, Some(options))?;
        Some(Self { language, text, tree })
    }

    /// The language that it was read as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether all of it is code of the language, as far as the grammar tells.
    pub fn is_whole(&self) -> bool {
        !self.tree.root_node().has_error()
    }

    /// What it defines.
    pub fn outline(&self) -> Outline {
        collect(self)
    }

    /// What part the name at an offset plays: the name that starts there or that the offset lies in.
    pub fn role(&self, offset: usize) -> Role {
        role::at(self, offset)
    }
}
