//! Code as text: definitions and types, each on as few lines as it needs, with or without their comments.
//!
//! What is printed reads as what it was printed of; only comments, blanks and spellings of literals differ.

mod definition;
mod literal;
mod member;
mod types;

use crate::Document;
use crate::syntax::{Definition, Documentation, Import, ImportForm, ImportItem};

pub(crate) use definition::tool_names;

/// How much of a definition is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Comments {
    /// Tags alone.
    Tags,
    /// Tags, and the first sentence about a tool.
    First,
    /// All of them, but for those about errors, and what bodies hold.
    Most,
    /// All of them, and bodies.
    All,
}

/// Prints the code of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer<'a> {
    document: &'a Document,
    comments: Comments,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(document: &'a Document, comments: Comments) -> Self {
        Self { document, comments }
    }

    /// A definition with its comments, without a line break at its end.
    pub(crate) fn definition(&self, definition: &Definition) -> String {
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

    /// The lines of a comment, each with its line break.
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

/// Tags without anything behind them share a line.
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
