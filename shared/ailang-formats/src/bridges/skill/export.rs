//! Documents → skills.

use ailang::{Detail, Document, Section};
use dialect::{Level, tokens};

use super::text::{LONGEST_DESCRIPTION, LONGEST_NAME, MARK, is_body, quoted};
use crate::bridges::document::{Exported, ExportedFile, id};
use crate::bridges::identifier::document_id;
use crate::bridges::remark::Remarks;

/// The recommended size of a skill's body, in tokens.
const LARGEST_BODY: usize = 5_000;

/// The version of the language.
const LANGUAGE: &str = "0.3";

pub(crate) fn export(document: &Document) -> Option<Exported> {
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
    if summary.chars().count() > LONGEST_DESCRIPTION {
        let why = format!("descriptions of skills have at most {LONGEST_DESCRIPTION} characters");
        remarks.lost("1:1", "the end of the summary", why);
    }
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
    let joined = |items: &[ailang::Field<String>]| {
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
