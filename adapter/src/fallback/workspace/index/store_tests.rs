use super::*;
use crate::fallback::source::text::Text;

fn filed(path: &str, text: &str) -> StoredFile {
    let language = syntax::Language::of_path("a.rs").unwrap();
    let at = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
    let stamp = Stamp { changed: at, modified: at, size: text.len() as u64, inode: 7 };
    let symbols = Arc::new(FileSymbols::of_text(language, &Text::from(text.to_owned())));
    StoredFile { path: path.into(), stamp, key: key("rust", text), symbols }
}

fn some() -> Vec<StoredFile> {
    vec![
        filed("src/a.rs", "struct User;"),
        filed("src/b.rs", "fn total() {}"),
        filed("src/c.rs", "struct User;"),
        filed("é.rs", ""),
    ]
}

fn only_file(folder: &Path) -> PathBuf {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.pop().unwrap()
}

#[test]
fn what_is_kept_of_a_folder_is_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = IndexStore::at(dir.path().join("a/b"));
    let folder = Path::new("/some/project");
    assert_eq!(store.load(folder), []);
    store.save(folder, &some()).unwrap();
    assert_eq!(store.load(folder), some());
    assert_eq!(store.load(Path::new("/some/other")), []);
    store.save(folder, &some()[..1]).unwrap();
    assert_eq!(store.load(folder), &some()[..1]);
    // Under the name of another folder it is about none.
    let file = only_file(&dir.path().join("a/b"));
    fs::rename(file, store.file(Path::new("/some/other"))).unwrap();
    assert_eq!(store.load(Path::new("/some/other")), []);
}

#[test]
fn what_is_cut_or_changed_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let (store, folder) = (IndexStore::at(dir.path()), Path::new("/some/project"));
    store.save(folder, &some()).unwrap();
    let file = only_file(dir.path());
    let whole = fs::read(&file).unwrap();
    for end in 0..whole.len() {
        fs::write(&file, &whole[..end]).unwrap();
        assert_eq!(store.load(folder), [], "cut at {end}");
    }
    for at in 0..whole.len() {
        let mut other = whole.clone();
        other[at] ^= 0x10;
        fs::write(&file, other).unwrap();
        assert_eq!(store.load(folder), [], "changed at {at}");
    }
    fs::write(&file, [whole.clone(), vec![0]].concat()).unwrap();
    assert_eq!(store.load(folder), []);
    fs::write(&file, &whole).unwrap();
    assert_eq!(store.load(folder), some());
}

#[test]
fn what_others_may_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (store, folder) = (IndexStore::at(dir.path()), Path::new("/some/project"));
    store.save(folder, &some()).unwrap();
    let file = only_file(dir.path());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o622)).unwrap();
    assert_eq!(store.load(folder), []);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(store.load(folder), some());
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert_eq!(store.load(folder), [], "it is a link");
    if rustix::process::geteuid().is_root() {
        fs::remove_file(&file).unwrap();
        fs::rename(&elsewhere, &file).unwrap();
        std::os::unix::fs::chown(&file, Some(1), None).unwrap();
        assert_eq!(store.load(folder), [], "it is somebody else's");
    }
}

#[test]
fn several_write_at_once_and_one_of_them_wins() {
    let dir = tempfile::tempdir().unwrap();
    let (store, folder) = (IndexStore::at(dir.path()), Path::new("/some/project"));
    let all = some();
    store.save(folder, &all).unwrap();
    std::thread::scope(|scope| {
        for count in 1..=4 {
            let (store, all) = (&store, &all);
            scope.spawn(move || {
                for _ in 0..50 {
                    store.save(folder, &all[..count]).unwrap();
                    let loaded = store.load(folder);
                    assert!(!loaded.is_empty() && loaded == all[..loaded.len()]);
                }
            });
        }
    });
    only_file(dir.path());
}

#[test]
fn what_is_old_goes() {
    let dir = tempfile::tempdir().unwrap();
    let store = IndexStore::at(dir.path());
    let age = |path: &Path, age: Duration| {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    };
    store.save(Path::new("/old"), &some()).unwrap();
    age(&only_file(dir.path()), AGE * 2);
    age(&dir.path().join("0.1-1.draft"), DRAFT_AGE * 2);
    age(&dir.path().join("1.1-1.draft"), DRAFT_AGE / 2);
    age(&dir.path().join("not ours"), AGE * 2);
    for count in 0..3 {
        // Sparse: it takes no room on disk, and has that size.
        let path = dir.path().join(format!("{count}.index"));
        File::create(&path).unwrap().set_len(LIMIT / 2 - 1024).unwrap();
        age(&path, Duration::from_secs(60 + count));
    }
    store.save(Path::new("/new"), &some()).unwrap();
    let mut left: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    let new = store.file(Path::new("/new"));
    let mut expected =
        ["0.index", "1.1-1.draft", "1.index", "not ours", new.file_name().unwrap().to_str().unwrap()];
    expected.sort();
    assert_eq!(left, expected);
}
