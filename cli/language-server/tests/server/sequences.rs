//! Sequences of random messages: the server's text is the client's, and no request makes it panic.

use libtest_mimic::Trial;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseResult};
use serde_json::{Value, json};

use super::client::{Client, at, runtime};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![texts_stay_equal_in_utf_16, texts_stay_equal_in_utf_8, programs_stay_equal]
}

const URI: &str = "untitled:a.md";

/// Texts with everything that makes positions hard.
const PIECES: [&str; 24] = [
    "a",
    "é",
    "😀",
    "\u{1d11e}x",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "日本",
    "e\u{301}",
    "<define>\n",
    "</define>\n",
    "```typescript\n",
    "```\n",
    "---\n",
    "type A = { b: int",
    "tool f(a: A) -> B\n",
    "error E(p: string) { message = \"${p}\" }\n",
    "from \"./b.md\" import X\n",
    "<example id=\"e\" tool=\"f\">\n",
    "x = f(a = 1).",
    "</example>\n",
    "id: a\n",
    "\"`${",
];

const DOCUMENT: &str = "---\nid: a\ntitle: 😀\nsummary: S\n---\n\n# 日本 😀\n\n<define>\n```typescript\n// 😀 A size.\n\
                        type Size = { width: int.min(1), é?: string }\nenum Mode { Fast, Slow }\n\
                        capability Send { ask = \"Allow 😀?\" }\nerror Lost(to: string) { message = \"Lost ${to} 😀\", recovery = \"Wait\" }\n\
                        tool send(to: string, size?: Size) -> Mode\n  requires Send\n  throws Lost\n```\n</define>\n\n\
                        <example id=\"one\" tool=\"send\">\n```typescript\nname = \"😀\"\nprint(send(name, size = { width: 1 }))\n```\n</example>\n";

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Replaces a stretch; the numbers choose characters.
    Edit(usize, usize, String),
    /// Replaces the whole text.
    Replace(String),
    /// Edits at places that may not be there.
    Wild([u32; 4], String),
    /// Closes and opens the file.
    Reopen,
    /// Asks about a place.
    Ask(usize, usize),
    /// Sends parameters that may not be what a message has, as a request or a notification.
    Odd(usize, Value),
}

fn text(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => (0..PIECES.len()).prop_map(|it| PIECES[it].to_owned()), 1 => "\\PC{0,4}"];
    vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (any::<usize>(), 0_usize..12, text(4)).prop_map(|(at, length, text)| Step::Edit(at, length, text)),
        1 => text(12).prop_map(Step::Replace),
        1 => (any::<[u32; 4]>(), text(2)).prop_map(|(places, text)| Step::Wild(places, text)),
        1 => Just(Step::Reopen),
        10 => (0..REQUESTS.len(), any::<usize>()).prop_map(|(request, at)| Step::Ask(request, at)),
        2 => (any::<usize>(), odd()).prop_map(|(method, params)| Step::Odd(method, params)),
    ]
}

/// Returns parameters of no message, or of another one.
fn odd() -> impl Strategy<Value = Value> {
    let many = |count| Value::Array(vec![json!({}); count]);
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(-1)),
        Just(json!(1e300)),
        Just(json!(URI)),
        Just(json!("file:///\u{0}")),
        Just(json!({"uri": URI, "version": -7, "languageId": "ailang", "text": "x"})),
        Just(
            json!([{"range": {"start": {"line": 4_000_000_000_u32, "character": 0}, "end": {"line": 0, "character": 0}}, "text": ""}])
        ),
        (0_usize..40).prop_map(many),
    ];
    let names =
        ["textDocument", "position", "uri", "contentChanges", "changes", "settings", "command", "range"];
    vec((proptest::sample::select(names.to_vec()), leaf), 0..4)
        .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Notifications, all of which a client may get wrong. Those that close or change the file are left out, since the text
/// would differ.
const NOTIFICATIONS: [&str; 6] = [
    "textDocument/didSave",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "$/setTrace",
    "$/cancelRequest",
    "ailang/unknown",
];

pub(crate) const REQUESTS: [&str; 18] = [
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/semanticTokens/full",
    "textDocument/formatting",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/inlayHint",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/diagnostic",
];

fn params(method: &str, line: u64, character: u64) -> Value {
    let mut params = at(URI, line, character);
    let place = params["position"].clone();
    if matches!(method, "textDocument/references" | "textDocument/codeAction") {
        params["context"] = json!({"includeDeclaration": true, "diagnostics": []});
    }
    params["newName"] = json!("renamed");
    params["options"] = json!({"tabSize": 4, "insertSpaces": true});
    params["positions"] = json!([place]);
    params["range"] = json!({"start": {"line": 0, "character": 0}, "end": place});
    params
}

/// Returns the line and the column of an offset in bytes, found without the library's own code.
fn place(text: &str, offset: usize, is_utf8: bool) -> (u64, u64) {
    let before = &text[..offset];
    let (mut line, mut start) = (0, 0);
    for (at, char) in before.char_indices() {
        let is_pair = char == '\r' && text[at + 1..].starts_with('\n');
        if char == '\n' || char == '\r' && !is_pair {
            line += 1;
            start = at + 1;
        }
    }
    let typed = &before[start..];
    let column = if is_utf8 { typed.len() } else { typed.encode_utf16().count() };
    (line, column as u64)
}

/// Returns a place between characters, not inside of a line break, which no position can name.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at += 1;
    }
    at
}

pub(crate) async fn play(steps: Vec<Step>, is_utf8: bool, language: &str) -> TestCaseResult {
    let encodings = if is_utf8 { json!(["utf-8", "utf-16"]) } else { json!(["utf-16"]) };
    let capabilities =
        json!({"general": {"positionEncodings": encodings}, "textDocument": {"diagnostic": {}}});
    let (mut client, started) = Client::start(capabilities, None).await;
    prop_assert_eq!(&started["capabilities"]["positionEncoding"], &encodings[0]);
    let mut text = DOCUMENT.to_owned();
    client.open(URI, language, &text).await;
    for (version, step) in steps.into_iter().enumerate() {
        let mut changes = Vec::new();
        match step {
            Step::Edit(at, length, new) => {
                let start = boundary(&text, at);
                let end = boundary(&text, (start + length).min(text.len())).max(start);
                let (from, to) = (place(&text, start, is_utf8), place(&text, end, is_utf8));
                text.replace_range(start..end, &new);
                let position = |(line, character): (u64, u64)| json!({"line": line, "character": character});
                changes.push(json!({"range": {"start": position(from), "end": position(to)}, "text": new}));
            }
            Step::Replace(new) => {
                changes.push(json!({"text": new}));
                text = new;
            }
            Step::Wild([a, b, c, d], new) => {
                let range = json!({"start": {"line": a, "character": b}, "end": {"line": c, "character": d}});
                changes.push(json!({"range": range, "text": new}));
                // Where that is nobody knows, so the whole text follows.
                changes.push(json!({"text": text}));
            }
            Step::Reopen => {
                client.tell("textDocument/didClose", json!({"textDocument": {"uri": URI}})).await;
                client.open(URI, language, &text).await;
            }
            Step::Ask(request, at) => {
                let (line, character) = place(&text, boundary(&text, at), is_utf8);
                let answer = client.ask(REQUESTS[request], params(REQUESTS[request], line, character)).await;
                // A refusal is an answer; a panic is -32603.
                let code = answer.err().map(|error| error["code"].clone());
                prop_assert!(
                    code.is_none() || code == Some(json!(-32803)),
                    "{}: {code:?}",
                    REQUESTS[request]
                );
            }
            Step::Odd(method, params) => {
                let requests = REQUESTS.iter().chain(&["workspace/executeCommand", "ailang/absent"]);
                let requests: Vec<&str> = requests.copied().collect();
                match method % (requests.len() + NOTIFICATIONS.len()) {
                    at if at < requests.len() => {
                        let answer = client.ask(requests[at], params).await;
                        let code = answer.err().map(|error| error["code"].clone());
                        prop_assert_ne!(code, Some(json!(-32603)), "{} panics", requests[at]);
                    }
                    at => client.tell(NOTIFICATIONS[at - requests.len()], params).await,
                }
            }
        }
        if !changes.is_empty() {
            let document = json!({"uri": URI, "version": version + 2});
            client
                .tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}))
                .await;
        }
        let seen = client.ask("ailang/viewFileText", json!({"uri": URI})).await;
        prop_assert_eq!(seen, Ok(json!(text)));
    }
    Ok(())
}

fn check(is_utf8: bool, language: &str) {
    let cases = std::env::var("AILANG_LSP_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(24);
    let runtime = runtime();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(&vec(step(), 1..40), |steps| runtime.block_on(play(steps, is_utf8, language)))
        .unwrap_or_else(|error| panic!("{error}"));
}

fn texts_stay_equal_in_utf_16() {
    check(false, "ailang");
}

fn texts_stay_equal_in_utf_8() {
    check(true, "ailang");
}

fn programs_stay_equal() {
    check(false, "dialect");
}
