//! Tests of installations from folders, archives, git and a registry on loopback that may lie.

use std::fs;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::archive::{PackedFile, pack};
use crate::http::tests::{Server, answer};
use crate::integrity::Integrity;

const MAIN: &str = "---\nid: x\ntitle: X\nsummary: X.\n---\n\n# X\n";

fn manifest(name: &str, version: &str, dependencies: &str) -> String {
    format!(r#"{{"name":"{name}","version":"{version}","main":"main.md","dependencies":{{{dependencies}}}}}"#)
}

fn archive(manifest: &str) -> Vec<u8> {
    let files =
        [("ailang.json", manifest.as_bytes()), ("main.md", MAIN.as_bytes()), ("run.sh", b"#!/bin/sh\n")];
    pack(&files.map(|(path, bytes)| PackedFile { path, bytes })).unwrap()
}

struct Ground {
    folder: TempDir,
    options: InstallOptions,
}

impl Ground {
    fn new(dependencies: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Some(ArchiveStore::new(folder.path().join("store")));
        let ground = Self { options: InstallOptions { store, ..InstallOptions::default() }, folder };
        ground.write("app/ailang.json", manifest("app", "1.0.0", dependencies).as_bytes());
        ground
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn app(&self) -> std::path::PathBuf {
        self.folder.path().join("app")
    }

    fn install(&self) -> Result<Installation, PackageError> {
        install(&self.app(), None, &self.options)
    }

    fn add(&self, spec: &str) -> Result<Installation, PackageError> {
        install(&self.app(), Some(&PackageSpec::parse(spec)?), &self.options)
    }

    fn has(&self, path: &str) -> bool {
        self.app().join("ailang_modules").join(path).exists()
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.app().join(Lock::FILE)).unwrap()
    }
}

fn shown(installation: &Installation) -> String {
    installation
        .packages
        .iter()
        .map(|(name, it)| format!("{name} {}", it.version))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A change of what a registry says about a version.
type Lie = fn(&mut serde_json::Value);

/// Returns a registry with packages as `name version dependencies`, and what it says instead of the truth.
fn registry(packages: &[(&str, &str, &str)], lie: Option<Lie>) -> (Server, Registry) {
    let archives: Vec<(String, String, Vec<u8>)> = packages
        .iter()
        .map(|(name, version, needs)| {
            ((*name).to_owned(), (*version).to_owned(), archive(&manifest(name, version, needs)))
        })
        .collect();
    let server = Server::new(move |path| {
        let path = path.trim_start_matches('/').replace("%2f", "/");
        if let Some((.., bytes)) =
            archives.iter().find(|(name, version, _)| path == format!("{name}-{version}.tgz"))
        {
            return answer("200 OK", "", bytes);
        }
        let of_name = archives.iter().filter(|(name, ..)| *name == path);
        let versions: serde_json::Map<_, _> = of_name
            .map(|(name, version, bytes)| {
                let dist = json!({ "tarball": format!("/{name}-{version}.tgz"), "integrity": Integrity::of(bytes).to_string() });
                (version.clone(), json!({ "dist": dist }))
            })
            .collect();
        if versions.is_empty() {
            return answer("404 Not Found", "", b"{}");
        }
        let mut packument = json!({ "versions": versions });
        if let Some(lie) = lie {
            packument["versions"].as_object_mut().unwrap().values_mut().for_each(lie);
        }
        answer("200 OK", "", packument.to_string().as_bytes())
    });
    let registry = Registry::new(server.url.as_str(), Some("token")).unwrap();
    (server, registry)
}

#[test]
fn a_registry_is_asked_once_and_the_lock_file_needs_no_network() {
    let packages = [
        ("@example/clock", "1.0.0", ""),
        ("@example/clock", "1.4.0", r#""zones":"^2.0.0""#),
        ("zones", "2.0.1", ""),
    ];
    let (server, registry) = registry(&packages, None);
    let mut ground = Ground::new("");
    ground.options.registry = Some(registry);
    let installation = ground.add("@example/clock").unwrap();
    assert_eq!(shown(&installation), "@example/clock 1.4.0, zones 2.0.1");
    assert_eq!(installation.added, Some(("@example/clock".to_owned(), "^1.4.0".to_owned())));
    assert!(ground.has("@example/clock/main.md") && ground.has("zones/ailang.json"));
    assert_eq!(server.asked(), "/@example%2fclock+ /@example/clock-1.4.0.tgz+ /zones+ /zones-2.0.1.tgz+");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode =
            fs::metadata(ground.app().join("ailang_modules/zones/run.sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0, "nobody may execute it");
    }
    let lock = ground.lock();
    fs::remove_dir_all(ground.app().join("ailang_modules")).unwrap();
    (ground.options.registry, ground.options.offline, ground.options.locked) = (None, true, true);
    assert_eq!(shown(&ground.install().unwrap()), "@example/clock 1.4.0, zones 2.0.1");
    assert!(ground.has("zones/main.md"));
    assert_eq!(ground.lock(), lock);
    // A damaged archive of the store is none.
    let integrity = installation.packages["zones"].integrity().unwrap().hex();
    ground.write(&format!("store/sha512/{}/{integrity}", &integrity[..2]), b"damaged");
    assert_eq!(ground.install().unwrap_err().code, Code::PACKAGE_ABSENT);
}

#[test]
fn what_is_locked_is_kept_and_what_is_not_needed_goes() {
    let (_one, before) = registry(&[("a", "1.0.0", ""), ("b", "1.0.0", "")], None);
    let (_two, after) = registry(&[("a", "1.0.0", ""), ("a", "1.1.0", ""), ("b", "1.0.0", "")], None);
    let mut ground = Ground::new(r#""a":"^1.0.0","b":"*""#);
    ground.options.registry = Some(before);
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0, b 1.0.0");
    ground.options.registry = Some(after);
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0, b 1.0.0");
    ground.write("app/ailang.json", manifest("app", "1.0.0", r#""a":"^1.0.0""#).as_bytes());
    ground.options.locked = true;
    assert_eq!(ground.install().unwrap_err().code, Code::NO_VERSION);
    ground.options.locked = false;
    let installation = ground.install().unwrap();
    assert_eq!((shown(&installation).as_str(), installation.removed), ("a 1.0.0", vec!["b".to_owned()]));
    assert!(ground.has("a") && !ground.has("b"));
    fs::remove_file(ground.app().join(Lock::FILE)).unwrap();
    assert_eq!(shown(&ground.install().unwrap()), "a 1.1.0");
}

#[test]
fn a_registry_that_lies_installs_nothing() {
    let lies: [(Lie, &str); 5] = [
        (|it| it["dist"]["integrity"] = json!(Integrity::of(b"other").to_string()), "AL4008"),
        (|it| it["dist"]["integrity"] = json!("sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), "AL4008"),
        (|it| it["dist"]["tarball"] = json!("/b-1.0.0.tgz"), "AL4008"),
        (|it| it["dist"]["tarball"] = json!("file:///etc/passwd"), "AL4012"),
        (|it| *it = json!({}), "AL4012"),
    ];
    for (lie, code) in lies {
        let (_server, registry) = registry(&[("a", "1.0.0", ""), ("b", "1.0.0", "")], Some(lie));
        let mut ground = Ground::new(r#""a":"*""#);
        ground.options.registry = Some(registry);
        let error = ground.install().unwrap_err();
        assert_eq!(error.code.to_string(), code, "{error}");
        assert!(!ground.app().join("ailang_modules").exists() && !ground.app().join(Lock::FILE).exists());
    }
    // The same version with another content than the lock file says.
    let (_one, first) = registry(&[("a", "1.0.0", "")], None);
    let (_two, second) = registry(&[("a", "1.0.0", r#""b":"*""#), ("b", "1.0.0", "")], None);
    let mut ground = Ground::new(r#""a":"*""#);
    ground.options = InstallOptions { registry: Some(first), store: None, ..InstallOptions::default() };
    ground.install().unwrap();
    ground.options.registry = Some(second);
    assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY);
}

#[test]
fn without_a_registry_none_is_asked() {
    let error = Ground::new(r#""a":"^1.0.0""#).install().unwrap_err();
    assert_eq!(error.code, Code::NO_REGISTRY);
    assert!(
        Ground::new(r#""@ailang/builtin":"^1.0.0""#).install().unwrap().packages.is_empty(),
        "it is built in"
    );
}

#[test]
fn folders_are_used_where_they_are_and_archives_are_unpacked() {
    let ground = Ground::new(r#""a":"./a""#);
    ground.write("app/a/ailang.json", manifest("a", "1.0.0", r#""b":"file:../../b.tgz""#).as_bytes());
    ground.write("app/a/main.md", MAIN.as_bytes());
    ground.write("b.tgz", &archive(&manifest("b", "2.0.0", "")));
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0, b 2.0.0");
    assert!(ground.has("b/main.md") && !ground.has("a"));
    assert_eq!(ground.add("file:../b.tgz").unwrap().added.unwrap().1, "file:../b.tgz");
    let mut loader = crate::ModuleLoader::new(
        crate::Project::open(&ground.app()).unwrap(),
        crate::LoaderConfig::default(),
    );
    assert_eq!(loader.load("a", None).unwrap().path, "a/main.md");
    assert_eq!(loader.load("b", None).unwrap().path, "ailang_modules/b/main.md");
    // A folder that depends on something else now makes the lock file stale.
    ground.write("app/a/ailang.json", manifest("a", "1.0.1", "").as_bytes());
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.1, b 2.0.0");
}

#[test]
fn packages_from_elsewhere_name_no_files_of_this_machine() {
    let ground = Ground::new(r#""a":"file:../a.tgz""#);
    for source in ["./x", "file:/etc", "file:../../x.tgz"] {
        ground.write("a.tgz", &archive(&manifest("a", "1.0.0", &format!(r#""b":"{source}""#))));
        assert_eq!(ground.install().unwrap_err().code, Code::DEPENDENCY, "{source}");
    }
    ground.write("a.tgz", &archive(&manifest("c", "1.0.0", "")));
    assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY, "it has another name");
    ground.write("a.tgz", b"no archive");
    assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY);
}

#[test]
fn nothing_is_written_through_links() {
    let ground = Ground::new(r#""@s/a":"file:../a.tgz""#);
    ground.write("a.tgz", &archive(&manifest("@s/a", "1.0.0", "")));
    let outside = ground.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, ground.app().join("ailang_modules")).unwrap();
    assert_eq!(ground.install().unwrap_err().code, Code::PACKAGE_PATH);
    fs::remove_file(ground.app().join("ailang_modules")).unwrap();
    fs::create_dir(ground.app().join("ailang_modules")).unwrap();
    std::os::unix::fs::symlink(&outside, ground.app().join("ailang_modules/@s")).unwrap();
    assert_eq!(ground.install().unwrap_err().code, Code::PACKAGE_PATH);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(ground.app().join("ailang_modules/@s")).unwrap();
    ground.install().unwrap();
    assert_eq!(fs::read_dir(ground.app().join("ailang_modules")).unwrap().count(), 1, "no draft is left");
}

#[test]
fn hostile_lock_files_are_refused() {
    let ground = Ground::new(r#""a":"file:../a.tgz""#);
    ground.write("a.tgz", &archive(&manifest("a", "1.0.0", "")));
    ground.install().unwrap();
    let lock = ground.lock();
    for (from, to) in [
        (r#""a": {"#, r#""../a": {"#),
        (r#""lockVersion": 1"#, r#""lockVersion": 2"#),
        ("sha512-", "sha1-"),
        (r#""version""#, r#""resolved""#),
        ("{", ""),
    ] {
        ground.write("app/ailang.lock", lock.replacen(from, to, 1).as_bytes());
        assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY, "{from} → {to}");
    }
}

#[test]
fn a_lock_file_names_no_other_place_and_no_other_package() {
    let packages = [("a", "1.0.0", ""), ("b", "1.0.0", "")];
    let (_server, registry) = registry(&packages, None);
    let hidden = Server::new(|_| answer("200 OK", "", b"hidden"));
    let mut ground = Ground::new(r#""a":"^1.0.0","b":"^1.0.0""#);
    ground.options.registry = Some(registry);
    let installed = ground.install().unwrap();
    let lock = ground.lock();
    // Another place makes the lock file stale, and is not asked.
    let away = format!(r#""from": "{}x.tgz""#, hidden.url);
    ground.write("app/ailang.lock", lock.replacen(r#""from": "registry""#, &away, 1).as_bytes());
    assert_eq!(ground.install().unwrap(), installed);
    let extra = format!(r#""packages": {{ "c": {{ "version": "1.0.0", {away} }},"#);
    ground.write("app/ailang.lock", lock.replacen(r#""packages": {"#, &extra, 1).as_bytes());
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0, b 1.0.0");
    assert_eq!(hidden.asked(), "");
    assert_eq!(ground.lock(), lock);
    // The archive of one package under the name of another.
    let [a, b] = ["a", "b"].map(|name| installed.packages[name].integrity.clone().unwrap());
    ground.write("app/ailang.lock", lock.replace(&a, &b).as_bytes());
    assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY);
}

/// Runs git in a folder of the test.
fn git(folder: &Path, arguments: &str) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let output = command.args(arguments.split(' ')).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn git_gives_a_commit_and_runs_nothing() {
    if Command::new("git").arg("--version").output().is_err() {
        return; // the program is a part of every machine that builds this, but not of every container
    }
    let mut ground = Ground::new("");
    ground.write("repo/ailang.json", manifest("a", "1.0.0", "").as_bytes());
    ground.write("repo/main.md", MAIN.as_bytes());
    ground.write("repo/.gitattributes", b"main.md export-ignore\n*.md filter=evil\n");
    let repo = ground.folder.path().join("repo");
    git(&repo, "init --quiet");
    git(&repo, "add .");
    git(&repo, "commit --quiet -m one");
    git(&repo, "tag v1");
    let url = format!("git+file://{}", repo.display());
    let installation = ground.add(&format!("{url}#v1")).unwrap();
    let locked = &installation.packages["a"];
    assert!(
        locked.from.starts_with(&format!("{url}#")) && locked.from.len() == url.len() + 41,
        "{}",
        locked.from
    );
    assert!(ground.has("a/main.md"), "attributes of the repository do not count");
    // Another commit under the same tag changes nothing until the lock file is gone; and the store needs no repository.
    ground.write("repo/ailang.json", manifest("a", "1.1.0", "").as_bytes());
    git(&repo, "commit --quiet -a -m two");
    git(&repo, "tag --force v1");
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0");
    ground.options.store = None;
    assert_eq!(shown(&ground.install().unwrap()), "a 1.0.0", "the commit gives the same archive");
    fs::remove_file(ground.app().join(Lock::FILE)).unwrap();
    assert_eq!(shown(&ground.install().unwrap()), "a 1.1.0");
    for (spec, says) in [
        (format!("{url}#absent"), "couldn't find remote ref"),
        (format!("{url}#--upload-pack=touch"), "no branch, tag or commit"),
        ("git+http://127.0.0.1:1/x".to_owned(), "`http` is not used for git"),
        ("git+git://127.0.0.1/x".to_owned(), "`git` is not used for git"),
        ("git+file:///absent".to_owned(), "does not"),
    ] {
        let error = ground.add(&spec).unwrap_err();
        assert!(error.message.contains(says), "{spec}: {error}");
    }
    std::os::unix::fs::symlink("/etc/passwd", repo.join("link.md")).unwrap();
    git(&repo, "add .");
    git(&repo, "commit --quiet -m three");
    assert_eq!(ground.add(&url).unwrap_err().code, Code::PACKAGE_PATH);
}
