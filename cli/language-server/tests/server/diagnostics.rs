//! Diagnostics that change without a change of their document reach clients that pull them.

use libtest_mimic::Trial;
use serde_json::json;
use tempfile::TempDir;

use super::client::{Client, runtime};

const MAIN: &str = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\nfrom \"./types.md\" import Address\n// It.\n\
                    type It = { at: Address }\n</define>\n";
const TYPES: &str = "---\nid: types\ntitle: Types\nsummary: Types.\n---\n<define>\n// It.\ntype Address = string\n</define>\n";

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![a_change_on_disk_is_pulled, who_cannot_be_told_to_pull_is_sent_diagnostics]
}

fn a_change_on_disk_is_pulled() {
    runtime().block_on(async {
        let folder = TempDir::new().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let address = |name: &str| format!("file://{}", path(name).display());
        for (name, text) in [("main.md", MAIN), ("types.md", TYPES)] {
            std::fs::write(path(name), text).expect("it is written");
        }
        // As the specification spells it.
        let capabilities = json!({
            "textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}},
        });
        let (mut client, started) = Client::start(capabilities, None).await;
        assert!(started["capabilities"]["diagnosticProvider"].is_object(), "{started}");
        let main = address("main.md");
        client.open(&main, "ailang", MAIN).await;
        let pull = json!({"textDocument": {"uri": main}});
        let report = client.ask("textDocument/diagnostic", pull.clone()).await.expect("it answers");
        assert_eq!(report["items"], json!([]));
        std::fs::write(path("types.md"), TYPES.replace("Address", "Place")).expect("it is written");
        let changes = json!({"changes": [{"uri": address("types.md"), "type": 2}]});
        client.tell("workspace/didChangeWatchedFiles", changes).await;
        client.wait("workspace/diagnostic/refresh").await;
        let report = client.ask("textDocument/diagnostic", pull).await.expect("it answers");
        assert!(report["items"].to_string().contains("Address"), "{report}");
        assert!(client.heard.iter().all(|it| it["method"] != "textDocument/publishDiagnostics"));
    });
}

fn who_cannot_be_told_to_pull_is_sent_diagnostics() {
    runtime().block_on(async {
        let (mut client, started) = Client::start(json!({"textDocument": {"diagnostic": {}}}), None).await;
        assert!(started["capabilities"].get("diagnosticProvider").is_none(), "{started}");
        client.open("untitled:a.md", "ailang", MAIN).await;
        let sent = client.wait("textDocument/publishDiagnostics").await;
        assert!(sent["diagnostics"].as_array().is_some_and(|it| !it.is_empty()), "{sent}");
    });
}
