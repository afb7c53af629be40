//! Types that keep their names instead of being expanded: all of them, as generated code, schemas and comparisons need
//! them, or those that contain themselves.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;
use std::sync::Arc;

use dialect::{Literal, Parameter, Type};

use super::Lowering;
use super::circular::circular;
use super::registered::{DefinitionKey, is_record, is_registered};
use super::types::{TypeContext, enumerated};
use crate::names::SymbolTable;
use crate::syntax::{Definition, DefinitionKind, Member, MemberKind, TypeKind};

/// The maximum number of types with names. Generic types that lead to ever larger ones would have more and more.
const MOST_NAMES: usize = 2_000;

/// The definitions that were mentioned by name so far.
#[derive(Debug)]
pub(super) struct KeptNames<'a> {
    kind: Kept,
    names: HashMap<(DefinitionKey, Vec<Type>), Arc<str>>,
    instances: HashMap<Arc<str>, Instance<'a>>,
    taken: HashSet<String>,
    pending: VecDeque<Instance<'a>>,
}

/// The names of types that contain themselves without a struct between.
#[derive(Debug, Default)]
pub(super) struct CircularNames {
    names: HashMap<DefinitionKey, String>,
    /// The names that no other type can have.
    taken: HashSet<String>,
}

/// The types that keep their names.
#[derive(Clone, Debug)]
enum Kept {
    /// Those that contain themselves without a struct between, with their names.
    Circular(Rc<CircularNames>),
    /// All.
    All,
    /// All but those of the prelude. Functions are widened.
    Data,
}

/// A definition with its type arguments.
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    /// The name, which no other instance has.
    pub name: Arc<str>,
    /// The definition.
    pub definition: &'a Definition,
    /// The index of its document.
    pub home: usize,
    arguments: Vec<Type>,
}

/// A method of a struct.
#[derive(Clone, Debug)]
pub struct Method<'a> {
    /// The method in the syntax tree.
    pub member: &'a Member,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
    /// The type of the result.
    pub returns: Type,
}

impl<'a> Lowering<'_, 'a> {
    /// Keeps the names of types from now on, for languages whose types have names. `names` are taken by other
    /// definitions.
    pub fn keep_names(&mut self, names: impl IntoIterator<Item = String>) {
        self.kept = KeptNames::new(Kept::All, names);
    }

    /// Keeps the names of types from now on, for formats of data whose types may contain themselves anywhere.
    ///
    /// Types of the prelude are expanded, because such a format has no prelude.
    pub fn keep_names_of_data(&mut self, names: impl IntoIterator<Item = String>) {
        self.kept = KeptNames::new(Kept::Data, names);
    }

    /// Returns the next mentioned definition whose type was not asked for yet; `None` when there are no more.
    pub fn next_kept(&mut self) -> Option<Instance<'a>> {
        self.kept.pending.pop_front()
    }

    /// Mentions a definition without type parameters of the document at the index `home`. Returns its name as
    /// a type; `None` if it is expanded.
    pub fn mention(&mut self, definition: &'a Definition, home: usize) -> Option<Type> {
        self.kept_name(definition, home, Vec::new())
    }

    /// Returns the type behind the name of a definition.
    pub fn kept_type(&mut self, instance: &Instance<'a>) -> Type {
        self.reset();
        match &instance.definition.kind {
            DefinitionKind::Enum(it) => enumerated(it),
            DefinitionKind::Type(it) => {
                let names = it.parameters.iter().map(|name| name.text.as_str());
                let mut place = TypeContext::new(self.scope(instance.home));
                place.arguments = Rc::new(names.zip(instance.arguments.iter().cloned()).collect());
                match &it.ty.kind {
                    TypeKind::Struct(members) if is_record(it) => {
                        self.fields(members, &place).map_or(Type::Any, Type::Fields)
                    }
                    _ => self.ty(&it.ty, &place),
                }
            }
            _ => Type::Any,
        }
    }

    /// Returns the fields and the methods of a struct that has methods; both are empty for any other type.
    pub fn kept_members(&mut self, instance: &Instance<'a>) -> (Vec<Parameter>, Vec<Method<'a>>) {
        self.reset();
        let DefinitionKind::Type(it) = &instance.definition.kind else { return Default::default() };
        let TypeKind::Struct(members) = &it.ty.kind else { return Default::default() };
        let mut place = TypeContext::new(self.scope(instance.home));
        let names = it.parameters.iter().map(|name| name.text.as_str());
        place.arguments = Rc::new(names.zip(instance.arguments.iter().cloned()).collect());
        let (mut fields, mut methods) = (Vec::new(), Vec::new());
        for member in members {
            match &member.kind {
                MemberKind::Field { optional, ty } => {
                    fields.push(self.parameter(&member.name.text, *optional, Some(ty), &place));
                }
                MemberKind::Method { parameters, returns } => {
                    let each = parameters.list.iter();
                    let each =
                        each.map(|it| self.parameter(&it.name.text, it.optional, it.ty.as_ref(), &place));
                    let parameters = each.collect();
                    let returns = returns.as_ref().map_or(Type::Null, |ty| self.ty(ty, &place));
                    methods.push(Method { member, parameters, returns });
                }
            }
        }
        if methods.is_empty() { Default::default() } else { (fields, methods) }
    }

    /// Returns the methods of a struct without type parameters; none for any other definition.
    pub(crate) fn methods(&mut self, definition: &'a Definition, home: usize) -> Vec<Method<'a>> {
        let name = definition.name.text.as_str().into();
        self.kept_members(&Instance { name, definition, home, arguments: Vec::new() }).1
    }

    /// Returns the default of the type behind a name as JSON.
    pub fn kept_default(&self, instance: &Instance<'a>) -> Option<serde_json::Value> {
        let DefinitionKind::Type(it) = &instance.definition.kind else { return None };
        Some(super::literal::value(it.ty.default()?, &it.ty, self.scope(instance.home)))
    }

    /// Returns the name of a definition as a type; `None` if it has to be expanded.
    pub(super) fn kept_name(
        &mut self,
        definition: &'a Definition,
        home: usize,
        arguments: Vec<Type>,
    ) -> Option<Type> {
        let is_prelude = home == self.table.prelude_home();
        let key = (home, definition.span.start);
        let kept = &mut self.kept;
        match &kept.kind {
            Kept::Circular(circular) if !circular.names.contains_key(&key) => return None,
            Kept::Data if is_prelude => return None,
            Kept::Circular(_) | Kept::Data | Kept::All => {}
        }
        if let Some(name) = kept.names.get(&(key, arguments.clone())) {
            return Some(Type::Named(Arc::clone(name)));
        }
        if kept.names.len() >= MOST_NAMES {
            return None;
        }
        let name = match &kept.kind {
            Kept::Circular(circular) => circular.name(key, &arguments)?,
            Kept::Data | Kept::All => {
                let parts = arguments.iter().map(part_of_name);
                let mut name: String = [definition.name.text.clone()].into_iter().chain(parts).collect();
                while !kept.taken.insert(name.clone()) {
                    name.push('X');
                }
                name
            }
        };
        let name: Arc<str> = name.into();
        kept.names.insert((key, arguments.clone()), Arc::clone(&name));
        let instance = Instance { name: Arc::clone(&name), definition, home, arguments };
        kept.instances.insert(Arc::clone(&name), instance.clone());
        kept.pending.push_back(instance);
        Some(Type::Named(name))
    }

    /// Returns `true` if all names are kept, not only those of types that contain themselves.
    pub(super) fn keeps_all(&self) -> bool {
        !matches!(self.kept.kind, Kept::Circular(_))
    }

    /// Returns `true` if functions cannot be expressed.
    pub(super) fn has_only_data(&self) -> bool {
        matches!(self.kept.kind, Kept::Data)
    }

    /// Lowers a type without keeping names, and without those around it.
    pub(super) fn expanded(&mut self, lower: impl FnOnce(&mut Self) -> Type) -> Type {
        let circular = KeptNames::circular(&self.circular);
        let kept = std::mem::replace(&mut self.kept, circular);
        let lowered = lower(self);
        let lowered = self.unnamed(lowered);
        self.kept = kept;
        lowered
    }

    /// Returns a type with the types behind names in place of the names around it.
    pub(super) fn unnamed(&mut self, ty: Type) -> Type {
        let (made, open) = (self.made, self.open.clone());
        let unnamed = self.behind(ty, &mut HashSet::new());
        (self.made, self.open) = (made, open);
        unnamed
    }

    fn behind(&mut self, ty: Type, seen: &mut HashSet<Arc<str>>) -> Type {
        match ty {
            Type::Optional(inner) => Type::Optional(Box::new(self.behind(*inner, seen))),
            Type::Refined(inner, rules) => Type::Refined(Box::new(self.behind(*inner, seen)), rules),
            Type::Union(members) => {
                Type::union(members.into_iter().map(|it| self.behind(it, seen)).collect::<Vec<_>>())
            }
            Type::Named(name) => match self.kept.instances.get(&name).cloned() {
                Some(instance) if seen.insert(Arc::clone(&name)) => {
                    let ty = self.kept_type(&instance);
                    self.behind(ty, seen)
                }
                _ => Type::Named(name),
            },
            ty => ty,
        }
    }
}

impl<'a> KeptNames<'a> {
    fn new(kind: Kept, taken: impl IntoIterator<Item = String>) -> Self {
        Self {
            kind,
            names: HashMap::new(),
            instances: HashMap::new(),
            taken: taken.into_iter().collect(),
            pending: VecDeque::new(),
        }
    }

    /// Keeps the names of types that contain themselves without a struct between.
    pub(super) fn circular(names: &Rc<CircularNames>) -> Self {
        Self::new(Kept::Circular(Rc::clone(names)), [])
    }
}

impl CircularNames {
    /// Names the types, each as no struct and no other of them, in the order of the documents.
    pub(super) fn new(table: &SymbolTable<'_>) -> Self {
        let circular = circular(table);
        let mut named = Self::default();
        if !circular.is_empty() {
            let all = table.documents.iter().flat_map(|(_, it)| it.definitions());
            named.taken.extend(all.filter(|it| is_registered(it)).map(|it| it.name.text.clone()));
        }
        for (key, definition) in circular {
            let mut name = definition.name.text.clone();
            while !named.taken.insert(name.clone()) {
                name.push('X');
            }
            named.names.insert(key, name);
        }
        named
    }

    /// Returns the definitions of the types.
    pub(super) fn definitions<'a>(&self, table: &SymbolTable<'a>) -> Vec<(usize, &'a Definition)> {
        let documents = table.documents.iter().enumerate();
        let all = documents.flat_map(|(home, (_, it))| it.definitions().map(move |it| (home, it)));
        all.filter(|(home, it)| self.names.contains_key(&(*home, it.span.start))).collect()
    }

    /// Returns the name of a type with its arguments. It is the same in each pass, whatever is mentioned first.
    fn name(&self, key: DefinitionKey, arguments: &[Type]) -> Option<String> {
        let base = self.names.get(&key)?;
        if arguments.is_empty() {
            return Some(base.clone());
        }
        let mut name: String = [base.clone()].into_iter().chain(arguments.iter().map(part_of_name)).collect();
        let is_plain = |it: &Type| {
            matches!(it, Type::Named(_) | Type::Any | Type::Bool | Type::Number | Type::Text | Type::Object)
        };
        if !arguments.iter().all(is_plain) || self.taken.contains(&name) {
            let mut hasher = DefaultHasher::new();
            arguments.hash(&mut hasher);
            name.push_str(&format!("_{:08x}", hasher.finish() >> 32));
        }
        Some(name)
    }
}

/// Returns the part of a name that stands for a type argument: `PageOfIssue` has `Issue`.
fn part_of_name(ty: &Type) -> String {
    match ty {
        Type::Named(name) => name.to_string(),
        Type::Any => "Any".to_owned(),
        Type::Null => "Null".to_owned(),
        Type::Bool => "Bool".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Text => "String".to_owned(),
        Type::Object => "Object".to_owned(),
        Type::List(inner) => format!("{}List", part_of_name(inner)),
        Type::Map(inner) => format!("{}Map", part_of_name(inner)),
        Type::Optional(inner) => format!("{}Option", part_of_name(inner)),
        Type::Refined(inner, rules)
            if rules[..] == [dialect::Refinement::Integer] && **inner == Type::Number =>
        {
            "Int".to_owned()
        }
        Type::Refined(inner, _) => part_of_name(inner),
        Type::Union(_) => "Union".to_owned(),
        Type::Fields(fields) => match fields.first().map(|it| (it.name.as_str(), &it.ty)) {
            // The type of an error as a value.
            Some(("error", Type::Literal(Literal::Text(name)))) => name.clone(),
            _ => "Struct".to_owned(),
        },
        Type::Function { .. } => "Function".to_owned(),
        Type::Literal(Literal::Text(_)) => "Text".to_owned(),
        Type::Literal(_) => "Literal".to_owned(),
    }
}
