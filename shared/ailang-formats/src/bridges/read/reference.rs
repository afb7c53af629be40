//! References between schemas.

use ailang::plain;
use ailang::syntax::Type;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::SchemaReader;
use super::facets::Facets;
use super::keyword::{Keywords, step};
use crate::bridges::identifier::type_name;
use crate::bridges::node::named;

/// The maximum length of a chain of references, and the maximum number of schemas to compare.
const LONGEST: usize = 64;

impl<'v> SchemaReader<'v> {
    /// Returns the name of the type that a reference means.
    pub(super) fn reference(&mut self, target: &str, at: &str) -> Type {
        let Some(pointer) = self.pointer(target) else {
            let what = format!("the reference {}", plain(target, 80));
            self.remarks.lost(
                at,
                what,
                "only schemas of the same document can be referred to; the type takes anything",
            );
            return named("any");
        };
        if self.root.pointer(&pointer).is_none() {
            self.remarks.lost(at, format!("the reference {}", plain(target, 80)), "there is no such schema");
            return named("any");
        }
        named(&self.name_of(&pointer))
    }

    /// Returns the JSON Pointer in the whole document that a local reference means.
    fn pointer(&self, target: &str) -> Option<String> {
        let fragment = percent_decode_str(target.strip_prefix('#')?).decode_utf8().ok()?;
        // A schema that is part of an OpenAPI document refers to the document.
        (fragment.is_empty() || fragment.starts_with('/')).then(|| format!("{}{fragment}", self.base))
    }

    /// Returns the name of the type at a pointer, which is read later.
    pub(crate) fn name_of(&mut self, pointer: &str) -> String {
        if let Some(name) = self.names.get(pointer) {
            return name.clone();
        }
        let key = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let plain_name = type_name(if key.is_empty() { "Root" } else { &key });
        let same =
            self.names.iter().find(|(other, name)| **name == plain_name && self.are_same(other, pointer));
        let (name, is_new) = match same {
            Some((_, name)) => (name.clone(), false),
            None => (self.taken.free(plain_name), true),
        };
        if name != key {
            let key = plain(&key, 60);
            self.remarks.changed(
                pointer,
                format!("the name `{key}`"),
                format!("the type is called `{name}`"),
            );
        }
        self.names.insert(pointer.to_owned(), name.clone());
        if is_new {
            self.pending.push_back((pointer.to_owned(), self.base.clone(), name.clone()));
        }
        name
    }

    /// Reports the definitions of the schema at `at` that nothing refers to.
    pub(crate) fn report_unused(&mut self, at: &str) {
        for folder in ["$defs", "definitions"] {
            let place = format!("{at}/{folder}");
            let unused = self.root.pointer(&place).and_then(Value::as_object).into_iter().flat_map(Map::keys);
            for key in unused {
                if !self.names.contains_key(&format!("{place}/{}", step(key))) {
                    let what = format!("the definition `{}`", plain(key, 60));
                    self.remarks.lost(&place, what, "nothing refers to it");
                }
            }
        }
    }

    /// Names the type that the whole document describes.
    pub(crate) fn name_root(&mut self, title: &str) {
        let name = self.taken.free(type_name(title));
        self.names.insert(String::new(), name.clone());
        self.pending.push_front((String::new(), String::new(), name));
    }

    /// Returns `true` if two schemas in different parts of the document are equal, with all that they refer to.
    fn are_same(&self, left: &str, right: &str) -> bool {
        let Some((left_base, _)) = left.split_once("/$defs/") else { return false };
        let Some((right_base, _)) = right.split_once("/$defs/") else { return false };
        let mut pending = vec![(left.to_owned(), right.to_owned())];
        let mut seen: Vec<(String, String)> = Vec::new();
        while let Some(pair) = pending.pop() {
            if seen.contains(&pair) {
                continue;
            }
            let (Some(one), Some(other)) = (self.root.pointer(&pair.0), self.root.pointer(&pair.1)) else {
                return false;
            };
            if one != other || seen.len() > LONGEST {
                return false;
            }
            let inner = local_references(one);
            pending.extend(
                inner.into_iter().map(|it| (format!("{left_base}{it}"), format!("{right_base}{it}"))),
            );
            seen.push(pair);
        }
        true
    }

    /// Adds the rules beside a reference to the type that it means.
    pub(super) fn refined_reference(
        &mut self,
        base: Type,
        target: &str,
        at: &str,
        facets: &mut Facets<'v>,
    ) -> Type {
        let type_of = self.pointer(target).and_then(|it| self.root.pointer(&it)?.get("type")?.as_str());
        let rules = match type_of {
            Some("string") => self.text(facets, at),
            Some("number") => self.number(facets, false, at),
            Some("integer") => self.number(facets, true, at),
            _ => return base,
        };
        crate::bridges::node::refined(base, rules.refinements().to_vec())
    }

    /// Follows references to a schema; returns it with the pointer that `#` means there.
    pub(super) fn followed(&self, schema: &'v Value) -> Option<(&'v Keywords, String)> {
        let mut schema = schema.as_object()?;
        for _ in 0..LONGEST {
            let Some(target) = schema.get("$ref").and_then(Value::as_str) else {
                return Some((schema, self.base.clone()));
            };
            schema = self.root.pointer(&self.pointer(target)?)?.as_object()?;
        }
        None
    }
}

/// Returns the pointers of all local references in a schema.
fn local_references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(local_references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(local_references).collect(),
        _ => Vec::new(),
    }
}
