//! Rules by which documents are loaded.

use ailang::Level;
use globset::GlobBuilder;
use regex::RegexBuilder;

use super::digest::{Digest, RuleDigest};

/// The maximum size of a compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// The context that rules are matched against.
#[derive(Clone, Debug, Default)]
pub struct RuleContext {
    /// The text of the conversation.
    pub text: String,
    /// The paths of the files that it is about, with `/`.
    pub files: Vec<String>,
    /// The languages of these files.
    pub languages: Vec<String>,
    /// The names of the tools that are used.
    pub tools: Vec<String>,
}

impl RuleContext {
    /// Returns the level that the first matching rule of a document names, or `default` where it names none; `None` if
    /// no rule matches.
    pub(super) fn level(&self, digest: &Digest, default: Option<Level>) -> Option<Option<Level>> {
        let rule = digest.rules.iter().find(|rule| self.matches(rule))?;
        Some(rule.level().or(default))
    }

    fn matches(&self, rule: &RuleDigest) -> bool {
        let pattern = rule.pattern.as_str();
        let is_named = |names: &[String]| names.iter().any(|it| it.eq_ignore_ascii_case(pattern));
        match rule.when.as_str() {
            "keyword" => self.says(&format!(r"\b{}\b", regex::escape(pattern))),
            "regex" => self.says(pattern),
            "glob" => self.is_about(pattern),
            "language" => is_named(&self.languages),
            "tool" => is_named(&self.tools),
            _ => false,
        }
    }

    fn says(&self, pattern: &str) -> bool {
        let regex = RegexBuilder::new(pattern).case_insensitive(true).size_limit(LARGEST_PATTERN).build();
        regex.is_ok_and(|it| it.is_match(&self.text))
    }

    fn is_about(&self, pattern: &str) -> bool {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        glob.is_ok_and(|it| {
            let matcher = it.compile_matcher();
            self.files.iter().any(|file| matcher.is_match(file))
        })
    }
}
