//! Types that keep their names instead of being expanded, as generated code, schemas and comparisons need them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use dialect::{Literal, Parameter, Type};

use super::Lowering;
use super::circular::circular;
use super::registered::is_record;
use super::types::{TypeContext, enumerated};
use crate::syntax::{Definition, DefinitionKind, Member, MemberKind, TypeKind};

/// A definition: the index of its document, and its offset there.
pub(super) type DefinitionKey = (usize, usize);

/// The definitions that were mentioned by name so far.
#[derive(Debug, Default)]
pub(super) struct KeptNames<'a> {
    names: HashMap<(DefinitionKey, Vec<Type>), Arc<str>>,
    taken: HashSet<String>,
    pending: VecDeque<Instance<'a>>,
    /// The definitions that may contain themselves without a struct between. They end where they would repeat.
    circular: HashSet<DefinitionKey>,
    /// `true` to expand the types of the prelude, and to widen functions.
    only_data: bool,
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
        let (circular, taken) = (circular(self.table), names.into_iter().collect());
        self.kept = Some(KeptNames { circular, taken, ..KeptNames::default() });
    }

    /// Keeps the names of types from now on, for formats of data whose types may contain themselves anywhere.
    ///
    /// Types of the prelude are expanded, because such a format has no prelude.
    pub fn keep_names_of_data(&mut self, names: impl IntoIterator<Item = String>) {
        let taken = names.into_iter().collect();
        self.kept = Some(KeptNames { only_data: true, taken, ..KeptNames::default() });
    }

    /// Returns the next mentioned definition whose type was not asked for yet; `None` when there are no more.
    pub fn next_kept(&mut self) -> Option<Instance<'a>> {
        self.kept.as_mut()?.pending.pop_front()
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
                if self.is_circular((instance.home, instance.definition.span.start)) {
                    self.open.push(instance.definition);
                }
                let ty = match &it.ty.kind {
                    TypeKind::Struct(members) if is_record(it) => {
                        self.fields(members, &place).map_or(Type::Any, Type::Fields)
                    }
                    _ => self.ty(&it.ty, &place),
                };
                self.open.clear();
                ty
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
        let key = (home, definition.span.start);
        // Only circular definitions are open. Inside of one, another may lead back to it.
        if self.is_circular(key) && !self.open.is_empty() {
            return None;
        }
        let is_prelude = home == self.table.prelude_home();
        let kept = self.kept.as_mut().filter(|kept| !(kept.only_data && is_prelude))?;
        if let Some(name) = kept.names.get(&(key, arguments.clone())) {
            return Some(Type::Named(Arc::clone(name)));
        }
        let parts = arguments.iter().map(part_of_name);
        let mut name: String = [definition.name.text.clone()].into_iter().chain(parts).collect();
        while !kept.taken.insert(name.clone()) {
            name.push('X');
        }
        let name: Arc<str> = name.into();
        kept.names.insert((key, arguments.clone()), Arc::clone(&name));
        kept.pending.push_back(Instance { name: Arc::clone(&name), definition, home, arguments });
        Some(Type::Named(name))
    }

    /// Returns `true` if functions cannot be expressed.
    pub(super) fn has_only_data(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.only_data)
    }

    fn is_circular(&self, key: DefinitionKey) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.circular.contains(&key))
    }

    /// Lowers without keeping names.
    pub(super) fn expanded<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let kept = self.kept.take();
        let lowered = lower(self);
        self.kept = kept;
        lowered
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
