//! Types as they are written.

use source_text::Span;

use super::{Documentation, Literal, Name, Parameters, Path};

/// `type Page<T> = { items: List<T>, next?: string }`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// `T`
    pub parameters: Vec<Name>,
    /// What stands behind the `=`.
    pub ty: Type,
}

/// `enum Level { Low, High = "high" }`
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its variants.
    pub variants: Vec<EnumVariant>,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumVariant {
    /// What it is called.
    pub name: Name,
    /// What it is on the wire, when that is not its name.
    pub value: Option<Literal>,
    /// The comments around it.
    pub documentation: Documentation,
}

/// A type and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `"low"`, `3`, `true`, `null`: that value alone
    Literal(Literal),
    /// `choice("low" | "high")`
    Choice(Box<Type>),
    /// `[string]`, `string[]`
    List(Box<Type>),
    /// `{ a: string, b?: int }`
    Struct(Vec<Member>),
    /// `(value: A) -> B`
    Function {
        /// What it takes.
        parameters: Parameters,
        /// What it gives.
        returns: Box<Type>,
    },
    /// `Rect(width: number, height: number)`: a variant of a union, with what it carries
    Variant {
        /// What it is called.
        name: Name,
        /// What it carries.
        payload: Vec<Payload>,
    },
    /// `string`, `List<T>`, `auth.Token`
    Named {
        /// Its name.
        path: Path,
        /// `<A, B>`
        arguments: Vec<Type>,
    },
    /// `string.minLength(1).maxLength(5)`
    Refined {
        /// `string`
        base: Box<Type>,
        /// What its values have to satisfy, and `default`; at least one.
        refinements: Vec<Refinement>,
    },
    /// `A | B`: at least two
    Union(Vec<Type>),
    /// What could not be read; reported.
    Broken,
}

/// What a variant carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// `width`; none in `Some(T)`
    pub name: Option<Name>,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it is.
    pub ty: Type,
}

/// `.minLength(1)`
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// Its name.
    pub name: Name,
    /// What stands between its parentheses.
    pub arguments: Vec<RefinementArgument>,
    /// From its name to its closing parenthesis.
    pub span: Span,
}

/// An argument of a refinement.
#[derive(Clone, Debug, PartialEq)]
pub enum RefinementArgument {
    /// `1`, `n = 1`
    Value {
        /// `n =`
        name: Option<Name>,
        /// The value.
        value: Literal,
    },
    /// `n: int`: a declaration, which only documents what is built in
    Declared {
        /// `n`
        name: Name,
        /// `int`
        ty: Type,
    },
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// What it is called.
    pub name: Name,
    /// What it is.
    pub kind: MemberKind,
    /// The comments around it.
    pub documentation: Documentation,
    /// From its name to its end.
    pub span: Span,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKind {
    /// `street?: string`
    Field {
        /// Whether it may be left out.
        optional: bool,
        /// What it holds.
        ty: Type,
    },
    /// `stop(force?: bool) -> void`
    Method {
        /// What it takes.
        parameters: Parameters,
        /// What it gives.
        returns: Option<Type>,
    },
}

impl Type {
    /// Its refinements; none of a type that has no such chain.
    pub fn refinements(&self) -> &[Refinement] {
        match &self.kind {
            TypeKind::Refined { refinements, .. } => refinements,
            _ => &[],
        }
    }

    /// The value of `.default(…)`.
    pub fn default(&self) -> Option<&Literal> {
        let default = self.refinements().iter().rev().find(|it| it.name.text == "default")?;
        match default.arguments.first()? {
            RefinementArgument::Value { value, .. } => Some(value),
            RefinementArgument::Declared { .. } => None,
        }
    }
}
