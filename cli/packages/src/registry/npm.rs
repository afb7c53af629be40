//! Registries that speak npm's protocol.

use std::collections::BTreeMap;

use ailang::Code;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    FoundPackage, LARGEST_METADATA, MOST_FOUND, NewVersion, Packument, PublishedPackage, TOKENS, fetch,
};
use crate::error::PackageError;
use crate::http::{Answer, Client, Token, failed, is_this_machine, shown};
use crate::settings::is_local;

/// Asks for metadata without READMEs, where a registry can leave them out.
const METADATA: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

/// A server.
#[derive(Clone, Debug)]
pub(super) struct NpmRegistry {
    url: Url,
    token: Option<Token>,
    pub(super) client: Client,
}

#[derive(Debug, Deserialize)]
struct SearchResult {
    objects: Vec<SearchObject>,
}

#[derive(Debug, Deserialize)]
struct SearchObject {
    package: SearchedPackage,
}

/// A package in the answer to a search. Registries give the version as such, or by its tag.
#[derive(Debug, Deserialize)]
struct SearchedPackage {
    name: String,
    version: Option<String>,
    #[serde(default, rename = "dist-tags")]
    tags: BTreeMap<String, String>,
    description: Option<String>,
    keywords: Option<Vec<String>>,
}

impl From<SearchedPackage> for FoundPackage {
    fn from(mut it: SearchedPackage) -> Self {
        let tagged = it.tags.remove("latest");
        Self {
            name: it.name,
            version: it.version.or(tagged).unwrap_or_default(),
            description: it.description.unwrap_or_default(),
            keywords: it.keywords.unwrap_or_default(),
        }
    }
}

impl NpmRegistry {
    pub(super) fn is_on_this_machine(&self) -> bool {
        is_this_machine(&self.url)
    }

    pub(super) fn new(url: &str, token: Option<&str>) -> Result<Self, PackageError> {
        let wrong = |problem| {
            let url = Url::parse(url).map_or_else(|_| ailang::visible_line(url, 200), |url| shown(&url));
            PackageError::new(Code::NO_REGISTRY, format!("`{url}` is no registry: {problem}"))
        };
        let mut parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(parsed.scheme(), "https" | "http") {
            return Err(wrong("its URL starts with `https://`, or it is `dir:` and a folder".to_owned()));
        }
        if token.is_some() && parsed.scheme() == "http" && !is_local(&parsed) {
            return Err(wrong("a token is sent over `https` only".to_owned()));
        }
        if !parsed.path().ends_with('/') {
            parsed.set_path(&format!("{}/", parsed.path()));
        }
        let token = token.map(|secret| Token::new(secret, &parsed));
        Ok(Self { url: parsed, token, client: Client::new() })
    }

    pub(super) fn shown(&self) -> String {
        shown(&self.url)
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<PublishedPackage>, PackageError> {
        let url = self.join(&encoded(name))?;
        let answer = self.client.get(&url, self.token.as_ref(), METADATA, LARGEST_METADATA)?;
        if answer.status == 404 {
            return Ok(None);
        }
        let packument: Packument = json(&url, &answer)?;
        Ok(Some(packument.into()))
    }

    /// Fetches an archive from where the registry says that it is. That may be another host, as with registries that
    /// keep archives elsewhere: the token stays here, and the archive has to be the one that the registry describes.
    pub(super) fn archive(&self, address: &str) -> Result<Vec<u8>, PackageError> {
        let url = self.join(address)?;
        if url.scheme() != "https" && self.url.scheme() == "https" {
            return Err(failed(&url, "the registry is encrypted, and its archive is not"));
        }
        if !matches!(url.scheme(), "https" | "http") {
            return Err(failed(&url, "the archive of a registry is fetched over `https` only"));
        }
        if is_this_machine(&url) && !self.is_on_this_machine() {
            return Err(failed(&url, "the registry is elsewhere, and its archive is on this machine"));
        }
        fetch(&self.client, &url, self.token.as_ref())
    }

    pub(super) fn publish(&self, it: &NewVersion<'_>) -> Result<(), PackageError> {
        let url = self.join(&encoded(it.name))?;
        let answer = self.client.put(&url, self.token.as_ref(), self.document(it)?)?;
        match answer.status {
            _ if answer.is_success() => Ok(()),
            409 => Err(PackageError::new(Code::VERSION_TAKEN, refusal(&url, &answer))),
            401 | 403 => Err(PackageError::new(Code::PACKAGE_ABSENT, refusal(&url, &answer)).help(TOKENS)),
            _ => Err(PackageError::new(Code::PACKAGE_ABSENT, refusal(&url, &answer))),
        }
    }

    /// Returns what npm's protocol publishes: the metadata, with the archive in it.
    fn document(&self, it: &NewVersion<'_>) -> Result<String, PackageError> {
        let NewVersion { name, version, tag, manifest, archive } = it;
        let address = self.join(&format!("{name}/-/{}", it.file()))?;
        let attachment = json!({
            "content_type": "application/octet-stream",
            "data": STANDARD.encode(archive),
            "length": archive.len(),
        });
        let document = json!({
            "_id": name,
            "name": name,
            "description": manifest["description"],
            "dist-tags": { *tag: version },
            "versions": { *version: it.described(address.as_str()) },
            "access": Value::Null,
            // Unlike that of the archive's URL, this name has the scope.
            "_attachments": { format!("{name}-{version}.tgz"): attachment },
        });
        Ok(document.to_string())
    }

    pub(super) fn search(&self, query: &str) -> Result<Vec<FoundPackage>, PackageError> {
        let mut url = self.join("-/v1/search")?;
        url.query_pairs_mut().append_pair("text", query).append_pair("size", &MOST_FOUND.to_string());
        let answer = self.client.get(&url, self.token.as_ref(), "application/json", LARGEST_METADATA)?;
        let found: SearchResult = json(&url, &answer)?;
        Ok(found.objects.into_iter().take(MOST_FOUND).map(|it| it.package.into()).collect())
    }

    fn join(&self, path: &str) -> Result<Url, PackageError> {
        let problem = |error| {
            let path = ailang::visible_line(path, ailang::LONGEST_NAME);
            failed(&self.url, &format!("`{path}` is no URL: {error}"))
        };
        self.url.join(path).map_err(problem)
    }
}

fn json<'a, T: Deserialize<'a>>(url: &Url, answer: &'a Answer) -> Result<T, PackageError> {
    if !answer.is_success() {
        return Err(failed(url, &status(answer.status)));
    }
    serde_json::from_slice(&answer.body)
        .map_err(|error| failed(url, &format!("its answer is not understood: {error}")))
}

fn refusal(url: &Url, answer: &Answer) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    let said = serde_json::from_slice::<Refusal>(&answer.body).map(|it| format!(": {}", it.error));
    let said = ailang::visible_line(&said.unwrap_or_default(), ailang::LONGEST_SUMMARY);
    format!("{} refuses the package, {}{said}", shown(url), status(answer.status))
}

pub(crate) fn status(status: u16) -> String {
    match status {
        401 | 403 => format!("HTTP {status}: it needs a token, or another one"),
        404 => "HTTP 404: it is not there".to_owned(),
        _ => format!("HTTP {status}"),
    }
}

/// Returns a name as one part of a path.
fn encoded(name: &str) -> String {
    name.replace('/', "%2f")
}
