//! Collection of occurrences. The checks resolve names; each resolved name is recorded here, if that is wanted.

use source_text::Span;

use super::member::Probe;
use super::{Checker, Strictness};
use crate::names::{DocumentSymbols, Occurrence, OccurrenceKind, Scope, Symbol, SymbolId, SymbolTable};
use crate::split::Attribute;
use crate::syntax::{
    Capability, Definition, DefinitionKind, GrantArgument, ImportItem, Literal, LiteralKind, Name,
    Parameters, Path, Type, TypeDefinition, TypeKind,
};

/// Returns the occurrences in the document at `home`, by place.
pub(crate) fn occurrences(table: &SymbolTable<'_>, home: usize) -> Vec<Occurrence> {
    let Some(checker) = resolved(table, home, None) else { return Vec::new() };
    let mut found = checker.occurrences.unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    found
}

/// Resolves all names of the document at `home`.
pub(super) fn resolved<'s, 'a>(
    table: &'s SymbolTable<'a>,
    home: usize,
    probe: Option<Probe<'a>>,
) -> Option<Checker<'s, 'a>> {
    let (_, document) = table.documents.at(home)?;
    let mut checker = Checker::new(table, home, document, Strictness::Loose);
    checker.suggestions = 0;
    checker.occurrences = Some(Vec::new());
    checker.probe = probe;
    checker.imports();
    checker.program(&document.definitions, &[]);
    checker.examples();
    Some(checker)
}

impl<'a> Checker<'_, 'a> {
    /// Records the defining name of a symbol.
    pub(super) fn defines(&mut self, name: &Name, kind: OccurrenceKind) {
        self.defines_at(&name.text, name.span, kind);
    }

    pub(super) fn defines_at(&mut self, name: &str, span: Span, kind: OccurrenceKind) {
        self.record(name, span, SymbolId { home: self.home, span, kind });
    }

    /// Records a name that means what `target` defines in the document at `home`.
    pub(super) fn uses(&mut self, name: &str, span: Span, home: usize, target: &Name, kind: OccurrenceKind) {
        self.record(name, span, SymbolId { home, span: target.span, kind });
    }

    fn record(&mut self, name: &str, span: Span, target: SymbolId) {
        if self.occurrences.is_none() {
            return;
        }
        // The place of an expression includes its parentheses.
        let text = self.document.text(span);
        let Some(at) = text.find(name).filter(|_| !name.is_empty()) else { return };
        let span = Span::new(span.start + at, span.start + at + name.len());
        let original = self.text_of(target);
        let is_alias = original.is_some_and(|original| original.trim_matches(['"', '\'', '`']) != name);
        self.occurrences.get_or_insert_default().push(Occurrence {
            span,
            target,
            is_alias,
            is_shorthand: false,
        });
    }

    /// Records that the name at a place is a key too.
    pub(super) fn shorthand(&mut self, at: Span) {
        let last = self.occurrences.as_mut().and_then(|found| found.last_mut());
        if let Some(last) = last.filter(|last| last.span == at) {
            last.is_shorthand = true;
        }
    }

    fn text_of(&self, target: SymbolId) -> Option<&'a str> {
        let document = self.table.document(target.home)?;
        document.source.get(target.span.range())
    }

    /// Records a name that was resolved.
    pub(super) fn symbol_use(&mut self, name: &str, span: Span, symbol: Option<Symbol<'a>>) {
        if let Some(Symbol::Definition(definition, home)) = symbol {
            self.uses(name, span, home, &definition.name, OccurrenceKind::of(&definition.kind));
        }
    }

    /// Records a name in an expression: a definition, a module or a variant.
    pub(super) fn name_use(&mut self, name: &str, span: Span, scope: Scope<'_, 'a>) {
        if self.occurrences.is_none() {
            return;
        }
        match scope.find(name) {
            Some(Symbol::Module(_)) => self.module_use(name, span, scope),
            Some(symbol) => self.symbol_use(name, span, Some(symbol)),
            None => {
                if let Some((home, variant)) = variant(scope, name) {
                    self.uses(name, span, home, variant, OccurrenceKind::Variant);
                }
            }
        }
    }

    fn module_use(&mut self, name: &str, span: Span, scope: Scope<'_, 'a>) {
        let here = scope.table.names(scope.home);
        let import = scope.local.iter().rev().chain([here]).find_map(|names| names.imports.get(name));
        if let Some(import) = import {
            let target = SymbolId { home: scope.home, span: *import, kind: OccurrenceKind::Module };
            self.record(name, span, target);
        }
    }

    /// Records the names of a path that was resolved.
    pub(super) fn path_use(&mut self, path: &'a Path, symbol: Option<Symbol<'a>>, scope: Scope<'_, 'a>) {
        if self.occurrences.is_none() {
            return;
        }
        if let Some(first) = path.qualifiers.first() {
            self.name_use(&first.text, first.span, scope);
        }
        match symbol {
            Some(Symbol::Module(_)) => self.module_use(&path.name.text, path.name.span, scope),
            symbol => self.symbol_use(&path.name.text, path.name.span, symbol),
        }
    }

    pub(super) fn type_parameter_use(&mut self, name: &Name) {
        let Some(target) = self.type_parameters.iter().find(|it| it.text == name.text) else { return };
        self.uses(&name.text, name.span, self.home, target, OccurrenceKind::TypeParameter);
    }

    /// Records the name of an imported definition, and its alias.
    pub(super) fn import_use(&mut self, item: &'a ImportItem, module: Option<usize>) {
        let Some(symbol) = module.and_then(|module| self.table.exported(module, &item.name.text)) else {
            return;
        };
        for name in [Some(&item.name), item.alias.as_ref()].into_iter().flatten() {
            self.symbol_use(&name.text, name.span, Some(symbol));
        }
    }

    /// Records the tool that the attribute of an example names.
    pub(super) fn attribute_use(&mut self, attribute: &Attribute, name: &str, scope: Scope<'_, 'a>) {
        let text = self.document.text(attribute.span);
        let Some(equals) = text.find('=') else { return };
        let span = Span::new(attribute.span.start + equals, attribute.span.end);
        self.symbol_use(name, span, scope.find(name));
    }

    /// Records the name of a parameter of the document at `home`.
    pub(super) fn parameter_use(
        &mut self,
        parameters: Option<&'a Parameters>,
        home: usize,
        name: &str,
        span: Span,
    ) {
        let parameter = parameters.into_iter().flat_map(|it| &it.list).find(|it| it.name.text == name);
        if let Some(parameter) = parameter {
            self.uses(name, span, home, &parameter.name, OccurrenceKind::Parameter);
        }
    }

    /// Records the names of the arguments of a capability.
    pub(super) fn grant_uses(
        &mut self,
        capability: &'a Capability,
        home: usize,
        arguments: &'a [GrantArgument],
    ) {
        let Capability::Declared { parameters, .. } = capability else { return };
        for name in arguments.iter().filter_map(|argument| argument.name.as_ref()) {
            if let Some(target) = parameters.iter().find(|it| it.name.text == name.text) {
                self.uses(&name.text, name.span, home, &target.name, OccurrenceKind::Parameter);
            }
        }
    }

    /// Records the variants that a literal names.
    pub(super) fn literal_use(&mut self, literal: &'a Literal, scope: Scope<'_, 'a>) {
        match &literal.kind {
            LiteralKind::Name(path) => {
                let symbol = scope.find_path(path);
                self.path_use(path, symbol, scope);
                if symbol.is_none() {
                    self.name_use(&path.name.text, path.name.span, scope);
                }
            }
            LiteralKind::List(items) => items.iter().for_each(|item| self.literal_use(item, scope)),
            LiteralKind::Object(fields) => {
                fields.iter().for_each(|(_, value)| self.literal_use(value, scope));
            }
            _ => {}
        }
    }
}

impl Checker<'_, '_> {
    /// Records a variable of the document, which `span` names first.
    pub(super) fn variable_use(&mut self, name: &str, at: Span, span: Span, kind: OccurrenceKind) {
        self.record(name, at, SymbolId { home: self.home, span, kind });
    }
}

/// Returns the first variant of that name in scope, with the document that defines it.
fn variant<'a>(scope: Scope<'_, 'a>, name: &str) -> Option<(usize, &'a Name)> {
    let has = |names: &&DocumentSymbols<'a>| names.variants.contains(name);
    let here = scope.table.names(scope.home);
    let tables = scope.local.iter().rev().chain([here, scope.table.prelude()]);
    tables.filter(has).find_map(|names| {
        let definitions = names.symbols.values().filter_map(|symbol| match symbol {
            Symbol::Definition(definition, home) => Some((*home, *definition)),
            _ => None,
        });
        let named = definitions.filter_map(|(home, it)| Some((home, variant_of(it, name)?)));
        named.min_by_key(|(home, name)| (*home, name.span))
    })
}

/// Returns the name of a variant in its definition.
fn variant_of<'a>(definition: &'a Definition, name: &str) -> Option<&'a Name> {
    match &definition.kind {
        DefinitionKind::Enum(it) => {
            it.variants.iter().map(|variant| &variant.name).find(|it| it.text == name)
        }
        DefinitionKind::Type(TypeDefinition { ty: Type { kind: TypeKind::Union(members), .. }, .. }) => {
            members.iter().find_map(|member| variant_name(member, name))
        }
        DefinitionKind::Type(it) => variant_name(&it.ty, name),
        _ => None,
    }
}

fn variant_name<'a>(member: &'a Type, wanted: &str) -> Option<&'a Name> {
    let name = match &member.kind {
        TypeKind::Variant { name, .. } => name,
        TypeKind::Named { path, .. } => &path.name,
        _ => return None,
    };
    (name.text == wanted).then_some(name)
}
