//! The syntax tree: imports, definitions and statements with their places.
//!
//! Expressions are Dialect's ([`dialect::ast::Expression`]).

mod capability;
mod definition;
mod documentation;
mod error;
mod import;
mod literal;
mod name;
mod parameter;
mod statement;
mod tool;
mod types;

pub use capability::{Capability, CapabilityExpression, CapabilityTerm, GrantArgument};
pub use definition::{Definition, DefinitionKind};
pub use documentation::{DocTag, Documentation, is_banner};
pub use error::{ErrorDefinition, ErrorProperty};
pub use import::{Import, ImportForm, ImportItem, ModuleReference};
pub use literal::{Literal, LiteralKind};
pub use name::{Name, Path};
pub use parameter::{Parameter, Parameters};
pub use statement::{Assignment, Block, Catch, Item, Loop, Program, Statement, StatementKind, Target, Try};
pub use tool::Tool;
pub use types::{
    Enum, EnumVariant, Member, MemberKind, Payload, Refinement, RefinementArgument, Type, TypeDefinition,
    TypeKind,
};
