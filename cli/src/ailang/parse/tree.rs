//! The declarations of a document as JSON. The format has a version, `ailangAst`.

use ailang::syntax::{
    CapabilityExpression, Definition, DefinitionKind, Documentation, Parameter, Parameters,
};
use ailang::{Detail, Document, Example, Field, Level};
use serde_json::{Map, Value, json};
use source_text::{Encoding, LineIndex, Span};

/// The version of the format. Fields may be added; their meaning does not change.
const VERSION: u32 = 1;

/// Returns a document at a level of detail. The levels add: front matter, names, declarations, comments and
/// examples, all prose. Syntax errors are part of each.
pub(super) fn document(path: &str, document: &Document, level: Level) -> Value {
    let index = LineIndex::new(&document.source);
    let mut tree = front_matter(path, document, level);
    if level >= Level::Compact {
        let shown = document.definitions().filter(|it| level > Level::Compact || parameters(it).is_some());
        let each: Vec<Value> = shown.map(|it| definition(document, &index, it, level)).collect();
        tree.insert("definitions".to_owned(), each.into());
    }
    if level >= Level::Detailed {
        let each: Vec<Value> = document.examples.iter().map(|it| example(document, &index, it)).collect();
        tree.insert("examples".to_owned(), each.into());
    }
    if level >= Level::Standard {
        tree.insert("prose".to_owned(), document.prose(&Detail::from(level)).into());
    }
    let diagnostics: Vec<Value> =
        document.diagnostics.iter().map(|it| it.to_json(path, &document.source, &index)).collect();
    tree.insert("diagnostics".to_owned(), diagnostics.into());
    tree.into()
}

fn front_matter(path: &str, document: &Document, level: Level) -> Map<String, Value> {
    let it = &document.front_matter;
    let text = |field: &Option<Field<String>>| field.as_ref().map(|it| it.value.clone());
    let keywords: Vec<&str> = it.keywords.iter().map(|it| it.value.as_str()).collect();
    let related: Vec<&str> = it.related.iter().map(|it| it.value.as_str()).collect();
    let all = [
        ("ailangAst", json!(VERSION)),
        ("path", json!(path)),
        ("level", json!(level.name())),
        ("id", json!(text(&it.id))),
        ("title", json!(text(&it.title))),
        ("summary", json!(text(&it.summary))),
        ("loading", json!(it.loading().name())),
        ("keywords", json!(keywords)),
        ("related", json!(related)),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

/// Returns the parameters of a tool; `None` for other definitions.
pub(super) fn parameters(definition: &Definition) -> Option<&Parameters> {
    match &definition.kind {
        DefinitionKind::Tool(tool) => Some(&tool.parameters),
        _ => None,
    }
}

fn definition(document: &Document, index: &LineIndex, it: &Definition, level: Level) -> Value {
    let mut tree = Map::new();
    let mut put = |name: &str, value: Value| _ = tree.insert(name.to_owned(), value);
    put("kind", it.kind.keyword().into());
    put("name", it.name.text.as_str().into());
    put("line", line(document, index, it.name.span).into());
    if let DefinitionKind::Tool(tool) = &it.kind {
        let each = tool.parameters.list.iter().map(|it| parameter(document, it, level));
        put("parameters", each.collect());
        if level > Level::Compact {
            put("returns", tool.returns.as_ref().map(|ty| document.text(ty.span)).into());
            let atoms = tool.requires.iter().flat_map(CapabilityExpression::atoms);
            put("requires", atoms.map(|(path, _)| path.text()).collect());
            put("throws", tool.throws.iter().map(ailang::syntax::Path::text).collect());
        }
    }
    if level > Level::Compact {
        put("declaration", document.declaration(it).into());
        put("tags", tags(&it.documentation));
    }
    if level > Level::Standard {
        put("documentation", it.documentation.text.as_str().into());
    }
    tree.into()
}

fn parameter(document: &Document, it: &Parameter, level: Level) -> Value {
    if level == Level::Compact {
        return it.name.text.as_str().into();
    }
    let ty = it.ty.as_ref().map(|ty| document.text(ty.span));
    let mut tree = json!({"name": it.name.text, "type": ty, "optional": !it.is_required()});
    if level > Level::Standard {
        tree["documentation"] = it.documentation.text.as_str().into();
    }
    tree
}

fn tags(documentation: &Documentation) -> Value {
    documentation.tags.iter().map(|tag| json!({"name": tag.name, "text": tag.text})).collect()
}

fn example(document: &Document, index: &LineIndex, it: &Example) -> Value {
    let code: Vec<&str> = it.code.iter().map(|span| document.text(*span).trim()).collect();
    let attachment = |it: &ailang::Attachment| json!({"kind": it.kind, "text": document.text(it.body)});
    json!({
        "id": it.id(),
        "tool": it.tool(),
        "line": line(document, index, it.span),
        "code": code.join("\n"),
        "attachments": it.attachments.iter().map(attachment).collect::<Vec<_>>(),
    })
}

/// Returns the line on which a span starts, from 1.
pub(super) fn line(document: &Document, index: &LineIndex, span: Span) -> usize {
    index.position(&document.source, span.start, Encoding::Utf32).0 + 1
}
