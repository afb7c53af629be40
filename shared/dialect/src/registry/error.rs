//! The errors of libraries that do not make a registry.

use crate::SignatureError;

/// The reason why libraries do not make a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A row's signature does not parse.
    #[error("library `{library}`: {error}")]
    Signature {
        /// The name of the library that the row is of.
        library: String,
        /// The mistake.
        error: SignatureError,
    },
    /// Two callables have names that a program could not tell apart.
    #[error("library `{library}`: the name `{name}` is taken by `{other}`")]
    Clash {
        /// The library of the second one.
        library: String,
        /// The name or alias that is taken.
        name: String,
        /// The signature of the first.
        other: String,
    },
    /// A callable has a name that means something of the language itself.
    #[error("library `{library}`: the name `{name}` belongs to the language")]
    Reserved {
        /// The name of the library that the row is of.
        library: String,
        /// The name or alias that is taken.
        name: String,
    },
    /// A signature names a type that no library registers.
    #[error("library `{library}`: `{signature}` names the type `{ty}`, which nobody registers")]
    UnknownType {
        /// The name of the library that the row is of.
        library: String,
        /// The signature of the row, as the library writes it.
        signature: String,
        /// The missing type.
        ty: String,
    },
    /// A type that stands for itself, so that no value could be checked against it.
    #[error("library `{library}`: `{alias}` stands for itself")]
    Endless {
        /// The name of the library that the alias is of.
        library: String,
        /// The alias with its type.
        alias: String,
    },
    /// A default that its parameter does not take.
    #[error("library `{library}`: `{parameter}` of `{signature}` does not take its own default")]
    Default {
        /// The name of the library that the row is of.
        library: String,
        /// The signature of the row, as the library writes it.
        signature: String,
        /// The parameter's name.
        parameter: String,
    },
    /// A conversion that does not have exactly one parameter.
    #[error("library `{library}`: the conversion `{signature}` must have one required parameter")]
    Conversion {
        /// The name of the library that the row is of.
        library: String,
        /// The signature of the row, as the library writes it.
        signature: String,
    },
}
