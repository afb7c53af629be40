//! Whole texts of files, and edits that are given as texts: what a program writes that computed them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use adapter::fallback::{Caller, Editor};
use expect_test::expect;
use futures::future::{BoxFuture, select};
use ide_protocol::{
    ApplyQuestion, DraftQuestion, EditedTextsQuestion, FileTexts, IdeError, Operation, Question, Request,
    TextQuestion,
};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::world::{self, World};

type Test = fn(&Runtime) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("a text is exact, and its path is whole", texts),
    ("files are created, changed, moved and deleted together", together),
    ("another text than the one of the draft is a conflict", conflicts),
    ("nothing outside of the workspace is drafted", outside),
    ("an edit that is being written is finished before the end", finished),
];

pub(crate) fn trials() -> Vec<Trial> {
    TESTS.iter().map(|(name, test)| world::trial((*name).to_owned(), &None, *test)).collect()
}

const FILES: &[(&str, &str)] =
    &[("src/a.txt", "one\r\ntwo\r\n"), ("src/b.txt", "\u{feff}b\n"), ("src/c.txt", "c\n"), ("d.txt", "d\n")];

fn asked<Q: Question>(question: Q) -> Request<Q> {
    Request::new("s", question)
}

fn file(path: &str, before: Option<&str>, after: Option<&str>, to: Option<&str>) -> FileTexts {
    let [before, after, to] = [before, after, to].map(|it| it.map(str::to_owned));
    FileTexts { path: path.to_owned(), before, after, to }
}

/// Drafts an edit, and returns its id.
async fn draft(world: &World, files: Vec<FileTexts>) -> Result<String, IdeError> {
    let question = DraftQuestion { title: "T".to_owned(), files };
    let drafted = world.ask(Operation::Draft, asked(question)).await?;
    Ok(drafted.edits.into_iter().map(|it| it.id).collect())
}

fn texts(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, FILES);
    fs::write(world.root().join("x.bin"), b"a\0b").unwrap();
    fs::write(world.root().join("latin.txt"), b"caf\xe9").unwrap();
    let text = |path: &str| {
        let read = world.ask(Operation::Text, asked(TextQuestion { path: path.to_owned() }));
        match runtime.block_on(read) {
            Ok(result) => format!("{} {:?}\n", result.path, result.text),
            Err(error) => format!("{path}: {}\n", error.message),
        }
    };
    let paths =
        ["src/a.txt", "./src/../src/b.txt", "a.txt", "src", "x.bin", "latin.txt", "../a", "/etc/hostname"];
    expect![[r#"
        src/a.txt "one\r\ntwo\r\n"
        src/b.txt "b\n"
        a.txt: no file or folder `a.txt` in the workspace
        src: `src` has no lines to show: it is a folder
        x.bin: `x.bin` has no lines to show: it is a binary file
        latin.txt: `latin.txt` is no UTF-8, so that it has no exact text
        ../a: `../a` lies outside the workspace
        /etc/hostname: `/etc/hostname` lies outside the workspace
    "#]]
    .assert_eq(&paths.map(text).concat());
    Ok(())
}

fn together(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, FILES);
    let files = vec![
        file("src/a.txt", Some("one\r\ntwo\r\n"), Some("one\r\nTWO\r\n"), None),
        file("src/b.txt", Some("b\n"), Some("B\n"), Some("moved/b.txt")),
        file("src/c.txt", Some("c\n"), None, None),
        file("new/deep/e.txt", None, Some("e\n"), None),
        file("d.txt", Some("d\n"), Some("d\n"), None),
    ];
    let id = runtime.block_on(draft(&world, files)).unwrap();
    let question = EditedTextsQuestion { edits: vec![id.clone()] };
    let edited = runtime.block_on(world.ask(Operation::EditedTexts, asked(question))).unwrap();
    let edited =
        edited.files.iter().map(|it| format!("{} {:?} {:?} {:?}\n", it.path, it.before, it.after, it.to));
    expect![[r#"
        new/deep/e.txt None Some("e\n") None
        src/a.txt Some("one\r\ntwo\r\n") Some("one\r\nTWO\r\n") None
        src/b.txt Some("b\n") Some("B\n") Some("moved/b.txt")
        src/c.txt Some("c\n") None None
    "#]]
    .assert_eq(&edited.collect::<String>());
    let apply = world.ask(Operation::Apply, asked(ApplyQuestion { edits: vec![id] }));
    runtime.block_on(apply).unwrap();
    let on_disk = |path: &str| format!("{path} {:?}\n", fs::read_to_string(world.root().join(path)).ok());
    expect![[r#"
        src/a.txt Some("one\r\nTWO\r\n")
        src/b.txt None
        moved/b.txt Some("\u{feff}B\n")
        src/c.txt None
        new/deep/e.txt Some("e\n")
        d.txt Some("d\n")
    "#]]
    .assert_eq(
        &["src/a.txt", "src/b.txt", "moved/b.txt", "src/c.txt", "new/deep/e.txt", "d.txt"]
            .map(on_disk)
            .concat(),
    );
    let unchanged = vec![file("d.txt", Some("d\n"), Some("d\n"), None)];
    assert_eq!(runtime.block_on(draft(&world, unchanged)).unwrap(), "", "no change is no edit");
    Ok(())
}

fn conflicts(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, FILES);
    let tried = |files: Vec<FileTexts>| match runtime.block_on(draft(&world, files)) {
        Ok(_) => "drafted\n".to_owned(),
        Err(error) => format!("{}\n", error.message),
    };
    let both = |b: FileTexts| vec![file("src/a.txt", Some("one\r\ntwo\r\n"), Some("1"), None), b];
    let told = [
        both(file("src/c.txt", Some("other\n"), Some("x"), None)),
        both(file("src/c.txt", None, Some("x"), None)),
        both(file("nowhere.txt", Some("x"), Some("y"), None)),
        both(file("src/c.txt", Some("c\n"), Some("c\n"), Some("d.txt"))),
        both(file("src/c.txt", None, None, None)),
    ];
    expect![[r#"
        nothing is changed: `src/c.txt` has another text than the one that the change is for
        nothing is changed: it would put a file where `src/c.txt` is already
        no file or folder `nowhere.txt` in the workspace
        nothing is changed: it would put a file where `d.txt` is already
        `src/c.txt` has neither a text before nor one after the edit
    "#]]
    .assert_eq(&told.map(tried).concat());
    // A change between the draft and its application is one too, and nothing is written.
    let files = vec![
        file("src/a.txt", Some("one\r\ntwo\r\n"), Some("1"), None),
        file("src/c.txt", Some("c\n"), Some("C\n"), None),
    ];
    let id = runtime.block_on(draft(&world, files)).unwrap();
    world.write("src/c.txt", "changed\n");
    let apply = world.ask(Operation::Apply, asked(ApplyQuestion { edits: vec![id] }));
    let error = runtime.block_on(apply).unwrap_err();
    assert!(error.message.contains("`src/c.txt` has changed"), "{}", error.message);
    assert_eq!(fs::read_to_string(world.root().join("src/a.txt")).unwrap(), "one\r\ntwo\r\n");
    Ok(())
}

fn outside(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, FILES);
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), world.root().join("link")).unwrap();
    fs::create_dir(world.root().join(".git")).unwrap();
    let tried = |path: &str| match runtime.block_on(draft(&world, vec![file(path, None, Some("x"), None)])) {
        Ok(_) => format!("{path}: drafted\n"),
        Err(error) => format!("{path}: {:?}\n", error.kind),
    };
    expect![[r#"
        ../x: OutsideWorkspace
        /tmp/x: OutsideWorkspace
        link/x: OutsideWorkspace
        link/deep/x: OutsideWorkspace
        .git/hooks/x: InvalidRequest
        a/../../x: OutsideWorkspace
        src: InvalidRequest
        new/x: drafted
    "#]]
    .assert_eq(
        &["../x", "/tmp/x", "link/x", "link/deep/x", ".git/hooks/x", "a/../../x", "src", "new/x"]
            .map(tried)
            .concat(),
    );
    Ok(())
}

/// An editor that takes its time to write.
#[derive(Default)]
struct Slow {
    begun: Notify,
    released: Notify,
}

impl Editor for Slow {
    fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Option<Result<String, String>>> {
        Box::pin(std::future::ready(None))
    }

    fn write<'a>(&'a self, path: &'a Path, text: String) -> BoxFuture<'a, Option<Result<(), String>>> {
        Box::pin(async move {
            self.begun.notify_one();
            self.released.notified().await;
            self.released.notify_one(); // for the next file
            Some(fs::write(path, text).map_err(|error| error.to_string()))
        })
    }
}

fn finished(runtime: &Runtime) -> Result<(), Failed> {
    let world = World::new(runtime, FILES);
    let files = vec![
        file("src/c.txt", Some("c\n"), Some("C\n"), None),
        file("d.txt", Some("d\n"), Some("D\n"), None),
    ];
    runtime.block_on(async {
        let id = draft(&world, files).await.unwrap();
        let editor = Arc::new(Slow::default());
        let caller = Caller { editor: Arc::<Slow>::clone(&editor) as _, ..Caller::default() };
        let apply = asked(ApplyQuestion { edits: vec![id] });
        let applying = Box::pin(world.fallback.ask(Operation::Apply, apply, caller));
        // Whoever asked is gone as soon as the first file is being written.
        select(applying, Box::pin(editor.begun.notified())).await;
        let mut ending = Box::pin(world.fallback.shutdown());
        assert!(futures::poll!(&mut ending).is_pending(), "it waits for the edit");
        editor.released.notify_one();
        ending.await;
    });
    let text = |path: &str| fs::read_to_string(world.root().join(path)).unwrap();
    assert_eq!((text("src/c.txt").as_str(), text("d.txt").as_str()), ("C\n", "D\n"));
    Ok(())
}
