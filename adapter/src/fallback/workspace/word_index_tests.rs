use std::time::{Duration, Instant};

use super::*;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::SearchScope;

fn language(id: &str) -> &'static Language {
    LANGUAGES.iter().find(|it| it.id == id).unwrap()
}

fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    files.iter().for_each(|(path, text)| write(&root, path, text));
    (dir, root)
}

fn write(root: &Path, path: &str, text: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(root: &Path) -> WordIndex {
    let index = WordIndex::default();
    lock(&lock(&index.0).entry(root.to_owned()).or_default().clone()).read(root);
    index
}

/// What a scan finds with it and without is the same.
fn mentions(root: &Path, index: &WordIndex, word: &str) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(60);
    let tree =
        |words: WordIndex| SearchScope { folders: vec![root.to_owned()], texts: Texts::default(), words };
    let plain = word_scan::mentions(language("python"), &tree(WordIndex::default()), word, until);
    let quick = word_scan::mentions(language("python"), &tree(index.clone()), word, until);
    assert_eq!(quick, plain, "{word}");
    quick.lines.keys().map(|it| it.strip_prefix(root).unwrap().display().to_string()).collect()
}

#[test]
fn words_are_found_where_a_scan_finds_them() {
    let utf16: Vec<u8> = "\u{feff}def total(): pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_dir, root) = folder(&[
        ("a.py", b"def total(x):\n    return x\n"),
        ("b/c.py", "naïve = total_sum\nétotal = 1\n“total”\n".as_bytes()),
        ("b/d.py", b"totals = 3"),
        ("e.rs", b"fn total() {}"),
        ("f.py", b"\xff total \xfe\n"),
        ("g.py", &utf16),
        ("ignored.py", b"total"),
        (".hidden.py", b"total"),
        (".gitignore", b"ignored.py\n"),
        ("h.py", "été = 名前 = 1".as_bytes()),
        ("binary.py", b"total\0total"),
    ]);
    let index = read(&root);
    assert_eq!(mentions(&root, &index, "total"), ["a.py", "b/c.py", "f.py", "g.py"]);
    for word in ["naïve", "total_sum", "été", "名前", "x", "missing", "total(x"] {
        mentions(&root, &index, word);
    }
}

#[test]
fn what_changes_is_seen() {
    let (_dir, root) = folder(&[("a.py", b"one"), ("b/b.py", b"two")]);
    let index = read(&root);
    let found = |word| mentions(&root, &index, word);
    for _ in 0..3 {
        assert_eq!(found("one"), ["a.py"]); // as many looks as it takes to be still
    }
    write(&root, "a.py", b"two");
    assert_eq!(found("two"), ["a.py", "b/b.py"]);
    write(&root, "c/d/e.py", b"two");
    assert_eq!(found("two"), ["a.py", "b/b.py", "c/d/e.py"]);
    write(&root, "c/d/f.py", b"two");
    assert_eq!(found("two").len(), 4);
    write(&root, ".gitignore", b"c\n");
    assert_eq!(found("two"), ["a.py", "b/b.py"]);
    fs::rename(root.join("b"), root.join("z")).unwrap();
    assert_eq!(found("two"), ["a.py", "z/b.py"]);
    fs::remove_file(root.join("z/b.py")).unwrap();
    assert_eq!(found("two"), ["a.py"]);
}

#[test]
fn what_the_editor_holds_is_looked_into() {
    let (_dir, root) = folder(&[("a.py", b"one"), ("b.py", b"two")]);
    let index = read(&root);
    let path = root.join("a.py");
    let texts: Texts = Arc::new([(path.clone(), Arc::new(String::from("three").into()))].into());
    assert_eq!(index.files_with(&root, "three", &texts), Some(vec![path]));
    assert_eq!(index.files_with(&root, "three", &Texts::default()), Some(vec![]));
    assert_eq!(index.files_with(&root, "名前", &texts), None);
}

#[test]
fn an_edition_lasts_as_long_as_no_file_of_code_changes() {
    let (_dir, root) = folder(&[("a.py", b"one"), ("b/b.py", b"two"), ("notes.txt", b"x")]);
    std::thread::sleep(RACY * 2); // the clock's granularity: a file as young as that is read each time
    let index = read(&root);
    let folders = [root.clone()];
    let generation = || index.generations(&folders).unwrap();
    assert_eq!(index.generations(&[root.join("b")]), None, "nobody has read that folder");
    let mut before = generation();
    for _ in 0..3 {
        assert_eq!(generation(), before);
    }
    write(&root, "notes.txt", b"y");
    assert_eq!(generation(), before);
    let mut is_new = |what: &str| {
        let now = generation();
        assert_ne!(now, before, "{what}");
        std::thread::sleep(RACY * 2);
        generation(); // what was young is read once more
        before = generation();
    };
    write(&root, "a.py", b"two");
    is_new("changed");
    write(&root, "c/d/e.py", b"three");
    is_new("created");
    fs::rename(root.join("b"), root.join("z")).unwrap();
    is_new("moved");
    write(&root, ".gitignore", b"c\n");
    is_new("ignored");
    fs::remove_file(root.join("a.py")).unwrap();
    is_new("removed");
}
