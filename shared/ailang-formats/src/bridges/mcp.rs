//! Tools of the Model Context Protocol, as `tools/list` returns them.

use ailang::schema::Schema;
use ailang::syntax::{
    CapabilityTerm, Definition, DefinitionKind, Documentation, Member, MemberKind, Parameter, Parameters,
    Tool,
};
use ailang::{LONGEST_NAME, plain, visible_line};
use serde_json::{Map, Value, json};
use source_text::Span;

use super::definitions::{SchemaWriter, WIRE_NAME, wire_name};
use super::document::identity;
use super::draft::{Draft, DraftItem, Header};
use super::format::ImportError;
use super::identifier::small_name;
use super::node::{named, requirement};
use super::read::{SchemaReader, is_closed};
use super::words;

/// The hints of MCP with the tags that mean the same.
const HINTS: &[(&str, &str)] = &[
    ("readOnlyHint", "readOnly"),
    ("destructiveHint", "destructive"),
    ("idempotentHint", "idempotent"),
    ("openWorldHint", "openWorld"),
];

/// The field of `execution`, and the tag with its value.
const TASK_SUPPORT: &str = "taskSupport";

/// The maximum number of tools.
const MOST_TOOLS: usize = 5_000;

pub(super) fn export(writer: &mut SchemaWriter<'_, '_>) -> Value {
    let each: Vec<Value> =
        writer.tools().into_iter().map(|(definition, tool)| one(writer, definition, tool)).collect();
    let reached: Vec<String> = writer.written().keys().cloned().collect();
    writer.lose(
        |kind| matches!(kind, DefinitionKind::Error(_) | DefinitionKind::Capability(_)),
        "tools of MCP declare neither errors nor permissions",
    );
    let is_unused = |it: &&Definition| {
        matches!(it.kind, DefinitionKind::Type(_) | DefinitionKind::Enum(_))
            && !reached.contains(&it.name.text)
    };
    for definition in writer.document.definitions().filter(is_unused) {
        let place = writer.place(definition.name.span);
        writer.remarks.lost(
            &place,
            format!("the type `{}`", definition.name.text),
            "no tool's schema names it",
        );
    }
    writer.lose_words();
    let front_matter = &writer.document.front_matter;
    let mut about = identity(front_matter);
    about.extend(front_matter.title.as_ref().map(|it| ("title".to_owned(), json!(it.value))));
    about.extend(front_matter.summary.as_ref().map(|it| ("description".to_owned(), json!(it.value))));
    json!({"tools": each, "_meta": {"ailang/document": about}})
}

fn one<'a>(writer: &mut SchemaWriter<'_, 'a>, definition: &'a Definition, tool: &'a Tool) -> Value {
    let documentation = &definition.documentation;
    let name = wire_name(documentation).unwrap_or(&definition.name.text);
    let mut row = Map::from_iter([("name".to_owned(), json!(name))]);
    if !documentation.text.is_empty() {
        row.insert("description".to_owned(), json!(documentation.text));
    }
    let arguments = writer.arguments(tool);
    row.insert("inputSchema".to_owned(), with_definitions(writer, arguments));
    if let Some(schema) = writer.result(tool) {
        let schema = with_definitions(writer, schema);
        let takes_all = schema.as_object().is_some_and(Map::is_empty);
        if schema.get("type") == Some(&json!("object")) {
            row.insert("outputSchema".to_owned(), schema);
        } else if !takes_all {
            let place = writer.place(definition.name.span);
            let what = format!("the result of `{}`", definition.name.text);
            writer.remarks.lost(&place, what, "structured results are objects");
        }
    }
    let hints = hints(writer, definition);
    if !hints.is_empty() {
        row.insert("annotations".to_owned(), hints.into());
    }
    if let Some(tag) = documentation.tag(TASK_SUPPORT) {
        row.insert("execution".to_owned(), json!({TASK_SUPPORT: tag.text.trim()}));
    }
    let terms = tool.requires.iter().flat_map(|it| &it.terms);
    let is_implied = |it: &CapabilityTerm| matches!(it, CapabilityTerm::Named { path, .. } if path.text() == "ToolExecution");
    if !terms.into_iter().all(is_implied) || !tool.throws.is_empty() {
        let place = writer.place(definition.name.span);
        let what = format!("`requires` and `throws` of `{}`", definition.name.text);
        writer.remarks.lost(&place, what, "tools of MCP declare neither errors nor permissions");
    }
    row.into()
}

/// Adds the named types that a schema needs. A result that is a named type is written out.
fn with_definitions(writer: &mut SchemaWriter<'_, '_>, schema: Schema) -> Value {
    let mut schema = Value::from(schema);
    let needed = writer.needed(&schema);
    let whole = schema["$ref"].as_str().and_then(|it| needed.get(it.trim_start_matches("#/$defs/")));
    if let Some(whole) = whole {
        schema = whole.clone();
        if let Value::Object(keywords) = &mut schema {
            // The type may not be among the definitions any more, and a result has no comment.
            keywords.shift_remove("description");
        }
    }
    let needed = writer.needed(&schema);
    if !needed.is_empty() {
        schema["$defs"] = needed.into();
    }
    schema
}

fn hints(writer: &mut SchemaWriter<'_, '_>, definition: &Definition) -> Map<String, Value> {
    let mut hints = Map::new();
    let kept = [WIRE_NAME, TASK_SUPPORT];
    for tag in definition.documentation.tags.iter().filter(|it| !kept.contains(&it.name.as_str())) {
        match HINTS.iter().find(|(_, name)| *name == tag.name) {
            Some((hint, _)) => drop(hints.insert((*hint).to_owned(), json!(true))),
            None => {
                if tag.name == "pure" {
                    hints.insert("readOnlyHint".to_owned(), json!(true));
                }
                let place = writer.place(tag.span);
                writer.remarks.lost(
                    &place,
                    format!("@{} {}", tag.name, tag.text).trim(),
                    "MCP has no such hint",
                );
            }
        }
    }
    hints
}

/// Reads a result of `tools/list`, the message around it, or the list alone.
pub(super) fn import(root: &Value) -> Result<Draft, ImportError> {
    let (at, result) = match root {
        Value::Object(it) if it.contains_key("result") => ("/result", &root["result"]),
        _ => ("", root),
    };
    let (at, tools) = match result {
        Value::Array(tools) => (at.to_owned(), tools),
        result => match result.get("tools") {
            Some(Value::Array(tools)) => (format!("{at}/tools"), tools),
            _ => {
                return Err(ImportError(
                    "it has no list `tools`, as a result of `tools/list` has".to_owned(),
                ));
            }
        },
    };
    if tools.len() > MOST_TOOLS {
        return Err(ImportError(format!("it has {} tools; at most {MOST_TOOLS} are read", tools.len())));
    }
    let mut reader = ToolReader { schemas: SchemaReader::new(root), tools: Vec::new() };
    if result.get("nextCursor").is_some_and(Value::is_string) {
        reader.schemas.remarks.lost("/nextCursor", "the next pages of tools", "they are not in this file");
    }
    for (index, tool) in tools.iter().enumerate() {
        reader.tool(tool, &format!("{at}/{index}"));
    }
    reader.schemas.read_pending();
    for index in 0..tools.len() {
        for schema in ["inputSchema", "outputSchema"] {
            reader.schemas.report_unused(&format!("{at}/{index}/{schema}"));
        }
    }
    let about = &result["_meta"]["ailang/document"];
    let header = Header::described(
        about,
        about,
        Some("MCP tools"),
        "/_meta/ailang~1document",
        &mut reader.schemas.remarks,
    );
    let summary =
        if header.summary.is_empty() { "Tools of an MCP server.".to_owned() } else { header.summary.clone() };
    let title = if header.title.is_empty() { "MCP tools".to_owned() } else { header.title.clone() };
    let items = reader.schemas.types.into_iter().chain(reader.tools).collect();
    let header = Header { title, summary, ..header };
    Ok(Draft { header, prose: String::new(), items, remarks: reader.schemas.remarks })
}

/// A reader of tools.
struct ToolReader<'v> {
    schemas: SchemaReader<'v>,
    tools: Vec<DraftItem>,
}

impl<'v> ToolReader<'v> {
    fn tool(&mut self, row: &'v Value, at: &str) {
        let Some(wire_name) = row.get("name").and_then(Value::as_str) else {
            self.schemas.remarks.lost(at, "a tool", "it has no name");
            return;
        };
        let name = self.schemas.taken.free(small_name(wire_name, "tool"));
        if name != wire_name {
            let what = format!("the name `{}`", plain(wire_name, 60));
            self.schemas.remarks.changed(&format!("{at}/name"), what, format!("the tool is called `{name}`"));
        }
        let mut documentation = words::description(row, at, &mut self.schemas.remarks);
        keep_name(wire_name, &name, &mut documentation);
        let execution = row.get("execution").and_then(Value::as_object).filter(|it| it.len() == 1);
        let support = execution.and_then(|it| it.get(TASK_SUPPORT)).and_then(Value::as_str);
        let support = support.filter(|it| ["forbidden", "optional", "required"].contains(it));
        documentation.tags.extend(support.map(|it| words::tag(TASK_SUPPORT, it)));
        self.hints(row, at, &mut documentation);
        let input = format!("{at}/inputSchema");
        self.schemas.base.clone_from(&input);
        let members = match row.get("inputSchema").and_then(Value::as_object) {
            Some(keywords) => self.schemas.argument_fields(keywords, &input),
            None => Vec::new(),
        };
        let parameters = self.schemas.parameters(members, &input);
        let returns = row.get("outputSchema").map(|schema| {
            let output = format!("{at}/outputSchema");
            self.schemas.base.clone_from(&output);
            self.schemas.part(schema, &output)
        });
        for key in row.as_object().into_iter().flat_map(Map::keys) {
            let is_read = matches!(
                key.as_str(),
                "name" | "description" | "inputSchema" | "outputSchema" | "annotations"
            );
            let says_nothing =
                key == "title" && row.get("description").is_none() || key == "execution" && support.is_some();
            if !(is_read || says_nothing) {
                self.schemas.remarks.lost(
                    at,
                    format!("`{}`", plain(key, 40)),
                    "documents have no counterpart",
                );
            }
        }
        let requires = vec![requirement("ToolExecution", Vec::new())];
        self.schemas.remarks.added(
            at,
            "requires ToolExecution",
            "hints of a server are no permission, so the user is asked",
        );
        let returns = Some(returns.unwrap_or_else(|| named("any")));
        let tool = Tool { parameters, returns, requires, throws: Vec::new(), body: None };
        self.tools.push(DraftItem::new(&name, DefinitionKind::Tool(tool), documentation, at));
    }

    fn hints(&mut self, row: &Value, at: &str, documentation: &mut Documentation) {
        let Some(hints) = row.get("annotations").and_then(Value::as_object) else { return };
        let reads = hints.get("readOnlyHint") == Some(&Value::Bool(true));
        for (hint, value) in hints {
            match HINTS.iter().find(|(name, _)| name == hint) {
                Some((_, tag)) if *value == Value::Bool(true) => documentation.tags.push(words::tag(tag, "")),
                Some(_) if *value == Value::Bool(false) && is_default(hint, reads) => {}
                _ => {
                    let what = format!("the annotation `{}`", plain(&format!("{hint}: {value}"), 80));
                    self.schemas.remarks.lost(at, what, "no tag says that");
                }
            }
        }
    }
}

/// Keeps a name that documents spell differently, in a tag from which exports read it.
fn keep_name(wire_name: &str, name: &str, documentation: &mut Documentation) {
    if name != wire_name
        && visible_line(wire_name, LONGEST_NAME) == wire_name
        && wire_name.trim() == wire_name
    {
        documentation.tags.push(words::tag(WIRE_NAME, wire_name));
    }
}

/// Returns `true` for a hint whose `false` says nothing: its default is false, or it is only about tools that write.
fn is_default(hint: &str, reads: bool) -> bool {
    match hint {
        "readOnlyHint" | "idempotentHint" => true,
        "destructiveHint" => reads,
        _ => false,
    }
}

impl<'v> SchemaReader<'v> {
    /// Returns the fields of an object of arguments.
    pub(super) fn argument_fields(
        &mut self,
        keywords: &'v super::read::keyword::Keywords,
        at: &str,
    ) -> Vec<Member> {
        const BESIDE: &[&str] = &[
            "$ref",
            "allOf",
            "anyOf",
            "oneOf",
            "const",
            "enum",
            "minProperties",
            "maxProperties",
            "default",
            "description",
            "title",
        ];
        for key in BESIDE.iter().filter(|it| keywords.contains_key(**it)) {
            self.remarks.lost(at, format!("`{key}`"), "arguments are the declared fields alone");
        }
        if !is_closed(keywords) {
            self.report_open(keywords, at, "arguments are the declared fields alone");
        }
        let mut others = keywords.clone();
        others.retain(|key, _| key != "title");
        self.report_unknown(&others, at);
        self.fields(keywords, at)
    }

    /// Returns parameters with identifiers as names, required ones first.
    pub(super) fn parameters(&mut self, members: Vec<Member>, at: &str) -> Parameters {
        let mut taken = super::identifier::TakenNames::default();
        let mut list = Vec::new();
        for member in members {
            let MemberKind::Field { optional, ty } = member.kind else { continue };
            let name = taken.free(small_name(&member.name.text, "argument"));
            if name != member.name.text {
                let what = format!("the name `{}`", plain(&member.name.text, 60));
                self.remarks.changed(at, what, format!("the parameter is called `{name}`"));
            }
            let (mut documentation, span) = (member.documentation, Span::default());
            keep_name(&member.name.text, &name, &mut documentation);
            let name = super::node::name(&name);
            list.push(Parameter { name, optional, ty: Some(ty), documentation, span });
        }
        list.sort_by_key(|it| !it.is_required());
        Parameters { list, elided: false, span: Span::default() }
    }
}
