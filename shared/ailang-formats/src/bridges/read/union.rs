//! Unions, enums, variants and intersections.

use std::collections::HashSet;

use ailang::syntax::{
    DefinitionKind, Documentation, Enum, EnumVariant, Member, MemberKind, Payload, Type, TypeKind,
};
use serde_json::Value;

use super::SchemaReader;
use super::facets::is_facet;
use super::keyword::{Keywords, null};
use super::object::is_closed;
use crate::bridges::identifier::type_name;
use crate::bridges::node::{generic, name, named, text, ty};
use crate::bridges::words;

/// The maximum number of values of an enum, and of members of a union.
const MOST_MEMBERS: usize = 1_000;

/// The maximum number of members that each have the fields beside the union.
const MOST_SHARING: usize = 20;

impl<'v> SchemaReader<'v> {
    pub(super) fn enumeration(&mut self, values: &'v [Value], keywords: &'v Keywords, at: &str) -> Type {
        if values.len() > MOST_MEMBERS {
            let what = format!("an enum of {} values", values.len());
            self.remarks.lost(
                at,
                what,
                format!("more than {MOST_MEMBERS} are not listed; the type takes all"),
            );
            let base = keywords.get("type").and_then(Value::as_str).unwrap_or_default();
            let is_text = base == "string" || values.iter().all(Value::is_string);
            return named(if is_text { "string" } else { "any" });
        }
        let (fitting, others): (Vec<&Value>, Vec<&Value>) =
            values.iter().partition(|it| is_of_type(it, keywords.get("type")));
        if fitting.is_empty() {
            self.remarks.lost(at, "`enum`", "none of its values is of the schema's type");
            return named("any");
        }
        if !others.is_empty() {
            self.remarks.changed(at, "`enum`", "it lists values that are not of the schema's type");
        }
        joined(fitting.into_iter().map(|it| self.constant(it, at)).collect())
    }

    /// Returns an enum, if the schema lists texts that can be named apart.
    pub(super) fn enum_definition(&mut self, schema: &'v Value, at: &str) -> Option<DefinitionKind> {
        let keywords = schema.as_object()?;
        if keywords.contains_key("default") {
            return None;
        }
        let mut values: Vec<(&str, Documentation)> = Vec::new();
        if let Some(Value::Array(listed)) = keywords.get("enum") {
            if !listed.iter().all(|it| is_of_type(it, keywords.get("type"))) {
                return None;
            }
            for value in listed {
                values.push((value.as_str()?, Documentation::default()));
            }
        } else {
            for member in keywords.get("oneOf").or(keywords.get("anyOf"))?.as_array()? {
                let value = member.get("const")?.as_str()?;
                values.push((value, words::description(member, at, &mut self.remarks)));
            }
        }
        let is_seen = |value: &str| !value.is_empty() && value == ailang::visible_line(value, 80);
        if values.is_empty() || values.len() > MOST_MEMBERS || !values.iter().all(|(value, _)| is_seen(value))
        {
            return None;
        }
        let names: Vec<String> = values.iter().map(|(value, _)| type_name(value)).collect();
        let mut seen = HashSet::new();
        let are_distinct = names.iter().all(|it| seen.insert(it));
        let are_words =
            values.iter().all(|(value, _)| value.starts_with(|char: char| char.is_ascii_alphabetic()));
        if !are_distinct || !are_words {
            return None;
        }
        self.report_unknown(keywords, at);
        let variants = values.into_iter().zip(names).map(|((value, documentation), variant)| EnumVariant {
            value: (variant != value).then(|| text(value)),
            name: name(&variant),
            documentation,
        });
        Some(DefinitionKind::Enum(Enum { variants: variants.collect() }))
    }

    pub(super) fn union(
        &mut self,
        keywords: &'v Keywords,
        key: &str,
        members: &'v [Value],
        at: &str,
    ) -> Type {
        if self.shares_fields(keywords, key) {
            return self.sharing(keywords, key, members, at);
        }
        for other in ["type", "properties", "allOf", "anyOf", "oneOf"] {
            let says_nothing = other == "type"
                && members.iter().all(|it| it.get("type").is_some() || it.get("const").is_some());
            if other != key && keywords.contains_key(other) && !says_nothing {
                self.remarks.lost(
                    at,
                    format!("`{other}` beside `{key}`"),
                    "a type is a union or something else",
                );
            }
        }
        if members.len() > MOST_MEMBERS {
            self.remarks.lost(
                at,
                format!("a union of {}", members.len()),
                format!("more than {MOST_MEMBERS} are not read"),
            );
            return named("any");
        }
        let read: Vec<Type> = members
            .iter()
            .enumerate()
            .map(|(index, member)| self.part(member, &format!("{at}/{key}/{index}")))
            .collect();
        if key == "oneOf" && !are_apart(members) {
            self.remarks.changed(at, "`oneOf`", "a union takes what is of one member or of several");
        }
        variants(&read).unwrap_or_else(|| {
            let is_null = |ty: &Type| *ty == null();
            let has_null = read.iter().any(is_null);
            let others = read.into_iter().filter(|it| !is_null(it)).collect();
            if has_null { option(joined(others)) } else { joined(others) }
        })
    }

    /// Returns `true` if the members of a union are objects that share the fields beside them.
    pub(super) fn shares_fields(&self, keywords: &Keywords, key: &str) -> bool {
        let members = keywords.get(key).and_then(Value::as_array);
        let members = members.filter(|it| (1..=MOST_SHARING).contains(&it.len()));
        let is_alone = ["anyOf", "oneOf", "allOf"].iter().all(|it| *it == key || !keywords.contains_key(*it));
        let has_fields = keywords.get("properties").is_some_and(Value::is_object);
        let is_object = |it: &Value| it.as_object().is_some_and(has_fields_alone);
        has_fields && is_alone && members.is_some_and(|it| it.iter().all(is_object))
    }

    /// Returns the union of structs that each have the fields of a member, and those beside the union.
    fn sharing(&mut self, keywords: &'v Keywords, key: &str, members: &'v [Value], at: &str) -> Type {
        let shared = self.fields(keywords, at);
        if !is_closed(keywords) {
            self.report_open(keywords, at, "structs have their fields alone");
        }
        let mut read = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let Some(schema) = member.as_object() else { continue };
            let place = format!("{at}/{key}/{index}");
            self.report_unknown(schema, &place);
            let mut fields = shared.clone();
            for own in self.fields(schema, &place) {
                match fields.iter_mut().find(|it| it.name == own.name) {
                    Some(known) => narrow(known, own),
                    None if is_closed(keywords) => {}
                    None => fields.push(own),
                }
            }
            read.push(ty(TypeKind::Struct(fields)));
        }
        self.remarks.changed(at, format!("`{key}`"), "the fields beside it are written out in each member");
        if key == "oneOf" && !are_apart(members) {
            self.remarks.changed(at, "`oneOf`", "a union takes what is of one member or of several");
        }
        joined(read)
    }

    /// Returns the struct that has the fields of all parts.
    pub(super) fn all_of(&mut self, keywords: &'v Keywords, parts: &'v [Value], at: &str) -> Type {
        let mut own = keywords.clone();
        own.remove("allOf");
        own.retain(|key, _| !matches!(key.as_str(), "description" | "title" | "default" | "deprecated"));
        let has_own = own.contains_key("properties") || own.contains_key("required");
        if let ([only], false) = (parts, has_own) {
            return self.ty(only, &format!("{at}/allOf/0"));
        }
        let mut members: Vec<Member> = Vec::new();
        if has_own {
            self.add_fields(keywords, at, &mut members);
        }
        for (index, part) in parts.iter().enumerate().take(MOST_MEMBERS) {
            let place = format!("{at}/allOf/{index}");
            match self.followed(part) {
                Some((schema, base))
                    if schema.contains_key("properties") || schema.contains_key("required") =>
                {
                    let before = std::mem::replace(&mut self.base, base);
                    self.add_fields(schema, &place, &mut members);
                    self.base = before;
                }
                _ => self.remarks.lost(&place, "a part of `allOf`", "only parts with fields can be joined"),
            }
        }
        if members.is_empty() {
            return named("any");
        }
        self.remarks.changed(at, "`allOf`", "its fields are written out in one struct");
        ty(TypeKind::Struct(members))
    }

    /// Adds the fields of a part; those that are there already stay.
    fn add_fields(&mut self, keywords: &'v Keywords, at: &str, members: &mut Vec<Member>) {
        for member in self.fields(keywords, at) {
            match members.iter_mut().find(|it| it.name == member.name) {
                None => members.push(member),
                Some(known) => require(known, &member),
            }
        }
    }
}

/// Returns `true` for an object that nothing but its fields describes.
fn has_fields_alone(keywords: &Keywords) -> bool {
    const OTHERS: &[&str] =
        &["$ref", "const", "enum", "anyOf", "oneOf", "allOf", "items", "patternProperties"];
    let has_fields = keywords.contains_key("properties") || keywords.contains_key("required");
    let is_object = keywords.get("type").is_none_or(|it| it == "object");
    let is_other = |(key, value): (&String, &Value)| OTHERS.contains(&key.as_str()) || is_facet(key, value);
    has_fields && is_object && !keywords.iter().any(is_other)
}

/// Narrows a field to what one of several objects says of it.
fn narrow(known: &mut Member, own: Member) {
    let MemberKind::Field { optional: is_optional, ty: narrower } = own.kind else { return };
    if let MemberKind::Field { optional, ty } = &mut known.kind {
        *optional &= is_optional;
        if narrower != named("any") {
            *ty = narrower;
        }
    }
}

/// Returns `true` if a value is of a schema's `type`: one, or a list of which one is enough.
fn is_of_type(value: &Value, ty: Option<&Value>) -> bool {
    let is_of = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        _ => true,
    };
    match ty {
        Some(Value::String(name)) => is_of(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    }
}

/// Makes a field required if another declaration of it is.
fn require(known: &mut Member, other: &Member) {
    let is_required = matches!(other.kind, MemberKind::Field { optional: false, .. });
    if let MemberKind::Field { optional, ty } = &mut known.kind {
        *optional &= !is_required;
        if *ty == named("any")
            && let MemberKind::Field { ty: other, .. } = &other.kind
        {
            *ty = other.clone();
        }
    }
}

/// Returns the union of types without duplicates.
pub(super) fn joined(members: Vec<Type>) -> Type {
    let mut distinct: Vec<Type> = Vec::new();
    for member in members {
        let parts = match member.kind {
            TypeKind::Union(parts) => parts,
            _ => vec![member],
        };
        for part in parts {
            if !distinct.contains(&part) {
                distinct.push(part);
            }
        }
    }
    match distinct.len() {
        0 => null(),
        1 => distinct.remove(0),
        _ => ty(TypeKind::Union(distinct)),
    }
}

/// Returns a type that takes null too.
pub(super) fn option(inner: Type) -> Type {
    let is_open = matches!(&inner.kind, TypeKind::Named { path, .. } if path.name.text == "any");
    let is_option =
        inner == null() || matches!(&inner.kind, TypeKind::Named { path, .. } if path.name.text == "Option");
    if is_open || is_option { inner } else { generic("Option", vec![inner]) }
}

/// Returns `true` if no value can be of two members: they are constants, or objects of one field each.
fn are_apart(members: &[Value]) -> bool {
    let mut seen = HashSet::new();
    members.iter().all(|member| match (member.get("const"), tag(member)) {
        (Some(value), _) => seen.insert(value.to_string()),
        (None, Some(tag)) => seen.insert(tag.to_owned()),
        (None, None) => false,
    })
}

/// Returns the only field of a closed object that has to have it.
fn tag(schema: &Value) -> Option<&str> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let required = schema.get("required").and_then(Value::as_array)?;
    let only =
        properties.keys().next().filter(|_| properties.len() == 1 && required.len() == 1 && is_closed)?;
    (required[0] == **only).then_some(only)
}

/// Returns the variants of a union, if each member is a struct of one field that is named like a variant and is a
/// struct itself.
fn variants(members: &[Type]) -> Option<Type> {
    let variant = |member: &Type| {
        let TypeKind::Struct(fields) = &member.kind else { return None };
        let [
            Member {
                name: variant,
                kind: MemberKind::Field { optional: false, ty: inner },
                documentation,
                ..
            },
        ] = fields.as_slice()
        else {
            return None;
        };
        let TypeKind::Struct(payload) = &inner.kind else { return None };
        let is_variant = type_name(&variant.text) == variant.text && documentation.is_empty();
        let parts: Option<Vec<Payload>> = payload.iter().map(part).collect();
        Some(TypeKind::Variant { name: variant.clone(), payload: parts.filter(|_| is_variant)? })
    };
    let read: Option<Vec<TypeKind>> = members.iter().map(variant).collect();
    let read = read.filter(|it| it.len() > 1)?;
    // A variant without a payload is a bare name, which only stands beside one with a payload.
    let is_bare = |it: &TypeKind| matches!(it, TypeKind::Variant { payload, .. } if payload.is_empty());
    if read.iter().all(is_bare) {
        return None;
    }
    let each = read.into_iter().map(|kind| match kind {
        TypeKind::Variant { name, payload } if payload.is_empty() => named(&name.text),
        kind => ty(kind),
    });
    Some(ty(TypeKind::Union(each.collect())))
}

fn part(member: &Member) -> Option<Payload> {
    let MemberKind::Field { optional, ty } = &member.kind else { return None };
    let is_name = crate::bridges::identifier::small_name(&member.name.text, "") == member.name.text;
    let is_plain = is_name && member.documentation.is_empty();
    is_plain.then(|| Payload { name: Some(member.name.clone()), optional: *optional, ty: ty.clone() })
}
