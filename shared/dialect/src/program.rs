//! A program that has been read and checked, and can be run.

use std::sync::Arc;

use source_text::Span;

use crate::fix::corrected;
use crate::json_form;
use crate::lex::is_name_part;
use crate::name::fold;
use crate::node::Node;
use crate::resolve::{Resolved, resolve};
use crate::{Effect, Failure, FailureKind, Failures, Form, Limits, Need, Registry, Written};

/// A program whose names are found and whose calls fit their signatures.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) source: Arc<str>,
    pub(crate) root: Arc<Node>,
    pub(crate) form: Form,
    effect: Effect,
    needs: Vec<Need>,
}

impl Program {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// Everything that is wrong with it that can be known before it runs.
    pub fn parse(registry: &Registry, source: &str, limits: &Limits) -> Result<Self, Failures> {
        read(registry, source, limits).map_err(|all| {
            let read = |program: &str| read(registry, program, limits).map(|_| ());
            let corrected = corrected(source, &all, read);
            Failures { corrected, ..Failures::from(all) }
        })
    }

    /// What showed only when it ran may have one way to correct it as well.
    pub(crate) fn correct(&self, registry: &Registry, limits: &Limits, failures: Failures) -> Failures {
        let read = |program: &str| read(registry, program, limits).map(|_| ());
        let corrected = corrected(&self.source, &failures.all, read);
        Failures { corrected, ..failures }
    }

    /// What running it may do to the world at most: the gravest of its calls and of the conversions that
    /// their arguments may need.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Every permission that running it may need, each once for each callable that has to have it, in the order of
    /// the program: of calls wherever they stand, of functions that it passes on, and of the conversions that
    /// arguments may take.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }
}

fn read(registry: &Registry, source: &str, limits: &Limits) -> Result<Program, Vec<Failure>> {
    let (expression, mut failures) = crate::parse::parse(source, limits);
    for failure in &mut failures {
        without_brackets(registry, source, failure);
        without_strangers(registry, failure);
    }
    let Some(expression) = expression else { return Err(failures) };
    let Resolved { root, form, effect, needs, failures: found } = resolve(registry, source, expression);
    failures.extend(found);
    if failures.is_empty() {
        Ok(Program { source: source.into(), root: Arc::new(root), form, effect, needs })
    } else {
        Err(failures)
    }
}

/// What stands without brackets behind a word that is no function is no arguments either; and of those behind a
/// function it takes several words for several arguments only when that many fit.
fn without_brackets(registry: &Registry, source: &str, failure: &mut Failure) {
    let FailureKind::WithoutBrackets { name, arguments } = &mut *failure.kind else { return };
    let command = failure.span.map_or("", |span| &source[span.range()]);
    match registry.callable(name) {
        None => {
            if let Some(instead) = of_command(registry, command) {
                *failure.kind = FailureKind::NotDialect { found: command.to_owned(), instead };
                return;
            }
            let start = failure.span.map_or(0, |span| span.start);
            failure.span = Some(Span::new(start, start + name.len()));
            *failure.kind = unknown_command(registry, std::mem::take(name));
        }
        Some(callable) => {
            let (fewest, most) = (callable.signature.required(), callable.signature.parameters.len());
            if arguments.len() > 1 && !(fewest..=most).contains(&arguments.len()) {
                arguments.clear();
            }
        }
    }
}

/// `grep -rn "User" src`: a command as a shell has it, if a habit knows it. Its flags say nothing here.
fn of_command(registry: &Registry, command: &str) -> Option<String> {
    let mut words = words(command).into_iter().filter(|it| !it.starts_with('-'));
    let habits = registry.habits(words.next()?);
    let arguments: Vec<String> = words.map(text_of_word).collect();
    let written = Written { positional: arguments.iter().map(String::as_str).collect(), named: Vec::new() };
    habits.iter().find_map(|it| (it.instead)(&written))
}

/// The words of a line, those in quotes whole.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'' | '`').then(|| rest[1..].find(first)).flatten();
        let end = quoted.map(|it| it + 2).or_else(|| rest.find(char::is_whitespace)).unwrap_or(rest.len());
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn text_of_word(word: &str) -> String {
    let inside = ['"', '\'', '`'].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    let mut text = String::new();
    crate::print::print_text(&mut text, inside.unwrap_or(word));
    text
}

/// What another language's words are here may need functions that this registry does not have: then it is not told.
fn without_strangers(registry: &Registry, failure: &mut Failure) {
    let FailureKind::NotDialect { found, instead } = &mut *failure.kind else { return };
    let is_stranger = |name: &str| {
        let is_form = json_form::RESERVED.contains(&fold(name).as_str());
        !is_form && !found.contains(name) && registry.called(name).is_none()
    };
    if called_names(instead).any(is_stranger) {
        "…".clone_into(instead);
    }
}

/// The names before brackets.
fn called_names(program: &str) -> impl Iterator<Item = &str> {
    program.match_indices('(').filter_map(|(at, _)| {
        let name = program[..at].rsplit(|char| !is_name_part(char)).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// Commands are short, and like everything: `git` is no slip of `get`.
fn unknown_command(registry: &Registry, name: String) -> FailureKind {
    let is_short = name.chars().count() <= 3;
    match registry.unknown(name) {
        FailureKind::UnknownFunction { name, .. } if is_short => {
            FailureKind::UnknownFunction { name, nearest: Vec::new(), all: registry.function_names() }
        }
        kind => kind,
    }
}
