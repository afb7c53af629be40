//! Agent Skills: a folder with a `SKILL.md`, whose front matter has `name` and `description`.
//!
//! The body of a skill is Markdown, so it holds a document as it is. A large one moves to a file of its own,
//! which the skill names, because agents read the whole `SKILL.md`.

use dialect::{Level, tokens};

use super::document::{Exported, ExportedFile, id};
use super::draft::Header;
use super::format::{ImportError, Imported};
use super::identifier::document_id;
use super::remark::Remarks;
use super::words::without_tags;
use crate::Document;
use crate::documents::Documents;
use crate::extract::{Detail, Section, heading};
use crate::format::format;
use crate::front_matter::{FieldValue, values};
use crate::limits::LARGEST_DOCUMENT;
use crate::split::Part;
use crate::trust::{plain, visible};
use crate::validate::{Strictness, validate};
use source_text::Severity;

/// The recommended size of a skill's body.
const LARGEST_BODY: usize = 5_000;

/// The maximum length of a skill's name, and of its description.
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1_024;

/// The key of `metadata` that marks an export of ours.
const MARK: &str = "ailang-version";

/// The version of the language.
const LANGUAGE: &str = "0.3";

pub(super) fn export(document: &Document) -> Option<Exported> {
    let mut remarks = Remarks::default();
    let front_matter = &document.front_matter;
    let id = id(front_matter);
    let name: String = document_id(id).chars().take(LONGEST_NAME).collect();
    let name = name.trim_end_matches('-').to_owned();
    for (field, is_there) in
        [("rules", !front_matter.rules.is_empty()), ("size_hints", !front_matter.size_hints.is_empty())]
    {
        if is_there {
            remarks.lost("1:1", format!("`{field}` of the front matter"), "metadata of skills are texts");
        }
    }
    let summary = front_matter.summary.as_ref().map_or("", |it| it.value.as_str());
    let mut head =
        format!("---\nname: {name}\ndescription: {}\nmetadata:\n", quoted(summary, LONGEST_DESCRIPTION));
    for (key, value) in metadata(document, id) {
        head.push_str(&format!("  {key}: {}\n", quoted(&value, LONGEST_DESCRIPTION)));
    }
    let body: String =
        document.parts.iter().filter(|it| is_body(it)).map(|it| document.text(it.span())).collect();
    let skill = format!("{name}/SKILL.md");
    if tokens(&body) <= LARGEST_BODY {
        let text = format!("{head}---\n{body}");
        return Some(Exported {
            files: vec![ExportedFile { path: skill, text }],
            remarks: remarks.into_all(),
        });
    }
    let other = format!("references/{name}.md");
    remarks.changed(
        "1:1",
        "a body of more than 5000 tokens",
        format!("`SKILL.md` has a shorter view; {other} is the document"),
    );
    head.push_str(&format!("  ailang-document: {other}\n"));
    let text = format!("{head}---\n{}\nThe whole document is in [{other}]({other}).\n", shortened(document));
    let whole = ExportedFile { path: format!("{name}/{other}"), text: document.source.clone() };
    Some(Exported { files: vec![ExportedFile { path: skill, text }, whole], remarks: remarks.into_all() })
}

/// Returns the fields of front matter that skills do not have.
fn metadata(document: &Document, id: &str) -> Vec<(&'static str, String)> {
    let front_matter = &document.front_matter;
    let joined = |items: &[crate::Field<String>]| {
        items.iter().map(|it| it.value.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut metadata = vec![(MARK, LANGUAGE.to_owned()), ("id", id.to_owned())];
    metadata.extend(front_matter.title.as_ref().map(|it| ("title", it.value.clone())));
    metadata.extend(front_matter.version.as_ref().map(|it| ("version", it.value.to_string())));
    metadata.extend(front_matter.loading.as_ref().map(|it| ("loading", it.value.name().to_owned())));
    for (key, items) in [("keywords", &front_matter.keywords), ("related", &front_matter.related)] {
        metadata.extend((!items.is_empty()).then(|| (key, joined(items))));
    }
    metadata
}

fn is_body(part: &Part) -> bool {
    !matches!(part, Part::FrontMatter { .. } | Part::ByteOrderMark(_))
}

/// Returns the most detailed view of a document that is small enough, without front matter.
fn shortened(document: &Document) -> String {
    let view = |level: Level| {
        let exclude = std::iter::once(Section::Metadata).collect();
        let text = document.extract(&Detail { exclude, ..Detail::from(level) });
        let view = Document::parse(text);
        view.parts.iter().filter(|it| is_body(it)).map(|it| view.text(it.span())).collect::<String>()
    };
    let levels = [Level::Detailed, Level::Standard, Level::Compact];
    let small = levels.into_iter().map(view).find(|it| tokens(it) <= LARGEST_BODY);
    small.unwrap_or_else(|| view(Level::Compact))
}

pub(super) fn import(source: &str, file: impl Fn(&str) -> Option<String>) -> Result<Imported, ImportError> {
    if source.len() > LARGEST_DOCUMENT {
        return Err(ImportError(format!("it has more than {LARGEST_DOCUMENT} bytes")));
    }
    let skill = Document::parse(source);
    let yaml = skill.parts.iter().find_map(Part::front_matter);
    let yaml = yaml.ok_or_else(|| ImportError("it has no front matter between lines `---`".to_owned()))?;
    let fields = values(source, yaml)
        .ok_or_else(|| ImportError("its front matter is no mapping in YAML".to_owned()))?;
    let mut remarks = Remarks::default();
    let mut about = SkillHeader::default();
    for (key, value) in fields {
        about.field(&key.value, value.value, &mut remarks);
    }
    if about.name.is_empty() || about.description.is_empty() {
        return Err(ImportError("its front matter has no `name`, or no `description`".to_owned()));
    }
    if let Some(whole) = about.document.as_deref().filter(|_| about.is_ours).and_then(file)
        && is_valid(&whole)
    {
        let text = format(&whole).unwrap_or(whole);
        return Ok(Imported { text, remarks: remarks.into_all() });
    }
    let body: String = skill.parts.iter().filter(|it| is_body(it)).map(|it| skill.text(it.span())).collect();
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let shown = visible(&body);
    if shown != body {
        remarks.changed("", "characters that cannot be seen", "they are written as escapes");
    }
    if about.header.title.is_empty() {
        let title = shown.lines().find_map(|line| heading(line).filter(|(depth, _)| *depth == 1));
        about.header.title = title.map_or_else(|| about.name.clone(), |(_, title)| title.to_owned());
    }
    let front = about.front_matter(&mut remarks);
    let text = format!("{front}{shown}");
    let text = if about.is_ours && is_valid(&text) {
        text
    } else {
        let escaped = without_tags(&shown);
        if escaped != shown {
            let why =
                if about.is_ours { "they have errors" } else { "tags of another author declare nothing" };
            remarks.changed("", "the tags of blocks", format!("{why}; they are escaped"));
        }
        format!("{front}{escaped}")
    };
    let text = format(&text).unwrap_or(text);
    Ok(Imported { text, remarks: remarks.into_all() })
}

/// The front matter of a skill.
#[derive(Default)]
struct SkillHeader {
    name: String,
    description: String,
    header: Header,
    loading: Option<crate::Loading>,
    related: Vec<String>,
    /// The path of the document that the skill is a view of.
    document: Option<String>,
    is_ours: bool,
}

impl SkillHeader {
    fn field(&mut self, key: &str, value: FieldValue, remarks: &mut Remarks) {
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
                self.loading = crate::Loading::parse(&value).filter(|it| *it != crate::Loading::ByRule);
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

    fn front_matter(&self, remarks: &mut Remarks) -> String {
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

fn is_valid(text: &str) -> bool {
    let mut documents = Documents::new();
    documents.insert("skill.md", Document::parse(text));
    let found = validate(&documents, "skill.md", Strictness::Normal).unwrap_or_default();
    // A skill may be alone, without the documents that it imports.
    found.iter().all(|it| it.severity != Severity::Error || it.code.to_string().starts_with("AL35"))
}

fn quoted(text: &str, most: usize) -> String {
    serde_json::Value::from(plain(text, most)).to_string()
}
