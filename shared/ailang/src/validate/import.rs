//! Rule 6: imports resolve.

use std::collections::HashMap;

use source_text::{Severity, Span};

use super::Checker;
use crate::diagnostic::Code;
use crate::documents::built_in_at;
use crate::module::{Module, is_built_in, is_package_name, meant_modules, resolve};
use crate::names::{OccurrenceKind, Symbol};
use crate::syntax::{Import, ImportForm, Item, ModuleReference, Name, Program};

impl<'a> Checker<'_, 'a> {
    /// Checks the imports of the document, and of each of its examples.
    pub(super) fn imports(&mut self) {
        self.imports_of(&self.document.definitions);
        for example in &self.document.examples {
            self.imports_of(&example.program);
        }
        self.unused();
    }

    fn imports_of(&mut self, program: &'a Program) {
        let mut seen: HashMap<&'a str, (Span, Option<*const ()>)> = HashMap::new();
        for definition in program.definitions() {
            seen.entry(&definition.name.text).or_insert((definition.name.span, None));
        }
        for import in program.imports() {
            let module = self.module(&import.module);
            for (name, target) in self.imported(import, module) {
                self.collision(name, target, &mut seen);
            }
        }
    }

    /// Resolves a module; reports one that does not resolve.
    fn module(&mut self, reference: &ModuleReference) -> Option<usize> {
        let (path, _) = self.table.documents.at(self.home)?;
        let (text, span) = (&reference.text, reference.span);
        match resolve(self.table.documents, path, reference) {
            Module::Document(index) => return Some(index),
            Module::BuiltIn => {}
            Module::Dependency => {
                let message = format!("`{text}` is a dependency that is not here, so its use is not checked");
                self.diagnostics.report(Severity::Info, Code::DEPENDENCY_ABSENT, span, message);
            }
            Module::Missing => self.missing(path, reference),
            Module::Escapes => {
                let message = format!("`{text}` leaves the package");
                self.error(Code::IMPORT_ESCAPES, span, message)
                    .help("a document may import what is in its package; others are dependencies");
            }
            Module::Absolute => {
                let message = format!("`{text}` is absolute");
                self.error(Code::ABSOLUTE_IMPORT, span, message)
                    .help("write a path that starts with `./` or `../`");
            }
        }
        None
    }

    /// Reports a module that is not there, with the built-in ones that may be meant.
    fn missing(&mut self, path: &str, reference: &ModuleReference) {
        let paths = self.table.documents.import_paths(path, reference);
        let message = match is_built_in(reference) {
            true => format!("there is no built-in module `{}`", reference.text),
            false => format!("`{}` is not there", reference.text),
        };
        let meant = meant_modules(reference);
        let error = self.error(Code::UNRESOLVED_IMPORT, reference.span, message);
        match &meant {
            _ if !paths.is_empty() => {
                error.help(format!("looked for {}", paths.join(", ")));
            }
            Some((.., known)) if is_built_in(reference) => {
                error.help(format!("the built-in modules are {}", known.join(", ")));
            }
            _ if is_package_name(reference) => {
                error.help(format!("`ailang install {}` makes the package a dependency", reference.text));
            }
            _ => {}
        }
        if let Some((name, span, known)) = meant {
            error.nearest(name, span, known);
        }
    }

    /// Returns the names that an import brings into scope, each with the identity of its definition.
    fn imported(&mut self, import: &'a Import, module: Option<usize>) -> Vec<(&'a Name, Option<*const ()>)> {
        match &import.form {
            ImportForm::Module(name) => {
                self.defines(name, OccurrenceKind::Module);
                vec![(name, None)]
            }
            ImportForm::Names(items) => {
                let mut names = Vec::new();
                for item in items {
                    self.import_use(item, module);
                    let target = module.and_then(|module| self.export(module, &item.name));
                    names.push((item.local(), target));
                }
                names
            }
        }
    }

    /// Resolves an imported name; reports one that is not defined.
    fn export(&mut self, module: usize, name: &Name) -> Option<*const ()> {
        let is_private = name.text.starts_with('_');
        let symbol = self.table.exported(module, &name.text).filter(|_| !is_private);
        if let Some(Symbol::Definition(definition, _)) = symbol {
            return Some(std::ptr::from_ref(definition).cast());
        }
        let is_unread =
            matches!(self.table.names(module).symbols.get(name.text.as_str()), Some(Symbol::Opaque));
        if !is_unread {
            let (path, _) = self.table.documents.at(module)?;
            let known: Vec<&str> = self.table.exports(module).collect();
            let message = match built_in_at(path) {
                Some(module) => format!("the built-in module `{module}` does not define `{}`", name.text),
                None => format!("`{path}` does not define `{}`", name.text),
            };
            self.error(Code::MISSING_EXPORT, name.span, message).nearest(&name.text, name.span, known);
        }
        None
    }

    fn collision(
        &mut self,
        name: &'a Name,
        target: Option<*const ()>,
        seen: &mut HashMap<&'a str, (Span, Option<*const ()>)>,
    ) {
        let Some((first, other)) = seen.insert(&name.text, (name.span, target)) else { return };
        if target.is_some() && target == other {
            return;
        }
        self.error(
            Code::IMPORT_COLLISION,
            name.span,
            format!("`{}` means something else already", name.text),
        )
        .related(first, "here")
        .help(format!("write `{} as another name`", name.text));
    }

    /// Reports unused imports.
    fn unused(&mut self) {
        let Some(severity) = self.by_strictness(None, None, Severity::Warning) else { return };
        if self.document.imports().next().is_none() {
            return;
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for stretch in self.document.blocks().flat_map(crate::split::Block::code) {
            let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$');
            for word in self.document.text(stretch).split(|char| !is_name(char)) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let unused: Vec<&Name> = self
            .document
            .definitions
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Import(import) => Some(import),
                _ => None,
            })
            .flat_map(local_names)
            .filter(|name| counts.get(name.text.as_str()).copied().unwrap_or_default() <= 1)
            .collect();
        for name in unused {
            let message = format!("`{}` is imported and not used", name.text);
            self.diagnostics.report(severity, Code::UNUSED_IMPORT, name.span, message);
        }
    }
}

fn local_names(import: &Import) -> Vec<&Name> {
    match &import.form {
        ImportForm::Module(name) => vec![name],
        ImportForm::Names(items) => items.iter().map(crate::syntax::ImportItem::local).collect(),
    }
}
