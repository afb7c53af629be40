//! The settings of a runtime, and presets.

use std::time::Duration;

/// The treatment of capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CapabilityMode {
    /// The gate decides; without one nothing is permitted.
    #[default]
    Strict,
    /// Everything is granted, and logged.
    Permissive,
    /// Nothing is checked, and everything is logged.
    Audit,
}

/// The checks of arguments and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValidationMode {
    /// Arguments must have the types of their parameters; a result of another type fails the call.
    Strict,
    /// Arguments are converted, and then checked; a result of another type is reported in a note.
    #[default]
    Runtime,
    /// Nothing is checked.
    None,
}

/// The treatment of errors that a tool throws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorStrategy {
    /// The error is thrown where the tool was called.
    #[default]
    Throw,
    /// Calls return `Ok(value)` or `Err(error)`.
    Return,
    /// The error is logged, and the call returns null.
    Log,
}

/// The settings of a runtime. The folder of caches belongs to the loader of documents, which reads files; a runtime gets
/// documents, and reads none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeSettings {
    /// The treatment of capabilities.
    pub capabilities: CapabilityMode,
    /// The checks of arguments and results.
    pub validation: ValidationMode,
    /// The treatment of errors.
    pub errors: ErrorStrategy,
    /// `true` if calls are measured.
    pub monitoring: bool,
    /// The evaluated expressions and statements of a run.
    pub steps: usize,
    /// The calls inside of each other.
    pub depth: usize,
    /// The time that one run may wait and take, as the host's clock tells.
    pub time: Duration,
    /// The seed of the jitter of retries.
    pub seed: u64,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self {
            capabilities: CapabilityMode::default(),
            validation: ValidationMode::default(),
            errors: ErrorStrategy::default(),
            monitoring: false,
            steps: 1_000_000,
            depth: 200,
            time: Duration::from_secs(60),
            seed: 0,
        }
    }
}

impl RuntimeSettings {
    /// Returns the settings for development: everything is granted and measured, and types are strict.
    pub fn development() -> Self {
        Self {
            capabilities: CapabilityMode::Permissive,
            validation: ValidationMode::Strict,
            errors: ErrorStrategy::Throw,
            monitoring: true,
            ..Self::default()
        }
    }

    /// Returns the settings for production: the user decides, and errors are values.
    pub fn production() -> Self {
        Self {
            capabilities: CapabilityMode::Strict,
            validation: ValidationMode::Runtime,
            errors: ErrorStrategy::Return,
            monitoring: true,
            ..Self::default()
        }
    }

    /// Returns the settings for tests: capabilities are logged, types are strict, and errors are logged.
    pub fn testing() -> Self {
        Self {
            capabilities: CapabilityMode::Audit,
            validation: ValidationMode::Strict,
            errors: ErrorStrategy::Log,
            monitoring: false,
            ..Self::default()
        }
    }
}
