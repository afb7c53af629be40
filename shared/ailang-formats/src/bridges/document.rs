//! Documents → other formats.

use ailang::split::{Part, heading};
use ailang::syntax::DefinitionKind;
use ailang::{FrontMatter, Loading};
use serde_json::{Map, Value, json};

use super::definitions::SchemaWriter;
use super::remark::Remark;

/// A document in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The files; the first is the main one.
    pub files: Vec<ExportedFile>,
    /// The differences from the document.
    pub remarks: Vec<Remark>,
}

/// A file of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// The path inside the folder of the result, with `/`.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Returns the id of a document, or a word in its place.
pub(super) fn id(front_matter: &FrontMatter) -> &str {
    front_matter.id.as_ref().map_or("document", |id| id.value.as_str())
}

/// Returns the front matter that the formats have no fields for.
pub(super) fn identity(front_matter: &FrontMatter) -> Map<String, Value> {
    let mut identity = Map::from_iter([("id".to_owned(), json!(id(front_matter)))]);
    if let Some(version) = &front_matter.version {
        identity.insert("version".to_owned(), json!(version.value.to_string()));
    }
    if !front_matter.keywords.is_empty() {
        let keywords: Vec<&str> = front_matter.keywords.iter().map(|it| it.value.as_str()).collect();
        identity.insert("keywords".to_owned(), json!(keywords));
    }
    identity
}

impl SchemaWriter<'_, '_> {
    /// Reports the parts that no format of schemas has.
    pub(super) fn lose_words(&mut self) {
        let document = self.document;
        let title = document.front_matter.title.as_ref().map(|it| it.value.as_str());
        let says_more = |text: &str| {
            let is_title = matches!(heading(text), Some((1, it)) if Some(it) == title);
            !text.is_empty() && !is_title
        };
        let prose = document.parts.iter().find_map(|part| match part {
            Part::Prose(span) if says_more(document.text(*span).trim()) => Some(*span),
            _ => None,
        });
        if let Some(span) = prose {
            let place = self.place(span);
            self.remarks.lost(&place, "the prose", "the format describes interfaces alone");
        }
        for example in &document.examples {
            let what =
                example.id().map_or_else(|| "an example".to_owned(), |id| format!("the example `{id}`"));
            let place = self.place(example.span);
            self.remarks.lost(&place, what, "the format has no place for programs");
        }
        let front_matter = &document.front_matter;
        let fields = [
            ("related", !front_matter.related.is_empty()),
            ("rules", !front_matter.rules.is_empty()),
            ("size_hints", !front_matter.size_hints.is_empty()),
            ("loading", front_matter.loading() != Loading::OnDemand),
        ];
        for (name, _) in fields.iter().filter(|(_, is_there)| *is_there) {
            let place = self.place(front_matter.span);
            self.remarks.lost(
                &place,
                format!("`{name}` of the front matter"),
                "the format has no such field",
            );
        }
        for (definition, tool) in self.tools() {
            if let Some(body) = &tool.body {
                let place = self.place(body.span);
                let what = format!("the body of `{}`", definition.name.text);
                self.remarks.lost(&place, what, "the format has no place for programs");
            }
        }
    }

    /// Reports each definition of the kinds for which `is_lost` holds.
    pub(super) fn lose(&mut self, is_lost: impl Fn(&DefinitionKind) -> bool, why: &str) {
        for definition in self.document.definitions().filter(|it| is_lost(&it.kind)) {
            let place = self.place(definition.name.span);
            let what = format!("the {} `{}`", definition.kind.keyword(), definition.name.text);
            self.remarks.lost(&place, what, why);
        }
    }
}
