//! Packages in git repositories, with the program `git`: bare repositories of the test, over `file://`.
//!
//! Without git the tests are ignored, with the reason. `DIALECT_REQUIRE_SERVERS=git` makes them fail instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use packages::{ArchiveStore, InstallOptions, Installation, PackageError, PackageSpec, install};
use tempfile::TempDir;

type Test = fn(&Ground);

const TESTS: [(&str, Test); 8] = [
    ("a branch, a tag and commits are references", references),
    ("the lock file keeps a commit, and the store needs no repository", lock),
    ("nothing of a repository runs or counts", hostile),
    ("names that tools believe are refused", believed),
    ("the lock file of a repository has no say", developed),
    ("what a repository depends on is no repository of this machine", out_of_reach),
    ("what is not there, or not allowed, is an error", errors),
    ("a bare repository on another branch has a default", default_branch),
];

pub(crate) fn trials() -> Vec<Trial> {
    let output = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    let is_there = output.is_ok_and(|it| it.status.success());
    let is_required =
        std::env::var("DIALECT_REQUIRE_SERVERS").is_ok_and(|it| it.split(',').any(|it| it == "git"));
    let suffix = if is_there { "" } else { " (no git here)" };
    let trial = |(name, test): (&str, Test)| {
        let trial = Trial::test(format!("{name}{suffix}"), move || {
            test(&Ground::new().map_err(Failed::from)?);
            Ok(())
        });
        trial.with_ignored_flag(!is_there && !is_required)
    };
    TESTS.map(trial).into()
}

/// A repository to work in, the bare one that packages come from, and a package that depends on it.
struct Ground {
    folder: TempDir,
    options: InstallOptions,
}

impl Ground {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let store = Some(ArchiveStore::new(folder.path().join("store")));
        let ground = Self { folder, options: InstallOptions { store, ..InstallOptions::default() } };
        ground.write("app/ailang.json", r#"{"name":"app","version":"1.0.0","main":"main.md"}"#);
        ground.git(".", "init --quiet --bare --initial-branch=main bare");
        ground.git(".", "init --quiet --initial-branch=main work");
        ground.git("work", "remote add origin ../bare");
        ground.commit("1.0.0");
        Ok(ground)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }

    /// Runs git in a folder, and returns what it prints.
    fn git(&self, folder: &str, arguments: &str) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.path(folder))
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments.split(' '))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("it is there");
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Commits a version of the package to the current branch, pushes it, and returns the commit.
    fn commit(&self, version: &str) -> String {
        self.write("work/ailang.json", &format!(r#"{{"name":"a","version":"{version}","main":"main.md"}}"#));
        self.write("work/main.md", "---\nid: x\ntitle: X\nsummary: X.\n---\n\n# X\n");
        self.push(version)
    }

    fn push(&self, message: &str) -> String {
        self.git("work", "add --all");
        self.git("work", &format!("commit --quiet -m {message}"));
        self.git("work", "push --quiet origin HEAD");
        self.git("work", "rev-parse HEAD")
    }

    fn url(&self) -> String {
        format!("git+file://{}", self.path("bare").display())
    }

    fn add(&self, spec: &str) -> Result<Installation, PackageError> {
        install(&self.path("app"), Some(&PackageSpec::parse(spec)?), &self.options)
    }

    /// Installs a reference of the repository, and returns the version and the commit.
    fn version(&self, reference: &str) -> String {
        self.forget();
        shown(&self.add(&format!("{}{reference}", self.url())).expect("it is there"))
    }

    fn install(&self) -> String {
        shown(&install(&self.path("app"), None, &self.options).expect("it was installed"))
    }

    fn forget(&self) {
        let _none = fs::remove_file(self.path("app/ailang.lock"));
    }

    fn has(&self, path: &str) -> bool {
        self.path("app/ailang_modules/a").join(path).exists()
    }
}

fn shown(installation: &Installation) -> String {
    let locked = &installation.packages["a"];
    let commit = locked.from.rsplit('#').next().unwrap_or_default();
    format!("{} {commit}", locked.version)
}

fn references(ground: &Ground) {
    let first = ground.git("work", "rev-parse HEAD");
    ground.git("work", "tag v1");
    ground.git("work", "tag -a -m annotated release/1");
    ground.git("work", "push --quiet origin --tags");
    ground.git("work", "checkout --quiet -b feature/two");
    let second = ground.commit("2.0.0");
    let third = ground.commit("2.1.0");
    for reference in ["#v1", "#release/1", "#refs/tags/v1"] {
        assert_eq!(ground.version(reference), format!("1.0.0 {first}"), "{reference}");
    }
    assert_eq!(ground.version("#main"), format!("1.0.0 {first}"));
    assert_eq!(ground.version("#feature/two"), format!("2.1.0 {third}"));
    for (commit, version) in [(&first, "1.0.0"), (&second, "2.0.0"), (&third, "2.1.0")] {
        assert_eq!(ground.version(&format!("#{commit}")), format!("{version} {commit}"));
    }
    assert!(ground.has("main.md") && !ground.has(".git"));
}

fn lock(ground: &Ground) {
    let first = ground.version("#main");
    let second = ground.commit("1.1.0");
    assert_eq!(ground.install(), first, "the branch moved, and the lock file did not");
    let moved = ground.path("moved");
    fs::rename(ground.path("bare"), &moved).expect("it can be moved");
    assert_eq!(ground.install(), first, "the store has the archive");
    fs::rename(&moved, ground.path("bare")).expect("it can be moved");
    let again =
        Ground { options: InstallOptions::default(), folder: tempfile::tempdir().expect("there is room") };
    fs::create_dir(again.path("app")).expect("there is room");
    for file in ["app/ailang.json", "app/ailang.lock"] {
        fs::copy(ground.path(file), again.path(file)).expect("it is there");
    }
    assert_eq!(again.install(), first, "the commit gives the same archive everywhere");
    ground.forget();
    assert_eq!(ground.install(), format!("1.1.0 {second}"));
}

fn hostile(ground: &Ground) {
    ground.write("work/.gitattributes", "main.md export-ignore\n*.md filter=evil\n* export-subst\n");
    ground.write("work/.gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ../bare\n");
    ground.write("work/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    ground.write("work/dollar.md", "$Format:%H$\n");
    ground.push("attributes");
    ground.version("#main");
    assert!(ground.has("main.md"), "attributes of the repository do not count");
    let text = fs::read_to_string(ground.path("app/ailang_modules/a/dollar.md")).expect("it is there");
    assert_eq!(text, "$Format:%H$\n");
    std::os::unix::fs::symlink("/etc/passwd", ground.path("work/link.md")).expect("there is room");
    ground.push("link");
    let error = ground.add(&ground.url()).expect_err("links are refused");
    assert!(error.to_string().starts_with("AL4009"), "{error}");
}

fn believed(ground: &Ground) {
    for (index, paths) in [
        &["ailang_modules/x/main.md"][..],
        &["lib/AILANG.lock"],
        &["lib/Node_Modules/.bin/tsc"],
        &["lib/HEAD", "lib/config", "lib/objects/x", "lib/refs/x"],
    ]
    .into_iter()
    .enumerate()
    {
        ground.git("work", &format!("checkout --quiet -b believed-{index} main"));
        paths.iter().for_each(|path| ground.write(&format!("work/{path}"), "x"));
        ground.push("believed");
        let error = ground.add(&format!("{}#believed-{index}", ground.url())).expect_err("it is refused");
        assert!(error.to_string().starts_with("AL4009"), "{paths:?}: {error}");
    }
}

fn developed(ground: &Ground) {
    let lock = r#"{"lockVersion":1,"packages":{"evil":{"version":"1.0.0","from":"registry"}}}"#;
    for (index, name) in ["ailang.lock", "Ailang.LOCK"].into_iter().enumerate() {
        ground.git("work", &format!("checkout --quiet -b developed-{index} main"));
        ground.write(&format!("work/{name}"), lock);
        let commit = ground.push("developed");
        assert_eq!(ground.version(&format!("#developed-{index}")), format!("1.0.0 {commit}"));
        let written = fs::read_dir(ground.path("app/ailang_modules/a")).expect("it is installed");
        let mut names: Vec<_> =
            written.flatten().map(|it| it.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, ["ailang.json", "main.md"]);
        let own = fs::read_to_string(ground.path("app/ailang.lock")).expect("it is locked");
        assert!(!own.contains("evil"), "{own}");
    }
}

fn out_of_reach(ground: &Ground) {
    let secret = ground.git(".", "clone --quiet --bare bare secret");
    assert_eq!(secret, "");
    let place = format!("git+file://{}", ground.path("secret").display());
    ground.write(
        "work/ailang.json",
        &format!(r#"{{"name":"b","version":"1.0.0","main":"main.md","dependencies":{{"a":"{place}"}}}}"#),
    );
    ground.push("needs");
    let error = ground.add(&ground.url()).expect_err("it is refused");
    assert!(error.to_string().contains("cannot name files of this machine"), "{error}");
    assert!(!ground.path("app/ailang_modules").exists());
    // The user may name it, and then others may too.
    ground.write(
        "app/ailang.json",
        &format!(r#"{{"name":"app","version":"1.0.0","main":"main.md","dependencies":{{"a":"{place}"}}}}"#),
    );
    ground.add(&ground.url()).expect("the user named it");
    assert!(ground.has("main.md"));
}

fn errors(ground: &Ground) {
    let url = ground.url();
    for (spec, says) in [
        (format!("{url}#absent"), "couldn't find remote ref"),
        (format!("{url}#{}", "0".repeat(40)), ""),
        (format!("{url}#--upload-pack=touch"), "no branch, tag or commit"),
        (format!("{url}#a..b"), "no branch, tag or commit"),
        ("git+http://127.0.0.1:1/x".to_owned(), "`http` is not used for git"),
        ("git+git://127.0.0.1/x".to_owned(), "`git` is not used for git"),
        ("git+file:///absent".to_owned(), "does not"),
        ("git+https://ada:secret@127.0.0.1:1/x".to_owned(), "token in your settings"),
    ] {
        let error = ground.add(&spec).expect_err(&spec);
        assert!(error.message.contains(says) && !error.message.contains("secret"), "{spec}: {error}");
    }
    assert!(!Path::new("/absent").exists() && !ground.path("app/ailang.lock").exists());
    ground.write("work/ailang.json", "{}");
    ground.push("broken");
    let error = ground.add(&url).expect_err("it is no package");
    assert!(error.to_string().starts_with("AL4008"), "{error}");
}

fn default_branch(ground: &Ground) {
    ground.git("work", "checkout --quiet -b trunk");
    let commit = ground.commit("3.0.0");
    ground.git("bare", "symbolic-ref HEAD refs/heads/trunk");
    assert_eq!(ground.version(""), format!("3.0.0 {commit}"));
}
