//! The front matter of skills.

use ailang::front_matter::FieldValue;
use ailang::{Loading, plain};

use super::text::{LONGEST_DESCRIPTION, MARK, quoted};
use crate::bridges::draft::Header;
use crate::bridges::identifier::document_id;
use crate::bridges::remark::Remarks;

/// The front matter of a skill.
#[derive(Default)]
pub(super) struct SkillHeader {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) header: Header,
    loading: Option<Loading>,
    related: Vec<String>,
    /// The path of the document that the skill is a view of.
    pub(super) document: Option<String>,
    pub(super) is_ours: bool,
}

impl SkillHeader {
    /// Reads a field; reports one that documents do not have.
    pub(super) fn field(&mut self, key: &str, value: FieldValue, remarks: &mut Remarks) {
        match (key, value) {
            ("name", FieldValue::Text(text)) => self.name = text,
            ("description", FieldValue::Text(text)) => self.description = text,
            ("metadata", FieldValue::Map(fields)) => {
                self.is_ours = fields.iter().any(|(key, _)| key == MARK);
                for (key, value) in fields {
                    self.metadata(&key, value, remarks);
                }
            }
            ("allowed-tools", _) => remarks.lost(
                "/allowed-tools",
                "`allowed-tools`",
                "a document does not grant anything; tools require capabilities",
            ),
            (key, _) => {
                remarks.lost(
                    &format!("/{}", plain(key, 40)),
                    format!("`{}`", plain(key, 40)),
                    "documents have no such field",
                );
            }
        }
    }

    fn metadata(&mut self, key: &str, value: String, remarks: &mut Remarks) {
        let items = |value: &str| {
            value.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
        };
        match key {
            MARK => {}
            "ailang-document" => self.document = Some(value),
            "id" => self.header.id = value,
            "title" => self.header.title = value,
            "version" if semver::Version::parse(&value).is_ok() => {
                self.header.version = semver::Version::parse(&value).ok();
            }
            "loading" => {
                self.loading = Loading::parse(&value).filter(|it| *it != Loading::ByRule);
            }
            "keywords" => self.header.keywords = items(&value),
            "related" if self.is_ours => self.related = items(&value),
            other => {
                let other = plain(other, 40);
                remarks.lost(
                    &format!("/metadata/{other}"),
                    format!("`{other}`"),
                    "documents have no such field",
                );
            }
        }
    }

    /// Returns the front matter of the document.
    pub(super) fn front_matter(&self, remarks: &mut Remarks) -> String {
        let is_id = |id: &str| {
            document_id(id).eq_ignore_ascii_case(&id.replace('_', "-"))
                && id.starts_with(|char: char| char.is_ascii_lowercase())
        };
        let id = if self.is_ours && is_id(&self.header.id) {
            self.header.id.clone()
        } else {
            document_id(&self.name)
        };
        if id != self.name && !self.is_ours {
            remarks.changed(
                "/name",
                format!("the name `{}`", plain(&self.name, 60)),
                format!("the id is `{id}`"),
            );
        }
        if plain(&self.description, 500) != plain(&self.description, LONGEST_DESCRIPTION) {
            remarks.lost(
                "/description",
                "the end of the description",
                "summaries have at most 500 characters",
            );
        }
        let mut text = format!(
            "---\nid: {id}\ntitle: {}\nsummary: {}\n",
            quoted(&self.header.title, 120),
            quoted(&self.description, 500)
        );
        if let Some(loading) = self.loading {
            text.push_str(&format!("loading: {}\n", loading.name()));
        }
        let list = |items: &[String]| items.iter().map(|it| quoted(it, 80)).collect::<Vec<_>>().join(", ");
        for (key, items) in [("keywords", &self.header.keywords), ("related", &self.related)] {
            if !items.is_empty() {
                text.push_str(&format!("{key}: [{}]\n", list(items)));
            }
        }
        if let Some(version) = &self.header.version {
            text.push_str(&format!("version: {version}\n"));
        }
        text + "---\n"
    }
}
