//! Types of a document → schemas, with their descriptions.

use std::collections::BTreeSet;

use ailang::lower::{Instance, Lowering, wire_value};
use ailang::names::Symbol;
use ailang::schema::{Schema, Writer};
use ailang::syntax::{
    self, Definition, DefinitionKind, Documentation, Enum, Member, MemberKind, Path, Tool, TypeKind,
};
use ailang::{Document, Documents};
use dialect::{Parameter, Type};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use source_text::{Encoding, LineIndex, Span};

use super::remark::{Remark, Remarks};

/// The tag with the name that another format has for a tool or a parameter.
pub(super) const WIRE_NAME: &str = "wireName";

/// Returns the name that another format has for a tool or a parameter, if it is no identifier.
pub(super) fn wire_name(documentation: &Documentation) -> Option<&str> {
    documentation.tag(WIRE_NAME).map(|it| it.text.trim()).filter(|it| !it.is_empty())
}

/// Gives a property of an object another name, unless that is taken. The order stays.
fn rename(schema: &mut Schema, from: &str, to: &str) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    if properties.contains_key(to) || !properties.contains_key(from) {
        return;
    }
    let each = std::mem::take(properties).into_iter();
    *properties = each.map(|(name, it)| (if name == from { to.to_owned() } else { name }, it)).collect();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.iter_mut().filter(|it| *it == from).for_each(|it| *it = to.into());
    }
}

/// A pass that writes the types of one document, and those that it imports, as schemas.
pub(super) struct SchemaWriter<'s, 'a> {
    pub(super) lowering: Lowering<'s, 'a>,
    documents: &'a Documents,
    pub(super) document: &'a Document,
    /// The index of the document.
    pub(super) home: usize,
    /// The start of references, such as `#/$defs/`.
    references: &'static str,
    /// The schemas of named types, in the order of their first use.
    written: IndexMap<String, Value>,
    index: LineIndex,
    pub(super) remarks: Remarks,
}

impl<'s, 'a> SchemaWriter<'s, 'a> {
    pub(super) fn new(
        lowering: Lowering<'s, 'a>,
        documents: &'a Documents,
        home: usize,
        references: &'static str,
    ) -> Option<Self> {
        let (_, document) = documents.at(home)?;
        let index = LineIndex::new(&document.source);
        let (written, remarks) = (IndexMap::new(), Remarks::default());
        Some(Self { lowering, documents, document, home, references, written, index, remarks })
    }

    /// Returns a place of the document as line and column.
    pub(super) fn place(&self, span: Span) -> String {
        line_and_column(self.document, &self.index, span)
    }

    /// Returns the tools with their definitions.
    pub(super) fn tools(&self) -> Vec<(&'a Definition, &'a Tool)> {
        let tools = self.document.definitions().filter_map(|definition| match &definition.kind {
            DefinitionKind::Tool(tool) => Some((definition, tool)),
            _ => None,
        });
        tools.collect()
    }

    /// Returns the definition that a path of the document means, with the index of its document.
    pub(super) fn meant(&self, path: &Path) -> Option<(&'a Definition, usize)> {
        match self.lowering.scope(self.home).find_path(path)? {
            Symbol::Definition(definition, there) => Some((definition, there)),
            _ => None,
        }
    }

    /// Names the types of the document, so that all of them are written.
    pub(super) fn name_all(&mut self) {
        for definition in self.document.definitions() {
            match &definition.kind {
                DefinitionKind::Type(it) if !it.parameters.is_empty() => {
                    let what = format!("the generic type `{}`", definition.name.text);
                    let place = self.place(definition.name.span);
                    self.remarks.changed(&place, what, "it is written once for each choice of its arguments");
                }
                DefinitionKind::Type(_) | DefinitionKind::Enum(_) => {
                    drop(self.lowering.mention(definition, self.home));
                }
                _ => {}
            }
        }
    }

    /// Returns the object of a tool's arguments.
    pub(super) fn arguments(&mut self, tool: &'a Tool) -> Schema {
        if tool.parameters.elided {
            let place = self.place(tool.parameters.span);
            self.remarks.lost(&place, "the parameters", "the document leaves them out, so any are taken");
            return Map::from_iter([("type".to_owned(), json!("object"))]);
        }
        let parameters = self.lowering.parameters(Some(&tool.parameters), self.home).unwrap_or_default();
        let mut schema = self.object(parameters);
        for parameter in &tool.parameters.list {
            if let Some(Value::Object(property)) = property(&mut schema, &parameter.name.text) {
                self.describe(property, &parameter.documentation);
                if let Some(ty) = &parameter.ty {
                    self.annotate(ty, property);
                }
            }
        }
        for parameter in &tool.parameters.list {
            if let Some(name) = wire_name(&parameter.documentation) {
                rename(&mut schema, &parameter.name.text, name);
            }
        }
        schema
    }

    /// Returns the schema of a tool's result; `None` for `void` and without one.
    pub(super) fn result(&mut self, tool: &'a Tool) -> Option<Schema> {
        let returns = tool.returns.as_ref()?;
        let ty = self.lowering.returned(tool, self.home);
        if ty == Type::Null {
            return None;
        }
        let mut schema = self.schema(&ty);
        self.annotate(returns, &mut schema);
        Some(schema)
    }

    /// Returns the schema of an object with these fields.
    pub(super) fn object(&mut self, fields: Vec<Parameter>) -> Schema {
        self.schema(&Type::Fields(fields))
    }

    fn schema(&mut self, ty: &Type) -> Schema {
        // The types behind names are written later, with their comments.
        let mut writer = Writer::new(&|_| None, false);
        writer.references = self.references;
        writer.schema(ty).unwrap_or_else(|error| {
            self.remarks.lost("", "a type", error.to_string());
            Schema::new()
        })
    }

    /// Writes every type that was named, and those that they name in turn.
    pub(super) fn written(&mut self) -> &IndexMap<String, Value> {
        while let Some(kept) = self.lowering.next_kept() {
            let schema = self.defined(&kept);
            self.written.insert(kept.name.to_string(), schema.into());
        }
        &self.written
    }

    /// Returns the named types that a schema needs, directly or not.
    pub(super) fn needed(&mut self, schema: &Value) -> Map<String, Value> {
        self.written();
        let (mut needed, mut pending) = (BTreeSet::new(), references(schema, self.references));
        while let Some(name) = pending.pop() {
            if let Some(schema) = self.written.get(&name)
                && needed.insert(name)
            {
                pending.extend(references(schema, self.references));
            }
        }
        let all = self.written.iter().filter(|(name, _)| needed.contains(*name));
        all.map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }

    fn defined(&mut self, kept: &Instance<'a>) -> Schema {
        let ty = self.lowering.kept_type(kept);
        let mut schema = match &kept.definition.kind {
            DefinitionKind::Enum(it) if it.variants.iter().any(|it| !it.documentation.is_empty()) => {
                self.documented(it)
            }
            _ => self.schema(&ty),
        };
        if let DefinitionKind::Type(it) = &kept.definition.kind {
            self.annotate(&it.ty, &mut schema);
            if let Some(default) = self.lowering.kept_default(kept) {
                schema.insert("default".to_owned(), default);
            }
        }
        self.describe(&mut schema, &kept.definition.documentation);
        schema
    }

    /// Returns an enum whose values have descriptions.
    fn documented(&mut self, it: &'a Enum) -> Schema {
        let variants = it.variants.iter().map(|variant| {
            let mut schema = Map::from_iter([("const".to_owned(), wire_value(variant))]);
            self.describe(&mut schema, &variant.documentation);
            Value::from(schema)
        });
        let variants: Vec<Value> = variants.collect();
        Map::from_iter([("oneOf".to_owned(), variants.into())])
    }

    /// Adds the words and tags of a comment to a schema.
    fn describe(&mut self, schema: &mut Schema, documentation: &Documentation) {
        if !documentation.text.is_empty() {
            schema.insert("description".to_owned(), json!(documentation.text));
        }
        for tag in &documentation.tags {
            if tag.name == "deprecated" {
                schema.insert("deprecated".to_owned(), json!(true));
            }
            if tag.name != "deprecated" || !tag.text.is_empty() {
                let what = format!("@{} {}", tag.name, tag.text);
                self.remarks.lost("", what.trim(), "a schema has no place for it");
            }
        }
    }

    /// Adds the comments inside a type to its schema.
    fn annotate(&mut self, ty: &'a syntax::Type, schema: &mut Schema) {
        match &ty.kind {
            TypeKind::Refined { base, .. } | TypeKind::Choice(base) => self.annotate(base, schema),
            TypeKind::Struct(members) => members.iter().for_each(|it| self.annotate_member(it, schema)),
            TypeKind::List(element) => self.annotate_at(element, schema, "items"),
            TypeKind::Named { path, arguments } => match (path.name.text.as_str(), arguments.as_slice()) {
                ("List", [element]) => self.annotate_at(element, schema, "items"),
                ("Dict" | "Map", [_, value]) => self.annotate_at(value, schema, "additionalProperties"),
                ("Option", [inner]) if !schema.contains_key("anyOf") => self.annotate(inner, schema),
                ("Option", [inner]) => self.annotate_each(std::slice::from_ref(inner), 2, schema),
                _ => {}
            },
            TypeKind::Union(members) => self.annotate_each(members, members.len(), schema),
            _ => {}
        }
    }

    fn annotate_member(&mut self, member: &'a Member, schema: &mut Schema) {
        let MemberKind::Field { ty, .. } = &member.kind else { return };
        if let Some(Value::Object(property)) = property(schema, &member.name.text) {
            self.describe(property, &member.documentation);
            self.annotate(ty, property);
        }
    }

    fn annotate_at(&mut self, ty: &'a syntax::Type, schema: &mut Schema, keyword: &str) {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            self.annotate(ty, inner);
        }
    }

    /// Adds the comments of a union's members, if its schema still has as many members.
    fn annotate_each(&mut self, members: &'a [syntax::Type], count: usize, schema: &mut Schema) {
        let keyword = if schema.contains_key("oneOf") { "oneOf" } else { "anyOf" };
        let Some(Value::Array(each)) = schema.get_mut(keyword) else { return };
        if each.len() == count {
            for (ty, schema) in members.iter().zip(each.iter_mut()) {
                if let Value::Object(schema) = schema {
                    self.annotate(ty, schema);
                }
            }
        }
    }

    /// Ends the pass. Types that could not be expressed become remarks.
    pub(super) fn into_remarks(self) -> Vec<Remark> {
        let Self { lowering, documents, home, mut remarks, .. } = self;
        for (there, diagnostics) in lowering.into_diagnostics() {
            let Some((path, document)) = documents.at(there) else { continue };
            let index = LineIndex::new(&document.source);
            for diagnostic in diagnostics {
                let place = line_and_column(document, &index, diagnostic.span);
                let place = if there == home { place } else { format!("{path}:{place}") };
                let code = document.text(diagnostic.span).split_whitespace().collect::<Vec<_>>().join(" ");
                let why = diagnostic.message.trim_start_matches("programs may give anything here: ");
                remarks.lost(&place, format!("`{}`", ailang::plain(&code, 60)), why);
            }
        }
        remarks.into_all()
    }
}

fn line_and_column(document: &Document, index: &LineIndex, span: Span) -> String {
    let (line, column) = index.position(&document.source, span.start, Encoding::Utf32);
    format!("{}:{}", line + 1, column + 1)
}

fn property<'v>(schema: &'v mut Schema, name: &str) -> Option<&'v mut Value> {
    schema.get_mut("properties")?.get_mut(name)
}

/// Returns the names of all references in a schema that start with `start`.
fn references(schema: &Value, start: &str) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix(start));
            let inner = fields.values().flat_map(|it| references(it, start));
            own.map(str::to_owned).into_iter().chain(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(|it| references(it, start)).collect(),
        _ => Vec::new(),
    }
}
