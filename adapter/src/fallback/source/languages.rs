//! The table of supported languages, with one row for each.

mod ailang;
mod c;
mod data;
mod documents;
mod functional;
mod go;
pub(crate) mod ids;
mod jvm;
mod native;
mod profile;
mod python;
mod row;
mod rust;
mod scripting;
mod shell;
mod typescript;
mod web;

use std::ops::Range;
use std::path::Path;

pub(crate) use profile::{
    DiagnosticsRule, DiskEvent, FileRule, OutsideFolder, ProgramCandidate, ProjectContext, ReadyRule,
    ServerProfile, VersionCheck, companion,
};
pub(crate) use row::{InstallPlaces, Language, PackageRule, PartRule, RootRule, SupertypeRule};
pub(crate) use rust::makes_macros;

use super::words;

/// Every language, in the order in which answers list them.
pub(crate) static LANGUAGES: &[Language] = &[
    rust::RUST,
    typescript::TYPESCRIPT,
    python::PYTHON,
    c::C,
    go::GO,
    jvm::JAVA,
    jvm::KOTLIN,
    jvm::SCALA,
    jvm::CLOJURE,
    native::CSHARP,
    native::SWIFT,
    native::ZIG,
    native::DART,
    native::FORTRAN,
    scripting::RUBY,
    scripting::PHP,
    scripting::LUA,
    scripting::PERL,
    scripting::R,
    scripting::JULIA,
    shell::SHELL,
    functional::HASKELL,
    functional::OCAML,
    functional::ELIXIR,
    functional::ERLANG,
    functional::ELM,
    functional::GLEAM,
    functional::FSHARP,
    functional::NIX,
    web::VUE,
    web::SVELTE,
    web::HTML,
    web::CSS,
    data::TERRAFORM,
    data::PROTOBUF,
    data::YAML,
    data::JSON,
    data::TOML,
    ailang::DOCUMENTS,
    data::MARKDOWN,
    data::LATEX,
];

/// Returns every row with servers: the languages, and the formatters of some.
pub(crate) fn rows() -> impl Iterator<Item = &'static Language> {
    LANGUAGES.iter().flat_map(|it| [Some(it), it.stylist]).flatten()
}

/// A language as its id, for serde.
pub(crate) mod by_id {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::{Language, rows};

    pub(crate) fn serialize<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(language.id)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static Language, D::Error> {
        let id = String::deserialize(deserializer)?;
        rows().find(|it| it.id == id).ok_or_else(|| de::Error::custom(format!("no language `{id}`")))
    }
}

/// Returns the language of a file, by its name and where that leaves it open by its content. The path is absolute.
pub(crate) fn of_file(path: &Path) -> Option<&'static Language> {
    LANGUAGES.iter().find(|it| it.owns(path))
}

/// Returns the words of a line of a file with their columns.
pub(crate) fn words(path: &Path, line: &str) -> Vec<(String, Range<usize>)> {
    of_file(path).map_or_else(|| words::words(line, "", ""), |it| it.words(line))
}

/// Returns the names of all languages, as a list for a sentence.
pub(crate) fn names() -> String {
    let names: Vec<_> = LANGUAGES.iter().map(|it| it.name).collect();
    names.join(", ")
}

/// Returns the grammar for a file, by its name.
pub(crate) fn language_of(path: &Path) -> Option<syntax::Language> {
    syntax::Language::of_path(&path.to_string_lossy())
}

#[cfg(test)]
#[path = "languages_tests.rs"]
mod tests;
