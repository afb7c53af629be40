//! Code as text: definitions and types on as few lines as possible, with or without comments.
//!
//! The result parses as the original. Only comments, blanks and the spelling of literals differ.

mod definition;
mod literal;
mod member;
mod printer;
mod types;

pub(crate) use definition::tool_names;
pub use literal::quoted;
pub use printer::{Comments, Printer};

use crate::syntax::{Definition, Documentation, Import, ImportForm, ImportItem};

impl Printer<'_> {
    /// Prints a definition with its comments, without a line break at the end.
    pub fn definition(&self, definition: &Definition) -> String {
        self.comment(&definition.documentation, definition, "") + &self.defined(definition)
    }

    pub(crate) fn import(&self, import: &Import) -> String {
        let module = self.document.text(import.module.span);
        match &import.form {
            ImportForm::Module(name) => format!("import {} from {module}", name.text),
            ImportForm::Names(items) => {
                let names: Vec<String> = items.iter().map(imported).collect();
                format!("from {module} import {}", names.join(", "))
            }
        }
    }

    /// Returns the lines of a comment, each with a line break.
    fn comment(&self, documentation: &Documentation, definition: &Definition, indent: &str) -> String {
        let is_tool = definition.kind.keyword() == "tool";
        let text = match self.comments {
            Comments::Tags => "",
            Comments::First if is_tool => documentation.first_sentence(),
            Comments::First => "",
            Comments::Most if definition.kind.keyword() == "error" => "",
            Comments::Most | Comments::All => documentation.text.as_str(),
        };
        let mut lines: Vec<String> = text.lines().map(|line| format!("{indent}// {line}")).collect();
        let tags = documentation.tags.iter().filter(|tag| {
            self.comments >= Comments::Most || !matches!(tag.name.as_str(), "example" | "foreign")
        });
        let tags: Vec<String> =
            tags.map(|tag| format!("@{} {}", tag.name, tag.text).trim().to_owned()).collect();
        lines.extend(tag_lines(&tags).into_iter().map(|line| format!("{indent}// {line}")));
        lines.into_iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

/// Returns the lines of tags; those without a text share a line.
fn tag_lines(tags: &[String]) -> Vec<String> {
    let (flags, others): (Vec<&String>, Vec<&String>) = tags.iter().partition(|tag| !tag.contains(' '));
    let flags = flags.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" ");
    let flags = Some(flags).filter(|flags| !flags.is_empty());
    flags.into_iter().chain(others.into_iter().cloned()).collect()
}

fn imported(item: &ImportItem) -> String {
    match &item.alias {
        Some(alias) => format!("{} as {}", item.name.text, alias.text),
        None => item.name.text.clone(),
    }
}
