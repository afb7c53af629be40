//! The fields of front matter, as values.

use dialect::Level;
use source_text::Span;

/// The front matter of a document. Missing and malformed fields are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// The place of the YAML, without the lines `---`.
    pub span: Span,
    /// The name for programs and other documents.
    pub id: Option<Field<String>>,
    /// The name for people.
    pub title: Option<Field<String>>,
    /// The purpose, in a sentence.
    pub summary: Option<Field<String>>,
    /// The loading strategy.
    pub loading: Option<Field<Loading>>,
    /// The search keywords, without duplicates.
    pub keywords: Vec<Field<String>>,
    /// The paths of related documents, without `@import(…)`.
    pub related: Vec<Field<String>>,
    /// The version of the document.
    pub version: Option<Field<semver::Version>>,
    /// The approximate number of tokens at each level.
    pub size_hints: Vec<(Level, u64)>,
    /// The rules of a document that loads by rule.
    pub rules: Vec<Rule>,
    /// The version of the language.
    pub language: Option<Field<String>>,
    /// `true` if the YAML could be parsed; otherwise no field is reported as missing.
    pub is_read: bool,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    /// The value.
    pub value: T,
    /// The place in the document, with quotes.
    pub span: Span,
}

/// The strategy by which a document is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loading {
    /// On the first use of one of its definitions.
    #[default]
    OnDemand,
    /// On a match of one of its rules.
    ByRule,
    /// After the user approved it.
    Manual,
    /// At the start.
    Eager,
}

impl Loading {
    pub(super) const ALL: [Self; 4] = [Self::OnDemand, Self::ByRule, Self::Manual, Self::Eager];

    /// Returns the strategy as front matter spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on_demand",
            Self::ByRule => "by_rule",
            Self::Manual => "manual",
            Self::Eager => "eager",
        }
    }

    /// Parses a strategy, in any case and with or without separators between words.
    pub fn parse(text: &str) -> Option<Self> {
        let fold = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_lowercase();
        Self::ALL.into_iter().find(|loading| fold(loading.name()) == fold(text))
    }
}

impl FrontMatter {
    /// Returns the loading strategy, or the default one.
    pub fn loading(&self) -> Loading {
        self.loading.as_ref().map_or_else(Loading::default, |field| field.value)
    }
}

/// A loading rule: `{ when: keyword, pattern: yaml, level: compact }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind of value that the pattern is matched against.
    pub when: RuleKind,
    /// The pattern.
    pub pattern: Field<String>,
    /// The level at which the document is then loaded.
    pub level: Option<Level>,
}

/// A kind of value that a rule is matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// Words of the conversation.
    Keyword,
    /// Paths of files.
    Glob,
    /// Languages of files.
    Language,
    /// Names of tools.
    Tool,
    /// The text of the conversation.
    Regex,
}

impl RuleKind {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Keyword, "keyword"),
        (Self::Glob, "glob"),
        (Self::Language, "language"),
        (Self::Tool, "tool"),
        (Self::Regex, "regex"),
    ];

    /// Returns the kind as rules spell it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| *name == text).map(|(kind, _)| kind)
    }
}
