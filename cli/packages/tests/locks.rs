//! Installations from a random registry: what is chosen suits every range, and with a lock file nothing changes.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ailang::DependencySource;
use libtest_mimic::Trial;
use packages::archive::{PackedFile, pack};
use packages::{InstallOptions, Installation, Integrity, Registry, install};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use semver::Version;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![with_a_lock_file_nothing_changes]
}

type Dependencies = BTreeMap<String, String>;

/// The published packages: name → version → dependencies.
type Universe = BTreeMap<String, BTreeMap<Version, Dependencies>>;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn dependencies() -> impl Strategy<Value = Dependencies> {
    let range = prop::sample::select(vec!["*", "^1.0.0", "1.0.0", ">=1.1.0", "<2.0.0", "^2.0.0", "~1.1.0"]);
    let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
    prop::collection::btree_map(name, range.prop_map(str::to_owned), 0..3)
}

fn universe(versions: &'static [&'static str]) -> impl Strategy<Value = Universe> {
    let version = prop::sample::select(versions).prop_map(|it| it.parse().expect("it is a version"));
    let each = prop::collection::btree_map(version, dependencies(), 1..4);
    prop::collection::vec(each, NAMES.len())
        .prop_map(|all| NAMES.map(str::to_owned).into_iter().zip(all).collect())
}

fn manifest(name: &str, version: &str, dependencies: &Dependencies) -> Value {
    json!({"name": name, "version": version, "main": "main.md", "dependencies": dependencies})
}

fn archive(name: &str, version: &Version, dependencies: &Dependencies) -> Vec<u8> {
    let manifest = manifest(name, &version.to_string(), dependencies).to_string();
    let document = format!("---\nid: {name}\ntitle: T\nsummary: S.\n---\n");
    let files = [("ailang.json", manifest.as_bytes()), ("main.md", document.as_bytes())];
    pack(&files.map(|(path, bytes)| PackedFile { path, bytes })).expect("the paths fit")
}

/// Serves a registry on loopback, for as long as the process runs.
fn serve(universe: Arc<Mutex<Universe>>) -> Registry {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let url = format!("http://{}/", listener.local_addr().expect("it has an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("somebody asks"));
            let mut head = String::new();
            while stream.read_line(&mut head).is_ok_and(|it| it > 2) {}
            let path = head.split(' ').nth(1).unwrap_or_default();
            let universe = universe.lock().expect("no test panics while it holds it");
            let found = answer(path.trim_start_matches('/'), &universe);
            let (status, body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            // The client may be gone.
            let _ = stream.get_mut().write_all(&[head.as_bytes(), &body].concat());
        }
    });
    Registry::new(&url, None).expect("it is a registry")
}

fn answer(path: &str, universe: &Universe) -> Option<Vec<u8>> {
    if let Some((name, version)) = path.split_once("/-/") {
        let version = version.parse().ok()?;
        return Some(archive(name, &version, universe.get(name)?.get(&version)?));
    }
    let versions = universe.get(path)?.iter().map(|(version, dependencies)| {
        let integrity = Integrity::of(&archive(path, version, dependencies)).to_string();
        (
            version.to_string(),
            json!({"dist": {"tarball": format!("{path}/-/{version}"), "integrity": integrity}}),
        )
    });
    let versions: serde_json::Map<String, Value> = versions.collect();
    Some(json!({"name": path, "versions": versions}).to_string().into_bytes())
}

/// Returns `true` if everything that is wanted is there, in a version that suits.
fn holds(wanted: &Dependencies, installation: &Installation) -> bool {
    let of_packages = installation.packages.values().flat_map(|it| &it.dependencies);
    wanted.iter().chain(of_packages).all(|(name, range)| {
        let version = installation.packages.get(name).map(|it| &it.version);
        matches!((DependencySource::parse(range), version), (Ok(DependencySource::Version(range)), Some(version)) if range.matches(version))
    })
}

fn write(folder: &Path, dependencies: &Dependencies) {
    let text = manifest("app", "1.0.0", dependencies).to_string();
    std::fs::write(folder.join("ailang.json"), text).expect("there is room");
}

fn with_a_lock_file_nothing_changes() {
    let published = Arc::new(Mutex::new(Universe::new()));
    let registry = serve(Arc::clone(&published));
    let options = InstallOptions { registry: Some(registry), ..InstallOptions::default() };
    let cases = (
        universe(&["1.0.0", "1.1.0", "2.0.0"]),
        universe(&["1.1.5", "1.9.0", "2.1.0", "3.0.0"]),
        dependencies(),
        prop::sample::select(NAMES.to_vec()),
    );
    let config = Config { cases: 40, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&cases, |(old, new, wanted, more)| {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = folder.path();
        *published.lock().expect("it serves") = old.clone();
        write(folder, &wanted);
        let Ok(first) = install(folder, None, &options) else { return Ok(()) };
        prop_assert!(holds(&wanted, &first), "{first:?}");
        let lock = std::fs::read_to_string(folder.join("ailang.lock")).ok();

        // Others publish; the modules are lost.
        for (name, versions) in new {
            published.lock().expect("it serves").entry(name).or_default().extend(versions);
        }
        let _ = std::fs::remove_dir_all(folder.join("ailang_modules"));
        let locked = InstallOptions { locked: !first.packages.is_empty(), ..options.clone() };
        for options in [&options, &locked] {
            let again =
                install(folder, None, options).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&again.packages, &first.packages);
            prop_assert_eq!(&std::fs::read_to_string(folder.join("ailang.lock")).ok(), &lock);
        }

        // One dependency more, of any version, leaves what is there as it is if that suits it.
        let mut wanted = wanted;
        wanted.entry(more.to_owned()).or_insert_with(|| "*".to_owned());
        write(folder, &wanted);
        if let Ok(next) = install(folder, None, &options) {
            prop_assert!(holds(&wanted, &next), "{next:?}");
            let is_there = first.packages.contains_key(more);
            prop_assert!(!is_there || next.packages == first.packages, "{first:?} {next:?}");
            let again =
                install(folder, None, &options).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(again.packages, next.packages);
        }
        Ok(())
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}
