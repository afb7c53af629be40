//! Statements: what examples and the bodies of tools are made of.

use std::collections::BTreeMap;

use dialect::ast::Expression;
use source_text::Span;

use super::{Definition, Import, Name, Path, Type};

/// What the code of a block says, or of all blocks of a kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Imports, definitions and statements in the order in which they stand.
    pub items: Vec<Item>,
    /// What is defined in a way that could not be read; reported.
    pub unread: Vec<Name>,
    /// The statements between braces behind `=>`, by the offset of the opening brace: an expression says with
    /// [`ExpressionKind::Block`](dialect::ast::ExpressionKind::Block) only where they are.
    pub lambda_bodies: BTreeMap<usize, Block>,
    /// The types of lambdas' parameters, by the offset at which they start.
    pub lambda_types: BTreeMap<usize, Type>,
}

/// Something that stands for itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `from "./lib.md" import a`
    Import(Import),
    /// `type A = string`
    Definition(Definition),
    /// `x = send("a@b.co")`
    Statement(Statement),
}

/// What stands between braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Everything in it.
    pub items: Vec<Item>,
    /// Both braces included; without braces the one statement.
    pub span: Span,
}

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `if (c) { … } else { … }`; `else if` is a block of one statement
    If {
        /// `c`
        condition: Expression,
        /// What is done when it holds.
        then: Block,
        /// What is done otherwise.
        otherwise: Option<Block>,
    },
    /// `for (x in xs) { … }`
    For(Loop),
    /// `while (c) { … }`
    While {
        /// `c`
        condition: Expression,
        /// What is done while it holds.
        body: Block,
    },
    /// `try { … } catch E(a) { … } finally { … }`
    Try(Try),
    /// `return x`
    Return(Option<Expression>),
    /// `throw E("x")`
    Throw(Expression),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `x = 1`, `x.y += 1`
    Assign(Assignment),
    /// `send("a@b.co")`
    Expression(Expression),
    /// `{ … }`
    Block(Block),
    /// What could not be read; reported.
    Broken,
}

/// `for ([path, size] in sizes) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// What each element is called.
    pub target: Target,
    /// Where the elements come from.
    pub of: Expression,
    /// What is done with each.
    pub body: Block,
}

/// What an element is called, or its parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `x`
    Name(Name),
    /// `[a, b]`: by position
    List(Vec<Name>),
    /// `{ a, b }`: by field
    Object(Vec<Name>),
}

impl Target {
    /// Every name that it binds.
    pub fn names(&self) -> &[Name] {
        match self {
            Self::Name(name) => std::slice::from_ref(name),
            Self::List(names) | Self::Object(names) => names,
        }
    }
}

/// A `try` and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// What may fail.
    pub body: Block,
    /// What is done when it does; the first that fits.
    pub catches: Vec<Catch>,
    /// What is done in the end in any case.
    pub finally: Option<Block>,
}

/// `catch RateLimitError(resetAt) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// Which error; `None` is every error.
    pub error: Option<Path>,
    /// Names for its parameters, by position.
    pub bindings: Vec<Name>,
    /// What is done.
    pub body: Block,
    /// All of it.
    pub span: Span,
}

/// `x = 1`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// A name, a member or an element.
    pub target: Expression,
    /// `=`, `+=` or `-=`
    pub operator: &'static str,
    /// What is assigned.
    pub value: Expression,
}
