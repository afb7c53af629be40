//! Dynamic registrations of a server: the files that it wants to watch, and the requests that it supports.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use globset::{GlobBuilder, GlobMatcher};
use lsp_types::Url;
use serde_json::Value;
use tokio::sync::Notify;

use crate::fallback::source::languages::DiskEvent;
use unpoisoned::lock;

const WATCHED_FILES: &str = "workspace/didChangeWatchedFiles";

/// The registrations of one server process, by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicRegistrations {
    registrations: Arc<Mutex<HashMap<String, Registration>>>,
    /// The notifier of changes.
    changed: Arc<Notify>,
}

#[derive(Debug)]
struct Registration {
    method: String,
    watchers: Vec<Watcher>,
}

#[derive(Debug)]
struct Watcher {
    glob: GlobMatcher,
    /// The bits of the protocol: 1 for created, 2 for changed, 4 for deleted files.
    kinds: u64,
}

impl DynamicRegistrations {
    /// Handles a request of the server that registers or unregisters capabilities.
    pub(crate) fn on_request(&self, method: &str, params: &Value) {
        let mut registered = lock(&self.registrations);
        // An id that is not a string is a protocol error: such a registration counts, and cannot be taken back.
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        match method {
            "client/registerCapability" => {
                for it in params["registrations"].as_array().into_iter().flatten() {
                    let method = text(&it["method"]);
                    let watchers = it["registerOptions"]["watchers"].as_array();
                    let watchers = watchers.filter(|_| method == WATCHED_FILES).into_iter().flatten();
                    let watchers = watchers.filter_map(Watcher::read).collect();
                    registered.insert(text(&it["id"]), Registration { method, watchers });
                }
            }
            "client/unregisterCapability" => {
                // The protocol spells it so.
                for it in params["unregisterations"].as_array().into_iter().flatten() {
                    registered.remove(&text(&it["id"]));
                }
            }
            _ => {}
        }
        self.changed.notify_waiters();
    }

    /// Waits until the server has registered this method.
    pub(crate) async fn wait_until_registered(&self, method: &str) {
        loop {
            let changed = self.changed.notified();
            if self.has(method) {
                return;
            }
            changed.await;
        }
    }

    fn has(&self, method: &str) -> bool {
        lock(&self.registrations).values().any(|it| it.method == method)
    }

    /// Returns `true` if the server watches this event.
    pub(crate) fn wants(&self, path: &Path, event: DiskEvent) -> bool {
        let kind = match event {
            DiskEvent::Created => 1,
            DiskEvent::Changed => 2,
            DiskEvent::Deleted => 4,
        };
        let registered = lock(&self.registrations);
        let mut watchers = registered.values().flat_map(|it| &it.watchers);
        watchers.any(|it| it.kinds & kind != 0 && it.glob.is_match(path))
    }
}

impl Watcher {
    /// Reads a watcher; `None` if its pattern is invalid.
    fn read(watcher: &Value) -> Option<Self> {
        let pattern = match &watcher["globPattern"] {
            Value::String(pattern) if pattern.starts_with('/') => pattern.clone(),
            // Relative to some folder of the workspace; superfluous events do no harm.
            Value::String(pattern) => format!("**/{}", pattern.trim_start_matches("**/")),
            relative => format!("{}/{}", base(&relative["baseUri"])?, relative["pattern"].as_str()?),
        };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build().ok()?.compile_matcher();
        Some(Self { glob, kinds: watcher["kind"].as_u64().unwrap_or(7) })
    }
}

/// Returns the path of a folder, or of a workspace folder, escaped for a pattern.
fn base(uri: &Value) -> Option<String> {
    let uri = uri.as_str().or_else(|| uri["uri"].as_str())?;
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(globset::escape(path.to_str()?.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn watching(watchers: Value) -> DynamicRegistrations {
        let registered = DynamicRegistrations::default();
        let options = json!({"watchers": watchers});
        let registration = json!({"id": "w", "method": WATCHED_FILES, "registerOptions": options});
        registered.on_request("client/registerCapability", &json!({"registrations": [registration]}));
        registered
    }

    #[test]
    fn globs_and_kinds_are_honoured() {
        let registered = watching(json!([
            {"globPattern": "**/*.{toml,lock}", "kind": 5},
            {"globPattern": "conf/[ab].json"},
            {"globPattern": {"baseUri": "file:///w%20x", "pattern": "**/*.yaml"}},
            {"globPattern": "/w/**/*"},
            {"globPattern": 7},
            {"globPattern": "[", "kind": 1},
        ]));
        for (path, event, expected) in [
            ("/x/deep/a.toml", DiskEvent::Created, true),
            ("/x/deep/a.toml", DiskEvent::Changed, false),
            ("/x/conf/b.json", DiskEvent::Changed, true),
            ("/x/conf/c.json", DiskEvent::Changed, false),
            ("/w x/deep/a.yaml", DiskEvent::Deleted, true),
            ("/x/a.yaml", DiskEvent::Deleted, false),
            ("/w/anything", DiskEvent::Changed, true),
        ] {
            assert_eq!(registered.wants(Path::new(path), event), expected, "{path} {event:?}");
        }
    }

    #[test]
    fn what_is_taken_back_is_told_no_more() {
        let registered = watching(json!([{"globPattern": "**"}]));
        assert!(registered.wants(Path::new("/x/a.json"), DiskEvent::Changed));
        let back = json!({"unregisterations": [{"id": "w", "method": WATCHED_FILES}]});
        registered.on_request("client/unregisterCapability", &back);
        assert!(!registered.wants(Path::new("/x/a.json"), DiskEvent::Changed));
    }

    #[tokio::test]
    async fn what_can_be_asked_is_known_until_it_is_taken_back() {
        let (registered, method) = (DynamicRegistrations::default(), "textDocument/diagnostic");
        let waits = registered.clone();
        let waiting = tokio::spawn(async move { waits.wait_until_registered(method).await });
        let registration =
            json!({"id": "d", "method": method, "registerOptions": {"watchers": [{"globPattern": "**"}]}});
        registered.on_request("client/registerCapability", &json!({"registrations": [registration]}));
        assert!(registered.has(method) && !registered.has(WATCHED_FILES));
        assert!(!registered.wants(Path::new("/x"), DiskEvent::Changed));
        waiting.await.unwrap();
        registered.on_request("client/unregisterCapability", &json!({"unregisterations": [{"id": "d"}]}));
        assert!(!registered.has(method));
    }
}
