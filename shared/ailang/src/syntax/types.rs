//! Types.

use source_text::Span;

use super::{Documentation, Literal, Name, Parameters, Path};

/// A type definition: `type Page<T> = { items: List<T>, next?: string }`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// The type parameters: `T`.
    pub parameters: Vec<Name>,
    /// The type behind `=`.
    pub ty: Type,
}

/// An enum: `enum Level { Low, High = "high" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The variants.
    pub variants: Vec<EnumVariant>,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumVariant {
    /// The name.
    pub name: Name,
    /// The wire value, if it differs from the name.
    pub value: Option<Literal>,
    /// The comments around it.
    pub documentation: Documentation,
}

/// A type with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The kind and its content.
    pub kind: TypeKind,
    /// The place.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `"low"`, `3`, `true`, `null`: a single value
    Literal(Literal),
    /// `choice("low" | "high")`
    Choice(Box<Type>),
    /// `[string]`, `string[]`
    List(Box<Type>),
    /// `{ a: string, b?: int }`
    Struct(Vec<Member>),
    /// `(value: A) -> B`
    Function {
        /// The parameters.
        parameters: Parameters,
        /// The type of the result.
        returns: Box<Type>,
    },
    /// `Rect(width: number, height: number)`: a variant of a union, with its payload
    Variant {
        /// The name.
        name: Name,
        /// The payload.
        payload: Vec<Payload>,
    },
    /// `string`, `List<T>`, `auth.Token`
    Named {
        /// The name.
        path: Path,
        /// `<A, B>`
        arguments: Vec<Type>,
    },
    /// `string.minLength(1).maxLength(5)`
    Refined {
        /// `string`
        base: Box<Type>,
        /// The refinements, including `default`; at least one.
        refinements: Vec<Refinement>,
    },
    /// `A | B`: at least two members
    Union(Vec<Type>),
    /// A reported syntax error.
    Broken,
}

/// A part of a variant's payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// The name: `width`. `None` for `Some(T)`.
    pub name: Option<Name>,
    /// `true` if it is optional.
    pub optional: bool,
    /// The type.
    pub ty: Type,
}

/// A refinement: `.minLength(1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// The name.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<RefinementArgument>,
    /// The place from the name to the closing parenthesis.
    pub span: Span,
}

/// An argument of a refinement.
#[derive(Clone, Debug, PartialEq)]
pub enum RefinementArgument {
    /// `1`, `n = 1`
    Value {
        /// The name before `=`.
        name: Option<Name>,
        /// The value.
        value: Literal,
    },
    /// `n: int`: a declaration, which only documents a built-in refinement
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
    /// The name.
    pub name: Name,
    /// The kind and its content.
    pub kind: MemberKind,
    /// The comments around it.
    pub documentation: Documentation,
    /// The place from the name to the end.
    pub span: Span,
}

/// The kinds of members.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKind {
    /// `street?: string`
    Field {
        /// `true` if it is optional.
        optional: bool,
        /// The type.
        ty: Type,
    },
    /// `stop(force?: bool) -> void`
    Method {
        /// The parameters.
        parameters: Parameters,
        /// The type of the result.
        returns: Option<Type>,
    },
}

impl Type {
    /// Returns the refinements; empty for a type without any.
    pub fn refinements(&self) -> &[Refinement] {
        match &self.kind {
            TypeKind::Refined { refinements, .. } => refinements,
            _ => &[],
        }
    }

    /// Returns the value of `.default(…)`.
    pub fn default(&self) -> Option<&Literal> {
        let default = self.refinements().iter().rev().find(|it| it.name.text == "default")?;
        match default.arguments.first()? {
            RefinementArgument::Value { value, .. } => Some(value),
            RefinementArgument::Declared { .. } => None,
        }
    }

    /// Returns the types directly inside the type.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            TypeKind::Literal(_) | TypeKind::Broken => Vec::new(),
            TypeKind::Choice(of) | TypeKind::List(of) | TypeKind::Refined { base: of, .. } => vec![of],
            TypeKind::Struct(members) => members
                .iter()
                .flat_map(|member| match &member.kind {
                    MemberKind::Field { ty, .. } => vec![ty],
                    MemberKind::Method { parameters, returns } => {
                        parameters.list.iter().filter_map(|it| it.ty.as_ref()).chain(returns).collect()
                    }
                })
                .collect(),
            TypeKind::Function { parameters, returns } => {
                parameters.list.iter().filter_map(|it| it.ty.as_ref()).chain([&**returns]).collect()
            }
            TypeKind::Variant { payload, .. } => payload.iter().map(|part| &part.ty).collect(),
            TypeKind::Named { arguments, .. } => arguments.iter().collect(),
            TypeKind::Union(members) => members.iter().collect(),
        }
    }
}
