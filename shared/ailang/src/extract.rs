//! Documents at a level of detail, for readers with little room.

mod front_matter;
mod prose;
mod reach;

use std::collections::BTreeSet;

use dialect::{Level, tokens};

use crate::Document;
use crate::document::Example;
use crate::print::{Comments, Printer, tool_names};
use crate::syntax::{Definition, DefinitionKind};

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The front matter. Id and title are always included.
    Metadata,
    /// Types and enums.
    Types,
    /// Tools.
    Tools,
    /// Errors.
    Errors,
    /// Capabilities.
    Capabilities,
    /// Examples.
    Examples,
    /// Markdown.
    Prose,
}

impl Section {
    /// All sections.
    pub const ALL: [Self; 7] = [
        Self::Metadata,
        Self::Types,
        Self::Tools,
        Self::Errors,
        Self::Capabilities,
        Self::Examples,
        Self::Prose,
    ];

    /// Returns the section as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Types => "types",
            Self::Tools => "tools",
            Self::Errors => "errors",
            Self::Capabilities => "capabilities",
            Self::Examples => "examples",
            Self::Prose => "prose",
        }
    }

    /// Parses the name of a section.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == text)
    }

    /// Returns the lowest level that includes something of the section.
    fn first(self) -> Level {
        match self {
            Self::Metadata => Level::Minimal,
            Self::Tools => Level::Compact,
            Self::Types | Self::Prose => Level::Standard,
            Self::Errors | Self::Capabilities | Self::Examples => Level::Detailed,
        }
    }

    /// Returns the lowest level at which the section can be used without other text.
    fn usable(self) -> Level {
        self.first().max(if self == Self::Tools { Level::Standard } else { Level::Minimal })
    }
}

/// A selection of a document's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The level of all sections that are not listed below.
    pub level: Level,
    /// The sections to include at any level, at least at their lowest usable level.
    pub include: BTreeSet<Section>,
    /// The sections to leave out, even if they are in `include`.
    pub exclude: BTreeSet<Section>,
    /// `true` to include the first sentence about each tool at [`Level::Standard`].
    pub summaries: bool,
    /// The maximum number of examples, below [`Level::Complete`].
    pub examples: usize,
}

impl From<Level> for Detail {
    fn from(level: Level) -> Self {
        let (include, exclude) = (BTreeSet::new(), BTreeSet::new());
        Self { level, include, exclude, summaries: false, examples: usize::MAX }
    }
}

impl Detail {
    /// Returns the level of a section; `None` if it is left out.
    fn level_of(&self, section: Section) -> Option<Level> {
        if self.exclude.contains(&section) {
            return None;
        }
        let included = self.include.contains(&section).then(|| section.usable().max(self.level));
        included.or_else(|| (section.first() <= self.level).then_some(self.level))
    }
}

impl Document {
    /// Returns the document at a level.
    ///
    /// From [`Level::Standard`] on the result is a document that declares the same as this one.
    /// [`Level::Complete`] returns the source. No level takes more tokens, by [`dialect::tokens`], than the
    /// next one.
    pub fn at(&self, level: Level) -> String {
        let mut text = self.source.clone();
        let mut size = tokens(&text);
        for lower in Level::ALL.into_iter().rev().skip_while(|it| *it == Level::Complete) {
            if lower < level {
                break;
            }
            let shorter = self.extract(&lower.into());
            let its_size = tokens(&shorter);
            if its_size <= size {
                (text, size) = (shorter, its_size);
            }
        }
        text
    }

    /// Returns the content that `detail` selects.
    pub fn extract(&self, detail: &Detail) -> String {
        if detail.level == Level::Complete && detail.exclude.is_empty() {
            return self.source.clone();
        }
        let mut parts = vec![front_matter::text(&self.front_matter, detail.level_of(Section::Metadata))];
        parts.extend(detail.level_of(Section::Prose).map(|level| prose::text(self, level)));
        if detail.level_of(Section::Tools) == Some(Level::Compact) {
            parts.push(tool_list(self));
        }
        parts.push(self.defined(detail));
        if detail.level_of(Section::Examples).is_some() {
            let most = if detail.level == Level::Complete { usize::MAX } else { detail.examples };
            parts.extend(self.examples.iter().take(most).map(|example| self.example(example)));
        }
        parts.retain(|part| !part.is_empty());
        prose::plain_lines(&parts.join("\n"))
    }

    /// Returns the Markdown that `detail` selects, without everything else.
    pub fn prose(&self, detail: &Detail) -> String {
        let text = detail.level_of(Section::Prose).map(|level| prose::text(self, level));
        prose::plain_lines(&text.unwrap_or_default()).trim().to_owned()
    }

    /// Prints a definition of this document without comments, mostly on one line.
    pub fn declaration(&self, definition: &Definition) -> String {
        Printer::new(self, Comments::Tags).defined(definition)
    }

    /// Prints the selected definitions as a `<define>`; empty if there are none.
    fn defined(&self, detail: &Detail) -> String {
        let types =
            reach::shown_types(self, detail.level_of(Section::Tools), detail.level_of(Section::Types));
        // If types are included explicitly, all of them are shown.
        let is_shown = |name: &str| detail.include.contains(&Section::Types) || types.contains(name);
        let shown = |definition: &Definition| match &definition.kind {
            DefinitionKind::Tool(_) => {
                detail.level_of(Section::Tools).filter(|level| *level >= Level::Standard)
            }
            DefinitionKind::Error(_) => detail.level_of(Section::Errors),
            DefinitionKind::Capability(_) => detail.level_of(Section::Capabilities),
            DefinitionKind::Type(_) | DefinitionKind::Enum(_) => {
                detail.level_of(Section::Types).filter(|_| is_shown(&definition.name.text))
            }
        };
        let mut lines: Vec<String> = Vec::new();
        for definition in self.definitions() {
            let printed = shown(definition).map(|level| self.printer(level, detail).definition(definition));
            lines.extend(printed);
        }
        if lines.is_empty() {
            return String::new();
        }
        let printer = Printer::new(self, Comments::Tags);
        let imports: Vec<String> = self.imports().map(|import| printer.import(import)).collect();
        format!("<define>\n{}\n</define>\n", [imports, lines].concat().join("\n"))
    }

    fn printer(&self, level: Level, detail: &Detail) -> Printer<'_> {
        let comments = match level {
            Level::Complete => Comments::All,
            Level::Detailed => Comments::Most,
            _ if detail.summaries => Comments::First,
            _ => Comments::Tags,
        };
        Printer::new(self, comments)
    }

    fn example(&self, example: &Example) -> String {
        let attributes = example.attributes.iter().map(|it| match &it.value {
            Some(value) => format!(" {}=\"{value}\"", it.name),
            None => format!(" {}", it.name),
        });
        let mut text = format!("<example{}>\n", attributes.collect::<String>());
        let programs: Vec<_> = example.attachments.iter().filter(|it| it.kind == "dialect").collect();
        let fence = if programs.is_empty() { ("", "") } else { ("```ailang\n", "```\n") };
        for code in example.code.iter().map(|code| self.text(*code).trim()).filter(|code| !code.is_empty()) {
            text.push_str(&format!("{}{code}\n{}", fence.0, fence.1));
        }
        for program in programs {
            text.push_str(&format!("```dialect\n{}\n```\n", self.text(program.body).trim_end()));
        }
        text + "</example>\n"
    }
}

/// Returns the tools with the names of their parameters, a line each.
fn tool_list(document: &Document) -> String {
    let tools = document.definitions().filter_map(|definition| match &definition.kind {
        DefinitionKind::Tool(tool) => Some(tool_names(&definition.name.text, tool) + "\n"),
        _ => None,
    });
    tools.collect()
}
