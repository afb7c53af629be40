//! Objects: structs and dictionaries.

use std::collections::BTreeSet;

use ailang::syntax::{Documentation, Member, Type, TypeKind};
use serde_json::Value;

use super::SchemaReader;
use super::facets::Facets;
use super::keyword::{Keywords, step};
use crate::bridges::node::{field, generic, named, refined, ty};
use crate::bridges::words;

impl<'v> SchemaReader<'v> {
    pub(super) fn object(&mut self, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        let has_fields = ["properties", "required"].iter().any(|it| keywords.contains_key(*it));
        let others = keywords.get("additionalProperties");
        let is_closed = is_closed(keywords);
        let has_patterns = keywords.contains_key("patternProperties");
        if has_patterns && !has_fields {
            // What patterns say of names is lost, so that all values are taken.
            return self.dictionary(named("any"), facets);
        }
        if has_patterns {
            self.remarks.changed(at, "`patternProperties`", "structs have their fields alone");
        }
        if has_fields || is_closed {
            let members = self.fields(keywords, at);
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
            let ty = self.ty(schema, &place);
            let (is_required, has_default) = (is_required.contains(key.as_str()), ty.default().is_some());
            if is_required && has_default {
                let what = format!("the required field `{}`", ailang::plain(key, 60));
                self.remarks.changed(at, what, "it has a default, so that it may be left out");
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

/// Returns `true` for an object that has the declared fields alone. `unevaluatedProperties` means the same where no
/// other part of the schema declares fields.
pub(crate) fn is_closed(keywords: &Keywords) -> bool {
    const OTHERS: &[&str] = &["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    let is_false = |key: &str| keywords.get(key) == Some(&Value::Bool(false));
    let is_alone = OTHERS.iter().all(|it| !keywords.contains_key(*it));
    let is_object = keywords.contains_key("properties") || keywords.get("type") == Some(&"object".into());
    is_false("additionalProperties") || is_false("unevaluatedProperties") && is_alone && is_object
}
