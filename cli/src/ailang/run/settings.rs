//! The settings of a run, from presets and single options.

use ailang::{CapabilityMode, ErrorStrategy, RuntimeSettings, ValidationMode};
use clap::{Args, ValueEnum};

#[derive(Clone, Debug, Default, Args)]
pub(super) struct Settings {
    /// Settings that belong together; the options below change single ones
    #[arg(long, value_enum, value_name = "PRESET")]
    preset: Option<Preset>,
    /// The treatment of capabilities
    #[arg(long, value_enum, value_name = "MODE")]
    capability_mode: Option<Capabilities>,
    /// The checks of arguments and results
    #[arg(long, value_enum, value_name = "MODE")]
    validation_mode: Option<Validation>,
    /// The treatment of errors that tools throw
    #[arg(long, value_enum, value_name = "STRATEGY")]
    error_strategy: Option<Errors>,
    /// The same as --validation-mode strict
    #[arg(long, conflicts_with = "validation_mode")]
    strict: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// Everything is granted, and types are strict.
    Development,
    /// You decide, and calls return their errors.
    Production,
    /// Permissions are not checked, types are strict, and errors are logged.
    Testing,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Capabilities {
    /// You are asked; without a terminal, what you have not granted is denied.
    Strict,
    /// Everything is granted, and logged.
    Permissive,
    /// Nothing is checked, and everything is logged.
    Audit,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Validation {
    /// No argument is converted, and a result of the wrong type fails the call.
    Strict,
    /// Arguments are converted, and a result of the wrong type is noted.
    Runtime,
    /// Nothing is checked.
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Errors {
    /// Errors are thrown where the tool was called.
    Throw,
    /// Calls return `Ok(value)` or `Err(error)`.
    Return,
    /// Errors are logged, and the call returns null.
    Log,
}

impl Settings {
    /// Returns the settings of the preset, with what single options change.
    pub(super) fn resolved(&self) -> RuntimeSettings {
        let mut settings = match self.preset {
            None => RuntimeSettings::default(),
            Some(Preset::Development) => RuntimeSettings::development(),
            Some(Preset::Production) => RuntimeSettings::production(),
            Some(Preset::Testing) => RuntimeSettings::testing(),
        };
        if let Some(mode) = self.capability_mode {
            settings.capabilities = match mode {
                Capabilities::Strict => CapabilityMode::Strict,
                Capabilities::Permissive => CapabilityMode::Permissive,
                Capabilities::Audit => CapabilityMode::Audit,
            };
        }
        if let Some(mode) = self.validation_mode.or(self.strict.then_some(Validation::Strict)) {
            settings.validation = match mode {
                Validation::Strict => ValidationMode::Strict,
                Validation::Runtime => ValidationMode::Runtime,
                Validation::None => ValidationMode::None,
            };
        }
        if let Some(strategy) = self.error_strategy {
            settings.errors = match strategy {
                Errors::Throw => ErrorStrategy::Throw,
                Errors::Return => ErrorStrategy::Return,
                Errors::Log => ErrorStrategy::Log,
            };
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_options_change_a_preset() {
        let preset = Settings { preset: Some(Preset::Testing), ..Settings::default() };
        assert_eq!(preset.resolved(), RuntimeSettings::testing());
        let changed = Settings {
            capability_mode: Some(Capabilities::Strict),
            error_strategy: Some(Errors::Throw),
            ..preset
        };
        let expected = RuntimeSettings {
            capabilities: CapabilityMode::Strict,
            errors: ErrorStrategy::Throw,
            ..RuntimeSettings::testing()
        };
        assert_eq!(changed.resolved(), expected);
        let strict = Settings { strict: true, ..Settings::default() }.resolved();
        assert_eq!(
            (strict.validation, strict.capabilities),
            (ValidationMode::Strict, CapabilityMode::Strict)
        );
    }
}
