//! Tests of registries in folders, and of folders that are hostile.

use std::fs;

use ailang::Code;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::registry::Registry;

struct Ground {
    folder: TempDir,
    registry: Registry,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&format!("dir:{}", folder.path().display()), None).unwrap();
        Self { folder, registry }
    }

    fn publish(&self, name: &str, version: &str, tag: &str) -> Result<(), PackageError> {
        let manifest = json!({ "name": name, "version": version, "description": format!("About {name}"), "keywords": ["time"] });
        let archive = format!("{name} {version}").into_bytes();
        self.registry.publish(&NewVersion { name, version, tag, manifest: &manifest, archive: &archive })
    }

    /// Changes the document of `clock`.
    fn lie(&self, change: impl Fn(&mut Value)) {
        let path = self.folder.path().join("clock/package.json");
        let mut document: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut document);
        fs::write(path, document.to_string()).unwrap();
    }

    fn archive(&self) -> Result<Vec<u8>, PackageError> {
        let package = self.registry.package("clock")?;
        self.registry.archive("clock", &package.versions[0]).map(|(_, bytes)| bytes)
    }
}

#[test]
fn versions_are_published_once_and_found() {
    let ground = Ground::new();
    ground.publish("@example/zones", "1.0.0", "latest").unwrap();
    ground.publish("clock", "1.0.0", "latest").unwrap();
    ground.publish("clock", "1.10.0", "latest").unwrap();
    ground.publish("clock", "2.0.0-beta.1", "next").unwrap();
    assert_eq!(ground.publish("clock", "1.0.0", "latest").unwrap_err().code, Code::VERSION_TAKEN);
    let package = ground.registry.package("clock").unwrap();
    let versions: Vec<String> = package.versions.iter().map(|it| it.version.to_string()).collect();
    assert_eq!(versions, ["2.0.0-beta.1", "1.10.0", "1.0.0"]);
    assert_eq!(package.tagged("latest").unwrap().to_string(), "1.10.0");
    assert_eq!(package.tagged("next").unwrap().to_string(), "2.0.0-beta.1");
    assert_eq!(ground.archive().unwrap(), b"clock 2.0.0-beta.1");
    assert_eq!(ground.registry.package("absent").unwrap_err().code, Code::PACKAGE_ABSENT);
    let found = |query| ground.registry.search(query).unwrap().into_iter().map(|it| (it.name, it.version));
    assert_eq!(
        found("time").collect::<Vec<_>>(),
        [("@example/zones".to_owned(), "1.0.0".to_owned()), ("clock".to_owned(), "1.10.0".to_owned())]
    );
    assert_eq!(found("about CLOCK").count(), 1);
    assert_eq!(found("nothing").count(), 0);
    // The documents are those of npm's protocol.
    let text = fs::read(ground.folder.path().join("@example/zones/package.json")).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(document["dist-tags"]["latest"], "1.0.0");
    let dist = &document["versions"]["1.0.0"]["dist"];
    assert_eq!(dist["tarball"], "zones-1.0.0.tgz");
    assert!(
        dist["integrity"].as_str().unwrap().starts_with("sha512-")
            && dist["shasum"].as_str().unwrap().len() == 40
    );
}

#[test]
fn publications_at_the_same_time_are_all_there() {
    let ground = Ground::new();
    std::thread::scope(|scope| {
        for minor in 0..8 {
            let ground = &ground;
            scope.spawn(move || ground.publish("clock", &format!("1.{minor}.0"), "latest").unwrap());
        }
    });
    assert_eq!(ground.registry.package("clock").unwrap().versions.len(), 8);
    let race = |version: &'static str| {
        std::thread::scope(|scope| {
            let threads =
                [(); 4].map(|()| scope.spawn(|| ground.publish("clock", version, "latest").is_ok()));
            threads.into_iter().filter_map(|it| it.join().ok()).filter(|it| *it).count()
        })
    };
    assert_eq!(race("2.0.0"), 1, "one of them is the first");
}

#[test]
fn a_folder_is_there_and_names_no_other() {
    let absent = Registry::new("dir:/absent/registry", None).unwrap_err();
    assert_eq!(absent.code, Code::NO_REGISTRY);
    let ground = Ground::new();
    ground.publish("clock", "1.0.0", "latest").unwrap();
    for (tarball, code) in [
        ("../secret", Code::PACKAGE_PATH),
        ("/etc/passwd", Code::PACKAGE_PATH),
        ("file:///etc/passwd", Code::PACKAGE_PATH),
        ("https://x.example/clock.tgz", Code::PACKAGE_PATH),
        ("..\\secret", Code::PACKAGE_PATH),
        ("", Code::PACKAGE_PATH),
        ("absent.tgz", Code::PACKAGE_ABSENT),
        ("package.json", Code::INTEGRITY),
    ] {
        ground.lie(|it| it["versions"]["1.0.0"]["dist"]["tarball"] = json!(tarball));
        let error = ground.archive().unwrap_err();
        assert_eq!(error.code, code, "{tarball}: {error}");
    }
    ground.lie(|it| it["versions"]["1.0.0"]["dist"]["tarball"] = json!("link.tgz"));
    std::os::unix::fs::symlink("/etc/passwd", ground.folder.path().join("clock/link.tgz")).unwrap();
    assert_eq!(ground.archive().unwrap_err().code, Code::PACKAGE_ABSENT, "links lead nowhere");
    std::os::unix::fs::symlink("/etc", ground.folder.path().join("etc")).unwrap();
    assert!(ground.registry.package("etc").is_err());
}

#[test]
fn documents_that_are_broken_are_errors_and_hide_no_other_package() {
    let ground = Ground::new();
    ground.publish("clock", "1.0.0", "latest").unwrap();
    ground.publish("zones", "1.0.0", "latest").unwrap();
    let deep = "[".repeat(100_000);
    for text in ["", "{", "{\"versions\": 1}", deep.as_str()] {
        fs::write(ground.folder.path().join("clock/package.json"), text).unwrap();
        assert_eq!(ground.registry.package("clock").unwrap_err().code, Code::PACKAGE_ABSENT, "{text:.20}");
        assert!(ground.publish("clock", "1.0.1", "latest").is_err(), "nothing is written over");
        assert_eq!(fs::read_to_string(ground.folder.path().join("clock/package.json")).unwrap(), text);
        assert_eq!(ground.registry.search("about").unwrap().len(), 1);
    }
    let lying = json!({ "versions": { "../../x": { "dist": { "tarball": "x" } }, "1": { "dist": { "tarball": "x" } } },
        "dist-tags": { "latest": "../../x" } });
    fs::write(ground.folder.path().join("clock/package.json"), lying.to_string()).unwrap();
    let package = ground.registry.package("clock").unwrap();
    assert!(package.versions.is_empty() && package.tagged("latest").is_none());
    let huge = fs::File::create(ground.folder.path().join("clock/package.json")).unwrap();
    huge.set_len(LARGEST_METADATA + 1).unwrap();
    let error = ground.registry.package("clock").unwrap_err();
    assert!(error.message.contains("has more than"), "{error}");
}
