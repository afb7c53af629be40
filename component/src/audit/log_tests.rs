//! Tests of appending, verification and tampering.

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::audit::chain::Broken;
use crate::audit::entry::{Action, By};

fn event(capability: &str) -> Event {
    Event {
        session: None,
        workspace: None,
        capability: capability.to_owned(),
        params: json!({}),
        action: Action::Granted,
        tool: None,
        document: None,
        document_hash: None,
        scope: None,
        by: By::User,
        arguments: None,
        reason: None,
        measured: None,
    }
}

fn log() -> (TempDir, Log) {
    let folder = TempDir::new().unwrap();
    let log = Log::new(State::at(folder.path().join("state")));
    (folder, log)
}

fn names(log: &Log) -> Vec<String> {
    let mut names = Vec::new();
    log.verify(|entry| names.push(entry.event.capability)).unwrap();
    names
}

#[test]
fn nothing_is_a_record_too() {
    let (_folder, log) = log();
    assert_eq!(log.verify(|_| {}).unwrap(), Verified::default());
    assert!(!log.state.folder().exists());
}

#[test]
fn what_is_appended_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, log) = log();
    log.append(vec![event("a"), event("b")]).unwrap();
    log.append(vec![event("c")]).unwrap();
    assert_eq!(names(&log), ["a", "b", "c"]);
    let mode = log.path().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(head::path(&log.state, log.name).metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_line_that_was_not_finished_is_dropped_and_told() {
    let (_folder, log) = log();
    log.append(vec![event("a")]).unwrap();
    let head = std::fs::read(head::path(&log.state, log.name)).unwrap();
    log.append(vec![event("b")]).unwrap();
    std::fs::write(head::path(&log.state, log.name), head).unwrap(); // it is written when the lines are
    let bytes = std::fs::read(log.path()).unwrap();
    std::fs::write(log.path(), &bytes[..bytes.len() - 5]).unwrap();
    assert!(matches!(log.verify(|_| {}), Err(LogError::Broken { broken: Broken { line: 2, .. }, .. })));
    log.append(vec![event("c")]).unwrap();
    let mut torn = None;
    log.verify(|entry| torn = entry.torn).unwrap();
    assert_eq!(names(&log), ["a", "c"]);
    assert!(torn.is_some_and(|it| it > 100), "{torn:?}");
}

#[test]
fn a_changed_last_line_is_not_continued() {
    let (_folder, log) = log();
    log.append(vec![event("a")]).unwrap();
    let text = std::fs::read_to_string(log.path()).unwrap().replace(r#""a""#, r#""x""#);
    std::fs::write(log.path(), &text).unwrap();
    assert!(matches!(log.append(vec![event("b")]), Err(LogError::Damaged { .. })));
    assert_eq!(std::fs::read_to_string(log.path()).unwrap(), text);
}

#[test]
fn a_large_file_is_put_aside_and_the_chain_goes_on() {
    let (_folder, mut log) = log();
    log.size = 1000;
    for number in 0..100 {
        log.append(vec![event(&number.to_string())]).unwrap();
    }
    let verified = log.verify(|_| {}).unwrap();
    assert!(verified.first > 1 && verified.first + verified.entries == 101, "{verified:?}");
    assert_eq!(names(&log).last().map(String::as_str), Some("99"));
    std::fs::remove_file(log.aside(KEPT / 2)).unwrap();
    assert!(log.verify(|_| {}).is_err());
}

#[test]
fn processes_do_not_disturb_each_other() {
    let (_folder, log) = log();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            // Each with its own lock, as separate processes have.
            let log = log.clone();
            scope.spawn(move || (0..25).for_each(|_| drop(log.append(vec![event(name)]).unwrap())));
        }
    });
    assert_eq!(log.verify(|_| {}).unwrap().entries, 100);
}

#[test]
fn lines_that_are_taken_away_are_missed_for_ever() {
    type Take = fn(&Log);
    let keep = |log: &Log, lines: usize| {
        let text = std::fs::read_to_string(log.path()).unwrap();
        let kept: String = text.split_inclusive('\n').take(lines).collect();
        std::fs::write(log.path(), kept).unwrap();
    };
    let takes: [(Take, u64); 3] = [
        (|log| std::fs::remove_file(log.path()).unwrap(), 0),
        (|log| std::fs::write(log.path(), "").unwrap(), 0),
        (|log| std::fs::write(log.path(), &std::fs::read(log.path()).unwrap()[..20]).unwrap(), 0),
    ];
    for (take, found) in takes {
        let (_folder, log) = log();
        log.append(vec![event("a"), event("b"), event("c")]).unwrap();
        take(&log);
        match log.verify(|_| {}) {
            Err(LogError::Cut { kept: 3, found: it, .. }) => assert_eq!(it, found),
            Err(LogError::Broken { .. }) => {} // a part of a line
            other => panic!("{other:?}"),
        }
    }
    let (_folder, log) = log();
    log.append(vec![event("a"), event("b"), event("c")]).unwrap();
    keep(&log, 2);
    let error = log.verify(|_| {}).unwrap_err().to_string();
    assert!(error.contains("3 entries were written") && error.contains("ends with entry 2"), "{error}");
    log.append(vec![event("d")]).unwrap();
    let error = log.verify(|_| {}).unwrap_err().to_string();
    assert!(error.contains("line 3: it is entry 4, and entry 3 is due"), "{error}");
}

#[test]
fn a_record_that_was_written_anew_is_noticed() {
    let ((_one, log), (_two, other)) = (log(), log());
    log.append(vec![event("a"), event("b")]).unwrap();
    other.append(vec![event("a"), event("x")]).unwrap();
    std::fs::copy(other.path(), log.path()).unwrap();
    assert!(matches!(log.verify(|_| {}), Err(LogError::Rewritten { kept: 2, .. })));
    log.append(vec![event("c")]).unwrap();
    assert!(matches!(log.verify(|_| {}), Err(LogError::Broken { broken: Broken { line: 3, .. }, .. })));
    // More lines than were written, of which the last that is known is another.
    let ((_three, log), (_four, other)) = (self::log(), self::log());
    log.append(vec![event("a")]).unwrap();
    other.append(vec![event("x"), event("y")]).unwrap();
    std::fs::copy(other.path(), log.path()).unwrap();
    assert!(matches!(log.verify(|_| {}), Err(LogError::Rewritten { kept: 1, .. })));
}

#[test]
fn the_end_that_is_kept_apart_may_lag_behind_and_not_lack() {
    let (_folder, log) = log();
    log.append(vec![event("a")]).unwrap();
    let head = std::fs::read(head::path(&log.state, log.name)).unwrap();
    log.append(vec![event("b")]).unwrap();
    std::fs::write(head::path(&log.state, log.name), head).unwrap();
    assert_eq!(log.verify(|_| {}).unwrap(), Verified { entries: 2, first: 1, later: 1 });
    std::fs::remove_file(head::path(&log.state, log.name)).unwrap();
    assert!(matches!(log.verify(|_| {}), Err(LogError::NoHead { found: 2, .. })));
    log.append(vec![event("c")]).unwrap();
    assert_eq!(log.verify(|_| {}).unwrap(), Verified { entries: 3, first: 1, later: 0 });
    for text in ["", "{}", r#"{"version": 2, "entries": 3, "hash": "x"}"#] {
        std::fs::write(head::path(&log.state, log.name), text).unwrap();
        assert!(matches!(log.verify(|_| {}), Err(LogError::Head { .. })), "{text}");
        assert!(matches!(log.append(vec![event("d")]), Err(LogError::Head { .. })), "{text}");
    }
}

#[test]
fn an_entry_is_found_in_files_that_were_put_aside() {
    let (_folder, mut log) = log();
    log.size = 1000;
    let written: Vec<_> = (0..60).flat_map(|it| log.append(vec![event(&it.to_string())]).unwrap()).collect();
    for number in [40, 50, 59] {
        let seal = &written[number].seal;
        let entry = log.since(seal.seq).unwrap().entry(seal).unwrap();
        assert_eq!(entry.event.capability, number.to_string());
        let other = Seal { hash: written[0].seal.hash.clone(), ..seal.clone() };
        assert_eq!(log.since(seal.seq).unwrap().entry(&other), None);
    }
    let dropped = &written[0].seal;
    assert_eq!(log.since(dropped.seq).unwrap().entry(dropped), None);
}

#[test]
fn a_process_that_is_killed_after_its_first_lines_leaves_a_log_that_verifies() {
    let (_folder, log) = log();
    let head = |log: &Log| head::path(&log.state, log.name);
    log.append(vec![event("a")]).unwrap();
    let (_other_folder, other) = self::log();
    other.append(Vec::new()).unwrap(); // keeps the end of a log without lines
    std::fs::copy(head(&other), head(&log)).unwrap();
    assert_eq!(log.verify(|_| {}).unwrap(), Verified { entries: 1, first: 1, later: 1 });
    log.append(vec![event("b")]).unwrap();
    assert_eq!(names(&log), ["a", "b"]);
}
