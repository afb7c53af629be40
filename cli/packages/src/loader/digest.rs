//! Parsed documents, and the part of them that the disk cache keeps.

use std::sync::{Arc, OnceLock};

use ailang::syntax::ModuleReference;
use ailang::{Document, Level, Loading, Rule, Severity, Sizes};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The hash of a document's text.
pub(crate) type ContentHash = [u8; 32];

/// Returns the hash of a text.
pub(crate) fn content_hash(text: &str) -> ContentHash {
    Sha256::digest(text.as_bytes()).into()
}

/// The parts of a document that the loader needs, without its syntax tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The name for programs.
    pub id: Option<String>,
    /// The name for people.
    pub title: Option<String>,
    /// The purpose, in a sentence.
    pub summary: Option<String>,
    /// The search keywords.
    pub keywords: Vec<String>,
    loading: String,
    pub(crate) rules: Vec<RuleDigest>,
    pub(crate) imports: Vec<ImportDigest>,
    /// The first error of syntax, if there is one.
    pub(crate) error: Option<String>,
    /// The texts at the levels below the highest, which is the text of the file.
    texts: [String; 4],
    sizes: [usize; 5],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RuleDigest {
    pub(crate) when: String,
    pub(crate) pattern: String,
    level: Option<String>,
}

/// A reference to another document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportDigest {
    pub(crate) text: String,
    quoted: bool,
}

impl ImportDigest {
    pub(crate) fn reference(&self) -> ModuleReference {
        let span = source_text::Span::default();
        ModuleReference { text: self.text.clone(), quoted: self.quoted, span }
    }
}

impl RuleDigest {
    fn of(rule: &Rule) -> Self {
        let level = rule.level.map(|level| level.name().to_owned());
        Self { when: rule.when.name().to_owned(), pattern: rule.pattern.value.clone(), level }
    }

    /// Returns the level at which the document is loaded when the rule matches.
    pub(crate) fn level(&self) -> Option<Level> {
        Level::parse(self.level.as_deref()?)
    }
}

impl Digest {
    fn of(document: &Document) -> Self {
        let texts = Level::ALL.map(|level| document.at(level));
        let sizes = texts.each_ref().map(|text| tokens(text));
        let [minimal, compact, standard, detailed, _complete] = texts;
        let matter = &document.front_matter;
        let value = |field: &Option<ailang::Field<String>>| field.as_ref().map(|it| it.value.clone());
        Self {
            id: value(&matter.id),
            title: value(&matter.title),
            summary: value(&matter.summary),
            keywords: matter.keywords.iter().map(|it| it.value.clone()).collect(),
            loading: matter.loading().name().to_owned(),
            rules: matter.rules.iter().map(RuleDigest::of).collect(),
            imports: imports(document),
            error: error(document),
            texts: [minimal, compact, standard, detailed],
            sizes,
        }
    }

    /// Returns the loading strategy.
    pub fn loading(&self) -> Loading {
        let all = [Loading::OnDemand, Loading::ByRule, Loading::Manual, Loading::Eager];
        all.into_iter().find(|it| it.name() == self.loading).unwrap_or_default()
    }

    /// Returns the tokens at each level.
    pub fn sizes(&self) -> Sizes {
        Sizes::new(self.sizes)
    }
}

/// Estimates the tokens of a document's text with its frame.
fn tokens(text: &str) -> usize {
    dialect::tokens(text) + Sizes::FRAME
}

/// Returns the imports of definitions and examples, each once.
fn imports(document: &Document) -> Vec<ImportDigest> {
    let examples = document.examples.iter().flat_map(|it| it.program.imports());
    let mut imports = Vec::new();
    for import in document.imports().chain(examples) {
        let import = ImportDigest { text: import.module.text.clone(), quoted: import.module.quoted };
        if !imports.contains(&import) {
            imports.push(import);
        }
    }
    imports
}

fn error(document: &Document) -> Option<String> {
    let first = document.diagnostics.iter().find(|it| it.severity == Severity::Error)?;
    let before = document.source.get(..first.span.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    Some(format!("line {line}: {}: {}", first.code, first.message))
}

/// A document of a certain content.
#[derive(Debug)]
pub struct Parsed {
    /// The text of the file.
    pub source: String,
    /// The facts about it.
    pub digest: Digest,
    pub(crate) hash: ContentHash,
    document: OnceLock<Arc<Document>>,
}

impl Parsed {
    /// Parses a text.
    pub(crate) fn new(source: String, hash: ContentHash) -> Arc<Self> {
        let document = Document::parse(source.clone());
        let digest = Digest::of(&document);
        Arc::new(Self { source, digest, hash, document: OnceLock::from(Arc::new(document)) })
    }

    /// Takes over what the disk cache knows of a text.
    pub(crate) fn known(source: String, hash: ContentHash, digest: Digest) -> Arc<Self> {
        Arc::new(Self { source, digest, hash, document: OnceLock::new() })
    }

    /// Returns the syntax tree; it is made when it is first asked for.
    pub fn document(&self) -> &Arc<Document> {
        self.document.get_or_init(|| Arc::new(Document::parse(self.source.clone())))
    }

    /// Returns the text at a level.
    pub fn at(&self, level: Level) -> &str {
        self.digest.texts.get(level as usize).map_or(self.source.as_str(), String::as_str)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.source.len() + self.digest.texts.iter().map(String::len).sum::<usize>() + size_of::<Self>()
    }
}
