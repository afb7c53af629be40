//! The option that names a registry.

use clap::Args;
use packages::{Credentials, PackageError, Registry, RegistrySettings};

#[derive(Debug, Args)]
pub(super) struct RegistryOption {
    /// The registry, by its URL, or `dir:` and a folder; by default `AILANG_REGISTRY`, then `registry` below `[packages]` in your settings
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
        self.settings()?.registry()
    }

    /// Returns that registry, and the tokens for archives and repositories.
    pub(super) fn with_credentials(&self) -> Result<(Option<Registry>, Credentials), PackageError> {
        let settings = self.settings()?;
        Ok((settings.registry()?, settings.credentials()))
    }

    fn settings(&self) -> Result<RegistrySettings, PackageError> {
        let settings = adapter::fallback::user_settings();
        RegistrySettings::read(self.registry.clone(), settings.as_deref())
    }
}
