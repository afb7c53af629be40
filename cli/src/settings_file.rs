//! The user's own settings file, of which each command reads the sections that it knows.

use adapter::fallback;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Reads the settings; their defaults if there is no file.
///
/// # Errors
/// The file cannot be read, says something else than these settings, or `check` refuses what it says.
pub(crate) fn read<T: Default + DeserializeOwned>(
    check: impl FnOnce(&T) -> Result<(), String>,
) -> Result<T, Failure> {
    let Some(path) = fallback::user_settings().filter(|it| it.is_file()) else {
        return Ok(T::default());
    };
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
    let settings: T = toml::from_str(&text).map_err(|error| wrong(&error))?;
    check(&settings).map_err(|error| wrong(&error))?;
    Ok(settings)
}
