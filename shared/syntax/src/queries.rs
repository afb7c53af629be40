//! The compiled queries of a language, with the meaning of each capture.

use std::sync::OnceLock;

use rules::Rules;
use tree_sitter::{Query, QueryMatch};

use crate::language::FurtherQuery;
use crate::{Kind, Language, Role, Visibility};

mod path;
mod rules;

/// The compiled queries of one language.
#[derive(Debug)]
pub(crate) struct Queries {
    language: Language,
    pub(crate) outline: OutlineQuery,
    more: OnceLock<Option<OutlineQuery>>,
    roles: OnceLock<RoleQuery>,
}

/// A compiled outline query, or a part of one.
#[derive(Debug)]
pub(crate) struct OutlineQuery {
    pub(crate) query: Query,
    /// The meaning of each capture, by its index.
    pub(crate) captures: Vec<Capture>,
    /// The further rules of each pattern, by its index.
    rules: Vec<Rules>,
    /// The index of its first pattern among those of the language.
    pub(crate) first: usize,
}

/// A compiled query for the roles of names.
#[derive(Debug)]
pub(crate) struct RoleQuery {
    pub(crate) query: Query,
    /// The meaning of each capture, by its index; `None` for those that only predicates use.
    pub(crate) parts: Vec<Option<RoleCapture>>,
    /// The further rules of each pattern, by its index.
    rules: Vec<Rules>,
}

/// The meaning of a capture in an outline query; `languages/README.md` explains them.
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
    /// A capture that only predicates use.
    Other,
}

/// The meaning of a capture in a query for roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoleCapture {
    /// The captured name has this role.
    Name(Role),
    /// The captured name has this role, unless it is a local variable.
    Free(Role),
    /// Every name inside that has no role of its own has this one.
    Inside(Role),
    /// Every name inside has this role, whatever its own is.
    Within(Role),
    /// Code, whatever is around it.
    Code,
    /// Code of the language that its grammar leaves as text.
    Unread,
}

/// The queries of each language, by its index, compiled on first use.
static QUERIES: [OnceLock<Queries>; Language::COUNT] = [const { OnceLock::new() }; Language::COUNT];

impl Language {
    /// Compiles the language's outline query ahead of time. Otherwise the first text pays for it, about 0.1 s.
    pub fn prepare(self) {
        let _ready = self.queries();
    }

    pub(crate) fn queries(self) -> &'static Queries {
        QUERIES[self.index()].get_or_init(|| Queries::new(self))
    }
}

impl Queries {
    /// # Panics
    /// If the queries do not fit the grammar. A test compiles those of every language.
    fn new(language: Language) -> Self {
        let outline = OutlineQuery::new(language, language.row().outline, 0);
        Self { language, outline, more: OnceLock::new(), roles: OnceLock::new() }
    }

    /// Returns the further query for texts that have signs of its definitions.
    ///
    /// # Panics
    /// As [`Queries::new`].
    pub(crate) fn more(&self) -> Option<&OutlineQuery> {
        let first = self.outline.query.pattern_count();
        let compile = |more: &FurtherQuery| OutlineQuery::new(self.language, &[more.query], first);
        self.more.get_or_init(|| self.language.row().more.as_ref().map(compile)).as_ref()
    }

    /// Returns the query for roles, compiled on first use. Compiling takes as long as parsing a megabyte of code.
    ///
    /// # Panics
    /// As [`Queries::new`].
    pub(crate) fn roles(&self) -> &RoleQuery {
        self.roles.get_or_init(|| {
            let query = compiled(self.language, self.language.row().roles);
            let parts = query.capture_names().iter().map(|it| part(it)).collect();
            let rules = rules(self.language, &query);
            RoleQuery { query, parts, rules }
        })
    }
}

impl OutlineQuery {
    fn new(language: Language, parts: &[&str], first: usize) -> Self {
        let query = compiled(language, parts);
        let captures = query.capture_names().iter().map(|it| capture(it)).collect();
        let rules = rules(language, &query);
        Self { query, captures, rules, first }
    }

    /// Returns the rules of the pattern of a match.
    pub(crate) fn rules(&self, found: &QueryMatch<'_, '_>) -> &Rules {
        &self.rules[found.pattern_index]
    }

    /// Returns the value that the pattern of a match sets for a key.
    pub(crate) fn property(&self, found: &QueryMatch<'_, '_>, key: &str) -> Option<&str> {
        let settings = self.query.property_settings(found.pattern_index);
        settings.iter().find(|it| &*it.key == key).map(|it| it.value.as_deref().unwrap_or_default())
    }

    /// Returns the visibility that the pattern of a match sets.
    pub(crate) fn visibility(&self, found: &QueryMatch<'_, '_>) -> Option<Visibility> {
        self.property(found, "visibility").and_then(Visibility::of_word)
    }
}

impl RoleQuery {
    /// Returns the rules of the pattern of a match.
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

fn part(name: &str) -> Option<RoleCapture> {
    if name == "unread" {
        return Some(RoleCapture::Unread);
    }
    if let Some(role) = name.strip_prefix("inside.") {
        return Role::of_word(role).map(RoleCapture::Inside);
    }
    if let Some(role) = name.strip_prefix("free.") {
        return Role::of_word(role).map(RoleCapture::Free);
    }
    match name.strip_prefix("within.") {
        Some("code") => Some(RoleCapture::Code),
        Some(role) => Role::of_word(role).map(RoleCapture::Within),
        None => Role::of_word(name).map(RoleCapture::Name),
    }
}
