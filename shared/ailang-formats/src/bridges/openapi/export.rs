//! Documents → OpenAPI.

use ailang::schema::Schema;
use ailang::syntax::{
    Capability, CapabilityExpression, Definition, DefinitionKind, ErrorDefinition, Literal, LiteralKind, Tool,
};
use serde_json::{Map, Value, json};

use super::tags::TAGS;
use crate::bridges::definitions::SchemaWriter;
use crate::bridges::document::identity;

const VERSION: &str = "3.1.0";

pub(crate) fn export(writer: &mut SchemaWriter<'_, '_>) -> Value {
    writer.name_all();
    let mut parts = Parts::default();
    for definition in writer.document.definitions() {
        let home = writer.home;
        match &definition.kind {
            DefinitionKind::Error(it) => parts.error(writer, definition, it, home),
            DefinitionKind::Capability(it) => parts.capability(writer, definition, it, home),
            _ => {}
        }
    }
    let mut paths = Map::new();
    for (definition, tool) in writer.tools() {
        let operation = parts.operation(writer, definition, tool);
        paths.insert(format!("/{}", definition.name.text), json!({"post": operation}));
    }
    writer.lose_words();
    let mut schemas: Map<String, Value> = writer.written().clone().into_iter().collect();
    schemas.extend(parts.errors);
    let mut components = Map::from_iter([("schemas".to_owned(), Value::from(schemas))]);
    if !parts.capabilities.is_empty() {
        components.insert("x-ailang-capabilities".to_owned(), parts.capabilities.into());
    }
    json!({"openapi": VERSION, "info": info(writer), "paths": paths, "components": components})
}

fn info(writer: &mut SchemaWriter<'_, '_>) -> Value {
    let front_matter = &writer.document.front_matter;
    let text =
        |field: &Option<ailang::Field<String>>| field.as_ref().map(|it| it.value.clone()).unwrap_or_default();
    let version = front_matter.version.as_ref().map(|it| it.value.to_string());
    if version.is_none() {
        writer.remarks.added("", "the version 0.0.0", "OpenAPI requires a version");
    }
    json!({
        "title": text(&front_matter.title),
        "description": text(&front_matter.summary),
        "version": version.unwrap_or_else(|| "0.0.0".to_owned()),
        "x-ailang": identity(front_matter),
    })
}

/// The components that operations refer to.
#[derive(Default)]
struct Parts {
    errors: Map<String, Value>,
    capabilities: Map<String, Value>,
}

impl Parts {
    fn operation<'a>(
        &mut self,
        writer: &mut SchemaWriter<'_, 'a>,
        definition: &'a Definition,
        tool: &'a Tool,
    ) -> Value {
        let documentation = &definition.documentation;
        let mut operation = Map::from_iter([("operationId".to_owned(), json!(definition.name.text))]);
        if !documentation.text.is_empty() {
            operation.insert("description".to_owned(), json!(documentation.text));
        }
        if documentation.tag("deprecated").is_some() {
            operation.insert("deprecated".to_owned(), json!(true));
        }
        let tags = tags(writer, definition);
        if !tags.is_empty() {
            operation.insert("x-ailang-tags".to_owned(), json!(tags));
        }
        let requires: Vec<Value> =
            tool.requires.iter().flat_map(|it| self.requirements(writer, it)).collect();
        operation.insert("x-ailang-requires".to_owned(), json!(requires));
        let arguments = writer.arguments(tool);
        if !tool.parameters.list.is_empty() {
            let is_required = tool.parameters.list.iter().any(ailang::syntax::Parameter::is_required);
            operation.insert(
                "requestBody".to_owned(),
                json!({"required": is_required, "content": content(arguments)}),
            );
        }
        operation.insert("responses".to_owned(), self.responses(writer, tool));
        operation.into()
    }

    fn responses<'a>(&mut self, writer: &mut SchemaWriter<'_, 'a>, tool: &'a Tool) -> Value {
        let mut success = json!({"description": "The result."});
        if let Some(schema) = writer.result(tool) {
            success["content"] = content(schema);
        }
        let mut responses = json!({"200": success});
        let mut thrown: Vec<Value> = Vec::new();
        for path in &tool.throws {
            let Some((definition, home)) = writer.meant(path) else { continue };
            if let DefinitionKind::Error(it) = &definition.kind {
                self.error(writer, definition, it, home);
                thrown.push(json!({"$ref": format!("#/components/schemas/{}", definition.name.text)}));
            }
        }
        if !thrown.is_empty() {
            let schema = Map::from_iter([("oneOf".to_owned(), Value::from(thrown))]);
            responses["default"] = json!({"description": "An error.", "content": content(schema)});
        }
        responses
    }

    /// Adds the schema of an error as a value.
    fn error<'a>(
        &mut self,
        writer: &mut SchemaWriter<'_, 'a>,
        definition: &'a Definition,
        it: &'a ErrorDefinition,
        home: usize,
    ) {
        let name = &definition.name.text;
        if self.errors.contains_key(name) {
            return;
        }
        let carried = writer.lowering.parameters(it.parameters.as_ref(), home).unwrap_or_default();
        let mut properties = Map::from_iter([("error".to_owned(), json!({"const": name}))]);
        properties.insert("message".to_owned(), json!({"type": "string"}));
        if it.parameters.is_some() {
            properties.insert("params".to_owned(), writer.object(carried).into());
        }
        let source = writer.lowering.document(home);
        let words = it.properties.iter().map(|it| (it.name.text.clone(), json!(source.text(it.value.span))));
        let words: Map<String, Value> = words.collect();
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "required": ["error", "message"],
            "x-ailang-error": words,
        });
        if !definition.documentation.text.is_empty() {
            schema["description"] = json!(definition.documentation.text);
        }
        self.errors.insert(name.clone(), schema);
    }

    fn capability<'a>(
        &mut self,
        writer: &mut SchemaWriter<'_, 'a>,
        definition: &'a Definition,
        it: &'a Capability,
        home: usize,
    ) {
        let name = &definition.name.text;
        if self.capabilities.contains_key(name) {
            return;
        }
        let mut row = Map::new();
        if !definition.documentation.text.is_empty() {
            row.insert("description".to_owned(), json!(definition.documentation.text));
        }
        self.capabilities.insert(name.clone(), Value::Null);
        match it {
            Capability::Composed(parts) => {
                row.insert("parts".to_owned(), self.requirements(writer, parts).into());
            }
            Capability::Declared { ask, scope, parameters, .. } => {
                row.extend(ask.as_ref().map(|it| ("ask".to_owned(), json!(literal_text(it)))));
                if let Some(scope) = scope {
                    let scopes: Vec<String> = scope.iter().map(literal_text).collect();
                    row.insert("scope".to_owned(), json!(scopes));
                }
                if !parameters.is_empty() {
                    let limits = writer.lowering.limits(parameters, home);
                    row.insert("parameters".to_owned(), writer.object(limits).into());
                }
            }
        }
        self.capabilities.insert(name.clone(), row.into());
    }

    /// Returns the required capabilities. Every imported tool requires `ToolExecution` if it requires nothing else,
    /// so that one is implied.
    fn requirements<'a>(
        &mut self,
        writer: &mut SchemaWriter<'_, 'a>,
        expression: &'a CapabilityExpression,
    ) -> Vec<Value> {
        let mut requirements = Vec::new();
        for (path, arguments) in expression.atoms() {
            let Some((definition, home)) = writer.meant(path) else { continue };
            let DefinitionKind::Capability(it) = &definition.kind else { continue };
            if home != writer.lowering.prelude_home() {
                self.capability(writer, definition, it, home);
            } else if definition.name.text == "ToolExecution" {
                continue;
            }
            let mut limits = Map::new();
            for (index, argument) in arguments.iter().enumerate() {
                let name = argument.name.as_ref().map(|it| it.text.clone()).or_else(|| match it {
                    Capability::Declared { parameters, .. } => Some(parameters.get(index)?.name.text.clone()),
                    Capability::Composed(_) => None,
                });
                limits.extend(name.map(|name| (name, texts(&argument.value))));
            }
            let mut requirement = json!({"capability": definition.name.text});
            if !limits.is_empty() {
                requirement["arguments"] = limits.into();
            }
            requirements.push(requirement);
        }
        requirements
    }
}

fn tags(writer: &mut SchemaWriter<'_, '_>, definition: &Definition) -> Vec<String> {
    let mut tags = Vec::new();
    for tag in &definition.documentation.tags {
        let text = format!("@{} {}", tag.name, tag.text).trim().to_owned();
        if !TAGS.contains(&tag.name.as_str()) {
            let place = writer.place(tag.span);
            writer.remarks.lost(&place, text, "the tag is about programs");
        } else if tag.name != "deprecated" || !tag.text.is_empty() {
            tags.push(text);
        }
    }
    tags
}

fn content(schema: Schema) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn texts(literal: &Literal) -> Value {
    match &literal.kind {
        LiteralKind::List(items) => items.iter().map(|it| Value::from(literal_text(it))).collect(),
        _ => json!([literal_text(literal)]),
    }
}

fn literal_text(literal: &Literal) -> String {
    match &literal.kind {
        LiteralKind::Text(text) => text.clone(),
        LiteralKind::Number(number) => number.to_string(),
        LiteralKind::Bool(value) => value.to_string(),
        LiteralKind::Name(path) => path.text(),
        _ => String::new(),
    }
}
