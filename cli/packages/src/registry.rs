//! Registries that speak npm's protocol.

use std::collections::BTreeMap;

use ailang::Code;
use semver::Version;
use serde::Deserialize;
use url::Url;

use crate::archive::ArchiveLimits;
use crate::error::PackageError;
use crate::http::{Answer, Client, Token, failed, shown};
use crate::integrity::Integrity;

/// The maximum size of what a registry says about a package, in bytes.
const LARGEST_METADATA: u64 = 32 << 20;

/// Asks for metadata without READMEs, where a registry can leave them out.
const METADATA: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8";

/// A registry.
#[derive(Clone, Debug)]
pub struct Registry {
    url: Url,
    token: Option<Token>,
    client: Client,
}

/// A package as a registry knows it. The rest of its answer is not read: manifests come from archives.
#[derive(Debug, Default, Deserialize)]
struct Packument {
    #[serde(default)]
    versions: BTreeMap<String, PublishedVersion>,
}

#[derive(Debug, Deserialize)]
struct PublishedVersion {
    dist: Dist,
}

#[derive(Debug, Deserialize)]
struct Dist {
    tarball: String,
    #[serde(default)]
    integrity: String,
}

/// The archive of a version, as a registry names it.
#[derive(Clone, Debug)]
pub struct PublishedArchive {
    url: String,
    integrity: String,
}

/// A package that a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPackage {
    /// The name.
    pub name: String,
    /// The latest version; empty where the registry does not say it.
    pub version: String,
    /// The purpose.
    pub description: String,
    /// The search keywords.
    pub keywords: Vec<String>,
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

impl Registry {
    /// Takes the URL of a registry, and a token for its origin.
    ///
    /// # Errors
    /// It is no `http` or `https` URL; or it is not encrypted, and leads to another machine with a token.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, PackageError> {
        let wrong =
            |problem| PackageError::new(Code::NO_REGISTRY, format!("`{url}` is no registry: {problem}"));
        let mut parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(parsed.scheme(), "https" | "http") {
            return Err(wrong("its URL starts with `https://`".to_owned()));
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

    /// Returns the URL without secrets.
    pub fn shown(&self) -> String {
        shown(&self.url)
    }

    /// Returns the published versions of a package, the highest first, with their archives.
    ///
    /// # Errors
    /// The registry does not answer, or does not have the package.
    pub fn versions(&self, name: &str) -> Result<Vec<(Version, PublishedArchive)>, PackageError> {
        self.find(name)?.ok_or_else(|| {
            let message = format!("{} has no package `{name}`", self.shown());
            PackageError::new(Code::PACKAGE_ABSENT, message)
        })
    }

    /// Returns the published versions of a package; `None` for one that the registry does not have.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Vec<(Version, PublishedArchive)>>, PackageError> {
        let url = self.join(&encoded(name))?;
        let answer = self.client.get(&url, self.token.as_ref(), METADATA, LARGEST_METADATA)?;
        if answer.status == 404 {
            return Ok(None);
        }
        let packument: Packument = json(&url, &answer)?;
        let versions = packument.versions.into_iter().filter_map(|(version, it)| {
            let archive = PublishedArchive { url: it.dist.tarball, integrity: it.dist.integrity };
            Some((Version::parse(&version).ok()?, archive))
        });
        let mut versions: Vec<_> = versions.collect();
        versions.sort_by(|(left, _), (right, _)| right.cmp(left));
        Ok(Some(versions))
    }

    /// Fetches the archive of a version, and checks it.
    ///
    /// # Errors
    /// It cannot be fetched, has no SHA-512, or another one.
    pub fn archive(&self, archive: &PublishedArchive) -> Result<(Integrity, Vec<u8>), PackageError> {
        let Some(integrity) = Integrity::parse(&archive.integrity) else {
            let message =
                format!("{} names no SHA-512 of {}", self.shown(), ailang::visible_line(&archive.url, 200));
            return Err(PackageError::new(Code::INTEGRITY, message));
        };
        let url = self.join(&archive.url)?;
        if url.scheme() != "https" && self.url.scheme() == "https" {
            return Err(failed(&url, "the registry is encrypted, and its archive is not"));
        }
        let bytes = fetch(&self.client, &url, self.token.as_ref())?;
        integrity.check(&bytes).map_err(|error| error.about(&shown(&url)))?;
        Ok((integrity, bytes))
    }

    /// Returns the integrity that the registry names for an archive.
    pub(crate) fn integrity(archive: &PublishedArchive) -> Option<Integrity> {
        Integrity::parse(&archive.integrity)
    }

    /// Publishes a version.
    ///
    /// # Errors
    /// The version is published already, or the registry refuses it.
    pub(crate) fn publish(&self, name: &str, document: String) -> Result<(), PackageError> {
        let url = self.join(&encoded(name))?;
        let answer = self.client.put(&url, self.token.as_ref(), document)?;
        match answer.status {
            _ if answer.is_success() => Ok(()),
            409 => Err(PackageError::new(Code::VERSION_TAKEN, refusal(&url, &answer))),
            401 | 403 => Err(PackageError::new(Code::PACKAGE_ABSENT, refusal(&url, &answer))
                .help("set a token for the registry: `AILANG_REGISTRY_TOKEN`, or `tokens` in your settings")),
            _ => Err(PackageError::new(Code::PACKAGE_ABSENT, refusal(&url, &answer))),
        }
    }

    /// Returns the URL of an archive that is about to be published.
    pub(crate) fn archive_url(&self, name: &str, file: &str) -> Result<Url, PackageError> {
        self.join(&format!("{name}/-/{file}"))
    }

    /// Searches for packages by their names, descriptions and keywords.
    ///
    /// # Errors
    /// The registry does not answer, or cannot search.
    pub fn search(&self, query: &str) -> Result<Vec<FoundPackage>, PackageError> {
        let mut url = self.join("-/v1/search")?;
        url.query_pairs_mut().append_pair("text", query).append_pair("size", "50");
        let answer = self.client.get(&url, self.token.as_ref(), "application/json", LARGEST_METADATA)?;
        let found: SearchResult = json(&url, &answer)?;
        Ok(found.objects.into_iter().map(|it| it.package.into()).collect())
    }

    fn join(&self, path: &str) -> Result<Url, PackageError> {
        self.url.join(path).map_err(|error| failed(&self.url, &format!("`{path}` is no URL: {error}")))
    }
}

/// Fetches an archive.
pub(crate) fn fetch(client: &Client, url: &Url, token: Option<&Token>) -> Result<Vec<u8>, PackageError> {
    let answer = client.get(url, token, "*/*", ArchiveLimits::default().packed)?;
    if answer.is_success() { Ok(answer.body) } else { Err(failed(url, &status(answer.status))) }
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

fn status(status: u16) -> String {
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

/// Returns `true` for this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
