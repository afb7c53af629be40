//! Documents as the objects that `parser` describes, at a level of detail.

use std::sync::Arc;

use ailang::syntax::{Definition, DefinitionKind};
use ailang::{Detail, Document, Example, Field, Level, Section};
use serde_json::{Map, Value as Json, json};
use source_text::{Encoding, LineIndex, Span};

use crate::definitions::{Printed, names};
use crate::program::Program;

/// The fields of a document that list definitions of one kind.
const KINDS: [(&str, &str); 5] = [
    ("tools", "tool"),
    ("types", "type"),
    ("enums", "enum"),
    ("errors", "error"),
    ("capabilities", "capability"),
];

/// Returns a document with what `detail` selects, and remembers its text.
pub(crate) fn parsed(
    program: &Program,
    document: Arc<Document>,
    path: Option<&str>,
    detail: &Detail,
) -> Json {
    let hash = program.remember(Arc::clone(&document), path);
    let mut fields = view(&document, path, detail);
    fields["hash"] = hash.into();
    fields
}

/// Returns a document with what `detail` selects.
pub(crate) fn view(document: &Document, path: Option<&str>, detail: &Detail) -> Json {
    let definitions = definitions(document, path, detail);
    let mut fields = json!({
        "metadata": metadata(document, Some(detail.level)),
        "prose": document.prose(detail),
        "definitions": definitions,
        "examples": examples(document, detail),
        "rules": rules(document),
    });
    for (name, kind) in KINDS {
        fields[name] = definitions.iter().filter(|it| it["kind"] == kind).cloned().collect();
    }
    if let Some(path) = path {
        fields["path"] = path.into();
    }
    fields
}

/// Returns the front matter.
pub(crate) fn metadata(document: &Document, level: Option<Level>) -> Json {
    let it = &document.front_matter;
    let text = |field: &Option<Field<String>>| field.as_ref().map(|it| it.value.clone());
    let list = |fields: &[Field<String>]| fields.iter().map(|it| it.value.clone()).collect::<Vec<_>>();
    let version = it.version.as_ref().map(|it| it.value.to_string());
    let optional = [
        ("id", text(&it.id)),
        ("title", text(&it.title)),
        ("summary", text(&it.summary)),
        ("version", version),
        ("loadedAtLevel", level.map(|it| it.name().to_owned()).map(capitalized)),
    ];
    let mut fields: Map<String, Json> =
        optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
    fields.insert("loading".to_owned(), it.loading().name().into());
    fields.insert("keywords".to_owned(), list(&it.keywords).into());
    fields.insert("related".to_owned(), list(&it.related).into());
    if !it.size_hints.is_empty() {
        let hints = it.size_hints.iter().map(|(level, size)| (level.name().to_owned(), (*size).into()));
        fields.insert("size_hints".to_owned(), Json::Object(hints.collect()));
    }
    fields.into()
}

/// Returns a level as programs spell it: `Minimal`.
pub(crate) fn level_name(level: Level) -> String {
    capitalized(level.name().to_owned())
}

fn capitalized(mut name: String) -> String {
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// Returns the definitions that `detail` selects.
pub(crate) fn definitions(document: &Document, path: Option<&str>, detail: &Detail) -> Vec<Json> {
    let shown = Document::parse(document.extract(detail));
    let index = LineIndex::new(&document.source);
    let printed = Printed { shown: &shown, path };
    let has_names = detail.level >= Level::Compact && !detail.exclude.contains(&Section::Tools);
    let one = |it: &Definition| {
        let line = line(document, &index, it.name.span);
        if let Some(shown) = shown.definitions().find(|shown| shown.name.text == it.name.text) {
            return Some(printed.definition(shown, Some(line)));
        }
        match &it.kind {
            DefinitionKind::Tool(tool) if has_names => Some(names(it, tool, line, path)),
            _ => None,
        }
    };
    document.definitions().filter_map(one).collect()
}

/// Returns the examples that `detail` selects.
pub(crate) fn examples(document: &Document, detail: &Detail) -> Vec<Json> {
    let is_in = detail.level >= Level::Detailed || detail.include.contains(&Section::Examples);
    if !is_in || detail.exclude.contains(&Section::Examples) {
        return Vec::new();
    }
    let index = LineIndex::new(&document.source);
    document.examples.iter().map(|it| example(document, &index, it)).collect()
}

fn example(document: &Document, index: &LineIndex, it: &Example) -> Json {
    let code: Vec<&str> = it.code.iter().map(|span| document.text(*span).trim()).collect();
    let code = code.join("\n");
    let attribute = |name: &str| it.attribute(name).and_then(|it| it.value.clone());
    let outputs = it.attachments.iter().filter(|it| it.kind.eq_ignore_ascii_case("output"));
    let output: String = outputs.map(|it| document.text(it.body)).collect();
    let optional = [
        ("id", it.id().map(str::to_owned)),
        ("toolName", it.tool().map(str::to_owned).or_else(|| first_tool(document, &code))),
        ("description", attribute("description").or_else(|| attribute("title"))),
        ("output", Some(output.trim_end().to_owned()).filter(|it| !it.is_empty())),
    ];
    let mut fields: Map<String, Json> =
        optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
    fields.insert("code".to_owned(), code.into());
    fields.insert("line".to_owned(), line(document, index, it.span).into());
    fields.into()
}

/// Returns the tool of the document that code calls first.
fn first_tool(document: &Document, code: &str) -> Option<String> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    let called = |name: &str| {
        code.match_indices(name).map(|(at, _)| at).find(|at| {
            !code[..*at].ends_with(is_part) && code[at + name.len()..].trim_start().starts_with('(')
        })
    };
    let tools = document.definitions().filter(|it| matches!(it.kind, DefinitionKind::Tool(_)));
    let calls = tools.filter_map(|it| Some((called(&it.name.text)?, it.name.text.clone())));
    calls.min().map(|(_, name)| name)
}

fn rules(document: &Document) -> Vec<Json> {
    let rule = |it: &ailang::Rule| {
        let mut rule = json!({"when": it.when.name(), "pattern": it.pattern.value});
        if let Some(level) = it.level {
            rule["level"] = level_name(level).into();
        }
        rule
    };
    document.front_matter.rules.iter().map(rule).collect()
}

/// Returns the line on which a span starts, from 1.
pub(crate) fn line(document: &Document, index: &LineIndex, span: Span) -> usize {
    index.position(&document.source, span.start, Encoding::Utf32).0 + 1
}
