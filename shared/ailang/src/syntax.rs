//! What code says: imports, definitions and statements, with the place of each. Expressions are Dialect's
//! ([`dialect::ast::Expression`]).

mod capability;
mod definition;
mod documentation;
mod error;
mod import;
mod literal;
mod statement;
mod tool;
mod types;

use source_text::Span;

pub use capability::{Capability, CapabilityExpression, CapabilityTerm, GrantArgument};
pub use definition::{Definition, DefinitionKind};
pub use documentation::{DocTag, Documentation};
pub use error::{ErrorDefinition, ErrorProperty};
pub use import::{Import, ImportForm, ImportItem, ModuleReference};
pub use literal::{Literal, LiteralKind};
pub use statement::{Assignment, Block, Catch, Item, Loop, Program, Statement, StatementKind, Target, Try};
pub use tool::{Parameter, Parameters, Tool};
pub use types::{
    Enum, EnumVariant, Member, MemberKind, Payload, Refinement, RefinementArgument, Type, TypeDefinition,
    TypeKind,
};

/// A name as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The name; empty where it is missing, which the parser has reported.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A name that may stand behind those of modules: `auth.Token`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The name itself.
    pub name: Name,
    /// The names before it.
    pub qualifiers: Vec<Name>,
}

impl Path {
    /// All of it.
    pub fn span(&self) -> Span {
        self.qualifiers.first().map_or(self.name.span, |first| first.span.join(self.name.span))
    }

    /// As it is written, without blanks.
    pub fn text(&self) -> String {
        let names = self.qualifiers.iter().chain([&self.name]).map(|name| name.text.as_str());
        names.collect::<Vec<_>>().join(".")
    }
}
