//! The time from a change to its diagnostics.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;

/// The most that unoptimised code may take; optimised code has 50 milliseconds. A busy machine is no failure.
const MOST: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(5) } else { Duration::from_millis(50) };

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn diagnostics_of_2000_lines_are_there_at_once() {
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let (mut client, _) = Client::start(capabilities, None).await;
    let uri = "untitled:long.md";
    let text = document(2_000);
    assert!(text.lines().count() > 1_900);
    client.open(uri, "ailang", &text).await;
    let pull = json!({"textDocument": {"uri": uri}});
    let mut fastest = Duration::MAX;
    for version in 2..8 {
        let range = json!({"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 0}});
        let change = json!({"range": range, "text": format!("type T{version} = Nothing\n")});
        let document = json!({"uri": uri, "version": version});
        let start = Instant::now();
        client
            .tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}))
            .await;
        let report = client.ask("textDocument/diagnostic", pull.clone()).await.expect("it answers");
        fastest = fastest.min(start.elapsed());
        assert_eq!(report["items"].as_array().map(Vec::len), Some(version - 1), "{report}");
    }
    eprintln!("diagnostics of {} lines: {fastest:?}", text.lines().count());
    assert!(fastest < MOST, "{fastest:?}");
}
