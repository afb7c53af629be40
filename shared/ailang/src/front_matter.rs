//! Front matter: what a document says about itself.

mod field;
mod list;
mod read;
mod repair;
mod rule;
mod values;
mod yaml;

use source_text::Span;

pub(crate) use read::read;
pub use rule::{Rule, RuleKind};
pub(crate) use values::{Value, values};

use crate::Level;

/// What a document says about itself. What is missing or malformed is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// All of it, without the lines `---`.
    pub span: Span,
    /// What other documents and programs call it.
    pub id: Option<Field<String>>,
    /// What people call it.
    pub title: Option<Field<String>>,
    /// What it is for, in a sentence.
    pub summary: Option<Field<String>>,
    /// When it is loaded.
    pub loading: Option<Field<Loading>>,
    /// Words by which it is found; none twice.
    pub keywords: Vec<Field<String>>,
    /// Paths of documents that belong to it, without `@import(…)`.
    pub related: Vec<Field<String>>,
    /// Its version.
    pub version: Option<Field<semver::Version>>,
    /// About how many tokens it has at each level.
    pub size_hints: Vec<(Level, u64)>,
    /// When a document that loads by rule is loaded.
    pub rules: Vec<Rule>,
    /// The version of the language that it is written in.
    pub language: Option<Field<String>>,
    /// Whether it could be read at all; otherwise nothing can be said to be missing.
    pub is_read: bool,
}

/// A value of the front matter and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    /// The value.
    pub value: T,
    /// Where it stands, its quotes included.
    pub span: Span,
}

/// When a document is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loading {
    /// When something of it is used.
    #[default]
    OnDemand,
    /// When one of its rules fits.
    ByRule,
    /// When the user agrees.
    Manual,
    /// At the start.
    Eager,
}

impl Loading {
    const ALL: [Self; 4] = [Self::OnDemand, Self::ByRule, Self::Manual, Self::Eager];

    /// As front matter spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on_demand",
            Self::ByRule => "by_rule",
            Self::Manual => "manual",
            Self::Eager => "eager",
        }
    }

    /// The strategy of that name, in any case, with or without what joins its words.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fold = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_lowercase();
        Self::ALL.into_iter().find(|loading| fold(loading.name()) == fold(text))
    }
}

impl FrontMatter {
    /// When the document is loaded.
    pub fn loading(&self) -> Loading {
        self.loading.as_ref().map_or_else(Loading::default, |field| field.value)
    }
}
