//! Capabilities: what a tool may do, and what the user is asked about it.

use source_text::Span;

use super::{Literal, Member, Name, Path};

/// A capability.
#[derive(Clone, Debug, PartialEq)]
pub enum Capability {
    /// `capability MailAssistant = ReadMail & SendMail`
    Composed(CapabilityExpression),
    /// `capability SendMail { ask = "…", scope = choice("once" | "session"), to?: List<string> }`
    Declared {
        /// What the user is asked.
        ask: Option<Literal>,
        /// For how long the user may grant it; `None` when nothing is said, which is every scope.
        scope: Option<Vec<Literal>>,
        /// Other values, which mean nothing yet.
        others: Vec<(Name, Literal)>,
        /// What a grant may be narrowed by.
        parameters: Vec<Member>,
    },
}

/// `A & B(paths = ["src"])`: all of these.
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityExpression {
    /// What is joined; at least one.
    pub terms: Vec<CapabilityTerm>,
    /// All of it.
    pub span: Span,
}

/// A part of a capability expression.
#[derive(Clone, Debug, PartialEq)]
pub enum CapabilityTerm {
    /// `Write(paths = ["src"])`
    Named {
        /// Its name.
        path: Path,
        /// What narrows it.
        arguments: Vec<GrantArgument>,
    },
    /// `(A & B)`
    Group(CapabilityExpression),
}

/// `paths = ["src"]`
#[derive(Clone, Debug, PartialEq)]
pub struct GrantArgument {
    /// `paths`; arguments without a name go by order.
    pub name: Option<Name>,
    /// What it is narrowed to.
    pub value: Literal,
}

impl CapabilityExpression {
    /// Every name in it with its arguments, groups opened.
    pub fn atoms(&self) -> Vec<(&Path, &[GrantArgument])> {
        let atoms = self.terms.iter().flat_map(|term| match term {
            CapabilityTerm::Named { path, arguments } => vec![(path, arguments.as_slice())],
            CapabilityTerm::Group(group) => group.atoms(),
        });
        atoms.collect()
    }
}
