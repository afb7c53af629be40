//! Steps of servers, well meant and others, to changes of bytes.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::fallback::servers::run::convert::workspace_edit;
use crate::fallback::source::text::LoneReturn;
use crate::fallback::workspace::buffers::Buffers;

fn change(bytes: Range<usize>, text: &str) -> Change {
    Change { bytes, text: text.into() }
}

#[test]
fn changes_are_put_in_order_and_held_apart() {
    let given = vec![change(5..6, "b"), change(1..2, "a"), change(5..5, "1"), change(5..5, "2")];
    let texts: Vec<_> = in_order(given).unwrap().into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["a", "1", "2", "b"]);
    assert_eq!(in_order(vec![change(1..3, ""), change(2..4, "")]), None);
    assert_eq!(in_order(vec![change(1..3, "x"), change(1..3, "x")]).unwrap().len(), 1);
}

#[test]
fn new_lines_break_as_those_of_the_file() {
    for (file, new, expected) in
        [("a\r\nb\r\n", "x\ny", "x\r\ny"), ("a\nb\n", "x\r\ny", "x\ny"), ("", "x\n", "x\n")]
    {
        assert_eq!(with_breaks_of(&Text::from(file.to_owned()), new), expected);
    }
}

/// A root with some files, and files outside of it.
struct TestWorkspace {
    dir: TempDir,
    buffers: Buffers,
}

impl TestWorkspace {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (path, text) in [
            ("root/a", "one\ntwo\n"),
            ("root/b", "bee\n"),
            ("root/shapes/draw", "draw\n"),
            ("root/.git/config", "x\n"),
            ("outside", "secret\n"),
        ] {
            write(path, text);
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("root/link")).unwrap();
        Self { dir, buffers: Buffers::default() }
    }

    /// Shows the plan of these steps; `~` is the root.
    fn told(&self, steps: Value) -> String {
        let root = self.dir.path().canonicalize().unwrap().join("root");
        let steps = steps.to_string().replace('~', &format!("file://{}", root.display()));
        let steps: Value = serde_json::from_str(&steps).unwrap();
        let steps = workspace_edit::steps(&json!({ "documentChanges": steps })).map_err(PlanError::from);
        let roots = SessionFolders::new(vec![root]).with_buffers(self.buffers.clone());
        let columns = Columns {
            unit: source_text::Encoding::Utf8,
            count_mark: false,
            lone_return: LoneReturn::EndsLine,
        };
        match steps.and_then(|steps| plan(&roots, steps, columns)) {
            Err(error) => error.to_string(),
            Ok(plan) => {
                let left_out = plan.skipped().map(|it| it.to_string());
                plan.files.iter().map(told_file).chain(left_out).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

fn told_file(file: &FileChange) -> String {
    let fate = match &file.fate {
        FileOperation::Stays => String::new(),
        FileOperation::Moved(to) => format!(" moved to {}", to.spelling),
        FileOperation::FolderMoved(to) => format!(" moved with all in it to {}", to.spelling),
        other => format!(" {other:?}"),
    };
    let unsaved = if file.is_unsaved { " unsaved" } else { "" };
    format!("{}{fate}{unsaved} {}", file.place.spelling, file.diff.text.replace('\n', "|")).trim().to_owned()
}

/// Returns an edit that replaces line `line` of a file by `text`.
fn texts(uri: &str, line: u32, text: &str) -> Value {
    let at = |line| json!({"line": line, "character": 0});
    let edit = json!({"range": {"start": at(line), "end": at(line + 1)}, "newText": text});
    json!({"textDocument": {"uri": uri}, "edits": [edit]})
}

fn rename(from: &str, to: &str) -> Value {
    json!({"kind": "rename", "oldUri": from, "newUri": to})
}

#[test]
fn files_come_and_go_with_their_texts() {
    let ground = TestWorkspace::new();
    let create = json!({"kind": "create", "uri": "~/new/c"});
    let delete = json!({"kind": "delete", "uri": "~/b"});
    for (steps, expected) in [
        (
            json!([create, texts("~/new/c", 0, "see\n"), delete]),
            "b Deleted @@ 1|-bee; new/c Created @@ 1|+see",
        ),
        (json!([rename("~/a", "~/z"), texts("~/z", 0, "1\n")]), "a moved to z @@ 1|-one|+1"),
        (json!([texts("~/a", 0, "1\n"), rename("~/a", "~/z")]), "a moved to z @@ 1|-one|+1"),
        (json!([rename("~/a", "~/y"), rename("~/y", "~/z")]), "a moved to z"),
        (json!([create, rename("~/new/c", "~/d")]), "d Created"),
        (json!([create, json!({"kind": "delete", "uri": "~/new/c"})]), ""),
        (
            json!([rename("~/shapes", "~/forms"), texts("~/forms/draw", 0, "paint\n")]),
            "shapes moved with all in it to forms; shapes/draw @@ 1|-draw|+paint",
        ),
        (
            json!([{"kind": "create", "uri": "~/a", "options": {"ignoreIfExists": true}}, texts("~/a", 1, "2\n")]),
            "a @@ 2|-two|+2",
        ),
        (json!([{"kind": "delete", "uri": "~/none", "options": {"ignoreIfNotExists": true}}]), ""),
    ] {
        assert_eq!(ground.told(steps), expected);
    }
}

#[test]
fn what_cannot_be_made_whole_is_refused() {
    let ground = TestWorkspace::new();
    let insert = |line: u32| {
        let at = json!({"line": line, "character": 0});
        json!({"textDocument": {"uri": "~/a"}, "edits": [{"range": {"start": at, "end": at}, "newText": "x"}]})
    };
    let overwrite = json!({"kind": "create", "uri": "~/a", "options": {"overwrite": true}});
    let huge = texts("~/a", 0, &"x".repeat(17 * 1024 * 1024));
    let back = json!({"range": {"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}}, "newText": ""});
    for (steps, expected) in [
        (json!([rename("~/a", "~/b")]), "it would put a file where `b` is already"),
        (json!([overwrite]), "it would put a file where `a` is already"),
        (json!([rename("~/none", "~/c")]), "it would move `none`, which is not there"),
        (json!([rename("~/shapes", "~/shapes/in")]), "it would move `shapes` into itself"),
        (json!([{"kind": "delete", "uri": "~/none"}]), "it would delete `none`, which is not there"),
        (json!([{"kind": "delete", "uri": "~/shapes"}]), "it would delete the folder `shapes`"),
        (json!([rename("~/a", "~/../z")]), "outside of the workspace"),
        (json!([rename("~/a", "~/link/z")]), "outside of the workspace"),
        (json!([rename("~/a", "~/none%2f..%2f..%2f..%2fz")]), "outside of the workspace"),
        (json!([rename("~/link/outside", "~/z")]), "outside of the workspace"),
        (json!([{"kind": "delete", "uri": "~"}]), "outside of the workspace"),
        (json!([texts("~/../outside", 0, "")]), "outside of the workspace"),
        (json!([texts("~/link/outside", 0, "")]), "outside of the workspace"),
        (json!([texts("~/.git/config", 0, "")]), "`.git/config`, which is version control's own"),
        (json!([{"kind": "create", "uri": "~/.git/hooks/pre-commit"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.GIT/hooks/pre-commit"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/shapes/.Git/config"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.g%e2%80%8cit/config"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/GIT%7e1/config"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.git%20./config"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.git::$INDEX_ALLOCATION/config"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.git%5cconfig"}]), "version control's own"),
        (json!([{"kind": "create", "uri": "~/.HG/hgrc"}]), "version control's own"),
        (json!([rename("~/a", "~/.giT")]), "version control's own"),
        (json!([insert(9)]), "overlap, or lie beyond its end"),
        (json!([{"textDocument": {"uri": "~/a"}, "edits": [back]}]), "overlap, or lie beyond its end"),
        (json!([texts("~/a", 0, "x"), texts("~/a", 0, "y")]), "overlap, or lie beyond its end"),
        (json!([huge]), "it would add 17 MiB of text"),
        (json!([texts("~/none", 0, "x")]), "`none` cannot be changed"),
    ] {
        let told = ground.told(steps);
        assert!(told.contains(expected), "{told}\n{expected}");
    }
    assert_eq!(ground.told(json!([insert(2)])), "a @@ 3|+x");
}

#[test]
fn what_the_editor_has_not_saved_is_changed_and_not_moved() {
    let ground = TestWorkspace::new();
    ground.buffers.set_editor_text(&ground.dir.path().join("root/shapes/draw"), "typed\nin\n".into());
    let change = texts("~/shapes/draw", 1, "out\n");
    assert_eq!(ground.told(json!([change])), "shapes/draw unsaved @@ 2|-in|+out");
    for step in [
        rename("~/shapes/draw", "~/z"),
        rename("~/shapes", "~/z"),
        json!({"kind": "delete", "uri": "~/shapes/draw"}),
    ] {
        assert!(
            ground.told(json!([step])).contains("`shapes/draw`, of which the editor has unsaved changes")
        );
    }
}

#[test]
fn a_file_that_is_no_utf_8_is_left_out_and_moved_and_deleted_as_it_is() {
    let ground = TestWorkspace::new();
    fs::write(ground.dir.path().join("root/latin"), b"one\ncaf\xe9 one\n").unwrap();
    let left_out = "`latin` is left out, since the text is not UTF-8: change it yourself";
    for (steps, expected) in [
        (json!([texts("~/a", 0, "1\n"), texts("~/latin", 0, "1\n")]), format!("a @@ 1|-one|+1; {left_out}")),
        (json!([texts("~/latin", 0, "1\n")]), left_out.to_owned()),
        (
            json!([texts("~/latin", 0, "1\n"), rename("~/latin", "~/z")]),
            format!("latin moved to z; {left_out}"),
        ),
        (json!([rename("~/latin", "~/z")]), "latin moved to z".to_owned()),
        (
            json!([{"kind": "delete", "uri": "~/latin"}]),
            "latin Deleted @@ 1|-one|-caf\u{fffd} one".to_owned(),
        ),
    ] {
        assert_eq!(ground.told(steps), expected);
    }
}
