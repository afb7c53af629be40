//! Registries of packages: servers that speak npm's protocol, and folders with the same documents.

mod folder;
mod npm;

use std::collections::BTreeMap;

use ailang::Code;
use semver::Version;
use serde::Deserialize;
use url::Url;

use crate::archive::ArchiveLimits;
use crate::error::PackageError;
use crate::http::{Client, OnDownload, Token, failed};
use crate::integrity::Integrity;
use folder::FolderRegistry;
use npm::NpmRegistry;
pub(crate) use npm::status;

/// The maximum size of what a registry says about a package, in bytes.
const LARGEST_METADATA: u64 = 32 << 20;

/// The maximum number of packages that a search gives.
const MOST_FOUND: usize = 50;

/// A source of published packages: a server that speaks npm's protocol, or a folder.
#[derive(Clone, Debug)]
pub struct Registry(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Npm(Box<NpmRegistry>),
    Folder(FolderRegistry),
}

/// A package as a registry knows it. The rest of its answer is not read: manifests come from archives.
#[derive(Debug, Default, Deserialize)]
struct Packument {
    #[serde(default)]
    versions: BTreeMap<String, DescribedVersion>,
    #[serde(default, rename = "dist-tags")]
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct DescribedVersion {
    dist: Dist,
    #[serde(default)]
    deprecated: serde_json::Value,
}

#[derive(Debug, Deserialize)]
struct Dist {
    tarball: String,
    #[serde(default)]
    integrity: String,
}

/// The published versions of a package.
#[derive(Clone, Debug, Default)]
pub struct PublishedPackage {
    /// The versions, the highest first.
    pub versions: Vec<PublishedVersion>,
    /// Names of versions: `latest`, `next`.
    tags: BTreeMap<String, String>,
}

/// A version that a registry lists for a package.
#[derive(Clone, Debug)]
pub struct PublishedVersion {
    /// The key in the registry's list of versions; what is no semantic version is left out.
    pub version: Version,
    /// The reason not to use it, which the registry gives; it may be hostile.
    pub deprecated: Option<String>,
    archive: PublishedArchive,
}

/// The archive of a version, as a registry names it.
#[derive(Clone, Debug)]
struct PublishedArchive {
    url: String,
    integrity: String,
}

impl From<Packument> for PublishedPackage {
    /// Takes the versions that are semantic versions; others would be paths or worse.
    fn from(it: Packument) -> Self {
        let versions = it.versions.into_iter().filter_map(|(version, it)| {
            let archive = PublishedArchive { url: it.dist.tarball, integrity: it.dist.integrity };
            let deprecated = match it.deprecated {
                serde_json::Value::String(reason) if !reason.is_empty() => Some(reason),
                serde_json::Value::Bool(true) => Some("no reason is given".to_owned()),
                _ => None,
            };
            Some(PublishedVersion { version: Version::parse(&version).ok()?, archive, deprecated })
        });
        let mut versions: Vec<_> = versions.collect();
        versions.sort_by(|left, right| right.version.cmp(&left.version));
        Self { versions, tags: it.tags }
    }
}

impl PublishedPackage {
    /// Returns what the registry lists for a version; `None` if it is not published.
    pub(crate) fn get(&self, version: &Version) -> Option<&PublishedVersion> {
        self.versions.iter().find(|it| it.version == *version)
    }

    /// Returns the version with a tag; `None` also for one that is not published.
    pub(crate) fn tagged(&self, tag: &str) -> Option<&Version> {
        let version = Version::parse(self.tags.get(tag)?).ok()?;
        self.get(&version).map(|it| &it.version)
    }

    /// Returns the names of versions.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.keys().map(String::as_str)
    }
}

impl PublishedVersion {
    /// Returns the integrity that the registry names for the archive.
    pub(crate) fn integrity(&self) -> Option<Integrity> {
        Integrity::parse(&self.archive.integrity)
    }
}

/// A package that a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPackage {
    /// The name of the package, as the registry gives it; it may be hostile.
    pub name: String,
    /// The latest version; empty where the registry does not say it.
    pub version: String,
    /// The purpose.
    pub description: String,
    /// The search keywords.
    pub keywords: Vec<String>,
}

/// A version that is about to be published.
#[derive(Debug)]
pub(crate) struct NewVersion<'p> {
    pub(crate) name: &'p str,
    pub(crate) version: &'p str,
    pub(crate) tag: &'p str,
    /// The manifest as npm has it.
    pub(crate) manifest: &'p serde_json::Value,
    pub(crate) archive: &'p [u8],
}

impl NewVersion<'_> {
    /// Returns the name of the archive's file: `clock-1.0.0.tgz`, without the scope.
    fn file(&self) -> String {
        let base = self.name.rsplit('/').next().unwrap_or(self.name);
        format!("{base}-{}.tgz", self.version)
    }

    /// Returns what the registry says about the version, with the address of its archive.
    fn described(&self, address: &str) -> serde_json::Value {
        let mut described = self.manifest.clone();
        described["_id"] = serde_json::json!(format!("{}@{}", self.name, self.version));
        described["dist"] = serde_json::json!({
            "integrity": Integrity::of(self.archive).to_string(),
            "shasum": crate::integrity::shasum(self.archive),
            "tarball": address,
        });
        described
    }
}

impl Registry {
    /// Takes the URL of a registry, with a token for its origin; or `dir:` and a folder.
    ///
    /// # Errors
    /// It is neither an `http` or `https` URL nor an existing folder; or it is not encrypted, and leads to another
    /// machine with a token.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, PackageError> {
        match url.strip_prefix("dir:") {
            Some(folder) => Ok(Self(Kind::Folder(FolderRegistry::new(folder)?))),
            None => Ok(Self(Kind::Npm(Box::new(NpmRegistry::new(url, token)?)))),
        }
    }

    /// Reports downloads from now on.
    #[must_use]
    pub fn reporting(mut self, on_download: Option<OnDownload>) -> Self {
        if let Kind::Npm(it) = &mut self.0 {
            it.client = Client::reporting(on_download);
        }
        self
    }

    /// Returns `true` for a folder, which needs no network.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.0, Kind::Folder(_))
    }

    /// Returns `true` for a folder, and for a server on this machine.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        match &self.0 {
            Kind::Npm(it) => it.is_on_this_machine(),
            Kind::Folder(_) => true,
        }
    }

    /// Returns the address without secrets.
    pub fn shown(&self) -> String {
        match &self.0 {
            Kind::Npm(it) => it.shown(),
            Kind::Folder(it) => it.shown(),
        }
    }

    /// Returns the published versions of a package.
    ///
    /// # Errors
    /// The registry does not answer, or does not have the package.
    pub fn package(&self, name: &str) -> Result<PublishedPackage, PackageError> {
        self.find(name)?.ok_or_else(|| {
            let message = format!("{} has no package `{name}`", self.shown());
            PackageError::new(Code::PACKAGE_ABSENT, message)
        })
    }

    /// Returns the published versions of a package; `None` for one that the registry does not have.
    pub(crate) fn find(&self, name: &str) -> Result<Option<PublishedPackage>, PackageError> {
        match &self.0 {
            Kind::Npm(it) => it.find(name),
            Kind::Folder(it) => it.find(name),
        }
    }

    /// Fetches the archive of a version, and checks it.
    ///
    /// # Errors
    /// It cannot be fetched, has no SHA-512, or another one.
    pub(crate) fn archive(
        &self,
        name: &str,
        it: &PublishedVersion,
    ) -> Result<(Integrity, Vec<u8>), PackageError> {
        let url = ailang::visible_line(&it.archive.url, ailang::LONGEST_SUMMARY);
        let Some(integrity) = it.integrity() else {
            let message = format!("{} names no SHA-512 of {url}", self.shown());
            return Err(PackageError::new(Code::INTEGRITY, message));
        };
        let bytes = match &self.0 {
            Kind::Npm(registry) => registry.archive(&it.archive.url),
            Kind::Folder(registry) => registry.archive(name, &it.archive.url),
        }?;
        integrity.check(&bytes).map_err(|error| error.about(&url))?;
        Ok((integrity, bytes))
    }

    /// Publishes a version.
    ///
    /// # Errors
    /// The version is published already, or the registry refuses it.
    pub(crate) fn publish(&self, it: &NewVersion<'_>) -> Result<(), PackageError> {
        match &self.0 {
            Kind::Npm(registry) => registry.publish(it),
            Kind::Folder(registry) => registry.publish(it),
        }
    }

    /// Searches for packages by their names, descriptions and keywords.
    ///
    /// # Errors
    /// The registry does not answer, or cannot search.
    pub fn search(&self, query: &str) -> Result<Vec<FoundPackage>, PackageError> {
        match &self.0 {
            Kind::Npm(it) => it.search(query),
            Kind::Folder(it) => it.search(query),
        }
    }
}

/// Returns the error for a version that exists.
pub(crate) fn taken(name: &str, version: &str, registry: &str) -> PackageError {
    PackageError::new(Code::VERSION_TAKEN, format!("{name} {version} is published at {registry} already"))
        .help("raise `version` in `ailang.json`")
}

/// Fetches an archive.
pub(crate) fn fetch(client: &Client, url: &Url, token: Option<&Token>) -> Result<Vec<u8>, PackageError> {
    let answer = client.get(url, token, "*/*", ArchiveLimits::default().packed)?;
    match answer.status {
        _ if answer.is_success() => Ok(answer.body),
        401 | 403 => Err(failed(url, &status(answer.status)).help(TOKENS)),
        other => Err(failed(url, &status(other))),
    }
}

/// The remedy for an address that asks for credentials.
const TOKENS: &str = "set a token for its origin: `tokens` below `[packages]` in your settings, \
                      `//HOST/:_authToken` in your `.npmrc`, or `AILANG_REGISTRY_TOKEN` for a registry";
