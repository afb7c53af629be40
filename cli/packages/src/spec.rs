//! The packages that a command line names: `name`, `name@range`, or a place.

use ailang::{Code, DependencySource, Manifest};

use crate::error::PackageError;

/// A package to install.
#[derive(Clone, Debug, PartialEq)]
pub enum PackageSpec {
    /// A package of a registry; without a range, its highest version.
    Named {
        /// The name of the package, with the scope.
        name: String,
        /// The range of versions.
        range: Option<DependencySource>,
    },
    /// The version of a registry's package that has a tag: `latest`, `next`.
    Tagged {
        /// The name of the package, with the scope.
        name: String,
        /// The tag, which the registry maps to a version.
        tag: String,
    },
    /// A folder, an archive or a git repository, whose manifest has the name.
    Placed(DependencySource),
}

impl PackageSpec {
    /// Parses `name`, `name@range`, `name@tag`, `./dir`, `file:x.tgz`, `https://….tgz` or `git+https://…#ref`.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Self, PackageError> {
        let text = text.trim();
        let wrong = |problem: &str| {
            let text = ailang::visible_line(&DependencySource::without_secrets(text), ailang::LONGEST_NAME);
            PackageError::new(Code::DEPENDENCY, format!("`{text}` is no package: {problem}")).help(
                "write a name, `name@^1.0.0`, `./dir`, `file:x.tgz`, `https://….tgz` or `git+https://…#ref`",
            )
        };
        let at = text.char_indices().skip(1).find(|(_, char)| *char == '@').map(|(at, _)| at);
        let (name, range) = at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
        if Manifest::is_name(name) {
            if let Some(tag) = range.filter(|it| is_tag(it)) {
                return Ok(Self::Tagged { name: name.to_owned(), tag: tag.to_owned() });
            }
            let range = range.map(DependencySource::parse).transpose().map_err(|problem| wrong(&problem))?;
            if range.as_ref().is_some_and(|it| !matches!(it, DependencySource::Version(_))) {
                return Err(wrong("a range of versions follows `@`"));
            }
            return Ok(Self::Named { name: name.to_owned(), range });
        }
        match DependencySource::parse(text) {
            Ok(DependencySource::Version(_)) => Err(wrong("it is a range of versions without a name")),
            Ok(place) => Ok(Self::Placed(place)),
            Err(problem) => Err(wrong(&problem)),
        }
    }
}

/// Returns `true` for a word that is no range of versions. `x` is one.
pub(crate) fn is_tag(text: &str) -> bool {
    let is_plain = text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._".contains(&it));
    let is_word = text.starts_with(|it: char| it.is_ascii_alphabetic());
    is_word && is_plain && text.len() <= 100 && DependencySource::parse(text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_are_told_apart() {
        let shown = |text: &str| match PackageSpec::parse(text) {
            Ok(PackageSpec::Named { name, range }) => {
                format!("{name} {}", range.map_or("-".to_owned(), |it| it.to_string()))
            }
            Ok(PackageSpec::Tagged { name, tag }) => format!("{name} the {tag}"),
            Ok(PackageSpec::Placed(place)) => place.to_string(),
            Err(error) => error.message,
        };
        assert_eq!(shown("clock"), "clock -");
        assert_eq!(shown("@example/clock"), "@example/clock -");
        assert_eq!(shown("@example/clock@^2 <2.5"), "@example/clock ^2 <2.5");
        assert_eq!(shown("clock@next"), "clock the next");
        for place in ["./dir", "../dir", "file:x.tgz", "https://x.org/a.tgz", "git+file:///a/b#v1"] {
            assert_eq!(shown(place), place);
        }
        for wrong in [
            "",
            "Clock",
            "clock@",
            "clock@./dir",
            "^1.0.0",
            "@example",
            "a b",
            "a@1 || 2",
            "a@../x",
            "@../a",
            "a@v1/2",
        ] {
            assert!(PackageSpec::parse(wrong).is_err(), "{wrong}");
        }
    }
}
