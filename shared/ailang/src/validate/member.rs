//! Members of values: the keys of objects whose type is known, and the members that have no known meaning.

use std::collections::HashSet;

use dialect::ast::{Expression, ExpressionKind};
use source_text::Span;

use super::Checker;
use super::occurrence::resolved;
use crate::names::{BoundType, OccurrenceKind, Shape, SymbolTable};
use crate::syntax::{Literal, LiteralKind, Member};

/// A name of a member whose value has no known type, so that it may mean any member of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unresolved<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
}

/// A search for the members of the value before a place.
#[derive(Clone, Debug)]
pub(crate) struct Probe<'a> {
    /// A place in the name of a member.
    offset: usize,
    found: Members<'a>,
}

/// The members that a value has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Members<'a> {
    /// The fields of a struct, of the document with that index.
    Struct(&'a [Member], usize),
    List,
    Text,
    Dict,
    #[default]
    Unknown,
}

/// Returns the names of members in the document at `home` whose meaning is unknown.
pub(crate) fn unresolved<'a>(table: &SymbolTable<'a>, home: usize) -> Vec<Unresolved<'a>> {
    let Some(checker) = resolved(table, home, None) else { return Vec::new() };
    let known = checker.occurrences.iter().flatten().filter(|it| it.target.kind.is_member());
    let known: HashSet<usize> = known.map(|it| it.span.start).collect();
    let mut found = checker.unresolved;
    found.retain(|it| !known.contains(&it.span.start));
    found
}

/// Returns the members of the value before the member name at `offset` in the document at `home`.
pub(crate) fn members_at<'a>(table: &SymbolTable<'a>, home: usize, offset: usize) -> Members<'a> {
    let probe = Probe { offset, found: Members::Unknown };
    let checker = resolved(table, home, Some(probe));
    checker.and_then(|it| it.probe).map_or(Members::Unknown, |probe| probe.found)
}

impl<'a> Checker<'_, 'a> {
    /// Records a member of a value without a known type.
    pub(super) fn unresolved_member(&mut self, name: &'a str, span: Span) {
        if self.occurrences.is_some() {
            self.unresolved.push(Unresolved { name, span });
        }
    }

    /// Keeps the members of a value, if the name at `span` is the one that is looked for.
    pub(super) fn probe_members(&mut self, of: &BoundType<'_, 'a>, span: Span) {
        let Some(probe) = self.probe.as_mut() else { return };
        if span.start <= probe.offset && probe.offset <= span.end {
            probe.found = match of.view().shape {
                Shape::Struct(members, home) => Members::Struct(members, home.scope.home),
                Shape::List(_) | Shape::AnyList => Members::List,
                Shape::Text => Members::Text,
                Shape::Dict(_) => Members::Dict,
                _ => Members::Unknown,
            };
        }
    }

    /// Keeps the members of a literal, if the name at `span` is the one that is looked for.
    pub(super) fn probe_literal(&mut self, members: Members<'a>, span: Span) {
        if let Some(probe) = self.probe.as_mut().filter(|it| span.start <= it.offset && it.offset <= span.end)
        {
            probe.found = members;
        }
    }

    /// Records the keys of the objects in an expression that is a value of a type.
    pub(super) fn keys(&mut self, value: &'a Expression, wanted: &BoundType<'_, 'a>) {
        if self.occurrences.is_none() {
            return;
        }
        match (wanted.view().shape, &value.kind) {
            (Shape::Option(inner), _) => self.keys(value, &inner),
            (Shape::List(element), ExpressionKind::List(items)) => {
                items.iter().filter(|item| !item.spread).for_each(|item| self.keys(&item.value, &element));
            }
            (Shape::Dict(Some((_, element))), ExpressionKind::Object(fields)) => {
                fields.iter().for_each(|(_, value)| self.keys(value, &element));
            }
            (Shape::Struct(members, home), ExpressionKind::Object(fields)) => {
                for (key, value) in fields {
                    if let Some(ty) = self.object_key(&key.text, key.span, members, &home) {
                        self.keys(value, &ty);
                    }
                    if key.span == value.span {
                        self.shorthand(key.span);
                    }
                }
            }
            _ => {}
        }
    }

    /// Records the keys of the objects in a literal that is a value of a type.
    pub(super) fn literal_keys(&mut self, literal: &'a Literal, wanted: &BoundType<'_, 'a>) {
        if self.occurrences.is_none() {
            return;
        }
        match (wanted.view().shape, &literal.kind) {
            (Shape::Option(inner), _) => self.literal_keys(literal, &inner),
            (Shape::List(element), LiteralKind::List(items)) => {
                items.iter().for_each(|item| self.literal_keys(item, &element));
            }
            (Shape::Dict(Some((_, element))), LiteralKind::Object(fields)) => {
                fields.iter().for_each(|(_, value)| self.literal_keys(value, &element));
            }
            (Shape::Struct(members, home), LiteralKind::Object(fields)) => {
                for (key, value) in fields {
                    if let Some(ty) = self.object_key(&key.text, key.span, members, &home) {
                        self.literal_keys(value, &ty);
                    }
                }
            }
            (_, LiteralKind::Object(fields)) => {
                fields.iter().for_each(|(key, _)| self.unresolved_member(&key.text, key.span));
            }
            _ => {}
        }
    }

    /// Records a key of an object, and returns the type of its value.
    fn object_key<'s>(
        &mut self,
        name: &str,
        span: Span,
        members: &'a [Member],
        home: &BoundType<'s, 'a>,
    ) -> Option<BoundType<'s, 'a>> {
        let member = members.iter().find(|member| member.name.text == name)?;
        self.uses(name, span, home.scope.home, &member.name, OccurrenceKind::of_member(&member.kind));
        match &member.kind {
            crate::syntax::MemberKind::Field { ty, .. } => Some(home.inner(ty)),
            crate::syntax::MemberKind::Method { .. } => None,
        }
    }
}
