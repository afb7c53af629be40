//! The target JSON Schema: one file with all types, errors and tools in `$defs`.
//!
//! Capabilities, errors of tools and advice for recovery are annotations that start with `x-ailang-`.

use ailang::schema::{DIALECT, Schema, Writer};
use ailang::{Code, Diagnostics};
use dialect::Type;
use serde_json::{Map, Value, json};

use super::model::{ErrorType, Message, Model, NamedType, Piece, ToolModel};
use super::options::GenerateOptions;
use super::target::{Target, header};

/// The target.
#[derive(Debug)]
pub(super) struct JsonSchema;

impl Target for JsonSchema {
    fn print(&self, model: &Model, options: &GenerateOptions, diagnostics: &mut Diagnostics) -> String {
        let behind = |name: &str| model.named(name).map(|it| it.ty.clone());
        let mut writer = Writer::new(&behind, false);
        writer.refines = options.validators;
        let mut file = File { model, options, writer, diagnostics };
        let whole = file.print();
        format!("{whole:#}\n")
    }

    fn indentation(&self) -> Option<usize> {
        Some(2)
    }
}

/// A file that is being printed.
struct File<'a> {
    model: &'a Model,
    options: &'a GenerateOptions,
    writer: Writer<'a>,
    diagnostics: &'a mut Diagnostics,
}

impl File<'_> {
    fn print(&mut self) -> Value {
        let model = self.model;
        if self.options.types {
            for it in &model.types {
                self.written(&it.name, &Type::Named(it.name.as_str().into()));
            }
        }
        let mut others = Schema::new();
        if self.options.errors {
            others
                .extend(model.errors.iter().filter_map(|it| Some((it.name.clone(), self.error(it)?.into()))));
        }
        for tool in &model.tools {
            let (input, output) = (self.input(tool), self.written(&tool.name, &tool.returns));
            if let (Some(input), Some(output)) = (input, output) {
                others.insert(format!("{}.input", tool.name), input.into());
                others.insert(format!("{}.output", tool.name), output.into());
            }
        }
        let mut whole = Map::from_iter([
            ("$schema".to_owned(), json!(DIALECT)),
            ("$comment".to_owned(), json!(header(model))),
        ]);
        if self.options.documentation {
            for (key, text) in [("title", &model.title), ("description", &model.summary)] {
                describe(&mut whole, key, text);
            }
        }
        if self.options.capabilities && !model.capabilities.is_empty() {
            whole.insert("x-ailang-capabilities".to_owned(), self.capabilities());
        }
        // Types with functions were left out above, and the others are declared and as shallow as documents.
        let mut definitions = self.writer.definitions().unwrap_or_default();
        for it in model.types.iter().filter(|_| self.options.documentation) {
            if let Some(Value::Object(schema)) = definitions.get_mut(&it.name) {
                comments(schema, it);
            }
        }
        definitions.extend(others);
        whole.insert("$defs".to_owned(), definitions.into());
        whole.into()
    }

    /// Writes the schema of a type; `None` after a warning if it has none.
    fn written(&mut self, name: &str, ty: &Type) -> Option<Schema> {
        let written = match self.model.has_function(ty) {
            true => Err("functions are no data and have no schema".to_owned()),
            false => self.writer.schema(ty).map_err(|error| error.to_string()),
        };
        let report = |why| {
            super::target::warn(self.diagnostics, Code::FUNCTION, format!("`{name}` is left out: {why}"));
        };
        written.map_err(report).ok()
    }

    fn input(&mut self, tool: &ToolModel) -> Option<Schema> {
        let mut schema = self.written(&tool.name, &tool.input())?;
        if self.options.documentation {
            describe(&mut schema, "description", &tool.docs);
            describe_properties(&mut schema, &tool.parts);
            if tool.deprecated.is_some() {
                schema.insert("deprecated".to_owned(), true.into());
            }
        }
        if self.options.capabilities && !tool.requires.is_empty() {
            let requires = tool.requires.iter().map(|it| match it.restrictions.is_empty() {
                true => json!({"capability": it.capability}),
                false => json!({"capability": it.capability, "restrictions": it.restrictions}),
            });
            schema.insert("x-ailang-requires".to_owned(), requires.collect());
        }
        if self.options.errors && !tool.throws.is_empty() {
            schema.insert("x-ailang-throws".to_owned(), json!(tool.throws));
        }
        Some(schema)
    }

    /// Returns the schema of the JSON of a thrown error.
    fn error(&mut self, error: &ErrorType) -> Option<Schema> {
        let params = self.written(&error.name, &error.input())?;
        let mut schema = Schema::new();
        if self.options.documentation {
            describe(&mut schema, "description", &error.docs);
        }
        let object = json!({
            "type": "object",
            "properties": {
                "error": {"const": error.name},
                "params": params,
                "message": {"type": "string"},
                "recovery": {"type": "string"},
                "retryable": {"type": "boolean"},
                "retryAfter": {"type": "number"},
            },
            "required": ["error", "message"],
            "x-ailang-message": spelled(&error.message),
            "x-ailang-retryable": error.retryable,
        });
        schema.extend(object.as_object().cloned().unwrap_or_default());
        for (key, message) in
            [("x-ailang-recovery", &error.recovery), ("x-ailang-user-message", &error.user_message)]
        {
            schema.extend(message.as_ref().map(|it| (key.to_owned(), spelled(it).into())));
        }
        schema.extend(error.max_retries.map(|it| ("x-ailang-max-retries".to_owned(), it.into())));
        Some(schema)
    }

    fn capabilities(&self) -> Value {
        let each = self.model.capabilities.iter().map(|it| {
            let scopes: Vec<&str> = it.scopes.iter().map(|it| it.name()).collect();
            (it.id.clone(), json!({"ask": it.ask, "scope": scopes}))
        });
        Value::Object(each.collect())
    }
}

/// Adds the comments of a type, and of its fields.
fn comments(schema: &mut Schema, it: &NamedType) {
    describe(schema, "description", &it.docs);
    describe_properties(schema, &it.parts);
}

fn describe_properties(schema: &mut Schema, parts: &std::collections::BTreeMap<String, String>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        if let (Value::Object(property), Some(docs)) = (property, parts.get(name)) {
            describe(property, "description", docs);
        }
    }
}

fn describe(schema: &mut Schema, key: &str, text: &str) {
    if !text.is_empty() {
        schema.insert(key.to_owned(), text.into());
    }
}

/// Returns a message as documents spell it.
fn spelled(message: &Message) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Formula(_, spelled) => format!("${{{spelled}}}"),
    };
    message.iter().map(piece).collect()
}
