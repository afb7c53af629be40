//! Objects: structs and dictionaries.

use std::collections::BTreeSet;

use ailang::syntax::{Documentation, Member, MemberKind, Type, TypeKind};
use serde_json::Value;

use super::SchemaReader;
use super::facets::Facets;
use super::keyword::{Keywords, step};
use super::union::joined;
use crate::bridges::node::{field, generic, named, refined, ty};
use crate::bridges::words;

impl<'v> SchemaReader<'v> {
    pub(super) fn object(&mut self, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        let has_fields = ["properties", "required"].iter().any(|it| keywords.contains_key(*it));
        let others = keywords.get("additionalProperties");
        let is_closed = is_closed(keywords);
        let has_patterns = keywords.contains_key("patternProperties");
        if has_patterns && !has_fields {
            let value = self.value_of_patterns(keywords, at);
            return self.dictionary(value, facets);
        }
        if has_patterns {
            self.remarks.changed(at, "`patternProperties`", "structs have their fields alone");
        }
        if has_fields || is_closed {
            let members = self.fields(keywords, at);
            if let Some(value) = self.value_of_all(&members, keywords, at) {
                return self.dictionary(value, facets);
            }
            if !is_closed {
                self.report_open(keywords, at, "structs have their fields alone");
            }
            return ty(TypeKind::Struct(members));
        }
        let value = match others {
            Some(schema) => self.part(schema, &format!("{at}/additionalProperties")),
            None => named("any"),
        };
        self.dictionary(value, facets)
    }

    /// Returns the type of the values of an object whose names are described by patterns. What they say of names is lost.
    fn value_of_patterns(&mut self, keywords: &'v Keywords, at: &str) -> Type {
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let Some(others) = keywords.get("additionalProperties").filter(|it| **it != Value::Bool(true)) else {
            return named("any");
        };
        let mut all = Vec::new();
        for (pattern, schema) in patterns.into_iter().flatten() {
            all.push(self.part(schema, &format!("{at}/patternProperties/{}", step(pattern))));
        }
        if !is_closed(keywords) {
            all.push(self.part(others, &format!("{at}/additionalProperties")));
        }
        if all.is_empty() || all.contains(&named("any")) { named("any") } else { joined(all) }
    }

    /// Returns the type of all values of an object, if the fields that it names are optional and like all others.
    fn value_of_all(&mut self, members: &[Member], keywords: &'v Keywords, at: &str) -> Option<Type> {
        let others = keywords.get("additionalProperties").filter(|it| it.is_object())?;
        if members.is_empty() || keywords.contains_key("patternProperties") {
            return None;
        }
        let others = self.part(others, &format!("{at}/additionalProperties"));
        let is_alike =
            |it: &Member| matches!(&it.kind, MemberKind::Field { optional: true, ty } if *ty == others);
        let are_alike = members.iter().all(is_alike);
        if are_alike {
            self.remarks.changed(
                at,
                "fields like all others",
                "dictionaries name no fields, which have no comments then",
            );
        }
        are_alike.then_some(others)
    }

    /// Reports that an object may have more fields.
    pub(crate) fn report_open(&mut self, keywords: &Keywords, at: &str, why: &str) {
        match keywords.get("additionalProperties") {
            Some(Value::Object(schema)) if !schema.is_empty() => {
                self.remarks.lost(at, "`additionalProperties`", why);
            }
            _ => self.remarks.changed(at, "an object that may have more fields", why),
        }
    }

    fn dictionary(&self, value: Type, facets: &mut Facets<'v>) -> Type {
        let dictionary = generic("Dict", vec![named("string"), value]);
        refined(dictionary, facets.sized("minProperties", "maxProperties"))
    }

    /// Returns the fields of an object, in the order of its properties.
    pub(crate) fn fields(&mut self, keywords: &'v Keywords, at: &str) -> Vec<Member> {
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let is_required: BTreeSet<&str> = required.iter().copied().collect();
        let mut members = Vec::new();
        let properties = keywords.get("properties").and_then(Value::as_object);
        for (key, schema) in properties.into_iter().flatten() {
            let place = format!("{at}/properties/{}", step(key));
            let documentation = words::description(schema, &place, &mut self.remarks);
            let mut ty = self.ty(schema, &place);
            let is_required = is_required.contains(key.as_str());
            if is_required && ty.default().is_some() {
                self.remarks.lost(&place, "the default of a required field", "what has one may be left out");
                without_default(&mut ty);
            }
            if self.is_spellable(key, &place) {
                members.push(field(key, !is_required, ty, documentation));
            }
        }
        for key in required {
            let is_known = members.iter().any(|it| it.name.text == key);
            if !is_known && self.is_spellable(key, at) {
                members.push(field(key, false, named("any"), Documentation::default()));
            }
        }
        members
    }

    /// Reports a field whose name would hide something.
    fn is_spellable(&mut self, key: &str, at: &str) -> bool {
        let is_spellable = !key.is_empty() && key == ailang::visible_line(key, ailang::LONGEST_NAME);
        if !is_spellable {
            self.remarks.lost(
                at,
                "a field",
                "its name is empty, too long, or has characters that cannot be seen",
            );
        }
        is_spellable
    }
}

/// Removes the default of a type.
fn without_default(ty: &mut Type) {
    if let TypeKind::Refined { base, refinements } = &mut ty.kind {
        refinements.retain(|it| it.name.text != "default");
        if refinements.is_empty() {
            *ty = (**base).clone();
        }
    }
}

/// Returns `true` for an object that has the declared fields alone. `unevaluatedProperties` means the same where no
/// other part of the schema declares fields.
pub(crate) fn is_closed(keywords: &Keywords) -> bool {
    const OTHERS: &[&str] = &["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    let is_false = |key: &str| keywords.get(key) == Some(&Value::Bool(false));
    let is_alone = OTHERS.iter().all(|it| !keywords.contains_key(*it));
    let is_object = keywords.contains_key("properties") || keywords.get("type") == Some(&"object".into());
    is_false("additionalProperties") || is_false("unevaluatedProperties") && is_alone && is_object
}
