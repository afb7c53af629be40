//! The registry that is asked, and the tokens for it and other places: none but those that the user names.
//!
//! ```toml
//! [packages]                           # in the user's own settings
//! registry = "https://npm.example.org/"
//! tokens = { "https://npm.example.org" = "secret" }
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use ailang::Code;
use serde::Deserialize;
use url::Url;

use crate::error::PackageError;
use crate::npmrc;
use crate::registry::Registry;

/// The user's settings of registries, in order of precedence.
#[derive(Clone, Default)]
pub struct RegistrySettings {
    /// The URL of the command line.
    pub option: Option<String>,
    /// The URL of `AILANG_REGISTRY`.
    pub variable: Option<String>,
    /// The token of `AILANG_REGISTRY_TOKEN`, for the origin of `variable`.
    pub variable_token: Option<String>,
    file: Section,
    /// The tokens of npm's settings, by what URLs have to start with.
    npm: Vec<(Url, String)>,
}

/// Tokens for archives and repositories, by where they are.
#[derive(Clone, Default)]
pub struct Credentials(RegistrySettings);

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

impl Credentials {
    /// Returns the token for a URL. One that is not encrypted has none, unless it leads to this machine.
    pub(crate) fn token(&self, url: &Url) -> Option<&str> {
        let is_safe = url.scheme() == "https" || is_local(url);
        self.0.token(url.as_str()).filter(|_| is_safe)
    }
}

#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    packages: Section,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Section {
    registry: Option<String>,
    /// Tokens by origin.
    tokens: BTreeMap<String, String>,
}

impl std::fmt::Debug for RegistrySettings {
    /// Writes no token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegistrySettings").finish_non_exhaustive()
    }
}

impl RegistrySettings {
    /// Reads the environment and the user's settings, if they exist.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub fn read(option: Option<String>, file: Option<&Path>) -> Result<Self, PackageError> {
        let mut settings = Self { option, ..Self::default() };
        let variable = |name| std::env::var(name).ok().filter(|it| !it.is_empty());
        settings.variable = variable("AILANG_REGISTRY");
        settings.variable_token = variable("AILANG_REGISTRY_TOKEN");
        if let Some(path) = file.filter(|it| it.is_file()) {
            let problem = |error: String| {
                PackageError::new(Code::NO_REGISTRY, format!("{} cannot be used: {error}", path.display()))
            };
            let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
            // Not the whole error, which shows the line: it may be the one with a token.
            let file = toml::from_str::<File>(&text).map_err(|error| problem(error.message().to_owned()))?;
            settings.file = file.packages;
        }
        settings.npm = npmrc::tokens()?;
        Ok(settings)
    }

    /// Returns the registry; `None` if none is named.
    ///
    /// # Errors
    /// Its address is no URL of a registry.
    pub fn registry(&self) -> Result<Option<Registry>, PackageError> {
        let url = self.option.as_ref().or(self.variable.as_ref()).or(self.file.registry.as_ref());
        url.map(|url| Registry::new(url, self.token(url))).transpose()
    }

    /// Returns the tokens for archives and repositories.
    pub fn credentials(&self) -> Credentials {
        Credentials(self.clone())
    }

    /// Returns the token for the origin of a URL.
    fn token(&self, url: &str) -> Option<&str> {
        let origin = |url: &str| Url::parse(url).ok().map(|it| it.origin()).filter(url::Origin::is_tuple);
        let wanted = origin(url)?;
        let is_wanted = |url: &str| origin(url).as_ref() == Some(&wanted);
        let variable = self.variable_token.as_deref();
        let variable = variable.filter(|_| self.variable.as_deref().is_some_and(is_wanted));
        let mut tokens = self.file.tokens.iter();
        let own =
            variable.or_else(|| tokens.find(|(url, _)| is_wanted(url)).map(|(_, token)| token.as_str()));
        own.or_else(|| npmrc::find(&self.npm, &Url::parse(url).ok()?))
    }
}

/// Returns `true` for this machine.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns the error for a package that only a registry could have.
pub(crate) fn no_registry(name: &str) -> PackageError {
    let message = format!("no registry is configured to ask for `{name}`");
    PackageError::new(Code::NO_REGISTRY, message).help(
        "name one: `--registry URL`, `AILANG_REGISTRY`, or `registry` below `[packages]` in your settings",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_belongs_to_one_origin() {
        let tokens = [("https://a.example".to_owned(), "file".to_owned())].into();
        let settings = RegistrySettings {
            variable: Some("https://b.example/npm/".to_owned()),
            variable_token: Some("variable".to_owned()),
            file: Section { registry: None, tokens },
            ..RegistrySettings::default()
        };
        for (url, token) in [
            ("https://a.example/x/", Some("file")),
            ("https://a.example:443", Some("file")),
            ("https://a.example:8443", None),
            ("http://a.example", None),
            ("https://b.example", Some("variable")),
            ("https://c.example", None),
            ("file:///x", None),
        ] {
            assert_eq!(settings.token(url), token, "{url}");
        }
        let credentials = settings.credentials();
        let token = |url: &str| credentials.token(&Url::parse(url).unwrap());
        assert_eq!(token("https://a.example/x.tgz"), Some("file"));
        assert_eq!(token("https://c.example/x.tgz"), None);
        assert!(!format!("{credentials:?}{settings:?}").contains("variable"));
        assert!(RegistrySettings::default().registry().unwrap().is_none(), "none is guessed");
        for wrong in ["npm.example.org", "file:///x", "ftp://x.example"] {
            assert!(Registry::new(wrong, None).is_err(), "{wrong}");
        }
        assert!(Registry::new("http://x.example", Some("t")).is_err());
        assert!(Registry::new("http://127.0.0.1:4873", Some("t")).is_ok());
        let shown = Registry::new("https://user:secret@x.example/npm?q=1", None).unwrap().shown();
        assert_eq!(shown, "https://x.example/npm/");
    }
}
