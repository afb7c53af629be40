//! The lock file, `ailang.lock`: which packages were chosen, and what their archives are.
//!
//! It names no registry and no URL that the manifests do not name, so that a lock file from elsewhere sends nobody
//! anywhere.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use ailang::{Code, Manifest};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::PackageError;
use crate::integrity::Integrity;
use crate::limits::MOST_PACKAGES;

/// The version of the format.
const VERSION: u32 = 1;

/// The maximum size, in bytes.
const LARGEST: u64 = 4 << 20;

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Lock {
    lock_version: u32,
    /// The dependencies of the package itself, as its manifest has them.
    pub(crate) dependencies: BTreeMap<String, String>,
    /// All packages that are installed, by name.
    pub(crate) packages: BTreeMap<String, LockedPackage>,
}

/// A package in a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPackage {
    /// The version that was chosen, which the package's own manifest has too.
    pub version: Version,
    /// The origin: `registry`, or a folder, an archive or a repository as manifests have them, this one with its
    /// commit.
    pub from: String,
    /// The SHA-512 of the archive; folders have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<String>,
    /// The dependencies of the package, as its manifest has them: sources by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<String, String>,
}

impl LockedPackage {
    /// The origin of packages that a registry gave.
    pub const REGISTRY: &str = "registry";

    /// Returns the integrity of the archive.
    pub(crate) fn integrity(&self) -> Option<Integrity> {
        Integrity::parse(self.integrity.as_deref()?)
    }
}

impl Lock {
    /// The name of the file.
    pub const FILE: &'static str = "ailang.lock";

    pub(crate) fn new(
        dependencies: BTreeMap<String, String>,
        packages: BTreeMap<String, LockedPackage>,
    ) -> Self {
        Self { lock_version: VERSION, dependencies, packages }
    }

    /// Reads the lock file of a package; `None` if it has none.
    ///
    /// # Errors
    /// It is damaged, or of a later version.
    pub fn read(folder: &Path) -> Result<Option<Self>, PackageError> {
        let path = folder.join(Self::FILE);
        let problem = |problem: String| {
            PackageError::new(Code::INTEGRITY, format!("{} cannot be used: {problem}", path.display()))
                .help("delete it to choose all versions anew")
        };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(problem(error.to_string())),
            Ok(metadata) if metadata.len() > LARGEST => return Err(problem("it is too large".to_owned())),
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| problem(error.to_string()))?;
        let lock: Self = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
        lock.check().map_err(problem)?;
        Ok(Some(lock))
    }

    fn check(&self) -> Result<(), String> {
        if self.lock_version != VERSION {
            return Err(format!("it has the version {}, and {VERSION} is understood", self.lock_version));
        }
        if self.packages.len() > MOST_PACKAGES {
            return Err(format!("it has more than {MOST_PACKAGES} packages"));
        }
        for (name, package) in &self.packages {
            if !Manifest::is_name(name) {
                return Err(format!("`{}` is no name of a package", ailang::visible_line(name, 100)));
            }
            if package.integrity.is_some() && package.integrity().is_none() {
                return Err(format!("the integrity of `{name}` is no SHA-512"));
            }
        }
        Ok(())
    }

    /// Writes the lock file of a package.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        replace(&folder.join(Self::FILE), &text)
    }
}

/// Replaces a file as a whole.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|it| it == text) {
        return Ok(());
    }
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut draft = tempfile::Builder::new().prefix(".ailang-").tempfile_in(folder)?;
    draft.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).map_or(0o644, |it| it.permissions().mode());
        draft.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    draft.persist(path)?;
    Ok(())
}

/// Returns the dependencies of a manifest, as it has them.
pub(crate) fn dependencies_of(manifest: &Manifest) -> BTreeMap<String, String> {
    let sources = manifest.dependencies.iter();
    sources.filter_map(|it| Some((it.name.value.clone(), it.source.as_ref()?.value.to_string()))).collect()
}
