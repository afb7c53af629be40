//! The tables of a registry, checked while they are filled.

use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::error::RegistryError;
use super::rows::{
    Callable, CallableCode, Method, RegisteredConversion, RegisteredType, RegisteredTypes, constructor_name,
};
use crate::form::RESERVED;
use crate::name::fold;
use crate::{Conversion, Effect, ForeignIdiom, Function, Library, RecordType, Signature, Type, TypeAlias};

/// The rows of all libraries, by what programs call them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// The callables, in the order in which they were added.
    pub(super) callables: Vec<Arc<Callable>>,
    /// By folded name and folded aliases.
    pub(super) by_name: IndexMap<String, Arc<Callable>, RandomState>,
    /// By folded names that other languages have for them.
    pub(super) foreign: IndexMap<String, Arc<Callable>, RandomState>,
    /// Functions of the values of one type, by the folded last part of their name: `Plan.cost` under `cost`.
    pub(super) methods: IndexMap<String, Vec<Method>, RandomState>,
    /// The equivalents of foreign calls, by folded names.
    pub(super) foreign_idioms: IndexMap<String, Vec<ForeignIdiom>, RandomState>,
    pub(super) types: RegisteredTypes,
    pub(super) conversions: Vec<Arc<RegisteredConversion>>,
}

impl Tables {
    /// Adds all rows of a library.
    pub(super) fn add(&mut self, library: Library) -> Result<(), RegistryError> {
        let Library { name: library, types, aliases, functions, conversions, foreign_idioms } = library;
        let mut shapes = Vec::new();
        for row in types {
            shapes.push(self.add_type(&library, row)?);
        }
        let aliases: Vec<Arc<TypeAlias>> =
            aliases.into_iter().map(|row| self.add_alias(&library, row)).collect::<Result<_, _>>()?;
        for alias in aliases {
            self.check_alias(&library, &alias)?;
        }
        for row in functions {
            self.add_function(&library, row)?;
        }
        for shape in shapes.into_iter().filter(|shape| shape.row.has_constructor) {
            self.add_constructor(&library, shape)?;
        }
        for row in conversions {
            self.add_conversion(&library, row)?;
        }
        for idiom in foreign_idioms {
            self.foreign_idioms.entry(fold(&idiom.name)).or_default().push(idiom);
        }
        Ok(())
    }

    fn add_conversion(&mut self, library: &str, row: Conversion) -> Result<(), RegistryError> {
        let signature = Arc::new(parse(library, &row.signature)?);
        if signature.parameters.len() != 1 || signature.required() != 1 {
            return Err(RegistryError::Conversion { library: library.to_owned(), signature: row.signature });
        }
        self.check_types(library, &signature)?;
        let Conversion { description, effect, requires, fails, error_template, code, .. } = row;
        let library = library.into();
        self.conversions.push(Arc::new(RegisteredConversion {
            library,
            signature,
            description,
            effect,
            requires,
            fails,
            error_template,
            code,
        }));
        Ok(())
    }

    fn add_type(&mut self, library: &str, row: RecordType) -> Result<Arc<RegisteredType>, RegistryError> {
        let signature = Arc::new(parse(library, &row.signature)?);
        let name: Arc<str> = signature.name.as_str().into();
        let shape = Arc::new(RegisteredType { name: name.clone(), signature, row });
        if let Some(taken) = self.types.aliases.get(&name) {
            return Err(clash(library, &name, &taken.ty));
        }
        match self.types.records.entry(name) {
            Entry::Occupied(taken) => Err(clash(library, &shape.name, &taken.get().signature)),
            Entry::Vacant(free) => Ok(free.insert(shape).clone()),
        }
    }

    /// Adds an alias. Two libraries may have the same.
    fn add_alias(&mut self, library: &str, row: TypeAlias) -> Result<Arc<TypeAlias>, RegistryError> {
        if let Some(taken) = self.types.get(&row.name) {
            return Err(clash(library, &row.name, &taken.signature));
        }
        match self.types.aliases.entry(row.name.as_str().into()) {
            Entry::Occupied(taken) if taken.get().ty == row.ty => Ok(taken.get().clone()),
            Entry::Occupied(taken) => Err(clash(library, &row.name, &taken.get().ty)),
            Entry::Vacant(free) => Ok(free.insert(Arc::new(row)).clone()),
        }
    }

    /// Checks that an alias names known types, and that it does not stand for itself.
    fn check_alias(&self, library: &str, alias: &TypeAlias) -> Result<(), RegistryError> {
        let spelled = || format!("{} = {}", alias.name, alias.ty);
        if let Some(missing) = alias.ty.names().into_iter().find(|it| self.types.is_variable(it)) {
            let (library, ty) = (library.to_owned(), missing.to_string());
            return Err(RegistryError::UnknownType { library, signature: spelled(), ty });
        }
        let (mut seen, mut pending) = (vec![alias.name.as_str()], vec![&alias.ty]);
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Optional(inner) | Type::Refined(inner, _) => pending.push(inner),
                Type::Union(members) => pending.extend(members),
                Type::Named(name) if **name == *alias.name => {
                    return Err(RegistryError::Endless { library: library.to_owned(), alias: spelled() });
                }
                Type::Named(name) if !seen.contains(&&**name) => {
                    seen.push(name);
                    pending.extend(self.types.alias(name).map(|it| &it.ty));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns `true` if the first parameter takes lists as they are.
    fn takes_list(&self, signature: &Signature) -> bool {
        signature.parameters.first().is_some_and(|it| self.types.takes_list(&it.ty))
    }

    fn add_function(&mut self, library: &str, row: Function) -> Result<(), RegistryError> {
        let mut signature = parse(library, &row.signature)?;
        for (alias, name) in &row.parameter_aliases {
            let parameter = signature.parameters.iter_mut().filter(|it| it.name == *name);
            parameter.for_each(|it| it.aliases.push(alias.clone()));
        }
        let signature = Arc::new(signature);
        let generic = (!row.generic.is_empty()).then(|| parse(library, &row.generic)).transpose()?;
        let generic = generic.map(Arc::new);
        let mut names = vec![signature.name.clone()];
        names.extend(row.aliases.iter().cloned());
        let (effect, requires) = (row.effect, row.requirements(library));
        let code = CallableCode::Function(Box::new(row));
        let takes_list = self.takes_list(&signature);
        let library_name = library.into();
        let callable =
            Callable { library: library_name, signature, generic, effect, requires, takes_list, code };
        self.add_callable(library, names, callable)
    }

    fn add_constructor(&mut self, library: &str, shape: Arc<RegisteredType>) -> Result<(), RegistryError> {
        let mut signature = Signature::clone(&shape.signature);
        signature.name = constructor_name(&shape.name);
        signature.returns = Type::Named(shape.name.clone());
        let names = vec![signature.name.clone()];
        let code = CallableCode::Constructor(shape);
        let signature = Arc::new(signature);
        let (effect, requires) = (Effect::Pure, Vec::new());
        let takes_list = self.takes_list(&signature);
        let library_name = library.into();
        let callable =
            Callable { library: library_name, signature, generic: None, effect, requires, takes_list, code };
        self.add_callable(library, names, callable)
    }

    /// Returns the type and the folded name of a method: a function whose name starts with the type of its
    /// first parameter.
    fn method(&self, signature: &Signature) -> Option<(Arc<str>, String)> {
        let (first, rest) = signature.name.rsplit_once('.')?;
        let of = signature.parameters.first()?.ty.named()?;
        (fold(of) == fold(first)).then(|| (of.clone(), fold(rest)))
    }

    fn add_callable(
        &mut self,
        library: &str,
        names: Vec<String>,
        callable: Callable,
    ) -> Result<(), RegistryError> {
        self.check_types(library, &callable.signature)?;
        let callable = Arc::new(callable);
        if let Some((of, name)) = self.method(&callable.signature) {
            self.methods.entry(name).or_default().push(Method { of, callable: callable.clone() });
        }
        if let CallableCode::Function(row) = &callable.code {
            for name in &row.foreign {
                self.foreign.entry(fold(name)).or_insert_with(|| callable.clone());
            }
        }
        for name in names {
            if RESERVED.contains(&fold(&name).as_str()) {
                return Err(RegistryError::Reserved { library: library.to_owned(), name });
            }
            match self.by_name.entry(fold(&name)) {
                Entry::Occupied(taken) => return Err(clash(library, &name, &taken.get().signature)),
                Entry::Vacant(free) => free.insert(callable.clone()),
            };
        }
        self.callables.push(callable);
        Ok(())
    }

    fn check_types(&self, library: &str, signature: &Signature) -> Result<(), RegistryError> {
        let types = signature.parameters.iter().map(|it| &it.ty).chain([&signature.returns]);
        match types.flat_map(Type::names).find(|name| self.types.is_variable(name)) {
            None => Ok(()),
            Some(missing) => Err(RegistryError::UnknownType {
                library: library.to_owned(),
                signature: signature.to_string(),
                ty: missing.to_string(),
            }),
        }
    }
}

fn parse(library: &str, text: &str) -> Result<Signature, RegistryError> {
    Signature::parse(text).map_err(|error| RegistryError::Signature { library: library.to_owned(), error })
}

fn clash(library: &str, name: &str, other: &impl ToString) -> RegistryError {
    RegistryError::Clash { library: library.to_owned(), name: name.to_owned(), other: other.to_string() }
}
