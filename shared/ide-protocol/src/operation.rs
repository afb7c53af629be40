//! The table of operations: each with its name on the wire and its question, whose type determines the result.

use std::fmt;

use crate::contents::{
    ExportsQuestion, FileDefinitionsQuestion, ImportersQuestion, ImportsQuestion, MembersQuestion,
};
use crate::diagnostics::DiagnosticsQuestion;
use crate::edit::{
    ApplyQuestion, CodeActionsQuestion, DraftQuestion, EditedTextsQuestion, EditsQuestion, FormatQuestion,
    OrganizeImportsQuestion, RecentChangesQuestion, RenameQuestion, TakeActionQuestion,
};
use crate::envelope::Question;
use crate::hierarchy::HierarchyQuestion;
use crate::matches::MatchesQuestion;
use crate::navigation::{DefinitionsQuestion, ReferencesQuestion};
use crate::overview::{DescriptionQuestion, FilesQuestion, OutlineQuestion, SymbolsQuestion};
use crate::text::{HitContextQuestion, LinesQuestion, SearchQuestion, SelectionQuestion, TextQuestion};

/// A function generic over the question of an operation: see [`Operation::visit`].
pub trait Visitor {
    /// The value that a visit returns.
    type Output;

    /// Runs for the question type of one operation.
    fn visit<Q: Question>(self) -> Self::Output;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident = $name:literal: $question:ty,)*) => {
        /// An operation of version 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[$doc])* $operation,)*
        }

        impl Operation {
            /// All operations of version 1, in the order of the table.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$operation),*];

            /// Returns the name used in the capability's list and in the method: `references`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$operation => $name,)*
                }
            }

            /// Calls the visitor with the question type of this operation.
            pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$operation => visitor.visit::<$question>(),)*
                }
            }
        }
    };
}

operations! {
    /// The definitions of a symbol (LSP `textDocument/definition`, `workspace/symbol`).
    Definitions = "definitions": DefinitionsQuestion,
    /// The declarations of a symbol, apart from its definition (LSP `textDocument/declaration`).
    Declarations = "declarations": DefinitionsQuestion,
    /// The definitions of a symbol's type (LSP `textDocument/typeDefinition`).
    TypeDefinitions = "typeDefinitions": DefinitionsQuestion,
    /// The implementations of a symbol (LSP `textDocument/implementation`).
    Implementations = "implementations": DefinitionsQuestion,
    /// The uses of a symbol (LSP `textDocument/references`).
    References = "references": ReferencesQuestion,
    /// The callers of a function (LSP `callHierarchy/incomingCalls`).
    Callers = "callers": HierarchyQuestion,
    /// The functions that a function calls (LSP `callHierarchy/outgoingCalls`).
    Callees = "callees": HierarchyQuestion,
    /// The types that a type extends or implements (LSP `typeHierarchy/supertypes`).
    Supertypes = "supertypes": HierarchyQuestion,
    /// The types that extend or implement a type (LSP `typeHierarchy/subtypes`).
    Subtypes = "subtypes": HierarchyQuestion,
    /// The signature and documentation of a symbol (LSP `textDocument/hover`).
    Description = "description": DescriptionQuestion,
    /// The definitions in a file (LSP `textDocument/documentSymbol`).
    Outline = "outline": OutlineQuestion,
    /// The definitions in files, as data.
    FileDefinitions = "fileDefinitions": FileDefinitionsQuestion,
    /// The members of a type.
    Members = "members": MembersQuestion,
    /// The definitions that a module offers to others.
    Exports = "exports": ExportsQuestion,
    /// The imports of a file.
    Imports = "imports": ImportsQuestion,
    /// The imports of a file or a package.
    Importers = "importers": ImportersQuestion,
    /// The symbols with a similar name (LSP `workspace/symbol`).
    Symbols = "symbols": SymbolsQuestion,
    /// The files that match a glob.
    Files = "files": FilesQuestion,
    /// The errors and warnings of compilers and linters (LSP `textDocument/diagnostic`, `publishDiagnostics`).
    Diagnostics = "diagnostics": DiagnosticsQuestion,
    /// The lines that match a regular expression.
    Search = "search": SearchQuestion,
    /// The code around hits of a search that left it out.
    HitContext = "hitContext": HitContextQuestion,
    /// The code that matches a syntax pattern.
    Matches = "matches": MatchesQuestion,
    /// The text of some lines of a file.
    Lines = "lines": LinesQuestion,
    /// The whole text of a file.
    Text = "text": TextQuestion,
    /// The user's selection in the editor.
    Selection = "selection": SelectionQuestion,
    /// The edit that renames a symbol (LSP `textDocument/rename`).
    Rename = "rename": RenameQuestion,
    /// The code actions for a place (LSP `textDocument/codeAction`).
    CodeActions = "codeActions": CodeActionsQuestion,
    /// The edit of a code action (LSP `codeAction/resolve`, `workspace/executeCommand`).
    TakeAction = "takeAction": TakeActionQuestion,
    /// The edit that formats a file (LSP `textDocument/formatting`, `rangeFormatting`).
    Format = "format": FormatQuestion,
    /// The edit that sorts and cleans the imports of a file (LSP code action `source.organizeImports`).
    OrganizeImports = "organizeImports": OrganizeImportsQuestion,
    /// The edit that gives files new texts.
    Draft = "draft": DraftQuestion,
    /// Edits that were previewed in this session, once more.
    Edits = "edits": EditsQuestion,
    /// The texts of files before and after edits that were previewed in this session.
    EditedTexts = "editedTexts": EditedTextsQuestion,
    /// The texts of the files that the agent has changed in this session, before and now.
    RecentChanges = "recentChanges": RecentChangesQuestion,
    /// Writes edits that were previewed in this session.
    Apply = "apply": ApplyQuestion,
}

impl Operation {
    /// The prefix of every method of this protocol.
    pub const PREFIX: &'static str = "_ide_operations/";

    /// Returns true for previews of edits and for [`Operation::Apply`]. One side has to answer all of them: `apply`
    /// knows only the edits that the same side previewed.
    pub fn is_about_changes(self) -> bool {
        use Operation::{
            Apply, CodeActions, Draft, EditedTexts, Edits, Format, OrganizeImports, Rename, TakeAction,
        };
        let previews = matches!(self, Rename | CodeActions | TakeAction | Format | OrganizeImports | Draft);
        previews || matches!(self, Edits | EditedTexts | Apply)
    }

    /// Returns the ACP extension method: `_ide_operations/references`.
    pub fn method(self) -> String {
        format!("{}{}", Self::PREFIX, self.name())
    }

    /// Returns the operation of an extension method; `None` if version 1 has no such method.
    pub fn from_method(method: &str) -> Option<Self> {
        Self::from_name(method.strip_prefix(Self::PREFIX)?)
    }

    /// Returns the operation with that [`name`](Self::name); `None` if version 1 has none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
