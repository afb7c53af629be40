use std::fs;

use super::*;

#[test]
fn paths_resolve_inside_the_roots_only() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().canonicalize().unwrap().join("outside.rs");
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("src/auth")).unwrap();
    fs::write(root.join("src/auth/user.rs"), "struct User;").unwrap();
    fs::write(&outside, "secret").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("src/link.rs")).unwrap();
    let roots = SessionFolders::new(vec![root.clone()]);

    for asked in ["src/auth/user.rs", "./src/auth/user.rs", "src/../src/auth/user.rs"] {
        assert_eq!(roots.resolve(asked).unwrap().spelling, "src/auth/user.rs", "{asked}");
    }
    let absolute = root.join("src/auth/user.rs");
    assert_eq!(roots.resolve(absolute.to_str().unwrap()).unwrap().spelling, "src/auth/user.rs");
    assert_eq!(roots.resolve(".").unwrap().spelling, ".");

    // The end of a path is enough where only one file has it.
    assert_eq!(roots.resolve("auth/user.rs").unwrap().spelling, "src/auth/user.rs");
    assert_eq!(roots.resolve("ser.rs").unwrap_err().kind, ErrorCode::NotFound);
    assert_eq!(roots.resolve("../user.rs").unwrap_err().kind, ErrorCode::OutsideWorkspace);
    fs::create_dir_all(root.join("other/auth")).unwrap();
    fs::write(root.join("other/auth/user.rs"), "").unwrap();
    assert_eq!(roots.resolve("auth/user.rs").unwrap_err().kind, ErrorCode::NotFound);

    for asked in ["../outside.rs", "src/link.rs", "/etc/passwd", "../nothing", "src/../../outside.rs"] {
        assert_eq!(roots.resolve(asked).unwrap_err().kind, ErrorCode::OutsideWorkspace, "{asked}");
    }
    roots.allow_named(&outside);
    let withheld = roots.resolve(outside.to_str().unwrap()).unwrap_err();
    assert_eq!(withheld.kind, ErrorCode::OutsideWorkspace);
    assert!(withheld.message.contains("it is not read") && withheld.recovery.unwrap().contains("--trust"));
}

#[test]
fn a_named_file_is_read_where_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let repository = dir.path().canonicalize().unwrap().join("repository");
    let beside = dir.path().canonicalize().unwrap().join("beside.rs");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir_all(repository.join("part")).unwrap();
    fs::write(repository.join("sibling.rs"), "").unwrap();
    fs::write(&beside, "").unwrap();
    let untrusted = SessionFolders::new(vec![repository.join("part")]);
    let trusted = SessionFolders::new(vec![repository.join("part")])
        .with_trust(Arc::new(TrustDecisions::new(Some(Level::Trusted), Level::Restricted, None)));
    let sibling = repository.join("sibling.rs");
    let passwords = Path::new("/etc/passwd").canonicalize().unwrap();
    for (roots, path, is_read) in [
        (&untrusted, &sibling, true),
        (&untrusted, &beside, false),
        (&trusted, &beside, true),
        (&trusted, &passwords, false),
    ] {
        let asked = path.to_str().unwrap();
        assert_eq!(roots.resolve(asked).unwrap_err().kind, ErrorCode::OutsideWorkspace, "{asked}");
        roots.allow_named(path);
        assert_eq!(roots.resolve(asked).is_ok(), is_read, "{asked}");
        assert_eq!(roots.may_read(path), is_read, "{asked}");
    }
}

#[test]
fn a_short_form_means_the_file_that_an_answer_named() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let [root, one, other] = ["root", "one/node_modules", "other/node_modules"].map(|it| base.join(it));
    for folder in [&root, &one.join("a"), &other.join("a")] {
        fs::create_dir_all(folder).unwrap();
    }
    let (x, y) = (one.join("a/x.ts"), one.join("a/y.ts"));
    for file in [&x, &y, &other.join("a/x.ts"), &root.join("npm:own.ts")] {
        fs::write(file, "").unwrap();
    }
    let trusts = || Arc::new(TrustDecisions::new(Some(Level::Trusted), Level::Restricted, None));
    let roots = SessionFolders::new(vec![root.clone()]).with_trust(trusts());
    let path = |asked: &str| roots.resolve_exactly(asked).map(|it| it.path).map_err(|error| error.kind);

    assert_eq!(path("npm:a/x.ts"), Err(ErrorCode::NotFound), "no answer named it");
    [&x, &y].into_iter().for_each(|it| roots.allow_named(it));
    for file in [&x, &y] {
        let short = short_path(file.to_str().unwrap()).unwrap();
        let found = path(&short).unwrap();
        assert_eq!((&found, short_path(found.to_str().unwrap())), (file, Some(short)));
    }
    let untrusted = SessionFolders::new(vec![root.clone()]);
    untrusted.allow_named(&x);
    assert_eq!(untrusted.resolve("npm:a/x.ts").unwrap_err().kind, ErrorCode::OutsideWorkspace);

    roots.allow_named(&other.join("a/x.ts"));
    let error = roots.resolve("npm:a/x.ts").unwrap_err();
    let both = [&x, &other.join("a/x.ts")].map(|it| format!("`{}`", it.display()));
    assert_eq!(error.kind, ErrorCode::InvalidRequest);
    assert_eq!(error.recovery.unwrap(), format!("Write the path of one: {}.", both.join(", ")));

    fs::write(one.join("own.ts"), "").unwrap();
    roots.allow_named(&one.join("own.ts"));
    assert_eq!(path("npm:own.ts"), Ok(root.join("npm:own.ts")), "a file of the workspace comes first");
}

#[test]
fn a_folder_that_is_gone_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|it| dir.path().canonicalize().unwrap().join(it));
    fs::create_dir_all(&one).unwrap();
    fs::create_dir_all(&other).unwrap();
    let roots = SessionFolders::new(vec![one.clone(), other.clone()]);
    assert!(roots.check_any_exists().is_ok() && roots.missing_folders_reason().is_none());
    fs::rename(&one, dir.path().join("moved")).unwrap();
    assert!(
        roots.check_any_exists().is_ok()
            && roots.missing_folders_reason().unwrap().to_string().contains("one` is gone")
    );
    fs::remove_dir(&other).unwrap();
    let error = roots.check_any_exists().unwrap_err();
    assert!(error.message.contains("other` are gone") && error.recovery.is_some(), "{error:?}");
}

#[test]
fn a_missing_path_names_its_neighbours() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("src/auth")).unwrap();
    fs::write(dir.path().join("src/auth/user.rs"), "").unwrap();
    let roots = SessionFolders::new(vec![dir.path().to_owned()]);
    for asked in ["src/auth/users.rs", "src/user.rs", "sources/auth/user.rs"] {
        let error = roots.resolve(asked).unwrap_err();
        assert_eq!(error.kind, ErrorCode::NotFound);
        assert!(error.recovery.unwrap().contains("`src/auth/user.rs`"), "{asked}");
    }
    assert!(roots.resolve("scr").unwrap_err().recovery.unwrap().contains("`src`"));
}

#[test]
fn hidden_files_are_known() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join(".hidden/root");
    fs::create_dir_all(root.join(".cache")).unwrap();
    let roots = SessionFolders::new(vec![root]);
    for (path, is_hidden) in
        [("src/a.rs", false), (".cache/a.rs", true), (".a.rs", true), ("/usr/lib/.x/a.rs", false)]
    {
        assert_eq!(roots.is_hidden(path), is_hidden, "{path}");
    }
}

#[test]
fn what_becomes_readable_is_news_once_in_other_trees_too() {
    let dir = tempfile::tempdir().unwrap();
    let own = SessionFolders::new(vec![dir.path().join("own")]);
    let silent = own.of_other_trees(vec![dir.path().join("before")]);
    assert_eq!(own.take_news(), Readable::default());
    let tree = own.of_other_trees(vec![dir.path().join("tree")]);
    for folders in [&own, &tree, &silent] {
        folders.allow_made_sources(&dir.path().join("made"));
        folders.allow_named(&dir.path().join("lib.rs"));
    }
    for folders in [&own, &tree] {
        assert_eq!(folders.take_news(), folders.readable());
        assert_eq!(folders.take_news(), Readable::default());
    }
    assert_eq!(silent.take_news(), Readable::default());
}
