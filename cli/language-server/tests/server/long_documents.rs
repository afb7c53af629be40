//! Diagnostics of long documents: each change is in the next answer. `conformance/bench/servers` measures the time.

use std::fmt::Write as _;

use libtest_mimic::Trial;
use serde_json::json;

use super::client::{Client, runtime};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![each_change_of_2000_lines_is_in_the_next_diagnostics]
}

/// Returns a document of about so many lines.
fn document(lines: usize) -> String {
    let mut text = "---\nid: long\ntitle: Long\nsummary: Long.\n---\n\n<define>\n```typescript\n".to_owned();
    for at in 0..lines / 10 {
        let _ = write!(
            text,
            "// A size.\ntype Size{at} = {{ width: int.min(1).max(100), name?: string.minLength(2) }}\n\
             error Lost{at}(to: string) {{\n  message = \"Lost ${{to}}\"\n  recovery = \"Wait\"\n}}\n\
             // Sends.\ntool send{at}(to: string, size?: Size{at}) -> List<Size{at}>\n  throws Lost{at}\n\n"
        );
    }
    text + "```\n</define>\n"
}

fn each_change_of_2000_lines_is_in_the_next_diagnostics() {
    runtime().block_on(each_change_is_in_the_next_diagnostics());
}

async fn each_change_is_in_the_next_diagnostics() {
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let (mut client, _) = Client::start(capabilities, None).await;
    let uri = "untitled:long.md";
    let text = document(2_000);
    assert!(text.lines().count() > 1_900);
    client.open(uri, "ailang", &text).await;
    let pull = json!({"textDocument": {"uri": uri}});
    for version in 2..8 {
        let range = json!({"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 0}});
        let change = json!({"range": range, "text": format!("type T{version} = Nothing\n")});
        let document = json!({"uri": uri, "version": version});
        client
            .tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}))
            .await;
        let report = client.ask("textDocument/diagnostic", pull.clone()).await.expect("it answers");
        assert_eq!(report["items"].as_array().map(Vec::len), Some(version - 1), "{report}");
    }
}
