//! Which files beside its sources a server asked to be told about, as it registers for it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use lsp_types::Url;
use serde_json::Value;

use super::documents::Event;

const METHOD: &str = "workspace/didChangeWatchedFiles";

/// The registrations of one life of a server, by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watching(Arc<Mutex<HashMap<String, Vec<Watcher>>>>);

#[derive(Debug)]
struct Watcher {
    glob: GlobMatcher,
    /// 1 for created, 2 for changed, 4 for deleted files.
    kinds: u64,
}

impl Watching {
    /// Takes in what a request of the server's registers or takes back.
    pub(crate) fn heed(&self, method: &str, params: &Value) {
        let mut registered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_files = |list: &str| {
            let all = params[list].as_array().cloned().unwrap_or_default();
            all.into_iter().filter(|it| it["method"] == METHOD)
        };
        let id = |it: &Value| it["id"].as_str().unwrap_or_default().to_owned();
        match method {
            "client/registerCapability" => {
                for registration in of_files("registrations") {
                    let watchers = registration["registerOptions"]["watchers"].as_array();
                    let watchers = watchers.into_iter().flatten().filter_map(Watcher::read).collect();
                    registered.insert(id(&registration), watchers);
                }
            }
            // The protocol spells it so.
            "client/unregisterCapability" => {
                of_files("unregisterations").for_each(|it| drop(registered.remove(&id(&it))));
            }
            _ => {}
        }
    }

    /// Whether the server wants to be told of that.
    pub(crate) fn wants(&self, path: &Path, event: Event) -> bool {
        let kind = match event {
            Event::Created => 1,
            Event::Changed => 2,
            Event::Deleted => 4,
        };
        let registered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        registered.values().flatten().any(|it| it.kinds & kind != 0 && it.glob.is_match(path))
    }
}

impl Watcher {
    /// `None` when it is no pattern that can be understood.
    fn read(watcher: &Value) -> Option<Self> {
        let pattern = match &watcher["globPattern"] {
            Value::String(pattern) if pattern.starts_with('/') => pattern.clone(),
            // Relative to some folder of the workspace: told of too much, a server looks and goes on.
            Value::String(pattern) => format!("**/{}", pattern.trim_start_matches("**/")),
            relative => format!("{}/{}", base(&relative["baseUri"])?, relative["pattern"].as_str()?),
        };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build().ok()?.compile_matcher();
        Some(Self { glob, kinds: watcher["kind"].as_u64().unwrap_or(7) })
    }
}

/// The path of a folder, or of a workspace folder, as a part of a pattern.
fn base(uri: &Value) -> Option<String> {
    let uri = uri.as_str().or_else(|| uri["uri"].as_str())?;
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(globset::escape(path.to_str()?.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn registered(watchers: Value) -> Watching {
        let watching = Watching::default();
        let options = json!({"watchers": watchers});
        let registration = json!({"id": "w", "method": METHOD, "registerOptions": options});
        watching.heed("client/registerCapability", &json!({"registrations": [registration]}));
        watching
    }

    #[test]
    fn globs_and_kinds_are_honoured() {
        let watching = registered(json!([
            {"globPattern": "**/*.{toml,lock}", "kind": 5},
            {"globPattern": "conf/[ab].json"},
            {"globPattern": {"baseUri": "file:///w%20x", "pattern": "**/*.yaml"}},
            {"globPattern": "/w/**/*"},
            {"globPattern": 7},
            {"globPattern": "[", "kind": 1},
        ]));
        for (path, event, expected) in [
            ("/x/deep/a.toml", Event::Created, true),
            ("/x/deep/a.toml", Event::Changed, false),
            ("/x/conf/b.json", Event::Changed, true),
            ("/x/conf/c.json", Event::Changed, false),
            ("/w x/deep/a.yaml", Event::Deleted, true),
            ("/x/a.yaml", Event::Deleted, false),
            ("/w/anything", Event::Changed, true),
        ] {
            assert_eq!(watching.wants(Path::new(path), event), expected, "{path} {event:?}");
        }
    }

    #[test]
    fn what_is_taken_back_is_told_no_more() {
        let watching = registered(json!([{"globPattern": "**"}]));
        assert!(watching.wants(Path::new("/x/a.json"), Event::Changed));
        let back = json!({"unregisterations": [{"id": "w", "method": METHOD}]});
        watching.heed("client/unregisterCapability", &back);
        assert!(!watching.wants(Path::new("/x/a.json"), Event::Changed));
    }
}
