//! Tests of installations from folders, archives, git and a registry on loopback that may lie.

use std::fs;
use std::sync::{Arc, Mutex};

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
        let mut packument =
            json!({ "versions": versions, "dist-tags": { "beta": "2.0.0-beta.1", "latest": "9.9.9" } });
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
fn hostile_names_versions_and_answers_are_errors() {
    let (_server, registry) = registry(&[("a", "1.0.0", "")], None);
    let mut ground = Ground::new("");
    ground.options.registry = Some(registry);
    for spec in ["../a", "..", "a/../b", "@../a", "@a/..", "a@../1", "%2e%2e", "a%2fb"] {
        let error = ground.add(spec).unwrap_err();
        assert!(matches!(error.code, Code::DEPENDENCY | Code::PACKAGE_ABSENT), "{spec}: {error}");
    }
    for (answered, code) in [
        // Versions that are paths are none.
        (
            r#"{"versions":{"../../x":{"dist":{"tarball":"/x","integrity":"sha512-x"}}}}"#.to_owned(),
            Code::PACKAGE_ABSENT,
        ),
        (r#"{"versions":{},"dist-tags":{"latest":"9.9.9"}}"#.to_owned(), Code::PACKAGE_ABSENT),
        (r#"{"versions":[]}"#.to_owned(), Code::PACKAGE_ABSENT),
        ("[".repeat(1 << 20), Code::PACKAGE_ABSENT),
        ("<html>".to_owned(), Code::PACKAGE_ABSENT),
    ] {
        let server = Server::new(move |_| answer("200 OK", "", answered.as_bytes()));
        ground.options.registry = Some(Registry::new(server.url.as_str(), None).unwrap());
        let error = ground.add("a").unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.len() < 600, "{error}");
    }
    let huge = Server::new(|_| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", 40 << 20);
        head.into_bytes()
    });
    ground.options.registry = Some(Registry::new(huge.url.as_str(), None).unwrap());
    let error = ground.add("a").unwrap_err();
    assert!(error.message.contains("its answer has more than 33554432 bytes"), "{error}");
    let away = Server::new(|_| answer("302 Found", "location: file:///etc/passwd\r\n", b""));
    ground.options.registry = Some(Registry::new(away.url.as_str(), None).unwrap());
    assert!(ground.add("a").unwrap_err().message.contains("it redirects to a URL that is not encrypted"));
}

#[test]
fn archives_may_be_on_another_host_which_gets_no_token() {
    let bytes = archive(&manifest("a", "1.0.0", ""));
    let integrity = Integrity::of(&bytes).to_string();
    let elsewhere = Server::new(move |_| answer("200 OK", "", &bytes));
    let tarball = format!("{}files/a.tgz", elsewhere.url);
    let packument =
        json!({ "versions": { "1.0.0": { "dist": { "tarball": tarball, "integrity": integrity } } } });
    let server = Server::new(move |_| answer("200 OK", "", packument.to_string().as_bytes()));
    let mut ground = Ground::new("");
    ground.options.registry = Some(Registry::new(server.url.as_str(), Some("secret")).unwrap());
    assert_eq!(shown(&ground.add("a").unwrap()), "a 1.0.0");
    assert_eq!((server.asked().as_str(), elsewhere.asked().as_str()), ("/a+", "/files/a.tgz"));
}

#[test]
fn tags_and_deprecated_versions_are_as_npm_has_them() {
    let lie: Lie = |it| {
        if it["dist"]["tarball"].as_str().unwrap().contains("1.5.0") {
            it["deprecated"] = json!("it tells the wrong time\u{1b}[2J");
        }
    };
    let packages = [("a", "1.4.0", ""), ("a", "1.5.0", ""), ("a", "2.0.0-beta.1", "")];
    let (_server, registry) = registry(&packages, Some(lie));
    let install = |spec: &str| {
        let mut ground = Ground::new("");
        ground.options.registry = Some(registry.clone());
        ground.add(spec)
    };
    let installation = install("a").unwrap();
    assert_eq!(shown(&installation), "a 1.4.0", "others come before deprecated ones");
    assert_eq!(installation.deprecated, []);
    let installation = install("a@1.5.0").unwrap();
    let [(name, reason)] = installation.deprecated.as_slice() else { panic!("{installation:?}") };
    assert_eq!(name, "a");
    assert!(reason.starts_with("it tells the wrong time") && !reason.contains('\u{1b}'), "{reason}");
    assert_eq!(install("a@^2.0.0").unwrap_err().code, Code::NO_VERSION, "a range names no pre-release");
    assert_eq!(shown(&install("a@2.0.0-beta.1").unwrap()), "a 2.0.0-beta.1");
    let installation = install("a@beta").unwrap();
    assert_eq!(shown(&installation), "a 2.0.0-beta.1");
    assert_eq!(installation.added.unwrap().1, "^2.0.0-beta.1");
    let error = install("a@nightly").unwrap_err();
    assert!(error.message.ends_with("no version with the tag `nightly`; it has beta, latest"), "{error}");
}

#[test]
fn a_folder_is_a_registry_offline_too() {
    let mut ground = Ground::new("");
    fs::create_dir(ground.folder.path().join("registry")).unwrap();
    let registry = Registry::new(&format!("dir:{}/registry", ground.folder.path().display()), None).unwrap();
    let text = "---\nid: zones\ntitle: Zones\nsummary: Zones of the world.\nloading: on_demand\nkeywords: [z]\n---\n\n# Zones\n";
    let about = r#""description":"Zones","author":"A","license":"MIT","keywords":["k"],"#;
    for version in ["1.0.0", "1.1.0"] {
        let manifest = manifest("@example/zones", version, "").replacen('{', &format!("{{{about}"), 1);
        ground.write("zones/ailang.json", manifest.as_bytes());
        ground.write("zones/main.md", text.as_bytes());
        let publication = crate::prepare(&ground.folder.path().join("zones")).unwrap();
        crate::publish(&publication, Some(&registry), None).unwrap();
        assert_eq!(
            crate::publish(&publication, Some(&registry), None).unwrap_err().code,
            Code::VERSION_TAKEN
        );
    }
    (ground.options.registry, ground.options.offline) = (Some(registry.clone()), true);
    let installation = ground.add("@example/zones").unwrap();
    assert_eq!(shown(&installation), "@example/zones 1.1.0");
    assert!(ground.has("@example/zones/main.md"));
    let first = ground.lock();
    assert_eq!(ground.install().unwrap().packages, installation.packages);
    assert_eq!(ground.lock(), first, "installing again changes nothing");
    assert_eq!(registry.search("zones").unwrap()[0].version, "1.1.0");
    // Somebody replaces the archive.
    let file = "registry/@example/zones/zones-1.1.0.tgz";
    ground.write(file, &archive(&manifest("@example/zones", "1.1.0", "")));
    ground.options.store = None;
    assert_eq!(ground.install().unwrap_err().code, Code::INTEGRITY);
}

#[test]
fn private_archives_get_the_token_of_their_origin() {
    let bytes = archive(&manifest("a", "1.0.0", ""));
    let server = Server::with_heads(move |path, head| match head.contains("authorization: Bearer s3cret") {
        true if path == "/a.tgz" => answer("200 OK", "", &bytes),
        _ => answer("401 Unauthorized", "", b""),
    });
    let mut ground = Ground::new("");
    let spec = format!("{}a.tgz", server.url);
    let error = ground.add(&spec).unwrap_err();
    assert!(error.to_string().contains("//HOST/:_authToken"), "{error}");
    let settings = ground.folder.path().join("settings.toml");
    let origin = server.url.origin().ascii_serialization();
    fs::write(&settings, format!("[packages]\ntokens = {{ \"{origin}\" = \"s3cret\" }}\n")).unwrap();
    let settings = crate::RegistrySettings::read(None, Some(&settings)).unwrap();
    ground.options.credentials = settings.credentials();
    let reports = Arc::new(Mutex::new(String::new()));
    let record = Arc::clone(&reports);
    ground.options.on_download = Some(Arc::new(move |it| *record.lock().unwrap() += &format!("{it:?}")));
    assert_eq!(shown(&ground.add(&spec).unwrap()), "a 1.0.0");
    assert_eq!(server.asked(), "/a.tgz /a.tgz+", "it is fetched once");
    let written = fs::read_to_string(ground.app().join("ailang.json")).unwrap() + &ground.lock();
    let reported = reports.lock().unwrap().clone();
    assert!(
        reported.contains("a.tgz") && !format!("{reported}{written}{:?}", ground.options).contains("s3cret")
    );
    let secret = spec.replacen("http://", "http://ada:s3cret@", 1);
    let error = ground.add(&secret).unwrap_err();
    assert!(error.code == Code::DEPENDENCY && !error.to_string().contains("s3cret"), "{error}");
}

#[test]
fn the_built_in_package_is_never_fetched() {
    let ground = Ground::new("");
    for spec in ["@ailang/builtin", "@ailang/builtin@latest", "@ailang/builtin@^1.0.0"] {
        let installation = ground.add(spec).unwrap();
        assert!(installation.packages.is_empty() && installation.added.is_some(), "{spec}");
    }
    assert!(!ground.app().join("ailang_modules").exists());
    let lock = ground.lock();
    ground.install().unwrap();
    assert_eq!(ground.lock(), lock);
    assert_eq!(Ground::new(r#""http":"^1.0.0""#).install().unwrap_err().code, Code::INTEGRITY);
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

/// Places that only the user may name, as a package from elsewhere could write them.
const OUT_OF_REACH: [&str; 16] = [
    "./x",
    "../x",
    "file:/etc",
    "file:../../x.tgz",
    "file:///x.tgz",
    "git+file:///home/ada/secret",
    "git+file://localhost/home/ada/secret#main",
    "git+ssh://git@example.org/ada/secret",
    "git+ssh://example.org:22/secret#v1",
    "git+http://localhost/x",
    "git+https://127.1/x",
    "http://127.0.0.1:8080/x.tgz",
    "https://LocalHost./x.tgz",
    "https://a.localhost/x.tgz",
    "http://[::1]/x.tgz",
    "http://[::ffff:127.0.0.1]/x.tgz",
];

#[test]
fn packages_from_elsewhere_name_only_what_everybody_can_reach() {
    for source in OUT_OF_REACH {
        let ground = Ground::new(r#""a":"file:../a.tgz""#);
        ground.write("a.tgz", &archive(&manifest("a", "1.0.0", &format!(r#""b":"{source}""#))));
        let error = ground.install().unwrap_err();
        assert_eq!(error.code, Code::DEPENDENCY, "{source}: {error}");
        assert!(!ground.app().join("ailang_modules").exists(), "{source}");
    }
    // A registry on this machine, for tests of packages, knows this machine's services, and neither files nor keys.
    for source in OUT_OF_REACH {
        let (_server, registry) = registry(&[("a", "1.0.0", &format!(r#""b":"{source}""#))], None);
        let mut ground = Ground::new(r#""a":"*""#);
        (ground.options.registry, ground.options.offline) = (Some(registry), false);
        let is_service = source.starts_with("http") || source.starts_with("git+http");
        let expected = if is_service { Code::PACKAGE_ABSENT } else { Code::DEPENDENCY };
        assert_eq!(ground.install().unwrap_err().code, expected, "{source}");
    }
}

#[test]
fn a_place_that_the_user_names_is_one_for_others_too() {
    let source = "git+ssh://git@127.0.0.1:1/ada/secret";
    let mut ground = Ground::new(r#""a":"file:../a.tgz""#);
    ground.options.offline = true;
    ground.write("a.tgz", &archive(&manifest("a", "1.0.0", &format!(r#""b":"{source}""#))));
    let help = ground.install().unwrap_err().help.unwrap();
    assert!(help.contains(&format!(r#"`"b": "{source}"`"#)), "{help}");
    let both = format!(r#""a":"file:../a.tgz","b":"{source}""#);
    ground.write("app/ailang.json", manifest("app", "1.0.0", &both).as_bytes());
    let error = ground.install().unwrap_err();
    assert!(error.message.contains("the network is not used"), "only that stops it: {error}");
}

#[test]
fn a_lock_file_of_before_gives_fetched_packages_no_say_either() {
    let ground = Ground::new(r#""a":"file:../a.tgz""#);
    ground.write("a.tgz", &archive(&manifest("a", "1.0.0", "")));
    ground.install().unwrap();
    let bytes = archive(&manifest("a", "1.0.0", r#""b":"git+file:///home/ada/secret""#));
    ground.write("a.tgz", &bytes);
    let integrity = Integrity::of(&bytes).to_string();
    let lock = json!({
        "lockVersion": 1,
        "dependencies": { "a": "file:../a.tgz" },
        "packages": {
            "a": { "version": "1.0.0", "from": "file:../a.tgz", "integrity": integrity,
                   "dependencies": { "b": "git+file:///home/ada/secret" } },
            "b": { "version": "1.0.0", "from": "git+file:///home/ada/secret#main" },
        },
    });
    ground.write("app/ailang.lock", lock.to_string().as_bytes());
    assert_eq!(ground.install().unwrap_err().code, Code::DEPENDENCY);
}

#[test]
fn what_tools_run_or_believe_is_not_written() {
    let ground = Ground::new(r#""a":"file:../a.tgz""#);
    let manifest = manifest("a", "1.0.0", "");
    let foreign = [
        ".envrc",
        ".vscode/tasks.json",
        ".npmrc",
        ".mcp.json",
        ".claude/settings.json",
        "CLAUDE.md",
        "other/AGENTS.md",
        "lib/.cargo/config.toml",
        "conftest.py",
    ];
    let own = [("ailang.json", manifest.as_bytes()), ("main.md", MAIN.as_bytes()), ("lib/agents.md", b"x")];
    let files = own.into_iter().chain(foreign.map(|it| (it, &b"x"[..])));
    let files: Vec<_> = files.map(|(path, bytes)| PackedFile { path, bytes }).collect();
    ground.write("a.tgz", &pack(&files).unwrap());
    ground.install().unwrap();
    assert!(ground.has("a/main.md") && ground.has("a/lib/agents.md"));
    assert_eq!(foreign.iter().find(|it| ground.has(&format!("a/{it}"))), None);
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
