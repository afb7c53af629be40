//! Packages and modules of interface documents: everything about them that reads or writes files or asks the network.
//!
//! [`Project`] finds the packages below a folder and reads their documents; [`ModuleLoader`] loads documents at a level
//! of detail and caches what it parsed. [`install`] brings packages from folders, archives, git and registries that
//! speak npm's protocol, and [`publish`] offers one to such a registry.
//!
//! Whoever wrote a package, an archive, a lock file or a registry's answer may be hostile. Nothing of a package ever
//! runs, no path leaves its folder, and everything that is read has a size.

pub mod archive;
mod error;
mod fetch;
mod git;
mod http;
mod install;
mod integrity;
mod limits;
mod listing;
pub mod loader;
mod lock;
mod modules;
mod npmrc;
mod package;
mod package_files;
mod project;
mod publish;
mod registry;
mod resolve;
mod search;
mod settings;
mod spec;
mod store;

pub use ailang::Level;
pub use error::PackageError;
pub use http::{Download, OnDownload, agent_config};
pub use install::{InstallOptions, Installation, install};
pub use integrity::Integrity;
pub use loader::{LoadError, LoadedDocument, LoaderConfig, ModuleLoader};
pub use lock::{Lock, LockedPackage};
pub use package::{Package, add_imports, package};
pub use project::{Project, ReadError, SourceFile};
pub use publish::{Publication, PublishError, prepare, publish};
pub use registry::{FoundPackage, PublishedPackage, PublishedVersion, Registry};
pub use search::{Found, FoundKind, search};
pub use settings::{Credentials, RegistrySettings};
pub use spec::PackageSpec;
pub use store::{ArchiveStore, user_cache};
