//! The content of a document, as all targets print it.

use std::collections::{BTreeMap, HashMap, HashSet};

use ailang::Capability;
use dialect::{Parameter, Requirement, Type};

/// A document with everything that it uses of others.
#[derive(Debug)]
pub(crate) struct Model {
    /// The path of the document in its package.
    pub(super) source: String,
    /// The SHA-256 of the document's text, in hexadecimal digits.
    pub(super) digest: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    /// The types, each after those that it uses, unless these use it as well.
    pub(super) types: Vec<NamedType>,
    pub(super) errors: Vec<ErrorType>,
    /// The capabilities that a user can be asked for.
    pub(super) capabilities: Vec<Capability>,
    pub(super) tools: Vec<ToolModel>,
    by_name: HashMap<String, usize>,
    /// The names of types that contain themselves.
    recursive: HashSet<String>,
}

/// A type with a name.
#[derive(Debug)]
pub(super) struct NamedType {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) docs: String,
    /// The comments of fields and of variants, by name.
    pub(super) parts: BTreeMap<String, String>,
    /// The names of the variants of an enum, by value.
    pub(super) variants: Vec<(String, serde_json::Value)>,
    /// The methods of an interface, whose values are no data: `ty` is any.
    pub(super) methods: Vec<MethodModel>,
    /// The fields of an interface.
    pub(super) fields: Vec<Parameter>,
}

/// A method of an interface.
#[derive(Debug)]
pub(super) struct MethodModel {
    pub(super) name: String,
    pub(super) docs: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returns: Type,
}

/// An error that tools throw.
#[derive(Debug)]
pub(super) struct ErrorType {
    pub(super) name: String,
    pub(super) docs: String,
    /// The parameters; `None` if the document leaves them open.
    pub(super) parameters: Option<Vec<Parameter>>,
    pub(super) message: Message,
    pub(super) recovery: Option<Message>,
    pub(super) user_message: Option<Message>,
    pub(super) retryable: bool,
    /// The time from which on to retry, in seconds since 1970.
    pub(super) retry_after: Option<Formula>,
    pub(super) max_retries: Option<u64>,
}

/// A text with holes.
pub(super) type Message = Vec<Piece>;

/// A part of a text with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// A computation, and its spelling.
    Formula(Formula, String),
}

/// A computation that fills a hole of a message. It has no value where a number is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Number(serde_json::Number),
    /// A parameter, and members in it.
    Path(Vec<String>),
    /// The seconds since 1970.
    Now,
    /// One of `+`, `-`, `*`, `/` and `%`, of two numbers.
    Binary(&'static str, Box<Formula>, Box<Formula>),
}

/// A tool.
#[derive(Debug)]
pub(super) struct ToolModel {
    pub(super) name: String,
    pub(super) docs: String,
    /// The text of the tag `@deprecated`.
    pub(super) deprecated: Option<String>,
    /// True if it may be called again after an error.
    pub(super) may_repeat: bool,
    /// The parameters; `None` if the document leaves them open.
    pub(super) parameters: Option<Vec<Parameter>>,
    /// The comments of the parameters, by name.
    pub(super) parts: BTreeMap<String, String>,
    pub(super) returns: Type,
    /// The capabilities that are asked for in order; composed ones are taken apart.
    pub(super) requires: Vec<Requirement>,
    pub(super) throws: Vec<String>,
}

/// The kinds of JSON values that a refinement can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    List,
    /// A dictionary with any keys.
    Map,
    /// Several kinds, or something else.
    Mixed,
}

impl NamedType {
    /// Creates a type without comments.
    pub(super) fn new(name: String, ty: Type) -> Self {
        Self {
            name,
            ty,
            docs: String::new(),
            parts: BTreeMap::new(),
            variants: Vec::new(),
            methods: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl ToolModel {
    /// Returns the type of the object of all parameters.
    pub(super) fn input(&self) -> Type {
        self.parameters.clone().map_or(Type::Object, Type::Fields)
    }
}

impl ErrorType {
    /// Returns the type of the object of all parameters.
    pub(super) fn input(&self) -> Type {
        self.parameters.clone().map_or(Type::Object, Type::Fields)
    }
}

impl Model {
    /// Sorts the types and indexes them.
    pub(super) fn finished(mut self) -> Self {
        self.types = sorted(std::mem::take(&mut self.types));
        self.by_name = self.types.iter().enumerate().map(|(at, it)| (it.name.clone(), at)).collect();
        let reaches_itself = |it: &&NamedType| self.reached(&it.ty).contains(it.name.as_str());
        self.recursive = self.types.iter().filter(reaches_itself).map(|it| it.name.clone()).collect();
        self
    }

    /// Returns the names that a type mentions, directly or not.
    fn reached<'t>(&'t self, ty: &'t Type) -> HashSet<&'t str> {
        let (mut seen, mut pending) = (HashSet::new(), vec![ty]);
        while let Some(ty) = pending.pop() {
            let new = ty.names().into_iter().filter(|name| seen.insert(&***name)).collect::<Vec<_>>();
            pending.extend(new.into_iter().filter_map(|name| Some(&self.named(name)?.ty)));
        }
        seen
    }

    /// Returns `true` if the type of that name contains itself.
    pub(super) fn is_recursive(&self, name: &str) -> bool {
        self.recursive.contains(name)
    }

    pub(super) fn new(source: String, digest: String) -> Self {
        Self {
            source,
            digest,
            id: String::new(),
            title: String::new(),
            summary: String::new(),
            types: Vec::new(),
            errors: Vec::new(),
            capabilities: Vec::new(),
            tools: Vec::new(),
            by_name: HashMap::new(),
            recursive: HashSet::new(),
        }
    }

    /// Returns the type behind a name.
    pub(super) fn named(&self, name: &str) -> Option<&NamedType> {
        self.by_name.get(name).map(|at| &self.types[*at])
    }

    /// Returns `true` if a name is that of an interface.
    pub(super) fn is_interface(&self, name: &str) -> bool {
        self.named(name).is_some_and(|it| !it.methods.is_empty())
    }

    /// Returns the type behind all names around it.
    pub(super) fn resolved<'t>(&'t self, ty: &'t Type) -> &'t Type {
        let mut ty = ty;
        // A name never leads back to itself without a list or an object between.
        while let Type::Named(name) = ty
            && let Some(it) = self.named(name)
        {
            ty = &it.ty;
        }
        ty
    }

    /// Returns the kind of all values of a type.
    pub(super) fn kind(&self, ty: &Type) -> Kind {
        match self.resolved(ty) {
            Type::Number => Kind::Number,
            Type::Text => Kind::Text,
            Type::List(_) => Kind::List,
            Type::Map(_) | Type::Object => Kind::Map,
            Type::Refined(inner, _) => self.kind(inner),
            _ => Kind::Mixed,
        }
    }

    /// Returns `true` if null is a value of a type.
    pub(super) fn accepts_null(&self, ty: &Type) -> bool {
        let (mut seen, mut pending) = (HashSet::new(), vec![ty]);
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Any | Type::Null | Type::Optional(_) => return true,
                Type::Union(members) => pending.extend(members),
                Type::Refined(inner, _) => pending.push(inner),
                Type::Named(name) if seen.insert(name.clone()) => {
                    pending.extend(self.named(name).map(|it| &it.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Returns `true` if a tool takes or returns a function.
    pub(super) fn takes_function(&self, tool: &ToolModel) -> bool {
        self.has_function(&tool.input()) || self.has_function(&tool.returns)
    }

    /// Returns `true` if a type is or contains a function, also behind names.
    pub(super) fn has_function(&self, ty: &Type) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Function { .. } => return true,
                Type::Named(name) if seen.insert(name.clone()) => {
                    pending.extend(self.named(name).map(|it| &it.ty));
                }
                ty => pending.extend(ty.parts()),
            }
        }
        false
    }
}

/// Sorts types so that each follows those that it names, as far as they do not name it.
fn sorted(types: Vec<NamedType>) -> Vec<NamedType> {
    let index: HashMap<&str, usize> =
        types.iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
    let needs: Vec<Vec<usize>> = types
        .iter()
        .map(|it| it.ty.names().into_iter().filter_map(|name| index.get(&**name).copied()).collect())
        .collect();
    let mut order = Vec::new();
    let mut seen = vec![false; types.len()];
    for start in 0..types.len() {
        // Each step has a type and the number of its needs that were visited.
        let mut path = if seen[start] { Vec::new() } else { vec![(start, 0)] };
        seen[start] = true;
        while let Some((at, visited)) = path.pop() {
            let Some(&need) = needs[at].get(visited) else {
                order.push(at);
                continue;
            };
            path.push((at, visited + 1));
            if !seen[need] {
                seen[need] = true;
                path.push((need, 0));
            }
        }
    }
    let mut types: Vec<Option<NamedType>> = types.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| types[at].take()).collect()
}
