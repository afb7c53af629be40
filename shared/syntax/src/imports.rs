//! The imports of a text, and the names that it lists as its exports, in Rust, Python, TypeScript and JavaScript.

mod ecmascript;
mod python;
mod rust;

use source_text::Span;
use tree_sitter::Node;

use crate::parsed::span;
use crate::{Language, Parsed};

/// An import of a module, or of names from it. It is also an export if it passes them on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module as written: `./user`, `crate::auth`, `..models`.
    pub module: String,
    /// The place of the module.
    pub at: Span,
    /// The imported names; none if the module itself is imported.
    pub names: Vec<ImportedName>,
    /// True if others get the names from here: `export … from`, `pub use`.
    pub is_exported: bool,
    /// The modules around it in the text, the outermost first.
    pub around: Vec<String>,
}

/// A name that is imported or exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedName {
    /// The name where it is defined; `*` for all, `default` for the default export.
    pub name: String,
    /// The other name that it gets.
    pub alias: Option<String>,
    /// The place of the name that it gets.
    pub at: Span,
}

/// The names that a text lists as its exports, apart from definitions that are exported where they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportList {
    /// The names in the order of the text, each with the name that others see.
    pub names: Vec<ImportedName>,
    /// True if there is such a list, even an empty one: `__all__ = []`.
    pub is_given: bool,
    /// True if a part of the list is computed.
    pub is_computed: bool,
}

impl ImportedName {
    /// Returns the name that it gets.
    pub fn given(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

impl Language {
    /// Returns true if [`Parsed::imports`] knows the language.
    pub fn has_imports(self) -> bool {
        matches!(self.id(), "rust" | "python" | "typescript" | "tsx" | "javascript")
    }
}

impl Parsed<'_> {
    /// Returns the imports in order of place; none for a language without [`Language::has_imports`].
    pub fn imports(&self) -> Vec<Import> {
        match self.language.id() {
            "rust" => rust::imports(self),
            "python" => python::imports(self),
            "typescript" | "tsx" | "javascript" => ecmascript::imports(self),
            _ => Vec::new(),
        }
    }

    /// Returns true if a part of the text does not parse, and may have imports.
    pub fn has_torn_imports(&self) -> bool {
        let words = ["use ", "import", "from ", "require"];
        let mut is_torn = false;
        if self.is_whole() {
            return false;
        }
        self.each_node(|node| {
            // Imports inside of it are read, so only its own pieces count.
            let is_piece = node.child_count() == 0 && node.parent().is_some_and(|it| it.is_error());
            let is_word = || words.iter().any(|it| self.text_of(&node).starts_with(it.trim_end()));
            is_torn |= is_piece && !node.is_extra() && is_word();
        });
        is_torn
    }

    /// Returns the list of exports; an empty one for a language without any.
    pub fn export_list(&self) -> ExportList {
        match self.language.id() {
            "python" => python::export_list(self),
            "typescript" | "tsx" | "javascript" => ecmascript::export_list(self),
            _ => ExportList::default(),
        }
    }

    fn text_of(&self, node: &Node<'_>) -> &str {
        &self.text[span(node).range()]
    }

    /// Visits all nodes in order, each before those inside of it.
    fn each_node<'tree>(&'tree self, mut visit: impl FnMut(Node<'tree>)) {
        let mut cursor = self.tree.walk();
        loop {
            visit(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

/// Returns the named children of a node.
fn children<'tree>(node: &Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Returns the children of a node under a field.
fn under<'tree>(node: &Node<'tree>, field: &str) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).collect()
}
