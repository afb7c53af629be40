//! Skills → documents.

use ailang::front_matter::{REMEDY, values};
use ailang::split::{Part, heading};
use ailang::{Document, Documents, LARGEST_DOCUMENT, Strictness, format, plain, validate, visible};
use source_text::Severity;

use super::header::SkillHeader;
use super::text::is_body;
use crate::bridges::format::{ImportError, Imported};
use crate::bridges::remark::Remarks;
use crate::bridges::words::without_tags;

pub(crate) fn import(source: &str, file: impl Fn(&str) -> Option<String>) -> Result<Imported, ImportError> {
    if source.len() > LARGEST_DOCUMENT {
        return Err(ImportError(format!("it has more than {LARGEST_DOCUMENT} bytes")));
    }
    let skill = Document::parse(source);
    let yaml = skill.parts.iter().find_map(Part::front_matter);
    let yaml = yaml.ok_or_else(|| ImportError("it has no front matter between lines `---`".to_owned()))?;
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let front = values(source, yaml).map_err(|(at, problem)| {
        ImportError(format!("line {}: its front matter is no YAML: {problem}; {REMEDY}", line(at)))
    })?;
    let mut remarks = Remarks::default();
    let mut about = SkillHeader::default();
    for span in &front.repaired {
        let what = format!("line {}: a text without quotes", line(span.start));
        remarks.changed("", what, "YAML needs them around a colon or behind `@`; it is taken as it stands");
    }
    for it in &front.repeated {
        let what = format!("`{}` in line {}", plain(&it.path, 80), line(it.span.start));
        remarks.lost(
            "",
            what,
            format!("it is given twice, and the one in line {} is taken", line(it.first.start)),
        );
    }
    for (key, value) in front.fields {
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

fn is_valid(text: &str) -> bool {
    let mut documents = Documents::new();
    documents.insert("skill.md", Document::parse(text));
    let found = validate(&documents, "skill.md", Strictness::Normal).unwrap_or_default();
    // A skill may be alone, without the documents that it imports.
    found.iter().all(|it| it.severity != Severity::Error || it.code.to_string().starts_with("AL35"))
}
