//! Tests of archives: what is packed is read again, and what is hostile is refused.

use std::io;

use expect_test::{Expect, expect};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};

use super::*;

/// Makes an entry without any check of its path.
fn entry(path: &str, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

fn archive(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (path, kind, bytes) in entries {
        let mut header = entry(path, *kind, bytes.len() as u64);
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_size(0);
            header.set_link_name(std::str::from_utf8(bytes).unwrap()).unwrap();
            header.set_cksum();
            builder.append(&header, &[][..]).unwrap();
        } else {
            builder.append(&header, *bytes).unwrap();
        }
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

fn limits() -> ArchiveLimits {
    ArchiveLimits { packed: 1 << 20, unpacked: 4 << 20, entries: 20, ratio: 50 }
}

fn check(bytes: &[u8], wanted: &Expect) {
    let found = match unpack(bytes, &limits()) {
        Ok(files) => {
            files.iter().map(|it| format!("{} {}", it.path, it.bytes.len())).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    };
    wanted.assert_eq(&found);
}

#[test]
fn what_is_packed_is_read_again() {
    let long = format!("lib/{}/types.md", "folder-".repeat(30));
    let files = [("main.md", &b"# Main"[..]), (long.as_str(), &b"x"[..]), ("ailang.json", &b"{}"[..])];
    let files = files.map(|(path, bytes)| PackedFile { path, bytes });
    let packed = pack(&files).unwrap();
    let plain = pack_tar(&files).unwrap();
    let read = unpack(&packed, &limits()).unwrap();
    assert_eq!(read, unpack(&plain, &limits()).unwrap());
    assert_eq!(read.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["ailang.json", &long, "main.md"]);
    let mut backwards = files;
    backwards.reverse();
    assert_eq!(packed, pack(&backwards).unwrap(), "the order does not matter");
}

#[test]
fn folders_and_headers_of_git_are_no_files() {
    use EntryType::{Directory, Regular, XGlobalHeader};
    check(
        &archive(&[
            ("pax_global_header", XGlobalHeader, b"30 comment=0123456789abcdef012\n"),
            ("top/", Directory, b""),
            ("top/./lib//a.md", Regular, b"a"),
            ("other/b.md", Regular, b"bb"),
        ]),
        &expect![[r#"
            lib/a.md 1
            b.md 2"#]],
    );
}

#[test]
fn hostile_entries_are_refused() {
    use EntryType::{Block, Char, Fifo, GNUSparse, Link, Regular, Symlink};
    let refused =
        |path: &str, kind: EntryType, bytes: &[u8]| match unpack(&archive(&[(path, kind, bytes)]), &limits())
        {
            Ok(files) => format!("{path:?} is taken: {files:?}\n"),
            Err(error) => format!("{error}\n"),
        };
    let mut found = String::new();
    for path in [
        "/etc/passwd",
        "package/../x.md",
        "../x.md",
        "package/lib/../../../x.md",
        "package\\..\\x.md",
        "C:/x.md",
        "package/a\nb.md",
        "package/a\u{1b}[2J.md",
        "package/a\u{202e}dm.md",
        "package/NUL",
        "package/com1.md",
        "package/a.md.",
        "package/a /b.md",
        "x.md",
    ] {
        found += &refused(path, Regular, b"x");
    }
    for (kind, bytes) in [
        (Symlink, &b"/etc/passwd"[..]),
        (Symlink, b"a.md"),
        (Link, b"package/a.md"),
        (Char, b""),
        (Block, b""),
    ] {
        found += &refused("package/b.md", kind, bytes);
    }
    found += &refused("package/b.md", Fifo, b"");
    found += &refused("package/b.md", GNUSparse, b"");
    expect![[r#"
        AL4009: the archive is refused: `/etc/passwd`: it is absolute
        AL4009: the archive is refused: `package/../x.md`: it contains `..`
        AL4009: the archive is refused: `../x.md`: it contains `..`
        AL4009: the archive is refused: `package/lib/../../../x.md`: it contains `..`
        AL4009: the archive is refused: `package\..\x.md`: it contains `\` or `:`, which some systems read as another folder
        AL4009: the archive is refused: `C:/x.md`: it contains `\` or `:`, which some systems read as another folder
        AL4009: the archive is refused: `package/a\nb.md`: it contains a character that controls or hides
        AL4009: the archive is refused: `package/a\u{1b}[2J.md`: it contains a character that controls or hides
        AL4009: the archive is refused: `package/a\u{202e}dm.md`: it contains a character that controls or hides
        AL4009: the archive is refused: `package/NUL`: `NUL` is a device on some systems
        AL4009: the archive is refused: `package/com1.md`: `com1.md` is a device on some systems
        AL4009: the archive is refused: `package/a.md.`: `a.md.` starts or ends as another name does on some systems
        AL4009: the archive is refused: `package/a /b.md`: `a ` starts or ends as another name does on some systems
        AL4009: the archive is refused: `x.md`: it stands beside the folder at the top
        AL4009: the archive is refused: `package/b.md`: it is a link
        AL4009: the archive is refused: `package/b.md`: it is a link
        AL4009: the archive is refused: `package/b.md`: it is a link
        AL4009: the archive is refused: `package/b.md`: it is a device
        AL4009: the archive is refused: `package/b.md`: it is a device
        AL4009: the archive is refused: `package/b.md`: it is a device
        AL4008: the archive cannot be read: numeric field was not a number:  when getting real_size for :
    "#]].assert_eq(&found);
}

#[test]
fn names_that_are_one_file_somewhere_are_refused() {
    use EntryType::Regular;
    for paths in [
        ["a.md", "a.md"],
        ["a.md", "A.md"],
        ["lib/a.md", "Lib/b.md"],
        ["é.md", "É.md"],
        ["lib", "lib/a.md"],
        ["lib/a.md", "lib"],
        ["\u{e9}.md", "e\u{301}.md"],
        ["E\u{301}.md", "\u{e9}.md"],
        ["caf\u{e9}/a.md", "cafe\u{301}/b.md"],
        ["\u{ac00}.md", "\u{1100}\u{1161}.md"],
        ["stra\u{df}e.md", "STRASSE.md"],
        ["stra\u{1e9e}e.md", "strasse.md"],
        ["\u{3c3}.md", "\u{3c2}.md"],
        ["\u{212a}.md", "k.md"],
        ["\u{17f}.md", "s.md"],
        ["\u{fb01}.md", "fi.md"],
        ["\u{ff21}.md", "a.md"],
        ["a\u{fe0f}.md", "a.md"],
    ] {
        let paths = paths.map(|it| format!("package/{it}"));
        let bytes = archive(&paths.each_ref().map(|it| (it.as_str(), Regular, &b"x"[..])));
        let error = unpack(&bytes, &limits()).unwrap_err();
        assert_eq!(error.code, ailang::Code::PACKAGE_PATH, "{paths:?}: {error}");
    }
}

#[test]
fn names_that_other_programs_believe_are_refused_everywhere() {
    use EntryType::Regular;
    for name in [
        ".git",
        ".GIT",
        ".gIt",
        "git~1",
        ".hg",
        ".Svn",
        ".bzr",
        ".jj",
        "_darcs",
        "\u{ff0e}git",
        "pyvenv.cfg",
        "PyVenv.cfg",
        "ailang_modules",
        "AILANG_Modules",
        "ailang.lock",
        "Ailang.LOCK",
        "node_modules",
        "Node_Modules",
    ] {
        let paths = ["{}", "{}/config", "lib/{}", "lib/deep/{}/hooks/post-checkout", "./{}/x.md"];
        // The lock file at the root is left out.
        let is_lock = name.eq_ignore_ascii_case("ailang.lock");
        for path in paths.into_iter().skip(usize::from(is_lock)) {
            let path = format!("package/{}", path.replace("{}", name));
            let error = unpack(&archive(&[(&path, Regular, b"x")]), &limits()).expect_err(&path);
            assert_eq!(error.code, ailang::Code::PACKAGE_PATH, "{path}: {error}");
        }
    }
    for paths in [
        ["HEAD", "config", "objects/x", "refs/x"],
        ["lib/head", "lib/Config", "lib/OBJECTS/x", "lib/refs/x"],
        ["lib/HEAD", "lib/commondir", "other/objects/x", "other/refs/x"],
    ] {
        let paths = paths.map(|it| format!("package/{it}"));
        let bytes = archive(&paths.each_ref().map(|it| (it.as_str(), Regular, &b"x"[..])));
        let error = unpack(&bytes, &limits()).unwrap_err();
        assert!(error.message.contains("is a repository of git"), "{paths:?}: {error}");
    }
    for path in ["git/config.md", ".gitignore", "lib/modules.md", "lib/HEAD", "objects/a.md", "lock.md"] {
        assert!(
            unpack(&archive(&[(&format!("package/{path}"), Regular, b"x")]), &limits()).is_ok(),
            "{path}"
        );
    }
}

#[test]
fn the_lock_file_at_the_root_is_left_out() {
    use EntryType::Regular;
    for name in ["ailang.lock", "Ailang.LOCK", "a\u{ff49}lang.lock", "./ailang.lock", "ailang.loc\u{212a}"] {
        let files = unpack(&archive(&[(&format!("package/{name}"), Regular, b"x")]), &limits());
        let files = files.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(files.iter().all(|it| is_left_out(&it.path)), "{name}: {files:?}");
    }
    for path in ["lib/ailang.lock", "ailang.lock/ailang.lock"] {
        assert!(
            unpack(&archive(&[(&format!("package/{path}"), Regular, b"x")]), &limits()).is_err(),
            "{path}"
        );
        assert!(!is_left_out(path), "{path}");
    }
    assert!(unpack(&archive(&[("ailang.lock/x.md", Regular, b"x")]), &limits()).is_err());
    assert!(!is_left_out("lock.md") && !is_left_out("ailang.lock.md"));
}

#[test]
fn bombs_are_refused() {
    use EntryType::Regular;
    let zeros = vec![0; 3 << 20];
    check(
        &gzip(&archive(&[("p/a", Regular, &zeros)])),
        &expect!["AL4009: the archive is refused: it becomes more than 1048576 bytes"],
    );
    check(
        &archive(&[("p/a", Regular, &zeros)]),
        &expect!["AL4009: the archive is refused: it has more than 1048576 bytes"],
    );
    let names: Vec<String> = (0..21).map(|it| format!("p/{it}.md")).collect();
    let many: Vec<_> = names.iter().map(|it| (it.as_str(), Regular, &b""[..])).collect();
    check(&archive(&many), &expect!["AL4009: the archive is refused: it has more than 20 entries"]);
    // A header that claims more than there is.
    let mut claims = entry("p/a", Regular, u64::from(u32::MAX)).as_bytes().to_vec();
    claims.extend([0; 1024]);
    check(&claims, &expect!["AL4008: the archive cannot be read: unexpected EOF during skip"]);
    check(
        &gzip(&archive(&[("p/a", Regular, b"x")]))[..40],
        &expect!["AL4008: the archive cannot be read: incomplete deflate stream"],
    );
    check(b"<!doctype html>", &expect!["AL4008: the archive cannot be read: failed to read entire block"]);
    check(b"", &expect![[""]]);
}

/// Returns an entry of a random archive.
fn random_entry() -> impl Strategy<Value = (String, u8, Vec<u8>)> {
    let name = prop::sample::select(vec![
        "package", "a", "A", "..", ".", "", "lib", "é", "\\", "con", "b\n", "c:", "x.",
    ]);
    let path = prop::collection::vec(name, 1..5).prop_map(|it| it.join("/"));
    let kind = prop::sample::select(b"0123456789gxLKSDV\0".to_vec());
    (path, kind, prop::collection::vec(any::<u8>(), 0..40))
}

proptest! {
    /// Whatever an archive is, reading it ends within its limits, and every path is safe to write.
    #[test]
    fn any_archive_is_read_or_refused(
        entries in prop::collection::vec(random_entry(), 0..6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_packed in any::<bool>(),
    ) {
        let mut builder = Builder::new(Vec::new());
        for (path, kind, bytes) in &entries {
            let header = entry(path, EntryType::new(*kind), bytes.len() as u64);
            builder.append(&header, bytes.as_slice()).unwrap();
        }
        let mut bytes = builder.into_inner().unwrap();
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        if is_packed {
            bytes = gzip(&bytes);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(files) = unpack(&bytes, &limits()) {
            let total: usize = files.iter().map(|it| it.bytes.len()).sum();
            prop_assert!(total as u64 <= limits().unpacked && files.len() <= limits().entries);
            let folder = tempfile::tempdir().unwrap();
            let inside = folder.path().join("inside");
            std::fs::create_dir(&inside).unwrap();
            crate::store::write_files(&inside, &files).unwrap();
            let beside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
            prop_assert_eq!(beside.len(), 1, "nothing is written outside");
            for file in &files {
                prop_assert_eq!(&std::fs::read(inside.join(&file.path)).unwrap(), &file.bytes);
            }
        }
    }
}
