//! The queries of a language, compiled once and read into what the rest understands.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryMatch};

use crate::language::More;
use crate::{Kind, Language, Role, Visibility};
use rules::Rules;

mod path;
mod rules;

/// The compiled queries of one language.
#[derive(Debug)]
pub(crate) struct Queries {
    language: Language,
    pub(crate) outline: Outlining,
    more: OnceLock<Option<Outlining>>,
    roles: OnceLock<Roles>,
}

/// What says what a text defines, or some of it.
#[derive(Debug)]
pub(crate) struct Outlining {
    pub(crate) query: Query,
    /// What each capture says, by its index.
    pub(crate) captures: Vec<Capture>,
    /// What each pattern says beside that, by its index.
    rules: Vec<Rules>,
    /// The place of its first pattern among those of the language.
    pub(crate) first: usize,
}

/// What says which part a name plays.
#[derive(Debug)]
pub(crate) struct Roles {
    pub(crate) query: Query,
    /// What each capture says, by its index; none for those that only predicates look at.
    pub(crate) parts: Vec<Option<Part>>,
    /// What each pattern says beside that, by its index.
    rules: Vec<Rules>,
}

/// What a capture of an outline's query says; `languages/README.md` explains them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Definition(Kind),
    Name,
    NameIn,
    Owner,
    OwnerIn,
    Base,
    Body,
    Value,
    End,
    Entries,
    Of,
    More,
    Lead,
    Wrapper,
    Wrapped,
    Scope,
    Section,
    Signature,
    Test,
    Exported,
    /// Only for predicates.
    Other,
}

/// What a capture of a roles' query says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The name itself plays that part.
    Name(Role),
    /// So it does where it is no variable.
    Free(Role),
    /// Every name in it does that plays no part of its own.
    Inside(Role),
    /// Every name in it does, whatever else it is.
    Within(Role),
    /// What is in it is code again, whatever is around it.
    Code,
    /// It is code of the language that its grammar leaves as text.
    Unread,
}

impl Queries {
    /// # Panics
    /// When the queries do not fit the grammar: a test compiles those of every language.
    pub(crate) fn new(language: Language) -> Self {
        let outline = Outlining::new(language, language.row().outline, 0);
        Self { language, outline, more: OnceLock::new(), roles: OnceLock::new() }
    }

    /// What texts are asked too that have what the outline's query takes for a sign of it.
    ///
    /// # Panics
    /// As [`Queries::new`].
    pub(crate) fn more(&self) -> Option<&Outlining> {
        let first = self.outline.query.pattern_count();
        let compile = |more: &More| Outlining::new(self.language, &[more.query], first);
        self.more.get_or_init(|| self.language.row().more.as_ref().map(compile)).as_ref()
    }

    /// Compiled when they are needed: it takes as long as reading a megabyte of code does.
    ///
    /// # Panics
    /// As [`Queries::new`].
    pub(crate) fn roles(&self) -> &Roles {
        self.roles.get_or_init(|| {
            let query = compiled(self.language, self.language.row().roles);
            let parts = query.capture_names().iter().map(|it| part(it)).collect();
            let rules = rules(self.language, &query);
            Roles { query, parts, rules }
        })
    }
}

impl Outlining {
    fn new(language: Language, parts: &[&str], first: usize) -> Self {
        let query = compiled(language, parts);
        let captures = query.capture_names().iter().map(|it| capture(it)).collect();
        let rules = rules(language, &query);
        Self { query, captures, rules, first }
    }

    /// What the pattern of a match says beside its captures.
    pub(crate) fn rules(&self, found: &QueryMatch<'_, '_>) -> &Rules {
        &self.rules[found.pattern_index]
    }

    /// The value that a pattern sets.
    pub(crate) fn property(&self, found: &QueryMatch<'_, '_>, key: &str) -> Option<&str> {
        let settings = self.query.property_settings(found.pattern_index);
        settings.iter().find(|it| &*it.key == key).map(|it| it.value.as_deref().unwrap_or_default())
    }

    /// The visibility that a pattern sets.
    pub(crate) fn visibility(&self, found: &QueryMatch<'_, '_>) -> Option<Visibility> {
        self.property(found, "visibility").and_then(Visibility::of_word)
    }
}

impl Roles {
    /// What the pattern of a match says beside its captures.
    pub(crate) fn rules(&self, found: &QueryMatch<'_, '_>) -> &Rules {
        &self.rules[found.pattern_index]
    }
}

fn rules(language: Language, query: &Query) -> Vec<Rules> {
    let grammar = language.grammar();
    (0..query.pattern_count()).map(|it| Rules::new(&grammar, query, it)).collect()
}

fn compiled(language: Language, parts: &[&str]) -> Query {
    Query::new(&language.grammar(), &parts.concat())
        .unwrap_or_else(|error| panic!("the queries of {} do not compile: {error}", language.id()))
}

fn capture(name: &str) -> Capture {
    if let Some(kind) = name.strip_prefix("definition.") {
        return Kind::of_word(kind).map_or(Capture::Other, Capture::Definition);
    }
    match name {
        "name" => Capture::Name,
        "name.in" => Capture::NameIn,
        "owner" => Capture::Owner,
        "owner.in" => Capture::OwnerIn,
        "base" => Capture::Base,
        "body" => Capture::Body,
        "value" => Capture::Value,
        "end" => Capture::End,
        "entries" => Capture::Entries,
        "of" => Capture::Of,
        "more" => Capture::More,
        "lead" => Capture::Lead,
        "wrapper" => Capture::Wrapper,
        "wrapped" => Capture::Wrapped,
        "scope" => Capture::Scope,
        "section" => Capture::Section,
        "signature" => Capture::Signature,
        "test" => Capture::Test,
        "exported" => Capture::Exported,
        _ => Capture::Other,
    }
}

fn part(name: &str) -> Option<Part> {
    if name == "unread" {
        return Some(Part::Unread);
    }
    if let Some(role) = name.strip_prefix("inside.") {
        return Role::of_word(role).map(Part::Inside);
    }
    if let Some(role) = name.strip_prefix("free.") {
        return Role::of_word(role).map(Part::Free);
    }
    match name.strip_prefix("within.") {
        Some("code") => Some(Part::Code),
        Some(role) => Role::of_word(role).map(Part::Within),
        None => Role::of_word(name).map(Part::Name),
    }
}
