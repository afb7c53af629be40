//! Statements of examples and bodies.

// `statement`, `definition` and `tool` import each other, because the grammar is recursive: a program has definitions,
// a tool has a body, and a body has statements.

use std::collections::BTreeMap;

use dialect::ast::Expression;
use source_text::Span;

use super::{Definition, Import, Name, Path, Type};

/// The code of a block, or of all blocks of a kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The imports, definitions and statements in order.
    pub items: Vec<Item>,
    /// The names of definitions with syntax errors, which were reported.
    pub unread: Vec<Name>,
    /// The statements between braces behind `=>`, by the byte offset of the opening brace.
    ///
    /// The expression has only [`ExpressionKind::Block`](dialect::ast::ExpressionKind::Block) there.
    pub lambda_bodies: BTreeMap<usize, Block>,
    /// The types of lambda parameters, by their byte offset.
    pub lambda_types: BTreeMap<usize, Type>,
}

/// An import, a definition or a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `from "./lib.md" import a`
    Import(Import),
    /// `type A = string`
    Definition(Definition),
    /// `x = send("a@b.co")`
    Statement(Statement),
}

/// The content of braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The items.
    pub items: Vec<Item>,
    /// The place, with both braces; without braces that of the one statement.
    pub span: Span,
}

/// A statement with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The kind and its content.
    pub kind: StatementKind,
    /// The place.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `if (c) { … } else { … }`; `else if` is a block of one statement
    If {
        /// `c`
        condition: Expression,
        /// The block for a true condition.
        then: Block,
        /// The block behind `else`.
        otherwise: Option<Block>,
    },
    /// `for (x in xs) { … }`
    For(Loop),
    /// `while (c) { … }`
    While {
        /// `c`
        condition: Expression,
        /// The repeated block.
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
    /// A reported syntax error.
    Broken,
}

/// A loop over elements: `for ([path, size] in sizes) { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The variable for each element, or for its parts.
    pub target: Target,
    /// The list.
    pub of: Expression,
    /// The repeated block.
    pub body: Block,
}

/// A variable, or a pattern of variables.
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
    /// Returns the variables.
    pub fn names(&self) -> &[Name] {
        match self {
            Self::Name(name) => std::slice::from_ref(name),
            Self::List(names) | Self::Object(names) => names,
        }
    }
}

/// A `try` with its clauses.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// The block whose errors are caught.
    pub body: Block,
    /// The `catch` clauses; the first match applies.
    pub catches: Vec<Catch>,
    /// The block that always runs last.
    pub finally: Option<Block>,
}

/// A clause that handles an error: `catch RateLimitError(resetAt) { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// The error; `None` for any error.
    pub error: Option<Path>,
    /// The variables for its parameters, by position.
    pub bindings: Vec<Name>,
    /// The handler.
    pub body: Block,
    /// The whole clause.
    pub span: Span,
}

/// An assignment: `x = 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The target: a name, a member or an element.
    pub target: Expression,
    /// The operator: `=`, `+=` or `-=`.
    pub operator: &'static str,
    /// The assigned value.
    pub value: Expression,
}
