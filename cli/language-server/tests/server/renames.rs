//! A rename, and another one back: the texts are what they were.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::client::{Client, at, runtime};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![a_rename_and_another_one_back_change_nothing]
}

const MAIN: &str = "---\nid: main\ntitle: 😀\nsummary: S\n---\n\n# 日本\n\n<define>\n```typescript\nfrom \"./lib.md\" import Size, Late as Slow\n\
                    import lib from \"./lib.md\"\n/* 😀 */ type Box<T> = { content: T, size: Size }\n\
                    /* é */ enum Mode { Fast, Slow = \"slow\" }\ncapability Send { ask = \"Allow 😀?\" }\ncapability All = Send & lib.Read\n\
                    error Lost(to: string) { message = \"Lost ${to} 😀\", recovery = \"Wait for ${to}\" }\n\
                    // 😀 Sends.\ntool send(to: string, size?: lib.Size, mode?: Mode) -> Box<string>\n  requires All\n  throws Lost, Slow {\n\
                    \u{20} /* 日 */ parcel = { content: to, size: size ?? { width: 1 } }\n  if (to == \"\") { throw Lost(to) }\n\
                    \u{20} for (name in [to]) { print(name, parcel) }\n  return parcel\n}\n```\n</define>\n\n\
                    <example id=\"one\" tool=\"send\">\n```typescript\ntarget = \"😀\"\n/* 😀 */ try { print(send(to = target, mode = Mode.Fast)) } catch Lost(who) { print(`${who} 😀 ${target}`) }\n\
                    print([target].map(each => each + target))\n```\n</example>\n";
const LIB: &str = "---\nid: lib\ntitle: Lib\nsummary: L\n---\n<define>\n/* 日本 */ type Size = { width: int.min(1) }\nerror Late(since: int) { message = \"Late ${since}\" }\n\
                   capability Read { ask = \"Read?\" }\ntool area(size: Size) -> int { return size.width * size.width }\n</define>\n";

type Texts = BTreeMap<String, String>;

/// Returns the offset of a position.
fn offset(text: &str, place: &Value, is_utf8: bool) -> usize {
    let line = place["line"].as_u64().expect("it has a line");
    let wanted = usize::try_from(place["character"].as_u64().expect("it has one")).expect("it fits");
    let start: usize =
        text.split_inclusive('\n').take(usize::try_from(line).expect("it fits")).map(str::len).sum();
    let mut column = 0;
    for (at, char) in text[start..].char_indices() {
        if column == wanted {
            return start + at;
        }
        column += if is_utf8 { char.len_utf8() } else { char.len_utf16() };
    }
    text.len()
}

/// Returns the position of an offset.
fn place(text: &str, offset: usize, is_utf8: bool) -> (u64, u64) {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default();
    (line as u64, if is_utf8 { column.len() } else { column.encode_utf16().count() } as u64)
}

/// Makes the edits of an answer in texts.
fn edited(texts: &Texts, edit: &Value, is_utf8: bool) -> Texts {
    let mut texts = texts.clone();
    let none = Vec::new();
    let changes = edit["documentChanges"].as_array().unwrap_or(&none);
    let mut all: Vec<(String, &Vec<Value>)> = changes
        .iter()
        .map(|it| {
            (
                it["textDocument"]["uri"].as_str().unwrap_or_default().to_owned(),
                it["edits"].as_array().unwrap_or(&none),
            )
        })
        .collect();
    let by_uri = edit["changes"].as_object().into_iter().flatten();
    all.extend(by_uri.map(|(uri, edits)| (uri.clone(), edits.as_array().unwrap_or(&none))));
    for (uri, edits) in all {
        let text = texts.get_mut(&uri).expect("the file is open");
        let mut spans: Vec<(usize, usize, &str)> = edits
            .iter()
            .map(|it| {
                let [start, end] = ["start", "end"].map(|end| offset(text, &it["range"][end], is_utf8));
                (start, end, it["newText"].as_str().expect("it has a text"))
            })
            .collect();
        spans.sort_unstable();
        for (start, end, new) in spans.into_iter().rev() {
            text.replace_range(start..end, new);
        }
    }
    texts
}

async fn show(client: &mut Client, texts: &Texts, version: i64) {
    for (uri, text) in texts {
        let params =
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
        client.tell("textDocument/didChange", params).await;
    }
}

/// Renames what stands at a word, and renames it back; returns `false` if nothing there can be renamed.
async fn there_and_back(
    client: &mut Client,
    texts: &Texts,
    uri: &str,
    word: usize,
    name: &str,
    is_utf8: bool,
) -> bool {
    let text = &texts[uri];
    let starts: Vec<usize> = words(text);
    let start = starts[word % starts.len()];
    let (line, character) = place(text, start, is_utf8);
    let Ok(prepared) = client.ask("textDocument/prepareRename", at(uri, line, character)).await else {
        return false;
    };
    let Some(old) = prepared["placeholder"].as_str() else { return false };
    let mut params = at(uri, line, character);
    let starts_with_capital = old.starts_with(|char: char| char.is_ascii_uppercase());
    let name = if starts_with_capital { format!("N{name}") } else { format!("n{name}") };
    params["newName"] = json!(name);
    let Ok(edit) = client.ask("textDocument/rename", params).await else { return false };
    let renamed = edited(texts, &edit, is_utf8);
    assert_ne!(&renamed, texts, "{old} at {line}:{character}");
    show(client, &renamed, 2).await;
    // The same word is there, perhaps further to the right.
    let new = &renamed[uri];
    let word = starts.iter().position(|it| *it == start).expect("it was chosen from them");
    let (line, character) = place(new, words(new)[word], is_utf8);
    let mut params = at(uri, line, character);
    params["newName"] = json!(old);
    let back = client.ask("textDocument/rename", params).await;
    let back = back.unwrap_or_else(|error| panic!("{old} → {name} and not back: {error}\n{new}"));
    assert_eq!(&edited(&renamed, &back, is_utf8), texts, "{old} → {name}");
    show(client, texts, 3).await;
    true
}

/// Returns the starts of the words.
fn words(text: &str) -> Vec<usize> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, char) in text.char_indices() {
        if is_word(char) && !is_word(before) {
            starts.push(at);
        }
        before = char;
    }
    starts
}

fn a_rename_and_another_one_back_change_nothing() {
    let runtime = runtime();
    let folder = tempfile::tempdir().expect("there is room");
    let root = folder.path().canonicalize().expect("it is there");
    let uri = |name: &str| format!("file://{}/{name}", root.display());
    let texts: Texts =
        [("main.md", MAIN), ("lib.md", LIB)].map(|(name, text)| (uri(name), text.to_owned())).into();
    for (name, text) in [("main.md", MAIN), ("lib.md", LIB)] {
        std::fs::write(root.join(name), text).expect("there is room");
    }
    for is_utf8 in [false, true] {
        let encodings = if is_utf8 { json!(["utf-8", "utf-16"]) } else { json!(["utf-16"]) };
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let address = format!("file://{}", root.display());
        let (mut client, _) = runtime.block_on(Client::start(capabilities, Some(&address)));
        for (uri, text) in &texts {
            runtime.block_on(client.open(uri, "ailang", text));
        }
        let client = std::cell::RefCell::new(client);
        let renamed = std::cell::Cell::new(0);
        let config = Config { cases: 120, failure_persistence: None, ..Config::default() };
        let cases = (any::<Index>(), any::<usize>(), "[a-zA-Z0-9_]{0,9}");
        proptest::test_runner::TestRunner::new(config)
            .run(&cases, |(file, word, name)| {
                let uris: Vec<&String> = texts.keys().collect();
                let uri = file.get(&uris);
                let mut client = client.borrow_mut();
                let is_renamed = runtime.block_on(there_and_back(
                    &mut client,
                    &texts,
                    uri,
                    word,
                    &format!("{name}9"),
                    is_utf8,
                ));
                renamed.set(renamed.get() + usize::from(is_renamed));
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(renamed.get() > 30, "only {} of 120 could be renamed", renamed.get());
    }
}
