//! A program as one expression, whose value is an async function.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ExportDefaultDeclaration, ExportDefaultDeclarationKind, ImportDeclaration, ImportDeclarationSpecifier,
    Statement,
};
use oxc_span::{GetSpan, Span};
use script_protocol::{Place, Stub};

use crate::blanks::Erased;
use crate::entry::{DEFAULT, Value};
use crate::meaning::{Meanings, exported};
use crate::parse::parse;
use crate::problem::Problem;
use crate::surroundings::{instead_of_module, module};
use crate::visit::erased;
use crate::visit::range;
use crate::{calls, elsewhere, entry};

/// A program that an engine can evaluate: an expression, whose value is an async function without parameters.
///
/// The value of the function is what the program returns at its top. A program that returns nothing there has
/// the value of its default export, or else of its last statement, if that is an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The expression, JavaScript. Its lines are those of the program.
    pub code: String,
    /// The places where characters were inserted, in the order of the expression.
    insertions: Vec<Insertion>,
}

/// A module that can be imported, as an expression.
enum Module {
    /// An object of the names that it exports, which is also its default.
    Object(&'static str),
    /// A module of the runtime, with that name.
    Imported(String),
}

/// Returns a module that can be imported. An external runtime has others than ours.
fn imported(name: &str, is_external: bool) -> Option<Module> {
    match module(name, is_external) {
        Some(it) => Some(Module::Object(it.expression)),
        None => is_external.then(|| Module::Imported(name.to_owned())),
    }
}

/// Makes a declaration of a default export, or an assignment where it has no name.
fn default_export(it: &ExportDefaultDeclaration<'_>, text: &mut String, inserted: &mut Vec<(usize, String)>) {
    let (start, end, is_named) = match &it.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(it) if it.body.is_none() => return,
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return,
        ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
            (it.span.start, Some(it.span.end), it.id.is_some())
        }
        ExportDefaultDeclarationKind::ClassDeclaration(it) => {
            (it.span.start, Some(it.span.end), it.id.is_some())
        }
        other => (other.span().start, None, false),
    };
    blank(text, range(Span::new(it.span.start, start)));
    if is_named {
        return;
    }
    let mut insert = |at: u32, more: &str| {
        let index = inserted.partition_point(|it| it.0 < at as usize);
        inserted.insert(index, (at as usize, more.to_owned()));
    };
    insert(start, ASSIGN);
    // A function ends its statement, and an assignment does not.
    if let Some(end) = end {
        insert(end, ";");
    }
}

/// Characters that the program does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Insertion {
    /// The place of the first, in the expression.
    at: Place,
    /// The number of the characters, in UTF-16 units.
    length: u32,
}

/// The start of the assignment of a default export without a name.
const ASSIGN: &str = "$default = ";

/// The word before the last expression.
const RETURN: &str = "return ";

impl Program {
    /// Reads a program. `stubs` are the functions that it can call. An external runtime has modules and globals of its
    /// own.
    ///
    /// # Errors
    /// Everything that keeps it from running, in the order of the program.
    pub fn read(source: &str, stubs: &[Stub], is_external: bool) -> Result<Self, Vec<Problem>> {
        let allocator = Allocator::default();
        let program = parse(&allocator, source)?;
        let Erased { mut text, mut inserted } = erased(source, &program)?;
        let meanings = Meanings::new(&program, stubs, is_external);
        let value = entry::value(&program, &meanings);
        let mut problems = calls::problems(&program, &meanings);
        problems.extend(entry::problems(&program, &value));
        if !is_external {
            problems.extend(elsewhere::problems(&program, &meanings));
        }
        if let Some(hashbang) = &program.hashbang {
            blank(&mut text, range(hashbang.span));
        }
        let mut imports = String::new();
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import)
                    if text[range(import.span)].trim_matches([';', ' ', '\n', '\r']).is_empty() => {}
                Statement::ImportDeclaration(import) => {
                    let wanted = import.source.value.as_str();
                    match imported(wanted, is_external) {
                        Some(module) => imports.push_str(&constants(import, &module, &text)),
                        None => problems.push(Problem {
                            span: range(import.source.span),
                            message: format!("there is no module `{wanted}` here"),
                            help: Some(instead_of_module(wanted)),
                        }),
                    }
                    blank(&mut text, range(import.span));
                }
                Statement::ExportDeclaration(it) => {
                    let start = it.declaration.span().start;
                    blank(&mut text, range(Span::new(it.span.start, start)));
                }
                Statement::ExportDefaultDeclaration(it) => default_export(it, &mut text, &mut inserted),
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
        if inserted.iter().any(|it| it.1 == ASSIGN) {
            imports.push_str(&format!("let {DEFAULT};"));
        }
        let mut suffix = String::new();
        match value {
            Value::Last(at) => {
                // The word stands before what is inserted at its place.
                let at = at as usize;
                let index = inserted.partition_point(|it| it.0 < at);
                inserted.insert(index, (at, RETURN.to_owned()));
            }
            Value::Default(name) => {
                suffix = format!("{RETURN}{name}");
            }
            Value::Returned => {}
        }
        Ok(Self::made(&text, &format!("(async () => {{{imports}"), &inserted, &suffix))
    }

    fn made(text: &str, prefix: &str, inserted: &[(usize, String)], suffix: &str) -> Self {
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
        code.push_str(&format!("\n{suffix}}})"));
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
                let name = match exported(&it.imported) {
                    "default" => String::new(),
                    name => format!(".{name}"),
                };
                let name = if name.is_empty() { default.clone() } else { name };
                constants.push_str(&format!("const {local} = {module}{name};"));
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
