//! Meanings of the names of a program: namespaces and functions of the host, and modules, under whatever names the
//! program has for them.

use std::collections::HashMap;

use oxc_ast::ast::{
    BindingIdentifier, BindingPattern, Expression, IdentifierReference, ImportDeclaration,
    ImportDeclarationSpecifier, ModuleExportName, Program, PropertyKey, VariableDeclaration,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_syntax::symbol::SymbolId;
use script_protocol::Stub;

use crate::surroundings::{KnownModule, module};

/// The member of a function that never throws.
const OUTCOME: &str = "outcome";

/// The rounds in which names of names are found.
const ROUNDS: usize = 4;

/// The meaning of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning<'s> {
    /// Everything of the host: its namespaces, and their functions.
    Host,
    /// A namespace of the host.
    Namespace(&'s str),
    /// An object in a namespace: the functions whose names begin with its name and a dot.
    Class(&'s str, String),
    /// A function of the host.
    Function(&'s Stub),
    /// A module that is not of the host.
    Module(&'static KnownModule),
    /// The promise of a call, with the name of its function.
    Promise(String),
}

/// A member that is not there.
#[derive(Debug)]
pub(crate) enum Missing<'s> {
    /// A function of a namespace, or of an object in it.
    Function(&'s str, Option<String>),
    Export(&'static KnownModule),
}

/// The meanings of a program's names.
pub(crate) struct Meanings<'s> {
    pub(crate) scoping: Scoping,
    namespaces: HashMap<&'s str, Vec<&'s Stub>>,
    symbols: HashMap<SymbolId, Meaning<'s>>,
    is_external: bool,
}

impl<'s> Meanings<'s> {
    pub(crate) fn new(program: &Program<'_>, stubs: &'s [Stub], is_external: bool) -> Self {
        let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
        let mut namespaces: HashMap<&str, Vec<&Stub>> = HashMap::new();
        for stub in stubs {
            namespaces.entry(&stub.namespace).or_default().push(stub);
        }
        let mut meanings = Self { scoping, namespaces, symbols: HashMap::new(), is_external };
        for _ in 0..ROUNDS {
            let before = meanings.symbols.len();
            let mut bindings = Bindings { meanings: &mut meanings };
            bindings.visit_program(program);
            if meanings.symbols.len() == before {
                break;
            }
        }
        meanings
    }

    /// Returns the functions of a namespace.
    pub(crate) fn functions(&self, namespace: &str) -> &[&'s Stub] {
        self.namespaces.get(namespace).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the functions of an object in a namespace, each with its name there.
    pub(crate) fn of_class<'n>(
        &'n self,
        namespace: &str,
        class: &'n str,
    ) -> impl Iterator<Item = (&'s str, &'s Stub)> + 'n {
        self.functions(namespace)
            .iter()
            .filter_map(move |stub| Some((stub.name.strip_prefix(class)?.strip_prefix('.')?, *stub)))
    }

    /// Returns the function or the object of that name in a namespace or an object.
    fn member_of(&self, namespace: &'s str, name: String) -> Option<Meaning<'s>> {
        let function = self.functions(namespace).iter().find(|it| it.name == name);
        if let Some(function) = function {
            return Some(Meaning::Function(function));
        }
        let is_class = self.of_class(namespace, &name).next().is_some();
        is_class.then_some(Meaning::Class(namespace, name))
    }

    /// Returns what a module stands for.
    pub(crate) fn module(&self, name: &str) -> Option<Meaning<'s>> {
        let module = module(name, self.is_external)?;
        Some(if module.members.is_empty() { Meaning::Host } else { Meaning::Module(module) })
    }

    pub(crate) fn symbol(&self, it: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping.get_reference(it.reference_id.get()?).symbol_id()
    }

    /// Returns what a name stands for where the program does not declare it.
    fn global(&self, name: &str) -> Option<Meaning<'s>> {
        if name == "globalThis" {
            return Some(Meaning::Host);
        }
        self.of_host(name)
    }

    /// Returns a namespace, or the only function with that name.
    fn of_host(&self, name: &str) -> Option<Meaning<'s>> {
        if let Some((namespace, _)) = self.namespaces.get_key_value(name) {
            return Some(Meaning::Namespace(namespace));
        }
        let mut all = self.namespaces.values().flatten().filter(|it| it.name == name);
        let function = all.next().copied().filter(|_| all.next().is_none());
        function.map(Meaning::Function)
    }

    /// Returns a member of what an expression stands for.
    pub(crate) fn member(&self, of: &Meaning<'s>, name: &str) -> Result<Option<Meaning<'s>>, Missing<'s>> {
        match of {
            Meaning::Host if name == "default" => Ok(Some(Meaning::Host)),
            Meaning::Host => Ok(self.of_host(name)),
            Meaning::Namespace(namespace) => {
                let found = self.member_of(namespace, name.to_owned());
                found.map(Some).ok_or(Missing::Function(namespace, None))
            }
            Meaning::Class(namespace, class) => {
                let found = self.member_of(namespace, format!("{class}.{name}"));
                found.map(Some).ok_or_else(|| Missing::Function(namespace, Some(class.clone())))
            }
            Meaning::Function(stub) => Ok((name == OUTCOME).then_some(Meaning::Function(stub))),
            Meaning::Module(it) if name == "default" => Ok(Some(Meaning::Module(it))),
            Meaning::Module(it) if !it.members.contains(&name) => Err(Missing::Export(it)),
            Meaning::Module(it) if it.expression == FILES => match name {
                "promises" => Ok(Some(Meaning::Module(it))),
                name => {
                    Ok(self.functions("fs").iter().find(|it| it.name == name).map(|it| Meaning::Function(it)))
                }
            },
            Meaning::Module(it) => Ok((name == "posix").then_some(Meaning::Module(it))),
            Meaning::Promise(_) => Ok(None),
        }
    }

    /// Returns what an expression stands for.
    pub(crate) fn of(&self, expression: &Expression<'_>) -> Option<Meaning<'s>> {
        match expression {
            Expression::Identifier(it) => match self.symbol(it) {
                Some(symbol) => self.symbols.get(&symbol).cloned(),
                None => self.global(&it.name),
            },
            Expression::StaticMemberExpression(it) => {
                self.member(&self.of(&it.object)?, &it.property.name).ok().flatten()
            }
            Expression::ComputedMemberExpression(it) => match &it.expression {
                Expression::StringLiteral(name) => {
                    self.member(&self.of(&it.object)?, &name.value).ok().flatten()
                }
                _ => None,
            },
            Expression::CallExpression(call) => match self.of(&call.callee)? {
                Meaning::Function(stub) => Some(Meaning::Promise(label(stub))),
                _ => None,
            },
            Expression::ParenthesizedExpression(it) => self.of(&it.expression),
            Expression::TSAsExpression(it) => self.of(&it.expression),
            Expression::TSSatisfiesExpression(it) => self.of(&it.expression),
            Expression::TSNonNullExpression(it) => self.of(&it.expression),
            Expression::TSTypeAssertion(it) => self.of(&it.expression),
            _ => None,
        }
    }

    fn name(&mut self, it: &BindingIdentifier<'_>, meaning: Meaning<'s>) {
        if let Some(symbol) = it.symbol_id.get().filter(|it| !self.scoping.symbol_is_mutated(*it)) {
            self.symbols.insert(symbol, meaning);
        }
    }

    fn bind(&mut self, pattern: &BindingPattern<'_>, meaning: &Meaning<'s>) {
        match pattern {
            BindingPattern::BindingIdentifier(it) => self.name(it, meaning.clone()),
            BindingPattern::AssignmentPattern(it) => self.bind(&it.left, meaning),
            BindingPattern::ObjectPattern(it) => {
                for property in &it.properties {
                    let member = key(&property.key).and_then(|it| self.member(meaning, it.0).ok().flatten());
                    if let Some(member) = member {
                        self.bind(&property.value, &member);
                    }
                }
                if let Some(rest) = &it.rest {
                    self.bind(&rest.argument, meaning);
                }
            }
            BindingPattern::ArrayPattern(_) => {}
        }
    }
}

/// The expression of the module of files.
const FILES: &str = "$modules.files";

/// Returns the name of a function, for people.
pub(crate) fn label(stub: &Stub) -> String {
    format!("{}.{}", stub.namespace, stub.name)
}

/// Returns the text of a key that is written as one, and its place.
pub(crate) fn key<'k>(key: &'k PropertyKey<'_>) -> Option<(&'k str, oxc_span::Span)> {
    match key {
        PropertyKey::StaticIdentifier(it) => Some((it.name.as_str(), it.span)),
        PropertyKey::StringLiteral(it) => Some((it.value.as_str(), it.span)),
        _ => None,
    }
}

/// Returns the name that an import or an export has in its module.
pub(crate) fn exported<'n>(name: &'n ModuleExportName<'_>) -> &'n str {
    match name {
        ModuleExportName::IdentifierName(it) => it.name.as_str(),
        ModuleExportName::IdentifierReference(it) => it.name.as_str(),
        ModuleExportName::StringLiteral(it) => it.value.as_str(),
    }
}

/// Finds the names that a program gives to what it finds.
struct Bindings<'m, 's> {
    meanings: &'m mut Meanings<'s>,
}

impl<'a> Visit<'a> for Bindings<'_, '_> {
    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let Some(module) = self.meanings.module(&it.source.value) else { return };
        for specifier in it.specifiers.iter().flatten() {
            let meaning = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    self.meanings.member(&module, exported(&it.imported)).ok().flatten()
                }
                _ => Some(module.clone()),
            };
            if let Some(meaning) = meaning {
                self.meanings.name(specifier.local(), meaning);
            }
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        // `declare const ide: any` names what is there.
        for declarator in it.declarations.iter().filter(|_| it.declare) {
            if let BindingPattern::BindingIdentifier(name) = &declarator.id
                && let Some(meaning) = self.meanings.global(&name.name)
            {
                self.meanings.name(name, meaning);
            }
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        walk::walk_variable_declarator(self, it);
        if let Some(meaning) = it.init.as_ref().and_then(|it| self.meanings.of(it)) {
            self.meanings.bind(&it.id, &meaning);
        }
    }
}
