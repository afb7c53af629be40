//! The tokens in the settings of npm, `.npmrc`, of the user. Those of a project are not read: it could name any host for
//! a variable of the user's environment.
//!
//! ```text
//! //npm.example.org/:_authToken=${NPM_TOKEN}
//! ```

use std::path::{Path, PathBuf};

use ailang::Code;
use url::Url;

use crate::error::PackageError;

/// The maximum size, in bytes.
const LARGEST: u64 = 1 << 20;

/// Returns the tokens of the user's settings of npm, by what URLs have to start with; none if there are none.
pub(crate) fn tokens() -> Result<Vec<(Url, String)>, PackageError> {
    let variable = |name| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let named = variable("npm_config_userconfig").or_else(|| variable("NPM_CONFIG_USERCONFIG"));
    let Some(path) = named.or_else(|| Some(variable("HOME")?.join(".npmrc"))) else { return Ok(Vec::new()) };
    let Some(text) = read(&path)? else { return Ok(Vec::new()) };
    Ok(parse(&text, |name| std::env::var(name).ok()))
}

fn read(path: &Path) -> Result<Option<String>, PackageError> {
    let problem = |problem: String| {
        PackageError::new(Code::NO_REGISTRY, format!("{} cannot be used: {problem}", path.display()))
    };
    match std::fs::metadata(path) {
        Ok(it) if it.is_file() && it.len() <= LARGEST => {}
        Ok(it) if it.is_file() => return Err(problem("it is too large".to_owned())),
        _ => return Ok(None),
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| problem(error.to_string()))
}

/// Returns the tokens of a text. `${NAME}` is a variable; a token with one that is not set is left out.
fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Vec<(Url, String)> {
    let token = |line: &str| {
        let (key, value) = line.split_once('=')?;
        let place = key.trim().strip_prefix("//")?.strip_suffix(":_authToken")?;
        let url = Url::parse(&format!("https://{}/", place.trim_end_matches('/'))).ok()?;
        let value = expanded(value.trim().trim_matches(['"', '\'']), &variable)?;
        Some((url, value)).filter(|(_, value)| !value.is_empty())
    };
    text.lines().filter_map(token).collect()
}

fn expanded(mut text: &str, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    while let Some((before, rest)) = text.split_once("${") {
        let (name, behind) = rest.split_once('}')?;
        out.push_str(before);
        out.push_str(&variable(name)?);
        text = behind;
    }
    out.push_str(text);
    Some(out)
}

/// Returns the token for a URL: that of the longest start. The scheme does not count, as with npm.
pub(crate) fn find<'t>(tokens: &'t [(Url, String)], url: &Url) -> Option<&'t str> {
    let authority = |url: &Url| url.host_str().map(|host| (host.to_owned(), url.port()));
    let path = format!("{}/", url.path().trim_end_matches('/'));
    let starts = |start: &Url| authority(start) == authority(url) && path.starts_with(start.path());
    let fitting = tokens.iter().filter(|(start, _)| starts(start));
    fitting.max_by_key(|(start, _)| start.path().len()).map(|(_, token)| token.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_belong_to_the_start_of_urls() {
        let text = "; comment\nregistry=https://elsewhere.example/\n//a.example/:_authToken=one\n\
                    //a.example/team/npm/:_authToken = \"${TEAM}\"\n//b.example:4873/:_authToken=${ABSENT}\n\
                    //127.0.0.1:4873/:_authToken='x-${TEAM}'\n//c.example/:_password=p\nc.example:_authToken=c\n";
        let tokens = parse(text, |name| (name == "TEAM").then(|| "two".to_owned()));
        for (url, token) in [
            ("https://a.example/clock", Some("one")),
            ("https://a.example/team/npm", Some("two")),
            ("https://a.example/team/npm/clock", Some("two")),
            ("https://a.example/team/npms", Some("one")),
            ("https://a.example:8443/", None),
            ("https://b.example:4873/", None),
            ("http://127.0.0.1:4873/x", Some("x-two")),
            ("https://c.example/", None),
            ("https://elsewhere.example/", None),
            ("file:///a.example/", None),
        ] {
            assert_eq!(find(&tokens, &Url::parse(url).unwrap()), token, "{url}");
        }
    }
}
