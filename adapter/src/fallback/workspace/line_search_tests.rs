use std::fs;
use std::path::PathBuf;

use super::*;
use crate::fallback::source::line_pattern::matcher;
use crate::fallback::source::text::Text;

fn query(root: &Path, pattern: &str) -> LineQuery {
    let root = root.canonicalize().unwrap();
    LineQuery {
        start: root.clone(),
        root,
        texts: Texts::default(),
        matcher: matcher(pattern).unwrap(),
        suffixes: Vec::new(),
        keep: 1000,
        deadline: None,
        left_out: TreesLeftOut::default(),
    }
}

/// `path:line:column-end text`, one a line.
fn check(files: &[(&str, &[u8])], pattern: &str, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let query = query(dir.path(), pattern);
    let found = run(&query, &Arc::default());
    let mut shown = String::new();
    for (path, hits) in &found.hits {
        for LineMatch { line, columns, text, .. } in hits {
            let path = path.strip_prefix(&query.root).unwrap().display();
            shown += &format!("{path}:{line}:{}-{} {text}\n", columns.start, columns.end);
        }
    }
    assert_eq!(shown, expected);
    assert_eq!(found.total, expected.lines().count() as u64);
}

#[test]
fn columns_count_characters() {
    check(&[("a.rs", "let é😀 = needle;\n".as_bytes())], "needle", "a.rs:0:9-15 let é😀 = needle;\n");
}

#[test]
fn the_end_of_a_line_is_before_its_break() {
    let files: &[(&str, &[u8])] = &[("dos.rs", b"one;\r\ntwo\r\n"), ("unix.rs", b"one;\ntwo\n")];
    check(files, ";$", "dos.rs:0:3-4 one;\nunix.rs:0:3-4 one;\n");
    check(&[("dos.rs", b"one;\r\n\r\n")], "^$", "dos.rs:1:0-0 \n");
}

#[test]
fn lone_returns_end_lines() {
    let files: &[(&str, &[u8])] =
        &[("a.rs", b"a\rb\r\n needle\r\rneedle"), ("b.rs", "\u{feff}é\r needle\n".as_bytes())];
    check(files, "^ *needle", "a.rs:2:0-7  needle\na.rs:4:0-6 needle\nb.rs:1:0-7  needle\n");
    let wide = "\u{feff}\u{d0a}\r\nneedle".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    check(&[("a.txt", &wide)], "needle", "a.txt:1:0-6 needle\n");
}

#[test]
fn a_mark_belongs_to_no_line() {
    let files: &[(&str, &[u8])] =
        &[("a.rs", "\u{feff}needle\n".as_bytes()), ("b.rs", "\u{feff}".as_bytes()), ("c.rs", b"needle")];
    check(files, "^needle", "a.rs:0:0-6 needle\nc.rs:0:0-6 needle\n");
    check(files, "\u{feff}", "");
}

#[test]
fn lone_returns_are_found_across_reads() {
    struct Few<'a>(&'a [u8], usize);
    impl Read for Few<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(into.len());
            self.0.read(&mut into[..most])
        }
    }
    let text = Text::from("a\rb\r\n\r\r\n\n\r\rc\r".to_owned());
    for (most, room) in (1..5).flat_map(|most| (1..5).map(move |room| (most, room))) {
        let file = Few(text.as_str().as_bytes(), most);
        let mut feeds = Feeds { file, ahead: None, has_begun: false, is_utf16: false };
        let (mut read, mut into) = (Vec::new(), vec![0; room]);
        while let count @ 1.. = feeds.read(&mut into).unwrap() {
            read.extend(&into[..count]);
        }
        assert_eq!(String::from_utf8(read).unwrap(), text.with_feeds(), "{most} {room}");
    }
}

#[test]
fn lines_have_their_numbers_wherever_they_are_in_a_file() {
    // The searcher reads 64 KiB at once, and numbers lines only in files that go on behind them.
    for (n_lines, every) in [(1, 1), (900, 7), (3_000, 1), (3_000, 2_999), (40_000, 997)] {
        let line =
            |it| format!("{} {it}", if it % every == every - 1 { "needle" } else { "straw of some length" });
        let text: String = (0..n_lines).map(|it| line(it) + ["\n", "\r\n", "\r"][it % 3]).collect();
        // In UTF-16 only line feeds end lines.
        let wide = format!("\u{feff}{}", text.replace("\r\n", "\n").replace('\r', "\n"));
        let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let expected: Vec<_> = (0..n_lines).filter(|it| it % every == every - 1).collect();
        for bytes in [text.as_bytes(), &wide] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("a.txt"), bytes).unwrap();
            let query = LineQuery { keep: usize::MAX, ..query(dir.path(), "^needle") };
            let found = run(&query, &Arc::default());
            let lines: Vec<_> = found.hits.values().flatten().map(|it| it.line).collect();
            assert_eq!(lines, expected, "{n_lines} {every}");
            assert_eq!(found.total, expected.len() as u64);
        }
    }
}

#[test]
fn ignored_hidden_and_binary_files_are_skipped() {
    check(
        &[
            (".gitignore", b"target/\n"),
            ("target/a.rs", b"needle"),
            (".hidden.rs", b"needle"),
            ("image.png", b"needle\n\0needle"),
            ("src/a.rs", b"x\nneedle needle"),
        ],
        "needle",
        "src/a.rs:1:0-6 needle needle\n",
    );
}

#[test]
fn text_that_is_no_utf8_is_still_found() {
    check(&[("latin1.txt", b"caf\xe9 needle\n")], "needle", "latin1.txt:0:5-11 caf\u{fffd} needle\n");
}

#[test]
fn the_first_hits_by_path_are_kept_and_all_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    for file in 0..40 {
        fs::write(dir.path().join(format!("{file:02}.txt")), "needle\n".repeat(5000)).unwrap();
    }
    let found = run(&LineQuery { keep: 1000, ..query(dir.path(), "needle") }, &Arc::default());
    assert_eq!(found.total, 200_000);
    let names: Vec<_> = found.hits.keys().map(|it| PathBuf::from(it.file_name().unwrap())).collect();
    assert_eq!(names, [PathBuf::from("00.txt")]);
    assert_eq!(found.hits.values().map(Vec::len).sum::<usize>(), 1000);
}

#[test]
fn a_cancelled_search_stops() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "needle").unwrap();
    let found = run(&query(dir.path(), "needle"), &Arc::new(AtomicBool::new(true)));
    assert!(found.stopped);
    assert_eq!(found.total, 0);
}

#[test]
fn of_a_very_long_line_what_is_around_the_match_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{}needle{}", "é".repeat(100_000), "x".repeat(1_000_000));
    fs::write(dir.path().join("a.js"), line).unwrap();
    let found = run(&query(dir.path(), "needle"), &Arc::default());
    let hit = &found.hits.values().next().unwrap()[0];
    assert_eq!(hit.columns, 100_000..100_006);
    let at = hit.text.char_indices().nth(hit.columns.start - hit.skipped).unwrap().0;
    assert!(
        hit.text[at..].starts_with("needlex") && hit.text[..at].ends_with('é') && hit.text.len() < 60_000
    );
    assert_eq!(hit.skipped + hit.text.chars().count() + hit.behind, 1_100_006);
}
