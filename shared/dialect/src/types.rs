//! Type expressions and signatures, in AiLang's spelling:
//! `search(path: string, pattern: string, extension?: string) -> List<FileRange>`.

use std::sync::Arc;

/// A type expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `any`
    Any,
    /// `null`
    Null,
    /// `boolean`
    Bool,
    /// `number`
    Number,
    /// `string`
    Text,
    /// `object`
    Object,
    /// `List<string>`
    List(Box<Type>),
    /// `string?`
    Optional(Box<Type>),
    /// `FileRange`: a registered type
    Named(Arc<str>),
}

/// A declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, by which arguments may be given.
    pub name: String,
    /// What it takes.
    pub ty: Type,
    /// Whether it may be left out: `extension?: string`.
    pub optional: bool,
}

/// How something is called and what comes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The callable's name.
    pub name: String,
    /// Its parameters, in order; optional ones last.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub returns: Type,
}
