//! The option that names a registry.

use clap::Args;
use packages::{PackageError, Registry, RegistrySettings};

#[derive(Debug, Args)]
pub(super) struct RegistryOption {
    /// The registry, by its URL; by default `AILANG_REGISTRY`, then `registry` below `[packages]` in your settings
    #[arg(long, value_name = "URL")]
    registry: Option<String>,
}

impl RegistryOption {
    /// Returns whether the command line names a registry.
    pub(super) fn is_given(&self) -> bool {
        self.registry.is_some()
    }

    /// Returns the registry that the user names here, in the environment or in the settings.
    pub(super) fn registry(&self) -> Result<Option<Registry>, PackageError> {
        let settings = adapter::fallback::user_settings();
        RegistrySettings::read(self.registry.clone(), settings.as_deref())?.registry()
    }
}
