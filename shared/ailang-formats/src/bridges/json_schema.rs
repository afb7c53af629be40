//! JSON Schema 2020-12: `$defs` are the types of a document.

use ailang::plain;
use ailang::schema::DIALECT;
use ailang::syntax::DefinitionKind;
use serde_json::{Map, Value, json};

use super::definitions::SchemaWriter;
use super::document::identity;
use super::draft::{Draft, Header};
use super::format::ImportError;
use super::identifier::document_id;
use super::read::SchemaReader;
use super::remark::Remarks;

pub(super) fn export(writer: &mut SchemaWriter<'_, '_>) -> Value {
    writer.name_all();
    let definitions: Map<String, Value> = writer.written().clone().into_iter().collect();
    writer.lose(
        |kind| !matches!(kind, DefinitionKind::Type(_) | DefinitionKind::Enum(_)),
        "JSON Schema describes data alone; export to OpenAPI or MCP for tools",
    );
    writer.lose_words();
    let front_matter = &writer.document.front_matter;
    let mut schema = Map::from_iter([("$schema".to_owned(), json!(DIALECT))]);
    schema.insert("$id".to_owned(), json!(format!("urn:ailang:{}", super::document::id(front_matter))));
    for (key, field) in [("title", &front_matter.title), ("description", &front_matter.summary)] {
        schema.extend(field.as_ref().map(|it| (key.to_owned(), json!(it.value))));
    }
    schema.insert("x-ailang".to_owned(), identity(front_matter).into());
    schema.insert("$defs".to_owned(), definitions.into());
    schema.into()
}

pub(super) fn import(root: &Value) -> Result<Draft, ImportError> {
    let Some(keywords) = root.as_object() else {
        return Err(ImportError("a JSON Schema is an object".to_owned()));
    };
    let mut reader = SchemaReader::new(root);
    for folder in ["$defs", "definitions"] {
        for key in keywords.get(folder).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            reader.name_of(&format!("/{folder}/{}", super::read::step(key)));
        }
    }
    let describes_a_value = keywords.keys().any(|key| !WHOLE.contains(&key.as_str()));
    if describes_a_value {
        let title = keywords.get("title").and_then(Value::as_str).unwrap_or("Root");
        reader.name_root(title);
    }
    reader.read_pending();
    if reader.types.is_empty() {
        return Err(ImportError("it describes no type: it has neither `$defs` nor `type`".to_owned()));
    }
    let id = root.get("$id").and_then(Value::as_str);
    let header = Header::described(root, &root["x-ailang"], id, "", &mut reader.remarks);
    Ok(Draft { header, prose: String::new(), items: reader.types, remarks: reader.remarks })
}

/// The keywords of a schema that is only a collection of definitions.
const WHOLE: &[&str] =
    &["$schema", "$id", "$defs", "definitions", "title", "description", "x-ailang", "$comment"];

impl Header {
    /// Returns the front matter from `title` and `description`, and from what an export of ours added.
    pub(super) fn described(
        about: &Value,
        ours: &Value,
        otherwise: Option<&str>,
        at: &str,
        remarks: &mut Remarks,
    ) -> Self {
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let title = text(about, "title");
        let names = [text(ours, "id"), title.clone(), otherwise.unwrap_or_default().to_owned()];
        let id = names.into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        let keywords = ours.get("keywords").and_then(Value::as_array).into_iter().flatten();
        // An export of ours adds a version where one is required.
        let version = if ours.is_object() { ours.get("version") } else { about.get("version") };
        let parsed = version.and_then(Value::as_str).and_then(|it| semver::Version::parse(it).ok());
        if let Some(version) = version.filter(|_| parsed.is_none()) {
            let what = format!("the version {}", plain(&version.to_string(), 60));
            remarks.lost(&format!("{at}/version"), what, "it is no semantic version such as `1.0.0`");
        }
        for key in
            ["title", "description"].into_iter().filter(|it| about.get(*it).is_some_and(|it| !it.is_string()))
        {
            remarks.lost(&format!("{at}/{key}"), format!("`{key}`"), "it is no text");
        }
        Self {
            id: document_id(&id),
            title,
            summary: text(about, "description"),
            keywords: keywords.filter_map(Value::as_str).take(50).map(str::to_owned).collect(),
            version: parsed,
        }
    }
}
