//! Programs that have been read and checked, and can be run.

use std::sync::Arc;

use source_text::Span;

use crate::ast::Expression;
use crate::fix::corrected;
use crate::form::RESERVED;
use crate::inference::mistakes;
use crate::lex::is_name_part;
use crate::lex::text::is_escape_of_json;
use crate::method::Settled;
use crate::name::fold;
use crate::node::Node;
use crate::print::call_of_values;
use crate::resolve::{Resolved, resolve};
use crate::surroundings::program_within;
use crate::write::data;
use crate::{
    Effect, Failure, FailureKind, Failures, Form, GivenArgument, Limit, Limits, Need, Object, Registry,
    WrittenArguments, printer, quote,
};

/// A program whose names are resolved and whose calls fit their signatures.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) source: Arc<str>,
    pub(crate) root: Arc<Node>,
    pub(crate) form: Form,
    effect: Effect,
    needs: Vec<Need>,
    /// The names that are bound before it starts.
    pub(crate) given: Object,
    /// `true` if its lines bind names.
    pub(crate) binds: bool,
}

impl Program {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// If the program is wrong: every mistake that can be known before it runs.
    pub fn parse(registry: &Registry, source: &str, limits: &Limits) -> Result<Self, Failures> {
        Self::parse_with(registry, source, limits, &Object::default())
    }

    /// Reads and checks a program in which names have values already, such as those that earlier programs bound.
    /// `given` must hold no functions ([`Value::holds_function`](crate::Value::holds_function)) but those of
    /// [`Caller::named_function`](crate::Caller::named_function), which are arguments and are not called by name.
    ///
    /// # Errors
    /// As [`Program::parse`].
    pub fn parse_with(
        registry: &Registry,
        source: &str,
        limits: &Limits,
        given: &Object,
    ) -> Result<Self, Failures> {
        read(registry, source, limits, given).map_err(|all| explained(registry, source, all, limits, given))
    }

    /// Makes the program that is one call of a function with values, which are converted as those of programs are.
    /// Nothing is parsed. The call is printed once, in text form, for what shows programs. `functions` are the functions
    /// among the values, by their names ([`Caller::named_function`](crate::Caller::named_function)).
    ///
    /// # Errors
    /// If the call is wrong, or larger than a program may be.
    pub fn of_call(
        registry: &Registry,
        name: &str,
        arguments: &[GivenArgument],
        functions: &Object,
        limits: &Limits,
    ) -> Result<Self, Failures> {
        let mut call = call_of_values(registry, Form::Text, name, arguments);
        let source = printer::text(&mut call);
        let limited =
            |limit, at_most| Failures::from(vec![FailureKind::LimitReached { limit, at_most }.into()]);
        if source.len() > limits.source_bytes {
            return Err(limited(Limit::Source, limits.source_bytes));
        }
        if call.depth > limits.depth {
            return Err(limited(Limit::Depth, limits.depth));
        }
        checked(registry, &source, call, Vec::new(), limits, functions)
            .map_err(|all| explained(registry, &source, all, limits, functions))
    }

    /// Returns its text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Adds the corrected program to failures at run time, if each has one correction.
    pub(crate) fn correct(&self, registry: &Registry, limits: &Limits, failures: Failures) -> Failures {
        let read = |program: &str| read(registry, program, limits, &self.given).map(|_| ());
        let is_function = |name: &str| registry.callable(name).is_some();
        let corrected = corrected(&self.source, &failures.all, &is_function, read);
        Failures { corrected, ..failures }
    }

    /// Returns the gravest effect of its calls, and of the conversions that their arguments may need.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Returns every permission that running it may need, in the order of the program. Each occurs once for
    /// each callable that needs it. Calls count wherever they are, and so do functions that it passes on, and
    /// conversions of arguments.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }
}

/// Adds the program that was meant, if that is known.
fn explained(
    registry: &Registry,
    source: &str,
    all: Vec<Failure>,
    limits: &Limits,
    given: &Object,
) -> Failures {
    let read = |program: &str| read(registry, program, limits, given).map(|_| ());
    let reads = |program: &str| read(program).is_ok();
    if let Some((failure, corrected)) = program_within(registry, source, &reads) {
        return Failures { corrected, ..Failures::from(vec![failure]) };
    }
    let corrected = corrected(source, &all, &|name| registry.callable(name).is_some(), read);
    Failures { corrected, ..Failures::from(all) }
}

fn read(registry: &Registry, source: &str, limits: &Limits, given: &Object) -> Result<Program, Vec<Failure>> {
    let (expression, mut failures) = crate::parse::parse(source, limits);
    for failure in &mut failures {
        without_brackets(registry, source, failure);
        without_strangers(registry, failure);
    }
    match expression {
        Some(expression) => checked(registry, source, expression, failures, limits, given),
        None => Err(failures),
    }
}

/// Resolves and checks a syntax tree whose places are those in `source`; `failures` are the mistakes in its text.
fn checked(
    registry: &Registry,
    source: &str,
    expression: Expression,
    mut failures: Vec<Failure>,
    limits: &Limits,
    given: &Object,
) -> Result<Program, Vec<Failure>> {
    let Resolved { root, form, effect, needs, binds, has_methods, failures: found } =
        resolve(registry, source, expression, limits, given);
    // In data these are characters; in a call they are mistakes in a pattern.
    if !failures.is_empty()
        && found.is_empty()
        && failures.iter().all(is_escape_of_json)
        && data(&root).is_some()
    {
        failures.clear();
    }
    failures.extend(found);
    if failures.is_empty() {
        failures = mistakes(registry, &root, given, has_methods);
    }
    let mut settled = Settled { effect, needs, failures };
    if has_methods {
        settled.add(&root);
    }
    let Settled { effect, needs, failures } = settled;
    if failures.is_empty() {
        let (given, needs) = (given.clone(), needs.in_order());
        Ok(Program { source: source.into(), root: Arc::new(root), form, effect, needs, given, binds })
    } else {
        Err(failures)
    }
}

/// Corrects a failure for arguments without brackets, by what is known of their function. Behind an unknown
/// word there are no arguments. Several words are several arguments only if the function takes that many.
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

/// Returns the equivalent of a shell command such as `grep -rn "User" src`, if an idiom has it. Flags are
/// ignored.
fn of_command(registry: &Registry, command: &str) -> Option<String> {
    let mut words = words(command).into_iter().filter(|it| !it.starts_with('-'));
    let idioms = registry.foreign_idioms(words.next()?);
    let arguments: Vec<String> = words.map(text_of_word).collect();
    let written =
        WrittenArguments { positional: arguments.iter().map(String::as_str).collect(), named: Vec::new() };
    idioms.iter().find_map(|it| (it.rewrite)(&written))
}

/// Splits a line into words; quoted ones are whole.
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
    quote::text(inside.unwrap_or(word))
}

/// Drops the suggestion for foreign syntax if it needs functions that this registry does not have.
fn without_strangers(registry: &Registry, failure: &mut Failure) {
    let FailureKind::NotDialect { found, instead } = &mut *failure.kind else { return };
    let is_stranger = |name: &str| {
        let is_form = RESERVED.contains(&fold(name).as_str());
        !is_form && !found.contains(name) && registry.callable_or_foreign(name).is_none()
    };
    if called_names(instead).any(is_stranger) {
        "…".clone_into(instead);
    }
}

/// Returns the names before brackets.
fn called_names(program: &str) -> impl Iterator<Item = &str> {
    program.match_indices('(').filter_map(|(at, _)| {
        let name = program[..at].rsplit(|char| !is_name_part(char)).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// Returns the failure for an unknown command. A short one resembles many names: `git` is not a slip of
/// `get`.
fn unknown_command(registry: &Registry, name: String) -> FailureKind {
    let is_short = name.chars().count() <= 3;
    match registry.unknown_function(name) {
        FailureKind::UnknownFunction { name, .. } if is_short => {
            FailureKind::UnknownFunction { name, nearest: Vec::new(), all: registry.function_names() }
        }
        kind => kind,
    }
}
