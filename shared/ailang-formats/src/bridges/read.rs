//! JSON Schema → types.
//!
//! A reference becomes the name of a type, which is read later, so that circles end. Depth and size are
//! bounded: what is beyond becomes `any`.

mod facets;
pub(super) mod keyword;
mod object;
mod reference;
mod scalar;
mod union;

use std::collections::{HashMap, VecDeque};

use ailang::syntax::{DefinitionKind, Type, TypeDefinition};
use facets::Facets;
pub(super) use keyword::step;
use keyword::{Keywords, null};
pub(super) use object::is_closed;
use serde_json::Value;

use super::draft::DraftItem;
use super::identifier::TakenNames;
use super::node::{named, refined, refinement};
use super::remark::Remarks;
use super::words;

/// The maximum nesting of schemas in one type.
const DEEPEST: usize = 56;

/// The maximum number of schemas in a document.
const MOST_SCHEMAS: usize = 20_000;

/// A reader of all schemas of a document.
pub(super) struct SchemaReader<'v> {
    root: &'v Value,
    /// The JSON Pointer of the schema that `#` means.
    pub(super) base: String,
    /// `true` for OpenAPI 3.0, which has `nullable` and exclusive bounds as flags.
    pub(super) is_old: bool,
    /// The names of types by the JSON Pointers of their schemas.
    names: HashMap<String, String>,
    pub(super) taken: TakenNames,
    /// The named types that have not been read: pointer, base and name.
    pending: VecDeque<(String, String, String)>,
    pub(super) types: Vec<DraftItem>,
    pub(super) remarks: Remarks,
    depth: usize,
    left: usize,
}

impl<'v> SchemaReader<'v> {
    pub(super) fn new(root: &'v Value) -> Self {
        Self {
            root,
            base: String::new(),
            is_old: false,
            names: HashMap::new(),
            taken: TakenNames::default(),
            pending: VecDeque::new(),
            types: Vec::new(),
            remarks: Remarks::default(),
            depth: 0,
            left: MOST_SCHEMAS,
        }
    }

    /// Returns the type that a schema describes; `at` is its JSON Pointer.
    pub(super) fn ty(&mut self, schema: &'v Value, at: &str) -> Type {
        if self.depth >= DEEPEST || self.left == 0 {
            self.remarks.lost(
                at,
                "a schema",
                "too many schemas, or too many in each other; it takes anything",
            );
            return named("any");
        }
        self.left -= 1;
        self.depth += 1;
        let ty = match schema {
            Value::Object(keywords) => self.keywords(keywords, at),
            Value::Bool(true) => named("any"),
            _ => {
                self.remarks.lost(
                    at,
                    "a schema",
                    "it accepts nothing, or is no schema; the type takes anything",
                );
                named("any")
            }
        };
        self.depth -= 1;
        ty
    }

    /// Returns the type of a part that cannot have a comment.
    pub(super) fn part(&mut self, schema: &'v Value, at: &str) -> Type {
        let is_deprecated = schema.get("deprecated") == Some(&Value::Bool(true));
        let words = ["description", "title"].into_iter().filter(|it| schema.get(*it).is_some());
        for key in words.chain(is_deprecated.then_some("deprecated")) {
            self.remarks.lost(at, format!("`{key}`"), "only types, fields and variants have comments");
        }
        self.ty(schema, at)
    }

    fn keywords(&mut self, keywords: &'v Keywords, at: &str) -> Type {
        self.report_unknown(keywords, at);
        self.report_unheard(keywords, at);
        let mut facets = Facets::of(keywords);
        let base = self.base_type(keywords, at, &mut facets);
        let is_nullable = self.is_old && keywords.get("nullable") == Some(&Value::Bool(true));
        let base = if is_nullable { union::option(base) } else { base };
        for left in facets.unused() {
            self.remarks.lost(at, format!("`{left}`"), "the type has no such rule");
        }
        match keywords.get("default") {
            None => base,
            Some(default) => self.with_default(base, default, at),
        }
    }

    /// Returns the type without its default.
    fn base_type(&mut self, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
            let base = self.reference(target, at);
            return self.refined_reference(base, target, at, facets);
        }
        if let Some(value) = keywords.get("const") {
            return self.constant(value, at);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            return self.enumeration(values, keywords, at);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = keywords.get(key) {
                return self.union(keywords, key, members, at);
            }
        }
        if let Some(Value::Array(parts)) = keywords.get("allOf")
            && !facets.covers(parts)
        {
            return self.all_of(keywords, parts, at);
        }
        match keywords.get("type") {
            Some(Value::String(name)) => self.typed(name, keywords, at, facets),
            Some(Value::Array(names)) => self.any_typed(names, keywords, at, facets),
            _ => self.untyped(keywords, at, facets),
        }
    }

    fn typed(&mut self, name: &str, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        match name {
            "string" => self.text(facets, at),
            "number" => self.number(facets, false, at),
            "integer" => self.number(facets, true, at),
            "boolean" => named("bool"),
            "null" => null(),
            "array" => self.list(keywords, at, facets),
            "object" => self.object(keywords, at, facets),
            other => {
                self.remarks.lost(
                    at,
                    format!("the type `{}`", ailang::plain(other, 40)),
                    "no such type exists",
                );
                named("any")
            }
        }
    }

    fn any_typed(
        &mut self,
        names: &'v [Value],
        keywords: &'v Keywords,
        at: &str,
        facets: &mut Facets<'v>,
    ) -> Type {
        let names = names.iter().take(10).filter_map(Value::as_str);
        let (nulls, others): (Vec<&str>, Vec<&str>) = names.partition(|it| *it == "null");
        let members = others.iter().map(|name| self.typed(name, keywords, at, facets)).collect();
        let ty = union::joined(members);
        if nulls.is_empty() { ty } else { union::option(ty) }
    }

    /// Returns the type of a schema without `type`, by its other keywords.
    fn untyped(&mut self, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        let has = |keys: &[&str]| keys.iter().any(|it| keywords.contains_key(*it));
        let is_object = has(&["properties", "additionalProperties", "required"]);
        let is_list = has(&["items"]);
        let is_text = facets.has_any(&["minLength", "maxLength", "pattern"]);
        let is_number =
            facets.has_any(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
        if is_object || is_list || is_text != is_number {
            self.remarks.changed(at, "rules without a type", "the type takes only what they are about");
        }
        match (is_object, is_list, is_text, is_number) {
            (true, ..) => self.object(keywords, at, facets),
            (_, true, ..) => self.list(keywords, at, facets),
            (_, _, true, false) => self.text(facets, at),
            (_, _, false, true) => self.number(facets, false, at),
            _ => named("any"),
        }
    }

    fn list(&mut self, keywords: &'v Keywords, at: &str, facets: &mut Facets<'v>) -> Type {
        let element = match keywords.get("items") {
            Some(items) => self.part(items, &format!("{at}/items")),
            None => named("any"),
        };
        let list = super::node::generic("List", vec![element]);
        let mut rules = facets.sized("minItems", "maxItems");
        if facets.flag("uniqueItems") {
            rules.push(refinement("unique", None));
        }
        refined(list, rules)
    }

    fn with_default(&mut self, base: Type, default: &Value, at: &str) -> Type {
        if default.is_null() {
            self.remarks.changed(at, "the default null", "what is absent has no value already");
            return base;
        }
        if scalar::is_rounded(default) {
            let what = format!("the default {}", ailang::plain(&default.to_string(), 60));
            self.remarks.lost(at, what, "literals are floats, which round it");
            return base;
        }
        match scalar::literal_of(default, DEEPEST) {
            Some(literal) => refined(base, vec![refinement("default", Some(literal))]),
            None => {
                self.remarks.lost(at, "`default`", "it is too large for a literal");
                base
            }
        }
    }

    /// Reads every type that was referred to.
    pub(super) fn read_pending(&mut self) {
        while let Some((pointer, base, name)) = self.pending.pop_front() {
            let Some(schema) = self.root.pointer(&pointer) else { continue };
            let before = std::mem::replace(&mut self.base, base);
            self.definition(&name, schema, &pointer);
            self.base = before;
        }
    }

    /// Adds the definition of a type.
    pub(super) fn definition(&mut self, name: &str, schema: &'v Value, at: &str) {
        let documentation = words::description(schema, at, &mut self.remarks);
        let kind = match self.enum_definition(schema, at) {
            Some(kind) => kind,
            None => {
                let ty = self.ty(schema, at);
                DefinitionKind::Type(TypeDefinition { parameters: Vec::new(), ty })
            }
        };
        self.types.push(DraftItem::new(name, kind, documentation, at));
    }

    /// Reports the keywords beside the one that decides what a type is.
    fn report_unheard(&mut self, keywords: &Keywords, at: &str) {
        let has = |key: &str| keywords.contains_key(key);
        let is_list = |key: &str| keywords.get(key).is_some_and(Value::is_array);
        let (what, heard): (&str, &[&str]) = if keywords.get("$ref").is_some_and(Value::is_string) {
            ("$ref", &["$ref", "type"])
        } else if has("const") {
            ("const", &["const", "type"])
        } else if is_list("enum") {
            ("enum", &["enum", "type"])
        } else if let Some(key) = ["anyOf", "oneOf"].into_iter().find(|key| is_list(key)) {
            // The others are reported with the union.
            match self.shares_fields(keywords, key) {
                true => (key, &["anyOf", "oneOf", "type", "properties", "required", "additionalProperties"]),
                false => (key, &["anyOf", "oneOf", "allOf", "type", "properties"]),
            }
        } else if is_list("allOf") {
            ("allOf", &["allOf", "type", "properties", "required", "items", "additionalProperties"])
        } else {
            let types = match keywords.get("type") {
                Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
                Some(Value::String(name)) => vec![name.as_str()],
                _ => return,
            };
            match (types.contains(&"object"), types.contains(&"array")) {
                (true, true) => return,
                (true, false) => ("type", &["type", "properties", "required", "additionalProperties"]),
                (false, true) => ("type", &["type", "items"]),
                (false, false) => ("type", &["type"]),
            }
        };
        for key in STRUCTURE.iter().filter(|key| has(key) && !heard.contains(key)) {
            self.remarks.lost(at, format!("`{key}` beside `{what}`"), "a type is one or the other");
        }
    }

    /// Reports keywords that have no counterpart, and those whose values are of the wrong kind.
    pub(super) fn report_unknown(&mut self, keywords: &Keywords, at: &str) {
        for (key, value) in keywords {
            let is_read = [STRUCTURE, OTHERS].into_iter().any(|it| it.contains(&key.as_str()))
                || facets::is_facet(key, value)
                || self.is_old && key == "nullable"
                || key.starts_with("x-ailang")
                || key == "title" && !keywords.contains_key("description")
                || key == "not" && scalar::is_url(keywords)
                || key == "unevaluatedProperties" && object::is_closed(keywords)
                || key == "propertyNames" && names_are_texts(value)
                || FLAGS.contains(&key.as_str()) && *value == Value::Bool(false);
            if !is_read {
                let key = ailang::plain(key, 40);
                self.remarks.lost(at, format!("`{key}`"), "types have no counterpart");
            } else if let Some(kind) = keyword::wrong_kind(key, value, self.is_old) {
                self.remarks.lost(at, format!("`{key}`"), format!("its value is no {kind}"));
            }
        }
    }
}

/// The keywords that decide what a type is.
const STRUCTURE: &[&str] = &[
    "$ref",
    "const",
    "enum",
    "anyOf",
    "oneOf",
    "allOf",
    "type",
    "properties",
    "required",
    "items",
    "additionalProperties",
];

/// The other keywords that are read, or that say nothing about values.
const OTHERS: &[&str] = &["default", "description", "deprecated", "$schema", "$id", "$defs", "definitions"];

/// The keywords that say nothing if they are false.
const FLAGS: &[&str] = &["readOnly", "writeOnly"];

/// Returns `true` for a schema of names that all names fit: they are texts.
fn names_are_texts(schema: &Value) -> bool {
    *schema == Value::Bool(true) || *schema == serde_json::json!({"type": "string"})
}
