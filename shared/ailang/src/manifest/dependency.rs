//! The dependencies of a package, and their sources.

use std::fmt;

use semver::{Comparator, Op, VersionReq};
use source_text::Span;

use crate::front_matter::Field;
use crate::trust::{LONGEST_NAME, visible_line};

/// A dependency.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// The name of the package.
    pub name: Field<String>,
    /// The source of the package; `None` after a reported error.
    pub source: Option<Field<DependencySource>>,
}

/// The source of a package.
#[derive(Clone, Debug, PartialEq)]
pub enum DependencySource {
    /// A range of versions: `^1.0.0`, `>=1.2.0 <2.0.0`. A plain version matches exactly.
    Version(VersionReq),
    /// A folder, relative to the package: `./dir`, `file:../dir`.
    Folder(String),
    /// An archive: `file:x.tgz`, `https://…/x.tgz`.
    Archive(String),
    /// A git repository: `git+https://…#ref`.
    Git {
        /// The URL, without `git+`.
        url: String,
        /// A branch, a tag or a commit.
        reference: Option<String>,
    },
}

impl DependencySource {
    /// Parses a source.
    ///
    /// # Errors
    /// A message, when the text is neither a range of versions nor a location.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if has_secret(text) {
            return Err("a URL with a password would be written down for everybody; keep it as a token in your settings".to_owned());
        }
        if let Some(place) = text.strip_prefix("git+") {
            return git(place);
        }
        let is_archive = text.ends_with(".tgz") || text.ends_with(".tar.gz");
        if let Some(path) = text.strip_prefix("file:") {
            let path = path.to_owned();
            return Ok(if is_archive { Self::Archive(path) } else { Self::Folder(path) });
        }
        if is_relative(text) {
            return Ok(Self::Folder(text.to_owned()));
        }
        if is_web(text) {
            let problem = "the URL of an archive ends with `.tgz`; one of git starts with `git+`";
            return if is_archive { Ok(Self::Archive(text.to_owned())) } else { Err(problem.to_owned()) };
        }
        range(text).map(Self::Version)
    }

    /// Returns the text of a source for messages: a URL without user and password.
    pub fn without_secrets(text: &str) -> String {
        match authority(text) {
            Some((start, user, _)) => format!("{}{}", &text[..start], &text[start + user.len() + 1..]),
            None => text.to_owned(),
        }
    }
}

/// Returns the start of the authority of a URL, the user in it and the rest.
fn authority(text: &str) -> Option<(usize, &str, &str)> {
    let start = text.find("://")? + 3;
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    let (user, host) = text[start..end].rsplit_once('@')?;
    Some((start, user, host))
}

/// Returns `true` for a URL with a password, or with a token in its place. A user alone is fine for SSH.
fn has_secret(text: &str) -> bool {
    authority(text).is_some_and(|(_, user, _)| user.contains(':') || !text.starts_with("git+ssh:"))
}

impl fmt::Display for DependencySource {
    /// Writes the source so that it parses to an equal one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(range) if range.comparators.is_empty() => f.write_str("*"),
            Self::Version(range) => {
                let comparators: Vec<String> = range.comparators.iter().map(Comparator::to_string).collect();
                f.write_str(&comparators.join(" "))
            }
            Self::Folder(path) if is_relative(path) => f.write_str(path),
            Self::Archive(url) if is_web(url) => f.write_str(url),
            Self::Folder(path) | Self::Archive(path) => write!(f, "file:{path}"),
            Self::Git { url, reference: Some(reference) } => write!(f, "git+{url}#{reference}"),
            Self::Git { url, reference: None } => write!(f, "git+{url}"),
        }
    }
}

fn is_relative(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../")
}

fn is_web(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn git(place: &str) -> Result<DependencySource, String> {
    let schemes = ["https://", "http://", "ssh://", "file://", "git://"];
    if !schemes.iter().any(|scheme| place.len() > scheme.len() && place.starts_with(scheme)) {
        return Err(format!(
            "`git+` stands before a URL, and `{}` is none",
            visible_line(place, LONGEST_NAME)
        ));
    }
    let (url, reference) = match place.split_once('#') {
        Some((url, reference)) => (url, Some(reference.to_owned())),
        None => (place, None),
    };
    Ok(DependencySource::Git { url: url.to_owned(), reference })
}

/// Parses a range of versions: comparisons that all have to hold, separated by blanks or commas.
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
        Err(format!("`{}` lacks a version", visible_line(&operator, LONGEST_NAME)))
    }
}

/// Parses a comparison such as `^1.2.0` or `1.2.0`; `None` for `*`, which always holds.
fn comparison(text: &str) -> Result<Option<Comparator>, String> {
    if matches!(text, "*" | "x" | "X") {
        return Ok(None);
    }
    let problem = |error| format!("`{}` is no range of versions: {error}", visible_line(text, LONGEST_NAME));
    let mut comparator = Comparator::parse(text).map_err(problem)?;
    // A plain version is exact here, but a caret range for the parser.
    if text.starts_with(|char: char| char.is_ascii_digit()) && comparator.op == Op::Caret {
        comparator.op = Op::Exact;
    }
    Ok(Some(comparator))
}

impl Dependency {
    /// Returns the place of the name.
    pub fn span(&self) -> Span {
        self.name.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(range: &str, version: &str) -> bool {
        match DependencySource::parse(range) {
            Ok(DependencySource::Version(range)) => range.matches(&version.parse().expect("it is a version")),
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
    fn secrets_are_not_written_down() {
        for (text, shown) in [
            ("https://ada:secret@x.example/a.tgz", "https://x.example/a.tgz"),
            ("https://token@x.example/a.tgz", "https://x.example/a.tgz"),
            ("git+https://ada:secret@x.example/a#v1", "git+https://x.example/a#v1"),
            ("git+ssh://git:secret@x.example/a", "git+ssh://x.example/a"),
        ] {
            let problem = DependencySource::parse(text).unwrap_err();
            assert!(problem.contains("token in your settings") && !problem.contains("secret"), "{problem}");
            assert_eq!(DependencySource::without_secrets(text), shown);
        }
        for fine in ["git+ssh://git@x.example/a", "https://x.example/@scope/a.tgz", "file:@a/b.tgz"] {
            assert!(DependencySource::parse(fine).is_ok(), "{fine}");
        }
    }

    #[test]
    fn places_are_told_apart() {
        let git =
            DependencySource::Git { url: "https://x.org/a.git".to_owned(), reference: Some("v1".to_owned()) };
        assert_eq!(DependencySource::parse("git+https://x.org/a.git#v1"), Ok(git));
        assert_eq!(DependencySource::parse("./lib"), Ok(DependencySource::Folder("./lib".to_owned())));
        assert_eq!(DependencySource::parse("file:../lib"), Ok(DependencySource::Folder("../lib".to_owned())));
        assert_eq!(DependencySource::parse("file:a.tgz"), Ok(DependencySource::Archive("a.tgz".to_owned())));
        for text in [
            "^1.0.0",
            "=1.2.3",
            ">=1.2.0 <2.0.0",
            "*",
            "~1.2",
            "1.*",
            "./a",
            "file:b",
            "file:a.tgz",
            "git+ssh://x/y",
        ] {
            assert_eq!(DependencySource::parse(text).map(|it| it.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["whatever", "", ">=", "^1 || ^2", "https://x.org/a", "git+x", "1.2.3.4", "=>1"] {
            assert!(DependencySource::parse(wrong).is_err(), "{wrong}");
        }
    }
}
