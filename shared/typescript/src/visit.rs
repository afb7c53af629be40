//! The walk over the tree that finds what is to be erased.

use std::collections::HashSet;
use std::ops::Range;

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::blanks::{Blanks, Erased};
use crate::problem::Problem;
use crate::scan::{next, pieces};

/// Erases types while it walks.
pub(crate) struct Eraser<'s> {
    pub(crate) text: Blanks<'s>,
    problems: Vec<Problem>,
    /// The names that code reads, as far as no type does.
    used: HashSet<String>,
    /// The names that are declared with a value, at any depth.
    values: HashSet<String>,
    /// The names of types that are declared.
    types: HashSet<String>,
    imports: Vec<Import>,
    /// Each exported name, with the range of its specifier.
    exports: Vec<(String, Range<usize>)>,
}

/// The names of one import.
struct Import {
    statement: Range<usize>,
    /// Each name, its range, and whether it is a type alone.
    names: Vec<(String, Range<usize>, bool)>,
}

pub(crate) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The words before a member or a parameter that say nothing to the engine.
const MODIFIERS: &[&str] = &["public", "private", "protected", "readonly", "override", "abstract", "declare"];

impl<'s> Eraser<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let (used, values, types) = (HashSet::new(), HashSet::new(), HashSet::new());
        let (problems, imports, exports) = (Vec::new(), Vec::new(), Vec::new());
        Self { text: Blanks::new(source), problems, used, values, types, imports, exports }
    }

    pub(crate) fn finish(mut self) -> Result<Erased, Vec<Problem>> {
        for import in std::mem::take(&mut self.imports) {
            self.import(import);
        }
        for (name, range) in std::mem::take(&mut self.exports) {
            if self.types.contains(&name) && !self.values.contains(&name) {
                self.with_comma(range);
            }
        }
        if !self.problems.is_empty() {
            self.problems.sort_by_key(|it| it.span.start);
            return Err(self.problems);
        }
        Ok(self.text.finish())
    }

    /// Erases the names of an import that no code reads: they are types, as far as this file tells.
    fn import(&mut self, import: Import) {
        let Import { statement, names } = import;
        let is_type =
            |(name, _, is_type): &(String, Range<usize>, bool)| *is_type || !self.used.contains(name);
        let (types, values): (Vec<_>, Vec<_>) = names.into_iter().partition(is_type);
        if values.is_empty() && !types.is_empty() {
            self.statement(statement);
            return;
        }
        for (_, range, _) in &types {
            self.with_comma(range.clone());
        }
        // `import a, {} from` would be another statement for some.
        if let ([(_, default, _)], Some((_, last, _))) = (&values[..], types.last())
            && !self.text.source[statement.start..default.start].contains('{')
            && let Some(brace) =
                pieces(self.text.source, last.end..statement.end).iter().find(|it| it.text == "}")
        {
            self.text.erase(default.end..brace.range.end);
        }
    }

    /// Erases an element of a list and the comma behind it.
    fn with_comma(&mut self, range: Range<usize>) {
        let comma = next(self.text.source, range.end).filter(|at| self.text.source[*at..].starts_with(','));
        self.text.erase(range.start..comma.map_or(range.end, |it| it + 1));
    }

    /// Erases a statement. A semicolon keeps those around it apart.
    fn statement(&mut self, range: Range<usize>) {
        self.text.replace(range, b';');
    }

    fn refuse(&mut self, span: Span, what: &str, help: &str) {
        let message = format!("{what} cannot run here: only types are erased");
        self.problems.push(Problem { span: range(span), message, help: Some(help.to_owned()) });
    }

    /// Erases `words` in a stretch. Returns whether one of them was its first.
    fn words(&mut self, stretch: Range<usize>, words: &[&str]) -> bool {
        let mut is_first = false;
        for (index, piece) in pieces(self.text.source, stretch).into_iter().enumerate() {
            if words.contains(&piece.text) {
                is_first |= index == 0;
                self.text.erase(piece.range);
            }
        }
        is_first
    }

    /// Erases the first of a mark in a stretch.
    fn mark(&mut self, stretch: Range<usize>, mark: &str) {
        let found = pieces(self.text.source, stretch).into_iter().find(|it| it.text == mark);
        if let Some(piece) = found {
            self.text.erase(piece.range);
        }
    }

    /// Erases what follows an expression: `as T`, `!`.
    fn erase_suffix(&mut self, expression: Span, whole: Span) {
        let blank = expression.end as usize..whole.end as usize;
        self.text.erase(blank.clone());
        // The next line may begin with what would continue this expression.
        let source = self.text.source;
        let Some(after) = next(source, blank.end) else { return };
        let is_new_line = source[blank.end..after].contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        if is_new_line && source[after..].starts_with(['(', '[', '`', '+', '-', '/']) {
            self.text.put(blank.start, b';');
        }
    }

    /// Returns whether a declaration leaves no code.
    fn is_type(declaration: &Declaration<'_>) -> bool {
        match declaration {
            Declaration::TSTypeAliasDeclaration(_)
            | Declaration::TSInterfaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSGlobalDeclaration(_) => true,
            Declaration::VariableDeclaration(it) => it.declare,
            Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
            Declaration::ClassDeclaration(it) => it.declare,
            Declaration::TSEnumDeclaration(it) => it.declare,
            Declaration::TSNamespaceDeclaration(it) => it.declare,
            Declaration::TSImportEqualsDeclaration(_) => false,
        }
    }

    fn specifiers(&mut self, specifiers: &[ExportSpecifier<'_>]) {
        for it in specifiers {
            if it.export_kind == ImportOrExportKind::Type {
                self.with_comma(range(it.span));
            } else if let ModuleExportName::IdentifierReference(name) = &it.local {
                self.used.insert(name.name.to_string());
                self.exports.push((name.name.to_string(), range(it.span)));
            }
        }
    }

    /// Erases a declaration that leaves no code, and remembers the name of a type.
    fn declaration(&mut self, declaration: &Declaration<'_>, whole: Range<usize>) {
        match declaration {
            Declaration::TSTypeAliasDeclaration(it) => self.types.insert(it.id.name.to_string()),
            Declaration::TSInterfaceDeclaration(it) => self.types.insert(it.id.name.to_string()),
            _ => false,
        };
        self.statement(whole);
    }

    /// Erases the modifiers before a member's key, and the marks behind it.
    fn member(&mut self, whole: Span, decorators: &[Decorator<'_>], key: Span, is_computed: bool, end: u32) {
        let start = decorators.last().map_or(whole.start, |it| it.span.end);
        let is_first = self.words(start as usize..key.start as usize, MODIFIERS);
        let source = self.text.source;
        let first = next(source, start as usize).unwrap_or(start as usize);
        let remaining = pieces(source, first..key.start as usize);
        let is_mark = |it: &str| it == "*" || it == "[";
        let left = remaining.iter().find(|it| !MODIFIERS.contains(&it.text));
        if is_first && left.is_some_and(|it| is_mark(it.text)) {
            self.text.put(first, b';'); // or it would continue the member before it
        }
        let behind = if is_computed {
            let bracket =
                pieces(source, key.end as usize..end as usize).into_iter().find(|it| it.text == "]");
            bracket.map_or(key.end as usize, |it| it.range.end)
        } else {
            key.end as usize
        };
        let mark = next(source, behind).filter(|at| *at < end as usize);
        if let Some(at) = mark.filter(|at| source[*at..].starts_with(['?', '!'])) {
            self.text.erase(at..at + 1);
        }
    }

    fn decorated(&mut self, decorators: &[Decorator<'_>]) {
        if let Some(first) = decorators.first() {
            self.refuse(first.span, "a decorator", "Call the function on the class or the value instead.");
        }
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.used.insert(it.name.to_string());
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.values.insert(it.name.to_string());
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        let whole = range(it.span());
        match it {
            Statement::ImportDeclaration(import) => return self.visit_import_declaration(import),
            Statement::ExportNamedDeclaration(export) if export.export_kind == ImportOrExportKind::Type => {
                return self.statement(whole);
            }
            Statement::ExportNamedDeclaration(export) => return self.specifiers(&export.specifiers),
            Statement::ExportFromDeclaration(export) if export.export_kind == ImportOrExportKind::Type => {
                return self.statement(whole);
            }
            Statement::ExportFromDeclaration(export) => {
                let is_type = |it: &ExportSpecifier<'_>| it.export_kind == ImportOrExportKind::Type;
                if !export.specifiers.is_empty() && export.specifiers.iter().all(is_type) {
                    return self.statement(whole);
                }
                for it in export.specifiers.iter().filter(|it| it.export_kind == ImportOrExportKind::Type) {
                    self.with_comma(range(it.span));
                }
                return;
            }
            Statement::ExportAllDeclaration(export) if export.export_kind == ImportOrExportKind::Type => {
                return self.statement(whole);
            }
            Statement::ExportDeclaration(export) if Self::is_type(&export.declaration) => {
                return self.declaration(&export.declaration, whole);
            }
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return self.statement(whole),
                ExportDefaultDeclarationKind::FunctionDeclaration(it) if it.body.is_none() => {
                    return self.statement(whole);
                }
                _ => {}
            },
            Statement::TSNamespaceExportDeclaration(_) => return self.statement(whole),
            Statement::TSExportAssignment(it) => {
                return self.refuse(it.span, "`export =`", "Write `export default`.");
            }
            _ => {}
        }
        match it.as_declaration() {
            Some(declaration) if Self::is_type(declaration) => self.declaration(declaration, whole),
            _ => walk::walk_statement(self, it),
        }
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        match it {
            Declaration::TSEnumDeclaration(it) => {
                self.enumeration(it);
                walk::walk_ts_enum_declaration(self, it);
            }
            Declaration::TSNamespaceDeclaration(it) => {
                let help = "Write an object with functions, or functions of their own.";
                self.refuse(Span::new(it.span.start, it.span.start + 1), "a namespace", help);
            }
            Declaration::TSImportEqualsDeclaration(it) => {
                self.refuse(it.span, "`import =`", "Write `import { name } from \"…\"`.");
            }
            _ => walk::walk_declaration(self, it),
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let statement = range(it.span);
        if it.import_kind == ImportOrExportKind::Type {
            let names = it.specifiers.iter().flatten().map(|it| it.local().name.to_string());
            self.types.extend(names);
            return self.statement(statement);
        }
        let Some(specifiers) = &it.specifiers else { return };
        let names = specifiers.iter().map(|it| match it {
            ImportDeclarationSpecifier::ImportSpecifier(it) => {
                (it.local.name.to_string(), range(it.span), it.import_kind == ImportOrExportKind::Type)
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                (it.local.name.to_string(), range(it.span), false)
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                (it.local.name.to_string(), range(it.span), false)
            }
        });
        let names: Vec<_> = names.collect();
        self.types.extend(names.iter().filter(|it| it.2).map(|it| it.0.clone()));
        self.imports.push(Import { statement, names });
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.text.erase(range(it.span));
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.text.erase(range(it.span));
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.text.erase(range(it.span));
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.with_comma(range(it.span));
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span(), it.span);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.text.erase(it.span.start as usize..it.expression.span().start as usize);
        self.visit_expression(&it.expression);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        let has_line_end =
            |span: Span| self.text.source[range(span)].contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        let parameters = range(it.params.span);
        // No line may end between `async` and its parameters, or between those and the arrow.
        if let Some(types) =
            it.type_parameters.as_ref().filter(|types| it.r#async && has_line_end(types.span))
        {
            let start = types.span.start as usize;
            self.text.put(start, b'(');
            self.text.erase(parameters.start..parameters.start + 1);
        }
        if let Some(returns) = it.return_type.as_ref().filter(|it| has_line_end(it.span)) {
            self.text.erase(parameters.end - 1..parameters.end);
            let end = range(returns.span).end;
            let last = self.text.source[..end].char_indices().next_back().map_or(end, |it| it.0);
            self.text.put(last, b')');
        }
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let start = it.decorators.last().map_or(it.span.start, |it| it.span.end);
            self.words(start as usize..it.pattern.span().start as usize, MODIFIERS);
        }
        if it.optional {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |it| it.span.start);
            self.mark(it.pattern.span().end as usize..end as usize, "?");
        }
        self.decorated(&it.decorators);
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |it| it.span.start);
            self.mark(it.id.span().end as usize..end as usize, "!");
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.decorated(&it.decorators);
        if it.r#abstract {
            let start = it.decorators.last().map_or(it.span.start, |it| it.span.end);
            self.words(start as usize..it.body.span.start as usize, &["abstract"]);
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = it
                .heritage
                .as_ref()
                .map(|it| it.type_arguments.as_ref().map_or(it.expression.span().end, |it| it.span.end));
            let before = before.or(it.type_parameters.as_ref().map(|it| it.span.end));
            let before = before.or(it.id.as_ref().map(|it| it.span.end)).unwrap_or(it.span.start);
            self.words(before as usize..first.span.start as usize, &["implements"]);
            self.text.erase(first.span.start as usize..last.span.end as usize);
        }
        walk::walk_class(self, it);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let whole = range(it.span());
        match it {
            ClassElement::TSIndexSignature(_) => return self.statement(whole),
            ClassElement::PropertyDefinition(it)
                if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition =>
            {
                return self.statement(whole);
            }
            ClassElement::MethodDefinition(it) if it.value.body.is_none() => return self.statement(whole),
            ClassElement::AccessorProperty(it) => {
                self.refuse(it.span, "`accessor`", "Write a getter and a setter.");
            }
            ClassElement::PropertyDefinition(it) => {
                self.decorated(&it.decorators);
                let value = it.value.as_ref().map_or(it.span.end, |it| it.span().start);
                let end = it.type_annotation.as_ref().map_or(value, |it| it.span.start);
                self.member(it.span, &it.decorators, it.key.span(), it.computed, end);
            }
            ClassElement::MethodDefinition(it) => {
                self.decorated(&it.decorators);
                self.fields_of_parameters(&it.value);
                let parameters = it.value.params.span.start;
                let end = it.value.type_parameters.as_ref().map_or(parameters, |it| it.span.start);
                self.member(it.span, &it.decorators, it.key.span(), it.computed, end);
            }
            ClassElement::StaticBlock(_) => {}
        }
        walk::walk_class_element(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        walk::walk_function(self, it, flags);
    }
}

/// Returns a program without its types.
///
/// # Errors
/// Everything that cannot be erased, in the order of the program.
pub(crate) fn erased(source: &str, program: &Program<'_>) -> Result<Erased, Vec<Problem>> {
    let mut eraser = Eraser::new(source);
    eraser.visit_program(program);
    eraser.finish()
}
