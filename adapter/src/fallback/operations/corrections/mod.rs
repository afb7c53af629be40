//! What is known better than the language servers know it.

pub(crate) mod assigned_attributes;
pub(crate) mod assigned_members;
pub(crate) mod declared_apart;
pub(crate) mod exports;
pub(crate) mod false_references;
pub(crate) mod import_aliases;
pub(crate) mod macro_pasting;
pub(crate) mod missed_rename_sites;
pub(crate) mod new_name;
pub(crate) mod operator_calls;
pub(crate) mod overloads;
pub(crate) mod overrides;
pub(crate) mod preprocessed_code;
pub(crate) mod pytest_fixtures;
pub(crate) mod redeclared_members;
pub(crate) mod returned_types;
pub(crate) mod same_name_symbols;
pub(crate) mod self_types;
pub(crate) mod separate_programs;
pub(crate) mod unlisted_calls;
pub(crate) mod unlisted_references;
pub(crate) mod unlisted_subtypes;
pub(crate) mod unresolved_imports;
