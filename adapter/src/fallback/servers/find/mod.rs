//! Finds the language server for a language: settings, detection, installation, sandbox and command line.

pub(crate) mod compilation_database;
pub(crate) mod config;
pub(crate) mod confined;
pub(crate) mod detect;
pub(crate) mod environment;
pub(crate) mod launch;
pub(crate) mod not_found;
pub(crate) mod outside_sources;
pub(crate) mod project_files;
pub(crate) mod projects;
pub(crate) mod rejected_servers;
pub(crate) mod remedies;
pub(crate) mod settings;
