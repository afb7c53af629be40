//! The packages that a package needs, and where they come from.

use semver::{Comparator, Op, VersionReq};
use source_text::Span;

use crate::front_matter::Field;

/// A package that is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// What it is called.
    pub name: Field<String>,
    /// Where it comes from; `None` when that cannot be read, which has been reported.
    pub source: Option<Field<Source>>,
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Any version of it that fits: `^1.0.0`, `>=1.2.0 <2.0.0`. A version by itself means that one.
    Version(VersionReq),
    /// A folder, relative to the package: `./dir`, `file:../dir`.
    Folder(String),
    /// An archive: `file:x.tgz`, `https://…/x.tgz`.
    Archive(String),
    /// A repository of git, and what to check out of it: `git+https://…#ref`.
    Git {
        /// Its URL, without `git+`.
        url: String,
        /// A branch, a tag or a commit.
        reference: Option<String>,
    },
}

impl Source {
    /// What a manifest says.
    ///
    /// # Errors
    /// When it is neither a range of versions nor a place: what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(place) = text.strip_prefix("git+") {
            return git(place);
        }
        let is_archive = text.ends_with(".tgz") || text.ends_with(".tar.gz");
        if let Some(path) = text.strip_prefix("file:") {
            let path = path.to_owned();
            return Ok(if is_archive { Self::Archive(path) } else { Self::Folder(path) });
        }
        if text.starts_with("./") || text.starts_with("../") {
            return Ok(Self::Folder(text.to_owned()));
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            let problem = "the URL of an archive ends with `.tgz`; one of git starts with `git+`";
            return if is_archive { Ok(Self::Archive(text.to_owned())) } else { Err(problem.to_owned()) };
        }
        range(text).map(Self::Version)
    }
}

fn git(place: &str) -> Result<Source, String> {
    let schemes = ["https://", "http://", "ssh://", "file://", "git://"];
    if !schemes.iter().any(|scheme| place.len() > scheme.len() && place.starts_with(scheme)) {
        return Err(format!("`git+` stands before a URL, and `{place}` is none"));
    }
    let (url, reference) = match place.split_once('#') {
        Some((url, reference)) => (url, Some(reference.to_owned())),
        None => (place, None),
    };
    Ok(Source::Git { url: url.to_owned(), reference })
}

/// A range of versions: comparisons, all of which hold, with blanks or commas between them.
fn range(text: &str) -> Result<VersionReq, String> {
    if text.contains("||") {
        return Err("one range after another with `||` is not understood".to_owned());
    }
    if text.is_empty() {
        return Err("it is empty; `*` is every version".to_owned());
    }
    let mut comparators = Vec::new();
    let mut operator = String::new();
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        operator.push_str(word);
        // The blank in `>= 1.2.0`.
        if word.ends_with(['<', '>', '=', '^', '~']) {
            continue;
        }
        comparators.extend(comparison(&std::mem::take(&mut operator))?);
    }
    if operator.is_empty() {
        Ok(VersionReq { comparators })
    } else {
        Err(format!("`{operator}` lacks a version"))
    }
}

/// `^1.2.0`, `1.2.0`; nothing for `*`, which always holds.
fn comparison(text: &str) -> Result<Option<Comparator>, String> {
    if matches!(text, "*" | "x" | "X") {
        return Ok(None);
    }
    let problem = |error| format!("`{text}` is no range of versions: {error}");
    let mut comparator = Comparator::parse(text).map_err(problem)?;
    // By itself a version means that version here, where it is a caret to the parser.
    if text.starts_with(|char: char| char.is_ascii_digit()) && comparator.op == Op::Caret {
        comparator.op = Op::Exact;
    }
    Ok(Some(comparator))
}

impl Dependency {
    /// Where its name stands.
    pub fn span(&self) -> Span {
        self.name.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(range: &str, version: &str) -> bool {
        match Source::parse(range) {
            Ok(Source::Version(range)) => range.matches(&version.parse().expect("it is a version")),
            other => panic!("{range}: {other:?}"),
        }
    }

    #[test]
    fn ranges_hold_the_versions_that_they_say() {
        assert!(matches("1.2.3", "1.2.3") && !matches("1.2.3", "1.2.4"));
        assert!(matches("^1.2.3", "1.9.0") && !matches("^1.2.3", "2.0.0"));
        assert!(matches("~1.2.3", "1.2.9") && !matches("~1.2.3", "1.3.0"));
        assert!(matches(">=1.2.0 <2.0.0", "1.5.0") && !matches(">=1.2.0, < 2.0.0", "2.0.0"));
        assert!(matches(">= 1.2.0", "3.0.0") && matches("*", "0.0.1") && matches("1.x", "1.7.0"));
        assert!(matches("1", "1.7.0") && !matches("1", "2.0.0"));
        assert!(!matches("^1.0.0", "1.1.0-beta.1") && matches("^1.1.0-beta.1", "1.1.0-beta.2"));
    }

    #[test]
    fn places_are_told_apart() {
        let git = Source::Git { url: "https://x.org/a.git".to_owned(), reference: Some("v1".to_owned()) };
        assert_eq!(Source::parse("git+https://x.org/a.git#v1"), Ok(git));
        assert_eq!(Source::parse("./lib"), Ok(Source::Folder("./lib".to_owned())));
        assert_eq!(Source::parse("file:../lib"), Ok(Source::Folder("../lib".to_owned())));
        assert_eq!(Source::parse("file:a.tgz"), Ok(Source::Archive("a.tgz".to_owned())));
        for wrong in ["whatever", "", ">=", "^1 || ^2", "https://x.org/a", "git+x", "1.2.3.4", "=>1"] {
            assert!(Source::parse(wrong).is_err(), "{wrong}");
        }
    }
}
