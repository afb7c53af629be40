use std::time::Duration;

use super::*;
use crate::fallback::source::languages::{DiskEvent, LANGUAGES};
use crate::fallback::workspace::stamp::Stamp;

fn second(n: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(n)
}

fn stamp(changed: u64) -> Stamp {
    Stamp { changed: second(changed), modified: second(changed), size: 10, inode: 1 }
}

fn seen(files: &[(&str, u64)]) -> Vec<(PathBuf, Stamp)> {
    files.iter().map(|(path, changed)| (PathBuf::from(path), stamp(*changed))).collect()
}

/// Starts with the rule of rust-analyzer.
fn documents(files: &[(&str, u64)], now: u64) -> Documents {
    Documents::new(LANGUAGES[0].servers[0].files, seen(files), second(now))
}

fn differences(documents: &mut Documents, files: &[(&str, u64)], now: u64) -> String {
    let found = documents.compare(seen(files), Instant::now(), second(now));
    let shown: Vec<_> =
        found.files.iter().map(|(path, event)| format!("{event:?} {}", path.display())).collect();
    shown.join(", ")
}

fn update(documents: &mut Documents, files: &[(&str, DiskEvent, Option<&str>)]) -> String {
    let files = files.iter().map(|(path, event, text)| (path.into(), *event, text.map(Into::into))).collect();
    let shown: Vec<_> = documents.update(files, false).iter().map(show).collect();
    shown.join(", ")
}

fn show(message: &Message) -> String {
    match message {
        Message::Open { path, version, text } => format!("open {} v{version} {text:?}", path.display()),
        Message::Change { path, version, text } => format!("change {} v{version} {text:?}", path.display()),
        Message::Close { path } => format!("close {}", path.display()),
        Message::Watched(files) => format!("watched {files:?}"),
    }
}

#[test]
fn stamps_tell_what_changed() {
    let mut documents = documents(&[("a", 1), ("b", 1), ("c", 1)], 10);
    assert_eq!(differences(&mut documents, &[("a", 1), ("b", 1), ("c", 1)], 11), "");
    assert_eq!(
        differences(&mut documents, &[("a", 1), ("b", 5), ("d", 5)], 12),
        "Changed b, Deleted c, Created d"
    );
    assert_eq!(differences(&mut documents, &[("a", 1), ("b", 5), ("d", 5)], 13), "");
}

#[test]
fn a_file_written_just_now_is_looked_at_again() {
    let mut documents = documents(&[("a", 10)], 10);
    assert_eq!(differences(&mut documents, &[("a", 10)], 20), "Changed a");
    assert_eq!(differences(&mut documents, &[("a", 10)], 21), "");
    assert!(documents.is_as_known(Path::new("a"), Some(stamp(10))));
    assert!(!documents.is_as_known(Path::new("a"), Some(stamp(11))));
    assert!(!documents.is_as_known(Path::new("a"), None));
}

#[test]
fn changed_files_are_open_with_their_text() {
    let mut documents = documents(&[], 0);
    assert_eq!(update(&mut documents, &[("a", DiskEvent::Changed, Some("1"))]), r#"open a v1 "1""#);
    assert_eq!(update(&mut documents, &[("a", DiskEvent::Changed, Some("1"))]), "");
    assert_eq!(update(&mut documents, &[("a", DiskEvent::Changed, Some("2"))]), r#"change a v2 "2""#);
    assert_eq!(
        update(&mut documents, &[("b", DiskEvent::Created, Some("1"))]),
        r#"open b v1 "1", watched [("b", Created)]"#
    );
}

#[test]
fn what_the_server_was_told_since_is_known() {
    let mut documents = documents(&[], 0);
    let of = |it: &Documents, then| ["a", "b"].map(|path| it.was_sent_since(Path::new(path), then));
    let start = documents.now();
    update(&mut documents, &[("a", DiskEvent::Changed, Some("1"))]);
    assert_eq!(of(&documents, start), [true, false]);
    let then = documents.now();
    // The same text is no news, nor is a file that is opened to be asked about.
    update(&mut documents, &[("a", DiskEvent::Changed, Some("1"))]);
    documents.keep_open(Path::new("b"), "1");
    assert_eq!(of(&documents, then), [false, false]);
    documents.edit(vec![("b".into(), Some("2".into()))], false);
    assert_eq!(of(&documents, then), [false, true]);
    update(&mut documents, &[("a", DiskEvent::Deleted, None)]);
    assert_eq!(of(&documents, then), [true, true]);
}

#[test]
fn a_file_that_was_shown_before_it_was_written_is_shown_anew() {
    let mut documents = documents(&[], 0);
    let shown: Vec<_> =
        documents.edit(vec![("a".into(), Some("1".into()))], false).iter().map(show).collect();
    assert_eq!(shown, [r#"open a v1 "1""#]);
    assert_eq!(
        update(&mut documents, &[("a", DiskEvent::Created, Some("1"))]),
        r#"close a, watched [("a", Created)], open a v1 "1""#
    );
    let refused: Vec<_> = documents.edit(vec![("a".into(), None)], false).iter().map(show).collect();
    assert_eq!(refused, [r#"change a v2 """#, "close a"]);
}

#[test]
fn texts_in_the_editor_count_until_they_are_gone() {
    let mut documents = documents(&[("a", 1)], 10);
    let text = |it: &str| Arc::new(Text::from(it.to_owned()));
    let texts = |it: &str| Texts::new([(PathBuf::from("a"), text(it))].into());
    assert_eq!(documents.cover(texts("1")), [Path::new("a")]);
    assert!(documents.has_overlay(Path::new("a"), Some(&text("1"))));
    assert!(!documents.has_overlay(Path::new("a"), None));
    assert!(documents.cover(texts("1")).is_empty());
    assert_eq!(documents.cover(texts("2")), [Path::new("a")]);
    assert_eq!(documents.cover(Texts::default()), [Path::new("a")]);
    assert!(documents.has_overlay(Path::new("a"), None));
}

#[test]
fn a_deleted_file_is_emptied_first() {
    let mut documents = documents(&[], 0);
    update(&mut documents, &[("a", DiskEvent::Changed, Some("1"))]);
    assert_eq!(
        update(&mut documents, &[("a", DiskEvent::Deleted, None)]),
        r#"change a v2 "", close a, watched [("a", Deleted)]"#
    );
    assert_eq!(
        update(&mut documents, &[("never opened", DiskEvent::Deleted, None)]),
        r#"open never opened v1 "", close never opened, watched [("never opened", Deleted)]"#
    );
}

#[test]
fn what_includes_other_files_than_before_is_opened_again() {
    let c = LANGUAGES.iter().find(|it| it.id == "c").unwrap();
    let mut documents = Documents::new(c.servers[0].files, Vec::new(), second(0));
    let mut shown = |text: &str, anew: bool| {
        let files = vec![("a.cpp".into(), DiskEvent::Changed, Some(text.to_owned()))];
        let messages = documents.update(files, anew);
        messages.iter().map(|it| show(it).split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown("#include \"a.h\"\nint a;\n", false), ["open", "watched"]);
    assert_eq!(shown("#include \"a.h\"\nint a;\n\nint b;\n", false), ["change", "watched"]);
    assert_eq!(shown("#include \"b.h\"\nint a;\n\nint b;\n", false), ["close", "open", "watched"]);
    assert_eq!(shown("int a;\n#include \"b.h\"\nint b;\n", false), ["close", "open", "watched"]);
    assert_eq!(shown("int a;\n#include \"b.h\"\nint b;\n", true), ["close", "open", "watched"]);
    assert_eq!(shown("int a;\n#define A \\\n 1\n", false), ["close", "open", "watched"]);
    assert_eq!(shown("int a;\n#define A \\\n 2\n", false), ["close", "open", "watched"]);
}

#[test]
fn all_that_is_open_is_shown_anew_however_much_it_is() {
    let c = LANGUAGES.iter().find(|it| it.id == "c").unwrap();
    let mut documents = Documents::new(c.servers[0].files, Vec::new(), second(0));
    let path = |n: usize| PathBuf::from(format!("{n:02}.cpp"));
    let count = c.servers[0].files.open_limit + 2;
    // What is not saved stays open.
    let text = Arc::new(Text::from(String::from("1")));
    documents.cover(Arc::new((0..count).map(|it| (path(it), Arc::clone(&text))).collect()));
    documents.edit((0..count).map(|it| (path(it), Some("1".to_owned()))).collect(), false);
    documents.cover(Texts::default());
    let shown = documents.reopen_dependents(&[PathBuf::from("a.hpp")].into());
    assert_eq!(shown.len(), 2 * count);
    assert_eq!(Message::closing_last(shown).1, []);
}

#[test]
fn what_is_closed_for_good_is_told_apart() {
    let close = |path: &str| Message::Close { path: path.into() };
    let open = |path: &str| Message::Open { path: path.into(), version: 1, text: String::new() };
    let messages = vec![close("a"), open("a"), open("b"), close("b"), close("c"), close("a")];
    let (others, closing) = Message::closing_last(messages);
    assert_eq!(others, [close("a"), open("a"), open("b")]);
    assert_eq!(closing, [close("b"), close("c"), close("a")]);
}

#[test]
fn the_oldest_of_very_many_are_closed() {
    let mut documents = documents(&[], 0);
    let files = (0..=LANGUAGES[0].servers[0].files.open_limit)
        .map(|n| (n.to_string().into(), DiskEvent::Changed, Some("x".into())))
        .collect();
    let messages = documents.update(files, false);
    assert_eq!(messages.last(), Some(&Message::Close { path: "0".into() }));
    assert_eq!(messages.len(), LANGUAGES[0].servers[0].files.open_limit + 2);
}

#[test]
fn a_touched_manifest_has_not_changed() {
    let mut documents = documents(&[("Cargo.toml", 1), ("a.rs", 1)], 10);
    documents.learn_manifests(|it| it.ends_with("Cargo.toml"), |_| Some(b"[package]".to_vec()));
    let path = Path::new("Cargo.toml");
    assert!(!documents.manifest_changed(path, Some(b"[package]".to_vec())));
    assert!(documents.manifest_changed(path, Some(b"[workspace]".to_vec())));
    assert!(documents.manifest_changed(path, None));
    assert!(!documents.manifest_changed(path, None));
}
