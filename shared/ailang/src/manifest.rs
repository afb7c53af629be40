//! The manifest of a package, `ailang.json`.

mod check;
mod dependency;
mod json;
mod model;
mod read;

pub use dependency::{Dependency, DependencySource};
pub use model::Manifest;

impl Manifest {
    /// Parses a manifest.
    pub fn parse(source: impl Into<String>) -> Self {
        read::read(source.into())
    }

    /// Returns the path of the main document in the package; [`Self::MAIN`] if it names none.
    pub fn main_path(&self) -> &str {
        self.main.as_ref().map_or(Self::MAIN, |it| it.value.as_str())
    }

    /// Returns `true` for a well-formed name of a package: `mail-kit`, `@example/mail-kit`.
    pub fn is_name(text: &str) -> bool {
        read::is_name(text)
    }
}
