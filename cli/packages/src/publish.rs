//! Publication of packages to registries.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ailang::{Code, DependencySource, Diagnostic, Document, Manifest, Severity, Strictness, validate_all};
use serde_json::{Value, json};

use crate::archive::{ArchiveLimits, PackedFile, pack, unpack};
use crate::error::PackageError;
use crate::integrity::Integrity;
use crate::package::add_imports_of;
use crate::package_files::{PackageFile, package_files};
use crate::project::Project;
use crate::registry::{NewVersion, Registry, taken};
use crate::settings::no_registry;
use crate::spec::is_tag;

/// A package that is ready to be published.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The name of the package, from its manifest, with the scope: `@acme/clock`.
    pub name: String,
    /// The version from the manifest, a semantic version.
    pub version: String,
    /// The files with their sizes in bytes; `package.json` is made of the manifest.
    pub files: Vec<(String, usize)>,
    /// The SHA-512 of the archive.
    pub integrity: Integrity,
    /// The gzipped tar that a registry gets.
    pub archive: Vec<u8>,
    package_json: Value,
}

/// The reason why a package cannot be published.
#[derive(Debug)]
pub enum PublishError {
    /// The manifest or documents of the package have errors: the path of each file, its source, and what is
    /// wrong.
    Invalid(Vec<(String, String, Vec<Diagnostic>)>),
    /// Anything else.
    Failed(PackageError),
}

impl fmt::Display for PublishError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(_) => f.write_str("the package has errors"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PublishError {}

impl From<PackageError> for PublishError {
    fn from(error: PackageError) -> Self {
        Self::Failed(error)
    }
}

/// Makes a package of a folder, after the strict checks of what will be in it.
///
/// # Errors
/// The checks find errors, which an import of a document that is not published is too; a dependency is a folder or a
/// file of this machine; or the package exceeds the limits of archives.
pub fn prepare(folder: &Path) -> Result<Publication, PublishError> {
    let unreadable = |error: std::io::Error| {
        PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {error}", folder.display()))
    };
    let project = Project::open(folder).map_err(unreadable)?;
    let Some(manifest) = project.manifest().cloned() else {
        let message = format!("{} has no {}", folder.display(), Manifest::FILE);
        return Err(PackageError::new(Code::MANIFEST_JSON, message).help("`ailang init` creates one").into());
    };
    let mut files = package_files(folder, &manifest)?;
    check(&project, &manifest, &files)?;
    let package_json = package_json(&manifest)?;
    let text = format!("{package_json:#}\n").into_bytes();
    files.push(PackageFile { path: "package.json".to_owned(), bytes: text });
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let packed: Vec<PackedFile<'_>> =
        files.iter().map(|it| PackedFile { path: &it.path, bytes: &it.bytes }).collect();
    let archive = pack(&packed).map_err(unreadable)?;
    // Whoever installs it reads it with the same limits.
    unpack(&archive, &ArchiveLimits::default())?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(Publication {
        name: text(&package_json["name"]),
        version: text(&package_json["version"]),
        files: files.iter().map(|it| (it.path.clone(), it.bytes.len())).collect(),
        integrity: Integrity::of(&archive),
        archive,
        package_json,
    })
}

/// Publishes a package under a tag, by default `latest`, or `next` for a version before a release.
///
/// # Errors
/// The version is published already, or the registry refuses it.
pub fn publish(
    publication: &Publication,
    registry: Option<&Registry>,
    tag: Option<&str>,
) -> Result<(), PackageError> {
    let Publication { name, version, .. } = publication;
    let registry = registry.ok_or_else(|| no_registry(name))?;
    let tag = tag.unwrap_or(if version.contains('-') { "next" } else { "latest" });
    if !is_tag(tag) {
        let tag = ailang::visible_line(tag, ailang::LONGEST_NAME);
        let message = format!("`{tag}` is no tag: those are words that are no range of versions");
        return Err(PackageError::new(Code::DEPENDENCY, message));
    }
    let published = registry.find(name)?.unwrap_or_default();
    if published.versions.iter().any(|it| it.version.to_string() == *version) {
        return Err(taken(name, version, &registry.shown()));
    }
    let (manifest, archive) = (&publication.package_json, publication.archive.as_slice());
    registry.publish(&NewVersion { name, version, tag, manifest, archive })
}

/// Checks the manifest and all documents, as they will be published.
fn check(project: &Project, manifest: &Manifest, files: &[PackageFile]) -> Result<(), PublishError> {
    let mut documents = project.documents();
    for file in files.iter().filter(|it| it.path.ends_with(".md")) {
        let document = Document::parse(String::from_utf8_lossy(&file.bytes));
        let is_main = manifest.main.as_ref().is_some_and(|main| main.value == file.path);
        if document.is_interface() || is_main {
            documents.insert(file.path.clone(), document);
        }
    }
    // Other documents of the folder are not there for those who install the package.
    let installed = documents.clone();
    add_imports_of(project, &mut documents, |path| installed.is_installed(path))
        .map_err(|error| PackageError::new(Code::UNRESOLVED_IMPORT, error.to_string()))?;
    let found = manifest.validate(&documents, Strictness::Strict);
    let mut all = vec![(Manifest::FILE.to_owned(), manifest.source.clone(), found)];
    for (path, found) in validate_all(&documents, Strictness::Strict) {
        let source = documents.get(path).map_or_else(String::new, |it| it.source.clone());
        all.push((path.to_owned(), source, found));
    }
    all.retain(|(path, _, found)| !documents.is_installed(path) && found.iter().any(is_error));
    if all.is_empty() { Ok(()) } else { Err(PublishError::Invalid(all)) }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// Returns the manifest as npm has it. It has no scripts, so that nothing runs where npm installs it.
fn package_json(manifest: &Manifest) -> Result<Value, PackageError> {
    let mut dependencies = BTreeMap::new();
    for dependency in &manifest.dependencies {
        let Some(source) = &dependency.source else { continue };
        let is_local = match &source.value {
            DependencySource::Folder(_) => true,
            DependencySource::Archive(path) => !path.contains("://"),
            _ => false,
        };
        if is_local {
            let message =
                format!("`{}` is `{}`, which only this machine has", dependency.name.value, source.value);
            return Err(
                PackageError::new(Code::DEPENDENCY, message).help("publish it, and name a range of versions")
            );
        }
        dependencies.insert(dependency.name.value.as_str(), source.value.to_string());
    }
    let text = |field: &Option<ailang::Field<String>>| field.as_ref().map(|it| it.value.clone());
    let mut json = json!({
        "name": text(&manifest.name),
        "version": manifest.version.as_ref().map(|it| it.value.to_string()),
        "description": text(&manifest.description),
        "author": text(&manifest.author),
        "license": text(&manifest.license),
        "keywords": manifest.keywords.iter().map(|it| it.value.as_str()).collect::<Vec<_>>(),
        "dependencies": dependencies,
        "ailang": { "main": text(&manifest.main) },
    });
    if let Some(url) = text(&manifest.repository) {
        json["repository"] = json!({ "type": "git", "url": url });
    }
    Ok(json)
}
