//! The projects that one language server loads.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cargo_metadata::Metadata;
use ide_protocol::Reason;

/// The projects of one language that one server is to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Projects {
    /// Their manifests, absolute, sorted.
    pub(crate) manifests: Vec<PathBuf>,
    /// Folders whose files belong to them: roots and local dependencies.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The projects or files that were left out.
    pub(crate) left_out: Vec<Reason>,
    /// One file of each project, for servers that load a project when a file of it is opened.
    pub(crate) anchors: Vec<PathBuf>,
    /// The additional arguments of the server for these projects.
    pub(crate) args: Vec<OsString>,
}

impl Projects {
    /// Adds the project of a manifest.
    pub(super) fn add(&mut self, manifest: PathBuf) {
        self.folders.extend(manifest.parent().map(Path::to_owned));
        self.manifests.push(manifest);
    }

    /// Adds a workspace. Its members and local dependencies are `covered` by it: a crate that is loaded twice has
    /// its references in halves. `single` holds the workspaces of one package.
    pub(super) fn add_workspace(
        &mut self,
        metadata: &Metadata,
        covered: &mut BTreeSet<PathBuf>,
        single: &mut BTreeSet<PathBuf>,
    ) {
        let root = canonical(&metadata.workspace_root.as_std_path().join("Cargo.toml"));
        covered.insert(root.clone());
        for package in &metadata.packages {
            let manifest = canonical(package.manifest_path.as_std_path());
            self.folders.extend(manifest.parent().map(Path::to_owned));
            covered.insert(manifest);
            for folder in package.dependencies.iter().filter_map(|it| it.path.as_ref()) {
                let folder = canonical(folder.as_std_path());
                let dependency = folder.join("Cargo.toml");
                self.folders.insert(folder);
                self.manifests.retain(|it| *it != dependency || !single.contains(it));
                covered.insert(dependency);
            }
        }
        if metadata.packages.len() == 1 {
            single.insert(root.clone());
        }
        self.add(root);
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
