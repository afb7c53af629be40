//! Tests of questions about many, long and hostile files.

use super::*;

fn file(path: &str, diff: &str) -> FileEdit {
    FileEdit { path: path.into(), changes: 1, diff: diff.into(), cut: 0, fate: None, to: None }
}

/// A file whose diff lacks some lines.
fn cut(path: &str) -> FileEdit {
    FileEdit { cut: 9, ..file(path, "@@ 1\n-a\n+b\n… and 9 more lines of this diff") }
}

fn edit(title: &str, files: Vec<FileEdit>) -> Edit {
    Edit { id: "1".into(), title: title.into(), kind: None, files }
}

fn changes(files: Vec<FileEdit>) -> Changes {
    Changes::new(vec![edit("Rename `a` to `b`", files)], Some("rename(`a`, `b`)".to_owned()))
}

fn shown(changes: &Changes, version: u64) -> (String, Vec<Value>) {
    let diffs = changes.diffs(version, Some(Path::new("/w")));
    (changes.summary(&diffs), diffs.content)
}

#[test]
fn each_file_has_its_diff_in_version_1() {
    let new = FileEdit { fate: Some(FileOperation::Created), ..file("new", "@@ 1\n+one\n+two") };
    let gone = FileEdit { fate: Some(FileOperation::Deleted), ..file("gone", "@@ 1\n-one") };
    let moved =
        FileEdit { fate: Some(FileOperation::Moved), to: Some("to".into()), changes: 0, ..file("from", "") };
    let changes = changes(vec![file("src/a.rs", "@@ 2\n-a\n+b\n@@ 9\n-x(a)\n+x(b)"), new, gone, moved]);
    assert_eq!(changes.title().unwrap(), "Rename `a` to `b` in 4 files (+4 -3 lines)");
    let (summary, content) = shown(&changes, 1);
    let expected = json!([
        {"type": "diff", "path": "/w/src/a.rs", "oldText": "a\n", "newText": "b\n"},
        {"type": "diff", "path": "/w/src/a.rs", "oldText": "x(a)\n", "newText": "x(b)\n"},
        {"type": "diff", "path": "/w/new", "oldText": null, "newText": "one\ntwo\n"},
        {"type": "diff", "path": "/w/gone", "oldText": "one\n", "newText": ""},
    ]);
    assert_eq!(json!(content), expected);
    assert_eq!(
        summary,
        "It changes 4 files:\nsrc/a.rs: 1 change, +2 -2 lines\nnew: created, +2 -0 lines\ngone: deleted\n\
         from: moved to to"
    );
}

fn texts(path: &str, before: Option<&str>, after: Option<&str>) -> FileTexts {
    let text = |it: Option<&str>| it.map(str::to_owned);
    FileTexts { path: path.into(), before: text(before), after: text(after), to: None }
}

/// Returns version 1's diffs: path, old text, new text.
fn pairs(changes: &Changes) -> Vec<(String, Option<String>, String)> {
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let pair = |it: &Value| (text(&it["path"]).unwrap(), text(&it["oldText"]), text(&it["newText"]).unwrap());
    shown(changes, 1).1.iter().map(pair).collect()
}

#[test]
fn a_small_file_is_shown_as_a_whole() {
    let new = FileEdit { fate: Some(FileOperation::Created), ..file("new", "@@ 1\n+one") };
    let gone = FileEdit { fate: Some(FileOperation::Deleted), ..file("gone", "@@ 1\n-one") };
    let to = || Some("to".to_owned());
    let moved = FileEdit { fate: Some(FileOperation::Moved), to: to(), ..file("from", "@@ 1\n-a\n+b") };
    let all = vec![file("a", "@@ 2\n-a\n+b\n@@ 4\n-a\n+b"), new, gone, moved];
    let known = vec![
        texts("a", Some("1\r\na\r\n3\r\na"), Some("1\r\nb\r\n3\r\nb")),
        texts("new", None, Some("one\n")),
        texts("gone", Some("one\n"), None),
        FileTexts { to: to(), ..texts("from", Some("a\u{202E}\n"), Some("b\u{202E}\n")) },
    ];
    let expected = [
        ("/w/a", Some("1\na\n3\na"), "1\nb\n3\nb"),
        ("/w/new", None, "one\n"),
        ("/w/gone", Some("one\n"), ""),
        ("/w/to", Some("a\\u{202e}\n"), "b\\u{202e}\n"),
    ];
    let expected = expected.map(|(path, old, new)| (path.to_owned(), old.map(str::to_owned), new.to_owned()));
    assert_eq!(pairs(&changes(all.clone()).with_texts(known.clone())), expected);
    let patch = |it: &Changes| json!(shown(it, 2).1);
    assert_eq!(patch(&changes(all.clone())), patch(&changes(all).with_texts(known)), "version 2 has a patch");
}

#[test]
fn texts_are_shown_as_a_whole_where_they_are_known_differ_and_fit() {
    let (long, longer) = ("x\n".repeat(WHOLE_BYTES / 4 - 1), "x\n".repeat(WHOLE_BYTES / 4));
    let table = [
        (texts("a", Some("a\n."), Some("b\n.")), "a\n."),
        (texts("b", Some("a\n."), Some("b\n.")), "a\n"), // of another file
        (FileTexts { to: Some("b".into()), ..texts("a", Some("a\n."), Some("b\n.")) }, "a\n"),
        (texts("a", Some("a\r\n"), Some("a\n")), "a\n"), // nothing would be seen
        (texts("a", Some(&format!("a{long}")), Some(&format!("b{long}"))), &format!("a{long}")),
        (texts("a", Some(&format!("a{longer}")), Some(&format!("b{longer}"))), "a\n"),
    ];
    for (known, old) in table {
        let changes = changes(vec![file("a", "@@ 1\n-a\n+b")]).with_texts(vec![known]);
        assert_eq!(pairs(&changes), [("/w/a".to_owned(), Some(old.to_owned()), old.replacen('a', "b", 1))]);
    }
    let whole = changes(vec![cut("a")]).with_texts(vec![texts("a", Some("a"), Some("b"))]);
    assert!(!shown(&whole, 1).0.contains("Not shown"), "the text is whole, though its diff is cut");
    assert!(shown(&whole, 2).0.contains("Not shown"));
}

#[test]
fn a_file_of_several_edits_stands_once() {
    let one = edit("One", vec![file("a", "@@ 1\n-a\n+b")]);
    let two = edit("Two", vec![file("a", "@@ 2\n-a\n+b")]);
    let changes =
        Changes::new(vec![one, two], None).with_texts(vec![texts("a", Some("a\na\n"), Some("b\nb\n"))]);
    assert_eq!(pairs(&changes), [("/w/a".to_owned(), Some("a\na\n".to_owned()), "b\nb\n".to_owned())]);
}

#[test]
fn whole_texts_take_no_room_from_excerpts() {
    let side = |mark: &str| format!("{mark}{}", "x".repeat(20_000));
    for count in [1, 6, 7, 60, LISTED] {
        let path = |it: usize| format!("file{it}");
        let files = (0..count).map(|it| file(&path(it), "@@ 1\n-a\n+b")).collect();
        let known = (0..count).map(|it| texts(&path(it), Some(&side("a")), Some(&side("b"))));
        let pairs = pairs(&changes(files).with_texts(known.collect()));
        let size: usize =
            pairs.iter().map(|(_, old, new)| old.as_ref().map_or(0, String::len) + new.len()).sum();
        assert!(pairs.len() == count && size <= DIFF_BYTES, "{count}: {size}");
        assert_eq!(pairs.iter().filter(|it| it.2.len() > 20_000).count(), count.min(6));
    }
}

#[test]
fn places_tell_where_excerpts_are() {
    let moved = FileEdit { fate: Some(FileOperation::Moved), to: Some("to".into()), ..file("from", "") };
    let changes = changes(vec![file("a", "@@ 2\n-a\n+b\n@@ 9\n-x\n"), moved, file("\u{202E}", "@@ 1\n-a")]);
    let expected = json!([{"path": "/w/a", "line": 2}, {"path": "/w/a", "line": 9}, {"path": "/w/to"}]);
    assert_eq!(json!(changes.locations(Some(Path::new("/w")))), expected);
    assert_eq!(changes.locations(None), Vec::<Value>::new());
}

#[test]
fn version_2_has_one_diff_that_git_reads() {
    let new = FileEdit { fate: Some(FileOperation::Created), ..file("né w", "@@ 1\n+one") };
    let to = Some("/other/to".into());
    let moved = FileEdit { fate: Some(FileOperation::Moved), to, ..file("from", "@@ 3\n+c\n@@ 5\n-d") };
    let changes = changes(vec![file("a", "@@ 2\n-a\n+b\n+b\n@@ 9\n-x(a)\n+x(b)"), new, moved]);
    let content = shown(&changes, 2).1;
    let expected = json!([{
        "type": "diff",
        "changes": [
            {"operation": "modify", "path": "/w/a"},
            {"operation": "add", "path": "/w/né w"},
            {"operation": "move", "oldPath": "/w/from", "path": "/other/to"},
        ],
        "patch": {"format": "git_patch", "text": concat!(
            "diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n",
            "@@ -2,1 +2,2 @@\n-a\n+b\n+b\n@@ -9,1 +10,1 @@\n-x(a)\n+x(b)\n",
            "diff --git \"/w/n\\303\\251 w\" \"/w/n\\303\\251 w\"\nnew file mode 100644\n",
            "--- /dev/null\n+++ \"/w/n\\303\\251 w\"\n@@ -0,0 +1,1 @@\n+one\n",
            "diff --git /w/from /other/to\nrename from /w/from\nrename to /other/to\n",
            "--- /w/from\n+++ /other/to\n@@ -2,0 +3,1 @@\n+c\n@@ -5,1 +5,0 @@\n-d\n",
        )},
    }]);
    assert_eq!(json!(content), expected);
}

#[test]
fn many_files_are_named_and_their_diffs_are_within_the_budget() {
    let many = |count: usize, line: &str| {
        let diff = format!("@@ 1\n-{line}\n+{line}!");
        changes((0..count).map(|it| file(&format!("src/file{it}.rs"), &diff)).collect())
    };
    let (summary, content) = shown(&many(120, "a"), 1);
    assert_eq!(content.len(), 120);
    assert!(!summary.contains("Not shown here"), "{summary}");
    let (summary, content) = shown(&many(250, "a"), 1);
    assert_eq!(content.len(), LISTED);
    assert_eq!(summary.lines().filter(|it| it.starts_with("src/file")).count(), LISTED);
    let rest = "Not shown here: changes of 50 files. This program shows all of them: rename(`a`, `b`)";
    assert_eq!(summary.lines().last(), Some(rest));

    let (summary, content) = shown(&many(24, &"x".repeat(8_000)), 1);
    assert_eq!(content.len(), 16);
    assert!(json!(content).to_string().len() < DIFF_BYTES + 4096);
    assert!(summary.contains("Not shown here: changes of 8 files."), "{summary}");

    let (summary, content) = shown(&many(5_000, "a"), 2);
    assert_eq!(content[0]["changes"].as_array().unwrap().len(), LISTED);
    assert!(
        summary.len() < 2 * LIST_BYTES && summary.contains("and 4800 more files\nNot shown here"),
        "{summary}"
    );
}

#[test]
fn a_single_file_is_named_once() {
    let title =
        |title: &str| Changes::new(vec![edit(title, vec![file("src/a.rs", "")])], None).title().unwrap();
    assert_eq!(title("Rename `a` to `b`"), "Rename `a` to `b` in src/a.rs");
    assert_eq!(title("Lay out `src/a.rs`"), "Lay out `src/a.rs`");
}

#[test]
fn what_a_preview_cut_is_said() {
    let changes = changes(vec![cut("a")]);
    let (summary, content) = shown(&changes, 1);
    assert!(summary.contains("Not shown here: changes of 1 file."), "{summary}");
    assert_eq!(content[0]["newText"], "b\n");
    assert!(changes.title().unwrap().ends_with("(+1 -1 lines and more)"));
    let unknown = Changes { preview: None, ..changes };
    assert!(shown(&unknown, 1).0.ends_with("Deny, and have the agent show them first."));
}

#[test]
fn nothing_hides_in_a_prompt() {
    let hostile = "\u{202E}\u{200B}\u{1b}[2J";
    let diff = format!("@@ 1\n-a{hostile}\n+b{hostile}");
    let mut changes = changes(vec![file("src/a.rs", &diff), file(&format!("src/{hostile}"), &diff)]);
    changes.edits[0].title += hostile;
    changes.edits.push(Edit {
        kind: Some("refactor".into()),
        ..edit(&format!("harmless\" in 0 files\n{hostile}"), vec![file("b", &diff)])
    });
    for version in [1, 2] {
        let (summary, content) = shown(&changes, version);
        for text in [changes.title().unwrap(), summary.replace('\n', ""), json!(content).to_string()] {
            let hidden = |it: char| it.is_control() || matches!(it, '\u{202E}' | '\u{200B}');
            assert!(!text.contains(hidden) && !text.contains("\\u001b"), "{text:?}");
        }
        assert!(summary.contains("src/\\u{202e}\\u{200b}\\u{1b}[2J: 1 change"), "{summary}");
        assert!(
            summary.contains("Not shown here: changes of 1 file."),
            "its name cannot be shown: {summary}"
        );
        assert!(json!(content).to_string().contains(r"b\\u{202e}\\u{200b}\\u{1b}[2J"));
    }
    assert!(changes.title().unwrap().ends_with(r"[2J and 1 more edit, in 3 files (+3 -3 lines)"));
    changes.edits.remove(0);
    assert_eq!(
        changes.title().unwrap(),
        r#"Take the code action "harmless\" in 0 files [2J" in b (+1 -1 lines)"#
    );
}
