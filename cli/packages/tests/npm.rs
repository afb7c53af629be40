//! Packages between this program and npm's own: a registry that others wrote (verdaccio), and the client `npm`.
//!
//! Both have to be in the search path; `.ci/run` installs them. Otherwise the test is ignored, with the reason.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use libtest_mimic::{Failed, Trial};
use packages::{
    ArchiveStore, InstallOptions, Level, LoaderConfig, ModuleLoader, PackageSpec, Project, Registry, install,
    prepare, publish,
};
use tempfile::TempDir;

const PROGRAMS: [&str; 2] = ["verdaccio", "npm"];

pub(crate) fn trials() -> Vec<Trial> {
    let absent = PROGRAMS.into_iter().find(|program| !is_there(program));
    let is_required =
        std::env::var("DIALECT_REQUIRE_SERVERS").is_ok_and(|it| it.split(',').any(|it| it == "verdaccio"));
    let absent = absent.filter(|_| !is_required);
    let suffix = absent.map_or_else(String::new, |program| format!(" (no {program} here)"));
    let tests: [(&str, Test); 2] = [
        ("packages go both ways", both_ways),
        ("tags, deprecation and pre-releases mean the same", versions),
    ];
    let trial = |(name, test): (&str, Test)| {
        let trial = Trial::test(format!("{name}{suffix}"), move || test().map_err(Failed::from));
        trial.with_ignored_flag(absent.is_some())
    };
    tests.map(trial).into()
}

type Test = fn() -> Result<(), String>;

fn is_there(program: &str) -> bool {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    output.is_ok_and(|it| it.status.success())
}

/// A registry on loopback, which is gone with this value.
struct Verdaccio {
    child: Child,
    url: String,
}

impl Verdaccio {
    fn start(folder: &Path) -> Self {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port is free").port();
        let config = format!(
            "storage: {0}/storage\nauth: {{ htpasswd: {{ file: {0}/htpasswd }} }}\n\
             packages: {{ '**': {{ access: $all, publish: $all }} }}\nlog: {{ type: stdout, format: pretty, level: warn }}\n",
            folder.display()
        );
        fs::write(folder.join("config.yaml"), config).expect("there is room");
        let address = format!("127.0.0.1:{port}");
        let mut child = Command::new("verdaccio")
            .arg("--config")
            .arg(folder.join("config.yaml"))
            .args(["--listen", &address])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it is installed");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.contains(&address)), "it never listened");
        std::thread::spawn(move || lines.for_each(drop)); // a full pipe would stop it
        Self { child, url: format!("http://{address}/") }
    }
}

impl Drop for Verdaccio {
    fn drop(&mut self) {
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

struct Ground {
    folder: TempDir,
    url: String,
}

impl Ground {
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }

    /// Writes a package of ours.
    fn package(&self, name: &str, version: &str, dependencies: &str) {
        let folder = name.rsplit('/').next().unwrap_or(name);
        let manifest = format!(
            r#"{{"name":"{name}","version":"{version}","description":"About {folder}","author":"A","license":"MIT",
            "keywords":["time"],"main":"main.md","dependencies":{{{dependencies}}}}}"#
        );
        self.write(&format!("{folder}/ailang.json"), &manifest);
        let document = format!(
            "---\nid: {folder}\ntitle: {folder}\nsummary: About {folder}.\nloading: on_demand\nkeywords: [time]\n---\n\n# {folder}\n\n\
             <define>\n// Tells the time.\n// @readOnly\ntool {folder}Time(zone: string) -> string\n</define>\n\n\
             <example id=\"one\" tool=\"{folder}Time\">\n{folder}Time(\"UTC\")\n</example>\n"
        );
        self.write(&format!("{folder}/main.md"), &document);
    }

    /// Runs npm in a folder, and returns what it prints.
    fn npm(&self, folder: &str, arguments: &str) -> Result<String, String> {
        let output = Command::new("npm")
            .args(arguments.split(' '))
            .current_dir(self.path(folder))
            .env("npm_config_registry", &self.url)
            .env("npm_config_cache", self.path("npm-cache"))
            .env("npm_config_userconfig", self.path("npmrc"))
            .env("npm_config_update_notifier", "false")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        Err(format!("npm {arguments}: {}{}", text(&output.stdout), text(&output.stderr)))
    }

    fn publish(&self, folder: &str, tag: Option<&str>) -> Result<(), String> {
        let publication = prepare(&self.path(folder)).map_err(|error| format!("{error}: {error:?}"))?;
        let registry = Registry::new(&self.url, None).map_err(|error| error.to_string())?;
        publish(&publication, Some(&registry), tag).map_err(|error| error.to_string())
    }

    fn options(&self) -> InstallOptions {
        InstallOptions {
            registry: Registry::new(&self.url, None).ok(),
            store: Some(ArchiveStore::new(self.path("store"))),
            ..InstallOptions::default()
        }
    }

    fn install(&self, folder: &str, spec: Option<&str>, options: &InstallOptions) -> Result<String, String> {
        let spec = spec.map(PackageSpec::parse).transpose().map_err(|error| error.to_string())?;
        let installed =
            install(&self.path(folder), spec.as_ref(), options).map_err(|error| error.to_string())?;
        let each = installed.packages.iter().map(|(name, it)| format!("{name} {}", it.version));
        Ok(each.collect::<Vec<_>>().join(", "))
    }
}

/// Starts a registry.
fn start() -> Result<(Verdaccio, Ground), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let server = Verdaccio::start(folder.path());
    let ground = Ground { url: server.url.clone(), folder };
    let host = server.url.trim_start_matches("http:");
    ground.write("npmrc", &format!("{host}:_authToken=any\n"));
    Ok((server, ground))
}

fn both_ways() -> Result<(), String> {
    let (server, ground) = start()?;
    ours_to_npm(&ground)?;
    npms_to_us(&ground)?;
    found(&ground)?;
    // From here on there is no server.
    drop(server);
    let app = ground.path("app");
    fs::remove_dir_all(app.join("ailang_modules")).map_err(|error| error.to_string())?;
    let locked = InstallOptions { registry: None, locked: true, offline: true, ..ground.options() };
    assert_eq!(ground.install("app", None, &locked)?, "@example/clock 1.1.0, zones 2.0.0");
    let mut loader =
        ModuleLoader::new(Project::open(&app).map_err(|error| error.to_string())?, LoaderConfig::default());
    let loaded = loader.load("@example/clock", Some(Level::Standard)).map_err(|error| error.to_string())?;
    assert!(loaded.text().contains("clockTime(zone: string)"), "{}", loaded.text());
    Ok(())
}

/// Publishes with our client; npm reads and installs.
fn ours_to_npm(ground: &Ground) -> Result<(), String> {
    ground.package("@example/clock", "1.0.0", "");
    ground.publish("clock", None)?;
    let again = ground.publish("clock", None).expect_err("a version is published once");
    assert!(again.starts_with("AL4014"), "{again}");
    ground.package("@example/clock", "1.1.0", r#""zones":">=2.0.0, <3.0.0""#);
    ground.package("zones", "2.0.0", "");
    ground.publish("zones", None)?;
    ground.publish("clock", None)?;
    ground.package("@example/clock", "2.0.0-beta.1", "");
    ground.publish("clock", None)?;
    assert_eq!(
        ground.npm(".", "view @example/clock version description")?,
        "version = '1.1.0'\ndescription = 'About clock'\n"
    );
    assert_eq!(ground.npm(".", "view @example/clock@next version")?.trim(), "2.0.0-beta.1");
    let packed = ground.npm(".", "pack --silent @example/clock@1.0.0")?;
    assert_eq!(packed.trim(), "example-clock-1.0.0.tgz");
    ground.write("npm-app/package.json", r#"{"name":"npm-app","version":"1.0.0"}"#);
    ground.npm("npm-app", "install --no-audit --no-fund @example/clock")?;
    for path in ["@example/clock/main.md", "zones/ailang.json"] {
        assert!(
            ground.path("npm-app/node_modules").join(path).is_file(),
            "npm installs {path}, with dependencies"
        );
    }
    Ok(())
}

/// Packs and publishes with npm; our client installs.
fn npms_to_us(ground: &Ground) -> Result<(), String> {
    ground.package("app", "1.0.0", "");
    ground.install("app", Some("@example/clock"), &ground.options())?;
    ground.package("pushed", "0.3.0", r#""zones":"^2.0.0""#);
    let json = r#"{"name":"pushed","version":"0.3.0","scripts":{"install":"touch ran","prepare":""}}"#;
    ground.write("pushed/package.json", json);
    ground.npm("pushed", "publish")?;
    ground.package("other", "1.0.0", "");
    assert_eq!(ground.install("other", Some("pushed"), &ground.options())?, "pushed 0.3.0, zones 2.0.0");
    assert!(!ground.path("other/ailang_modules/pushed/ran").exists(), "no script of a package runs");
    let packed = ground.npm("pushed", "pack --silent")?;
    let spec = format!("file:../pushed/{}", packed.trim());
    ground.package("third", "1.0.0", "");
    assert_eq!(ground.install("third", Some(&spec), &ground.options())?, "pushed 0.3.0, zones 2.0.0");
    Ok(())
}

fn found(ground: &Ground) -> Result<(), String> {
    let registry = Registry::new(&ground.url, None).map_err(|error| error.to_string())?;
    let found = registry.search("clock").map_err(|error| error.to_string())?;
    let clock = found.iter().find(|it| it.name == "@example/clock").expect("the registry finds it");
    assert_eq!((clock.version.as_str(), clock.keywords.as_slice()), ("1.1.0", &["time".to_owned()][..]));
    Ok(())
}

/// Publishes versions with our client, tags and deprecates some with npm, and installs them with ours.
fn versions() -> Result<(), String> {
    let (_server, ground) = start()?;
    for version in ["1.0.0", "1.1.0", "1.2.0", "2.0.0-beta.1"] {
        ground.package("@example/clock", version, "");
        ground.publish("clock", (version == "1.1.0").then_some("stable"))?;
    }
    let viewed = ground.npm(".", "view @example/clock dist-tags versions --json")?;
    let viewed: serde_json::Value = serde_json::from_str(&viewed).map_err(|error| error.to_string())?;
    let tags = serde_json::json!({ "latest": "1.2.0", "next": "2.0.0-beta.1", "stable": "1.1.0" });
    assert_eq!(viewed["dist-tags"], tags);
    assert_eq!(viewed["versions"], serde_json::json!(["1.0.0", "1.1.0", "1.2.0", "2.0.0-beta.1"]));
    ours_seen_by_npm(&ground)?;
    let install = |app: &str, spec: &str| {
        ground.package(app, "1.0.0", "");
        ground.install(app, Some(spec), &ground.options())
    };
    assert_eq!(install("plain", "@example/clock")?, "@example/clock 1.2.0");
    assert_eq!(install("tagged", "@example/clock@stable")?, "@example/clock 1.1.0");
    assert_eq!(install("early", "@example/clock@next")?, "@example/clock 2.0.0-beta.1");
    assert!(install("ranged", "@example/clock@^2.0.0").is_err(), "a range names no pre-release");
    ground.npm(".", "dist-tag add @example/clock@1.0.0 stable")?;
    assert_eq!(install("moved", "@example/clock@stable")?, "@example/clock 1.0.0");
    ground.npm(".", "deprecate @example/clock@1.2.0 wrong")?;
    assert_eq!(install("avoided", "@example/clock@^1.0.0")?, "@example/clock 1.1.0");
    ground.package("insisting", "1.0.0", "");
    let spec = PackageSpec::parse("@example/clock@1.2.0").map_err(|error| error.to_string())?;
    let installed = install_in(&ground, "insisting", &spec)?;
    assert_eq!(installed.deprecated, [("@example/clock".to_owned(), "wrong".to_owned())]);
    Ok(())
}

fn install_in(ground: &Ground, app: &str, spec: &PackageSpec) -> Result<packages::Installation, String> {
    install(&ground.path(app), Some(spec), &ground.options()).map_err(|error| error.to_string())
}

/// npm checks the hashes of what we publish, and packs it again; our client installs that archive.
fn ours_seen_by_npm(ground: &Ground) -> Result<(), String> {
    let dist = ground.npm(".", "view @example/clock@1.1.0 dist --json")?;
    let dist: serde_json::Value = serde_json::from_str(&dist).map_err(|error| error.to_string())?;
    ground.package("@example/clock", "1.1.0", "");
    let publication = prepare(&ground.path("clock")).map_err(|error| error.to_string())?;
    assert_eq!(dist["integrity"], publication.integrity.to_string());
    let packed = ground.npm(".", "pack --silent --json @example/clock@1.1.0")?;
    let packed: serde_json::Value = serde_json::from_str(&packed).map_err(|error| error.to_string())?;
    assert_eq!(packed[0]["shasum"], dist["shasum"], "npm computes the SHA-1 that we published");
    ground.package("unpacking", "1.0.0", "");
    let spec = "file:../example-clock-1.1.0.tgz";
    assert_eq!(ground.install("unpacking", Some(spec), &ground.options())?, "@example/clock 1.1.0");
    // npm packs a folder by its own manifest; ours is beside it.
    ground.write("clock/package.json", r#"{"name":"@example/clock","version":"1.1.0"}"#);
    let again = ground.npm("clock", "pack --silent --ignore-scripts")?;
    let spec = format!("file:../clock/{}", again.trim());
    ground.package("repacked", "1.0.0", "");
    assert_eq!(ground.install("repacked", Some(&spec), &ground.options())?, "@example/clock 1.1.0");
    Ok(())
}
