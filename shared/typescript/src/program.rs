//! A program as one expression, whose value is an async function.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ExportDefaultDeclarationKind, ImportDeclaration, ImportDeclarationSpecifier, ModuleExportName, Statement,
};
use oxc_span::{GetSpan, Span};
use script_protocol::{Place, Stub};

use crate::blanks::Erased;
use crate::visit::range;
use crate::{Problem, calls, erased, parse};

/// A program that an engine can evaluate: an expression, whose value is an async function without parameters.
///
/// The value of the function is what the program returns at its top, or else the value of its last statement, if that
/// is an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The expression, JavaScript. Its lines are those of the program.
    pub code: String,
    /// The places where characters were inserted, in the order of the expression.
    insertions: Vec<Insertion>,
}

/// A module that can be imported, as an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// An object of the names that it exports, which is also its default.
    Object(&'static str),
    /// A module of the runtime, with that name.
    Imported(String),
}

/// Characters that the program does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Insertion {
    /// The place of the first, in the expression.
    at: Place,
    /// Their number, in UTF-16 units.
    length: u32,
}

/// The word before the last expression.
const RETURN: &str = "return ";

impl Program {
    /// Reads a program. `stubs` are the functions that it can call; `module` returns the expression for a module that
    /// can be imported.
    ///
    /// # Errors
    /// Everything that keeps it from running, in the order of the program.
    pub fn read(
        source: &str,
        stubs: &[Stub],
        module: impl Fn(&str) -> Option<Module>,
    ) -> Result<Self, Vec<Problem>> {
        let allocator = Allocator::default();
        let program = parse(&allocator, source)?;
        let Erased { mut text, mut inserted } = erased(source, &program)?;
        let mut problems = calls::problems(&program, stubs);
        let mut imports = String::new();
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import)
                    if text[range(import.span)].trim_matches([';', ' ', '\n', '\r']).is_empty() => {}
                Statement::ImportDeclaration(import) => {
                    let wanted = import.source.value.as_str();
                    match module(wanted) {
                        Some(module) => imports.push_str(&constants(import, &module, &text)),
                        None => problems.push(Problem {
                            span: range(import.source.span),
                            message: format!("there is no module `{wanted}` here"),
                            help: Some(
                                "Functions need no import: they are in `ide`, `fs` and the other namespaces. Only \
                                 JavaScript's own library is there besides."
                                    .to_owned(),
                            ),
                        }),
                    }
                    blank(&mut text, range(import.span));
                }
                Statement::ExportDeclaration(it) => {
                    let start = it.declaration.span().start;
                    blank(&mut text, range(Span::new(it.span.start, start)));
                }
                Statement::ExportDefaultDeclaration(it) => {
                    let start = match &it.declaration {
                        ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.span.start,
                        ExportDefaultDeclarationKind::ClassDeclaration(it) => it.span.start,
                        other => other.span().start,
                    };
                    blank(&mut text, range(Span::new(it.span.start, start)));
                }
                Statement::ExportNamedDeclaration(it) => blank(&mut text, range(it.span)),
                Statement::ExportFromDeclaration(it) => problems.push(exports(it.span)),
                Statement::ExportAllDeclaration(it) => problems.push(exports(it.span)),
                _ => {}
            }
        }
        if !problems.is_empty() {
            problems.sort_by_key(|it| it.span.start);
            return Err(problems);
        }
        let last = program.body.last().and_then(|it| match it {
            Statement::ExpressionStatement(it) => Some(it.span.start as usize),
            _ => None,
        });
        // The word stands before what is inserted at its place.
        let word = last.map(|at| (at, RETURN.to_owned()));
        let index = last.map_or(0, |at| inserted.partition_point(|it| it.0 < at));
        inserted.splice(index..index, word);
        Ok(Self::made(&text, &format!("(async () => {{{imports}"), &inserted))
    }

    fn made(text: &str, prefix: &str, inserted: &[(usize, String)]) -> Self {
        let mut insertions = vec![Insertion { at: Place { line: 1, column: 1 }, length: units(prefix) }];
        let (mut code, mut copied) = (prefix.to_owned(), 0);
        for (at, more) in inserted {
            code.push_str(&text[copied..*at]);
            copied = *at;
            let start = code
                .rfind(['\n', '\r', '\u{2028}', '\u{2029}'])
                .map_or(0, |it| it + code[it..].chars().next().map_or(1, char::len_utf8));
            let place = Place { line: lines_before(&text[..*at]), column: units(&code[start..]) + 1 };
            insertions.push(Insertion { at: place, length: units(more) });
            code.push_str(more);
        }
        code.push_str(&text[copied..]);
        code.push_str("\n})");
        Self { code, insertions }
    }

    /// Returns the place in the program for one in the expression.
    pub fn place(&self, place: Place) -> Place {
        let Place { line, column } = place;
        let before = |it: &&Insertion| it.at.line == line && it.at.column < column;
        let inserted: u32 =
            self.insertions.iter().filter(before).map(|it| it.length.min(column - it.at.column)).sum();
        Place { line, column: column.saturating_sub(inserted).max(1) }
    }
}

fn exports(span: Span) -> Problem {
    let message = "a program exports nothing of other modules".to_owned();
    Problem { span: range(span), message, help: Some("Remove the statement.".to_owned()) }
}

/// Returns the number of UTF-16 units.
fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// Returns the number of the line after a text, from 1. The engine counts line feeds.
fn lines_before(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count() + 1).unwrap_or(u32::MAX)
}

/// Replaces a stretch by a semicolon and blanks, and leaves its lines.
pub(crate) fn blank(text: &mut String, range: Range<usize>) {
    let blanks: String = text[range.clone()]
        .chars()
        .flat_map(|it| match it {
            '\n' | '\r' => vec![it],
            it => vec![' '; it.len_utf8()],
        })
        .collect();
    text.replace_range(range, &blanks);
}

/// Returns declarations for the names of an import that are not erased.
fn constants(import: &ImportDeclaration<'_>, module: &Module, text: &str) -> String {
    let (module, default) = match module {
        Module::Object(expression) => ((*expression).to_owned(), String::new()),
        Module::Imported(name) => {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            (format!("(await $import(\"{name}\"))"), ".default".to_owned())
        }
    };
    if import.specifiers.as_ref().is_none_or(|it| it.is_empty()) {
        return format!("{module};");
    }
    let is_there = |span: Span| !text[range(span)].trim_matches([',', ' ', '\n', '\r', ';']).is_empty();
    let mut constants = String::new();
    for it in import.specifiers.iter().flatten().filter(|it| is_there(it.span())) {
        let local = it.local().name.as_str();
        match it {
            ImportDeclarationSpecifier::ImportSpecifier(it) => {
                let name = match &it.imported {
                    ModuleExportName::IdentifierName(it) => it.name.as_str(),
                    ModuleExportName::IdentifierReference(it) => it.name.as_str(),
                    ModuleExportName::StringLiteral(it) => it.value.as_str(),
                };
                constants.push_str(&format!("const {local} = {module}.{name};"));
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
                constants.push_str(&format!("const {local} = {module}{default};"));
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {
                constants.push_str(&format!("const {local} = {module};"));
            }
        }
    }
    constants
}
