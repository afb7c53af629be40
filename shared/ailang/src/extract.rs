//! Documents at a level of detail: as much text as a reader has use, or room, for.

mod front_matter;
mod prose;
mod reach;

use std::collections::BTreeSet;

use dialect::tokens;

pub(crate) use prose::heading;

use crate::document::Example;
use crate::print::{Comments, Printer, tool_names};
use crate::syntax::{Definition, DefinitionKind};
use crate::{Document, Level};

/// A sort of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What the front matter says. The id and the title are always told.
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
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Metadata,
        Self::Types,
        Self::Tools,
        Self::Errors,
        Self::Capabilities,
        Self::Examples,
        Self::Prose,
    ];

    /// As options spell it.
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

    /// The section of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == text)
    }

    /// The level from which on something of it is told.
    fn first(self) -> Level {
        match self {
            Self::Metadata => Level::Minimal,
            Self::Tools => Level::Compact,
            Self::Types | Self::Prose => Level::Standard,
            Self::Errors | Self::Capabilities | Self::Examples => Level::Detailed,
        }
    }

    /// The level at which it can be used by itself.
    fn usable(self) -> Level {
        self.first().max(if self == Self::Tools { Level::Standard } else { Level::Minimal })
    }
}

/// How much of a document is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The level of everything that is not named below.
    pub level: Level,
    /// What is told whatever the level is, at the least level at which it can be used.
    pub include: BTreeSet<Section>,
    /// What is not told, even if it is included.
    pub exclude: BTreeSet<Section>,
    /// Whether the first sentence about each tool is told at [`Level::Standard`].
    pub summaries: bool,
    /// So many examples at most, below [`Level::Complete`].
    pub examples: usize,
}

impl From<Level> for Detail {
    fn from(level: Level) -> Self {
        let (include, exclude) = (BTreeSet::new(), BTreeSet::new());
        Self { level, include, exclude, summaries: false, examples: usize::MAX }
    }
}

impl Detail {
    /// The level at which a section is told; `None` when it is not.
    fn of(&self, section: Section) -> Option<Level> {
        if self.exclude.contains(&section) {
            return None;
        }
        let included = self.include.contains(&section).then(|| section.usable().max(self.level));
        included.or_else(|| (section.first() <= self.level).then_some(self.level))
    }
}

impl Document {
    /// The document at a level. From [`Level::Standard`] on it is a document too, and declares what this one does;
    /// [`Level::Complete`] is this one. No level takes more tokens, by [`dialect::tokens`], than the next one.
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

    /// As much of the document as `detail` says.
    pub fn extract(&self, detail: &Detail) -> String {
        if detail.level == Level::Complete && detail.exclude.is_empty() {
            return self.source.clone();
        }
        let mut parts = vec![front_matter::text(&self.front_matter, detail.of(Section::Metadata))];
        parts.extend(detail.of(Section::Prose).map(|level| prose::text(self, level)));
        if detail.of(Section::Tools) == Some(Level::Compact) {
            parts.push(names(self));
        }
        parts.push(self.defined(detail));
        if detail.of(Section::Examples).is_some() {
            let most = if detail.level == Level::Complete { usize::MAX } else { detail.examples };
            parts.extend(self.examples.iter().take(most).map(|example| self.example(example)));
        }
        parts.retain(|part| !part.is_empty());
        plain_lines(&parts.join("\n"))
    }

    /// What a definition of this document declares, without comments, mostly on one line.
    pub fn declaration(&self, definition: &Definition) -> String {
        Printer::new(self, Comments::Tags).defined(definition)
    }

    /// A block of definitions, or nothing.
    fn defined(&self, detail: &Detail) -> String {
        let types = reach::shown_types(self, detail.of(Section::Tools), detail.of(Section::Types));
        // Whoever asks for types gets all of them, whatever else is told.
        let is_shown = |name: &str| detail.include.contains(&Section::Types) || types.contains(name);
        let shown = |definition: &Definition| match &definition.kind {
            DefinitionKind::Tool(_) => detail.of(Section::Tools).filter(|level| *level >= Level::Standard),
            DefinitionKind::Error(_) => detail.of(Section::Errors),
            DefinitionKind::Capability(_) => detail.of(Section::Capabilities),
            DefinitionKind::Type(_) | DefinitionKind::Enum(_) => {
                detail.of(Section::Types).filter(|_| is_shown(&definition.name.text))
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

/// The tools and the names of their parameters, a line each.
fn names(document: &Document) -> String {
    let tools = document.definitions().filter_map(|definition| match &definition.kind {
        DefinitionKind::Tool(tool) => Some(tool_names(&definition.name.text, tool) + "\n"),
        _ => None,
    });
    tools.collect()
}

/// With line feeds alone between lines.
fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
