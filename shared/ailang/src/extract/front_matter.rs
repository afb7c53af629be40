//! Front matter as text.

use dialect::Level;

use crate::front_matter::{Field, FrontMatter, Rule};

/// Prints the front matter between lines `---`. Without a level it has only the id and the title.
pub(super) fn text(front_matter: &FrontMatter, level: Option<Level>) -> String {
    let mut lines = Vec::new();
    let mut field = |name: &str, value: Option<&Field<String>>| {
        lines.extend(value.map(|it| format!("{name}: {}", scalar(&it.value))));
    };
    field("id", front_matter.id.as_ref());
    field("title", front_matter.title.as_ref());
    if level.is_some() {
        field("summary", front_matter.summary.as_ref());
        lines.extend(list("keywords", &front_matter.keywords));
    }
    if level >= Some(Level::Detailed) {
        lines.extend(rest(front_matter));
    }
    let lines: String = lines.into_iter().map(|line| line + "\n").collect();
    format!("---\n{lines}---\n")
}

/// Returns the fields that matter only to a loader of documents.
fn rest(front_matter: &FrontMatter) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(front_matter.loading.as_ref().map(|it| format!("loading: {}", it.value.name())));
    lines.extend(front_matter.version.as_ref().map(|it| format!("version: {}", it.value)));
    lines.extend(front_matter.language.as_ref().map(|it| format!("ailang: {}", quoted(&it.value))));
    lines.extend(list("related", &front_matter.related));
    if !front_matter.size_hints.is_empty() {
        let hints = front_matter.size_hints.iter().map(|(level, size)| format!("{}: {size}", level.name()));
        lines.push(format!("size_hints: {{ {} }}", hints.collect::<Vec<_>>().join(", ")));
    }
    if !front_matter.rules.is_empty() {
        lines.push("rules:".to_owned());
        lines.extend(front_matter.rules.iter().map(rule));
    }
    lines
}

fn rule(rule: &Rule) -> String {
    let level = rule.level.map_or_else(String::new, |level| format!(", level: {}", level.name()));
    format!("  - {{ when: {}, pattern: {}{level} }}", rule.when.name(), quoted(&rule.pattern.value))
}

fn list(name: &str, items: &[Field<String>]) -> Option<String> {
    let items: Vec<String> = items.iter().map(|it| element(&it.value)).collect();
    (!items.is_empty()).then(|| format!("{name}: [{}]", items.join(", ")))
}

/// Quotes a text if YAML would read it as something else.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(char::is_control);
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// Quotes an element of a list if YAML would read it as something else.
fn element(text: &str) -> String {
    if text.contains(['[', ']', '{', '}', ',']) { quoted(text) } else { scalar(text) }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
