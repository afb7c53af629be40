//! The capability `ide_operations` in the client's `initialize`, for ACP protocol versions 1 and 2.
//!
//! An editor advertises `clientCapabilities._meta.ide_operations`: `true`, or an object
//! `{"version": 1, "operations": ["references", …]}`; `_meta.symposium.ide_operations` is an older name
//! for the same. Version 2 of ACP calls the object `capabilities`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::operation::Operation;
use crate::unsaved::UNSAVED_TEXTS;

/// The version of the protocol described here, as the capability carries it.
pub const VERSION: u32 = 1;

/// The field of the capability that says that short forms of paths are taken.
const SHORT_PATHS: &str = "shortPaths";

/// The set of operations that the upstream side answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    operations: BTreeSet<Operation>,
    /// True if every path in a question may be a short form, [`crate::short_path`].
    takes_short_paths: bool,
    /// True if a question may be about texts that are not on disk, [`crate::UnsavedText`].
    takes_unsaved_texts: bool,
}

impl Support {
    /// Returns the set of all operations of version 1.
    pub fn full() -> Self {
        Self { operations: Operation::ALL.into(), ..Self::default() }
    }

    /// Returns the empty set.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns true if the operation is answered.
    pub fn has(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }

    /// Returns the same set, from a side that takes the short forms of paths that it named.
    #[must_use]
    pub fn with_short_paths(self) -> Self {
        Self { takes_short_paths: true, ..self }
    }

    /// Returns true if the side that answers takes the short forms of paths that it named.
    pub fn takes_short_paths(&self) -> bool {
        self.takes_short_paths
    }

    /// Returns the same set, from a side that answers questions about texts that are not on disk.
    #[must_use]
    pub fn with_unsaved_texts(self) -> Self {
        Self { takes_unsaved_texts: true, ..self }
    }

    /// Returns true if the side that answers takes texts that are not on disk.
    pub fn takes_unsaved_texts(&self) -> bool {
        self.takes_unsaved_texts
    }

    /// Returns true if no operation is answered.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Removes an operation, after the upstream side answered that it has no such method.
    pub fn remove(&mut self, operation: Operation) {
        self.operations.remove(&operation);
    }

    /// Returns the operations that either side answers.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            operations: self.operations.union(&other.operations).copied().collect(),
            takes_short_paths: self.takes_short_paths && other.takes_short_paths,
            takes_unsaved_texts: self.takes_unsaved_texts && other.takes_unsaved_texts,
        }
    }
}

impl FromIterator<Operation> for Support {
    fn from_iter<T: IntoIterator<Item = Operation>>(operations: T) -> Self {
        Self { operations: operations.into_iter().collect(), ..Self::default() }
    }
}

/// Reads the capability from the params of `initialize` or `proxy/initialize`.
///
/// `true` and an object without `operations` mean every operation of version 1. An unknown version is read as 1, and
/// unknown operations are skipped. Anything else means no support.
pub fn read_capability(initialize: &Value) -> Support {
    let meta = &initialize[capabilities_key(initialize)]["_meta"];
    let capability = match &meta["ide_operations"] {
        Value::Null => &meta["symposium"]["ide_operations"],
        own => own,
    };
    match capability {
        Value::Bool(true) => Support::full(),
        Value::Object(fields) => {
            let support = match fields.get("operations") {
                None | Some(Value::Null) => Support::full(),
                Some(Value::Array(names)) => {
                    names.iter().filter_map(|it| Operation::from_name(it.as_str()?)).collect()
                }
                Some(_) => Support::none(),
            };
            let says = |name: &str| fields.get(name) == Some(&Value::Bool(true));
            let (takes_short_paths, takes_unsaved_texts) = (says(SHORT_PATHS), says(UNSAVED_TEXTS));
            Support { takes_short_paths, takes_unsaved_texts, ..support }
        }
        _ => Support::none(),
    }
}

/// Writes the capability into the params of `initialize`, with this protocol's own spelling. All other fields stay,
/// including unknown fields of the capability itself. Params that are no object stay unchanged.
pub fn write_capability(initialize: &mut Value, support: &Support) {
    let capabilities = capabilities_key(initialize);
    let Some(params) = initialize.as_object_mut() else { return };
    let Some(meta) = object_at(params, capabilities).and_then(|it| object_at(it, "_meta")) else {
        return;
    };
    let Some(capability) = object_at(meta, "ide_operations") else { return };
    let operations: Vec<_> = support.operations.iter().map(|it| it.name()).collect();
    capability.entry("version").or_insert(json!(VERSION));
    capability.insert("operations".into(), json!(operations));
    for (name, takes) in
        [(SHORT_PATHS, support.takes_short_paths), (UNSAVED_TEXTS, support.takes_unsaved_texts)]
    {
        if takes {
            capability.insert(name.into(), json!(true));
        } else {
            capability.remove(name);
        }
    }
}

/// Returns the key of the client's capabilities, which protocol version 2 of ACP renamed.
fn capabilities_key(initialize: &Value) -> &'static str {
    if initialize["protocolVersion"].as_u64() >= Some(2) { "capabilities" } else { "clientCapabilities" }
}

/// Returns the object under `key`. Any other value (`true`, `null`, nothing) is replaced by an empty object.
fn object_at<'a>(parent: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let slot = parent.entry(key).or_insert(Value::Null);
    if !slot.is_object() {
        *slot = json!({});
    }
    slot.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initialize(meta: Value) -> Value {
        json!({"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true}, "_meta": meta}})
    }

    #[test]
    fn both_spellings_are_read() {
        let references: Support = [Operation::References].into_iter().collect();
        for (meta, expected) in [
            (json!({"ide_operations": true}), Support::full()),
            (json!({"ide_operations": false}), Support::none()),
            (json!({"symposium": {"ide_operations": true, "version": "1.0"}}), Support::full()),
            (json!({"ide_operations": {"version": 7}}), Support::full()),
            (json!({"ide_operations": {"shortPaths": true}}), Support::full().with_short_paths()),
            (json!({"ide_operations": {"unsavedTexts": true}}), Support::full().with_unsaved_texts()),
            (json!({"ide_operations": {"shortPaths": 1}}), Support::full()),
            (json!({"ide_operations": {"operations": ["references", "teleport"]}}), references),
            (json!({"ide_operations": {"operations": "references"}}), Support::none()),
            (json!({}), Support::none()),
            (json!(null), Support::none()),
        ] {
            assert_eq!(read_capability(&initialize(meta.clone())), expected, "{meta}");
        }
        assert_eq!(read_capability(&json!([])), Support::none());
    }

    #[test]
    fn version_two_of_acp_has_its_own_key() {
        let mut params = json!({"protocolVersion": 2, "capabilities": {}});
        write_capability(&mut params, &Support::full());
        assert_eq!(read_capability(&params), Support::full());
        assert_eq!(params["clientCapabilities"], Value::Null);
    }

    #[test]
    fn writing_keeps_every_other_field() {
        let mut params = initialize(json!({"terminal_output": true, "ide_operations": {"mine": 1}}));
        write_capability(&mut params, &[Operation::Search].into_iter().collect());
        assert_eq!(
            params,
            initialize(json!({
                "terminal_output": true,
                "ide_operations": {"mine": 1, "version": 1, "operations": ["search"]}
            }))
        );
        write_capability(&mut params, &Support::full().with_short_paths());
        assert!(read_capability(&params).takes_short_paths());
        write_capability(&mut params, &Support::full());
        assert!(!read_capability(&params).takes_short_paths());
        let mut nonsense = json!("initialize");
        write_capability(&mut nonsense, &Support::full());
        assert_eq!(nonsense, json!("initialize"));
    }
}
