//! Capabilities: permissions, with the question for the user.

use source_text::Span;

use super::{Literal, Member, Name, Path};

/// A capability.
#[derive(Clone, Debug, PartialEq)]
pub enum Capability {
    /// `capability MailAssistant = ReadMail & SendMail`
    Composed(CapabilityExpression),
    /// `capability SendMail { ask = "…", scope = choice("once" | "session"), to?: List<string> }`
    Declared {
        /// The question for the user.
        ask: Option<Literal>,
        /// The scopes that the user may grant; `None` for all.
        scope: Option<Vec<Literal>>,
        /// Unknown properties.
        others: Vec<(Name, Literal)>,
        /// The parameters that narrow a grant.
        parameters: Vec<Member>,
    },
}

/// Capabilities that are all required: `A & B(paths = ["src"])`.
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityExpression {
    /// The operands; at least one.
    pub terms: Vec<CapabilityTerm>,
    /// The whole expression.
    pub span: Span,
}

/// A part of a capability expression.
#[derive(Clone, Debug, PartialEq)]
pub enum CapabilityTerm {
    /// `Write(paths = ["src"])`
    Named {
        /// Its name.
        path: Path,
        /// The arguments that narrow it.
        arguments: Vec<GrantArgument>,
    },
    /// `(A & B)`
    Group(CapabilityExpression),
}

/// An argument of a capability: `paths = ["src"]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantArgument {
    /// The name: `paths`. Arguments without a name are positional.
    pub name: Option<Name>,
    /// The value to which it is restricted.
    pub value: Literal,
}

impl CapabilityExpression {
    /// Returns every capability in it with its arguments, groups flattened.
    pub fn atoms(&self) -> Vec<(&Path, &[GrantArgument])> {
        let atoms = self.terms.iter().flat_map(|term| match term {
            CapabilityTerm::Named { path, arguments } => vec![(path, arguments.as_slice())],
            CapabilityTerm::Group(group) => group.atoms(),
        });
        atoms.collect()
    }
}
