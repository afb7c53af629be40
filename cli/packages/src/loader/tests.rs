//! Tests of the loader over real files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;

/// Returns a document with a body of definitions.
fn document(id: &str, more: &str, code: &str) -> String {
    let code = if code.is_empty() { String::new() } else { format!("<define>\n{code}\n</define>\n") };
    format!("---\nid: {id}\ntitle: {id}\nsummary: About {id}.\n{more}---\n\n# {id}\n\nWords.\n\n{code}")
}

fn tool(name: &str) -> String {
    format!("// Does {name}.\n// @readOnly\ntool {name}(first: string, second?: int) -> string")
}

struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, String)]) -> Self {
        let files_of = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            files_of.write(path, text);
        }
        files_of
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file whose metadata is old enough to be trusted.
    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    }

    fn loader(&self, config: LoaderConfig) -> ModuleLoader {
        ModuleLoader::new(Project::open(self.path()).unwrap(), config)
    }
}

fn manifest(name: &str, dependencies: &str) -> String {
    format!(r#"{{"name":"{name}","version":"1.0.0","main":"main.md","dependencies":{{{dependencies}}}}}"#)
}

fn paths(documents: &[LoadedDocument]) -> Vec<&str> {
    documents.iter().map(|it| it.path.as_str()).collect()
}

#[test]
fn all_forms_of_imports_are_followed_and_a_diamond_is_loaded_once() {
    let files = Files::new(&[
        ("ailang.json", manifest("app", r#""@example/clock":"^1.0.0""#)),
        (
            "main.md",
            document(
                "main",
                "",
                "from emailSkill import send\nimport left from \"./lib/left.md\"\nimport { right } from \"./lib/right\"\n\
                 import * as clock from \"@example/clock\"\nfrom ailang.runtime import Runtime\nfrom byId import other",
            ),
        ),
        ("email-skill.md", document("email-skill", "", &tool("send"))),
        ("elsewhere.md", document("by-id", "", &tool("other"))),
        ("lib/left.md", document("left", "", "import { base } from \"./base\"")),
        ("lib/right.md", document("right", "", "import { base } from \"../lib/base.md\"")),
        ("lib/base.md", document("base", "", &tool("base"))),
        ("ailang_modules/@example/clock/ailang.json", manifest("@example/clock", r#""zones":"*""#)),
        (
            "ailang_modules/@example/clock/main.md",
            document("clock", "", "import zones from \"zones\"\nimport { base } from \"./lib/base\""),
        ),
        ("ailang_modules/@example/clock/lib/base.md", document("clock-base", "", &tool("base"))),
        ("ailang_modules/zones/ailang.json", manifest("zones", "")),
        ("ailang_modules/zones/main.md", document("zones", "", &tool("zone"))),
    ]);
    let mut loader = files.loader(LoaderConfig::default());
    let main = loader.load("main.md", Some(Level::Detailed)).unwrap();
    let dependencies = loader.resolve_dependencies(&main, None).unwrap();
    assert_eq!(
        paths(&dependencies.loaded),
        [
            "email-skill.md",
            "lib/base.md",
            "lib/left.md",
            "lib/right.md",
            "ailang_modules/zones/main.md",
            "ailang_modules/@example/clock/lib/base.md",
            "ailang_modules/@example/clock/main.md",
            "ailang://errors.md",
            "ailang://runtime.md",
            "elsewhere.md",
        ]
    );
    assert!(dependencies.loaded.iter().all(|it| it.level == Level::Compact));
    assert_eq!(loader.load("@example/clock", None).unwrap().path, "ailang_modules/@example/clock/main.md");
    // What is loaded has tools to call, and the checks find no mistake in the imports.
    let package = crate::package(&files.path().join("main.md")).unwrap();
    let found = ailang::validate(&package.documents, "main.md", ailang::Strictness::Loose).unwrap();
    assert_eq!(found.iter().map(|it| it.code.to_string()).collect::<Vec<_>>(), ["AL3502"], "{found:#?}");
}

#[test]
fn a_circle_is_an_error_with_its_path() {
    let files = Files::new(&[
        ("a.md", document("a", "related: [\"./b.md\"]\n", "import b from \"./b\"")),
        ("b.md", document("b", "", "import c from \"./lib/c\"")),
        ("lib/c.md", document("c", "", "import b from \"../b\"")),
        ("self.md", document("self", "", "import me from \"./self.md\"")),
    ]);
    let mut loader = files.loader(LoaderConfig::default());
    let error = loader.load("a.md", None).unwrap_err();
    assert_eq!(error.to_string(), "documents import each other: b.md → lib/c.md → b.md");
    assert_eq!(error.code().to_string(), "AL3601");
    let error = loader.load("./self.md", None).unwrap_err();
    assert_eq!(error, LoadError::CircularDependency { path: vec!["self.md".to_owned(); 2] });
    assert!(loader.current_levels().is_empty());
}

#[test]
fn nothing_outside_of_the_package_is_read() {
    let outside = Files::new(&[("secret.md", document("secret", "", ""))]);
    let files = Files::new(&[
        ("up.md", document("up", "", "import x from \"../secret\"")),
        ("link.md", document("link", "", "import x from \"./linked\"")),
        ("folder.md", document("folder", "", "import x from \"./away/secret\"")),
        ("fine.md", document("fine", "", "import x from \"./inside\"\nimport y from \"./real\"")),
        ("real.md", document("real", "", "")),
    ]);
    symlink(outside.path().join("secret.md"), files.path().join("linked.md")).unwrap();
    symlink(outside.path(), files.path().join("away")).unwrap();
    symlink("real.md", files.path().join("inside.md")).unwrap();
    let mut loader = files.loader(LoaderConfig::default());
    for path in ["up.md", "link.md", "folder.md"] {
        let error = loader.load(path, None).unwrap_err();
        assert!(matches!(error, LoadError::OutsidePackage { .. }), "{path}: {error}");
    }
    for path in ["linked.md", "../secret.md", "/etc/passwd", "~/x.md", "away/secret.md"] {
        assert_eq!(loader.load(path, None).unwrap_err().code().to_string(), "AL3504", "{path}");
    }
    // A link inside is another name of the same document.
    let fine = loader.load("fine.md", None).unwrap();
    assert_eq!(paths(&loader.resolve_dependencies(&fine, None).unwrap().loaded), ["real.md"]);
    let package = crate::package(&files.path().join("link.md")).unwrap();
    let found = ailang::validate(&package.documents, "link.md", ailang::Strictness::Loose).unwrap();
    assert_eq!(found[0].code.to_string(), "AL3504");
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let files = Files::new(&[
        ("a.md", document("a", "", "import b from \"./b\"")),
        ("bad.md", document("bad", "", "tool (")),
        ("folder/x.md", document("x", "", "")),
    ]);
    fs::write(files.path().join("bytes.md"), b"\xff").unwrap();
    let mut loader = files.loader(LoaderConfig::default());
    let mut says = |path: &str| loader.load(path, None).unwrap_err().to_string();
    assert_eq!(says("a.md"), "`./b` is not there, but `a.md` imports it");
    assert_eq!(says("c.md"), "`c.md` is not there");
    assert_eq!(says("folder"), "`folder` is not there");
    assert!(says("bad.md").starts_with("`bad.md` cannot be read: line 12: AL2002"), "{}", says("bad.md"));
    assert_eq!(
        says("bytes.md"),
        "`bytes.md` cannot be read: it is not UTF-8: line 1, column 1: the byte 0xff"
    );
}

#[test]
fn detail_goes_up_and_down_in_its_own_direction_only() {
    let files = Files::new(&[("a.md", document("a", "", &tool("act")))]);
    let mut loader = files.loader(LoaderConfig::default());
    assert!(loader.upgrade_detail("a.md", Level::Detailed).is_err(), "it is not loaded");
    let compact = loader.load("a.md", Some(Level::Compact)).unwrap();
    assert!(!compact.text().contains("string") && compact.text().contains("act(first, second)"));
    let standard = loader.upgrade_detail("a.md", Level::Standard).unwrap();
    assert!(standard.text().contains("act(first: string, second?: int) -> string"), "{}", standard.text());
    for (level, wanted) in [(Level::Standard, "upgrade"), (Level::Compact, "upgrade")] {
        let error = loader.upgrade_detail("a.md", level).unwrap_err();
        assert_eq!(error.code().to_string(), "AL7004");
        assert!(error.to_string().ends_with(wanted));
    }
    assert_eq!(loader.downgrade_detail("a.md", Level::Complete).unwrap_err().code().to_string(), "AL7004");
    let minimal = loader.downgrade_detail("a.md", Level::Minimal).unwrap();
    assert!(minimal.tokens() < standard.tokens());
    assert_eq!(loader.current_levels(), [("a.md".to_owned(), Level::Minimal)]);
    assert_eq!(loader.load("a.md", Some(Level::Complete)).unwrap().text(), files_text(&files, "a.md"));
    assert_eq!(loader.get_from_cache("a.md", Some(Level::Compact)).unwrap().text(), compact.text());
    assert_eq!(loader.document_count(), 1);
}

fn files_text(files: &Files, path: &str) -> String {
    fs::read_to_string(files.path().join(path)).unwrap()
}

impl ModuleLoader {
    fn document_count(&self) -> usize {
        self.context.documents().len()
    }
}

#[test]
fn less_used_documents_make_room_and_what_was_asked_for_stays() {
    let names = ["a", "b", "c"];
    let texts: Vec<(String, String)> = names
        .map(|it| (format!("{it}.md"), document(it, "", &tool(&format!("act{}", it.to_uppercase())))))
        .into();
    let files: Vec<(&str, String)> = texts.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let files = Files::new(&files);
    let size = |level| Digest::of_text(&texts[0].1).sizes().at(level);
    let max = size(Level::Detailed) + size(Level::Minimal) + size(Level::Standard);
    let config = |policy| LoaderConfig {
        budget: Some(Budget { max, used: 0, reserved: 0 }),
        policy,
        eviction: vec![EvictionOrder::LeastRecentlyUsed],
        ..LoaderConfig::default()
    };
    let mut loader = files.loader(config(ContextPolicy::Downgrade));
    loader.load("a.md", Some(Level::Detailed)).unwrap();
    loader.load("b.md", None).unwrap();
    loader.load("c.md", Some(Level::Standard)).unwrap();
    assert_eq!(
        loader.current_levels(),
        [
            ("a.md".to_owned(), Level::Detailed),
            ("b.md".to_owned(), Level::Minimal),
            ("c.md".to_owned(), Level::Standard)
        ]
    );
    assert!(loader.tokens() <= max);
    let error = loader.upgrade_detail("c.md", Level::Complete).unwrap_err();
    assert!(
        matches!(error, LoadError::ContextBudgetExceeded { required, available, .. } if required > available),
        "{error}"
    );
    let mut loader = files.loader(config(ContextPolicy::Off));
    loader.load("a.md", Some(Level::Detailed)).unwrap();
    loader.load("b.md", None).unwrap();
    let before = loader.current_levels();
    assert!(loader.load("c.md", Some(Level::Complete)).is_err());
    assert_eq!(loader.current_levels(), before);
}

#[test]
fn packages_share_a_room_and_the_one_used_longest_ago_makes_way() {
    let text = |it: &str| document(it, "", &tool(&format!("act{it}")));
    let [one, two] = ["one", "two"].map(|it| Files::new(&[("a.md", text(it))]));
    let size = |level| Digest::of_text(&text("one")).sizes().at(level);
    let config = || LoaderConfig {
        budget: Some(Budget { max: size(Level::Standard) + size(Level::Compact), used: 0, reserved: 0 }),
        eviction: vec![EvictionOrder::LeastRecentlyUsed],
        ..LoaderConfig::default()
    };
    let room = Room::default();
    let loader = |files: &Files, name| {
        ModuleLoader::sharing(Project::open(files.path()).unwrap(), config(), &room, name)
    };
    let (mut one, mut two) = (loader(&one, "one"), loader(&two, "two"));
    assert_eq!(one.load_with_room("a.md", Level::Standard).unwrap().level, Level::Standard);
    assert_eq!(two.load_with_room("a.md", Level::Standard).unwrap().level, Level::Standard);
    assert_eq!(one.current_levels(), [("a.md".to_owned(), Level::Compact)]);
    assert_eq!(two.current_levels(), [("a.md".to_owned(), Level::Standard)]);
    assert_eq!(one.tokens(), two.tokens());
    assert_eq!(two.load_with_room("a.md", Level::Complete).unwrap().level, Level::Detailed);
    assert_eq!(one.current_levels(), [("a.md".to_owned(), Level::Minimal)]);
}

impl Digest {
    fn of_text(text: &str) -> Self {
        Parsed::new(text.to_owned(), [0; 32]).digest.clone()
    }
}

#[test]
fn used_documents_gain_their_declarations() {
    let files = Files::new(&[
        ("a.md", document("a", "", "import b from \"./b\"")),
        ("b.md", document("b", "", &tool("act"))),
    ]);
    let config = LoaderConfig { policy: ContextPolicy::Adaptive, ..LoaderConfig::default() };
    let mut loader = files.loader(config);
    let main = loader.load("a.md", None).unwrap();
    loader.resolve_dependencies(&main, None).unwrap();
    assert_eq!(
        loader.current_levels(),
        [("a.md".to_owned(), Level::Standard), ("b.md".to_owned(), Level::Compact)]
    );
    loader.mark_used("b.md").unwrap();
    assert_eq!(loader.current_levels()[1], ("b.md".to_owned(), Level::Standard));
}

#[test]
fn documents_that_load_manually_are_approved_once_for_each_content() {
    let files = Files::new(&[
        ("main.md", document("main", "", "import a from \"./danger\"\nimport b from \"./fine\"")),
        ("danger.md", document("danger", "loading: manual\n", &tool("destroy"))),
        ("fine.md", document("fine", "", &tool("act"))),
    ]);
    let mut loader = files.loader(LoaderConfig::default());
    let main = loader.load("main.md", None).unwrap();
    let dependencies = loader.resolve_dependencies(&main, None).unwrap();
    assert_eq!(
        (paths(&dependencies.loaded), dependencies.denied),
        (vec!["fine.md"], vec!["danger.md".to_owned()])
    );
    assert_eq!(
        loader.load("danger.md", None).unwrap().level,
        Level::Minimal,
        "its summary needs no approval"
    );
    let refused = |loader: &mut ModuleLoader| {
        let error = loader.load("danger.md", Some(Level::Compact)).unwrap_err();
        assert_eq!(error.code().to_string(), "AL7005");
    };
    refused(&mut loader);
    let approval = loader.approval("danger.md").unwrap();
    assert_eq!((approval.title.as_str(), approval.summary.as_str()), ("danger", "About danger."));
    loader.approve("danger.md").unwrap();
    loader.load("danger.md", Some(Level::Standard)).unwrap();
    loader.load("danger.md", Some(Level::Detailed)).unwrap();
    files.write("danger.md", &document("danger", "loading: manual\n", &tool("ruin")));
    refused(&mut loader); // the content is another one
}

#[test]
fn documents_start_by_their_strategies() {
    let rule = |when: &str, pattern: &str| {
        format!("loading: by_rule\nrules: [{{ when: {when}, pattern: '{pattern}', level: compact }}]\n")
    };
    let files = Files::new(&[
        ("eager.md", document("eager", "loading: eager\n", &tool("now"))),
        ("word.md", document("word", &rule("keyword", "yaml"), &tool("a"))),
        ("glob.md", document("glob", &rule("glob", "src/**/*.rs"), &tool("b"))),
        ("regex.md", document("regex", &rule("regex", "v[0-9]+"), &tool("c"))),
        ("language.md", document("language", &rule("language", "rust"), &tool("d"))),
        ("tool.md", document("tool", &rule("tool", "sendEmail"), &tool("e"))),
        ("demand.md", document("demand", "", &tool("f"))),
    ]);
    let modules =
        ["demand.md", "word.md", "glob.md", "regex.md", "language.md", "tool.md", "eager.md", "gone.md"];
    let start = |rules: &RuleContext| {
        let started = files.loader(LoaderConfig::default()).start(&modules, rules);
        assert_eq!(started.warnings.iter().map(|it| it.module.as_str()).collect::<Vec<_>>(), ["gone.md"]);
        let loaded: Vec<String> =
            started.loaded.iter().map(|it| format!("{} {}", it.path, it.level.name())).collect();
        assert_eq!(loaded.len() + started.waiting.len(), 7);
        loaded.join(", ")
    };
    assert_eq!(start(&RuleContext::default()), "eager.md complete");
    let text = |text: &str| RuleContext { text: text.to_owned(), ..RuleContext::default() };
    assert_eq!(start(&text("reads YAML files")), "eager.md complete, word.md compact");
    assert_eq!(start(&text("yamls of v2")), "eager.md complete, regex.md compact");
    let list = |it: &str| vec![it.to_owned()];
    let rules = RuleContext {
        files: list("src/a/b.rs"),
        languages: list("Rust"),
        tools: list("sendEmail"),
        ..RuleContext::default()
    };
    assert_eq!(start(&rules), "eager.md complete, glob.md compact, language.md compact, tool.md compact");
}

#[test]
fn the_cache_counts_by_level_and_sees_changes() {
    let files = Files::new(&[("a.md", document("a", "", &tool("act")))]);
    let mut loader = files.loader(LoaderConfig::default());
    let load = |loader: &mut ModuleLoader, level| loader.load("a.md", Some(level)).unwrap();
    load(&mut loader, Level::Compact);
    load(&mut loader, Level::Compact);
    load(&mut loader, Level::Standard);
    let stats = loader.cache_stats();
    let compact = stats[&Level::Compact];
    assert_eq!((compact.hits, compact.misses, compact.entry_count), (1, 1, 1), "the first load parses");
    assert_eq!(
        (stats[&Level::Standard].hits, stats[&Level::Standard].misses),
        (1, 0),
        "levels share what is parsed"
    );
    assert!(compact.size > 0 && (compact.hit_rate() - 0.5).abs() < 1e-9);
    assert_eq!(stats[&Level::Complete], CacheStats::default());
    // The same size and age: only its other metadata tells.
    files.write("a.md", &document("a", "", &tool("axt")));
    assert!(load(&mut loader, Level::Compact).text().contains("axt"));
    loader.clear_cache();
    assert_eq!(loader.cache_stats()[&Level::Compact], CacheStats::default());
    assert!(loader.get_from_cache("a.md", None).is_none());
}

#[test]
fn a_changed_file_is_seen_at_the_next_load_whatever_its_time_says() {
    let files = Files::new(&[
        ("ailang.json", manifest("app", r#""clock":"*""#)),
        ("a.md", document("a", "", "from \"./b.md\" import one")),
        ("b.md", document("b", "", &tool("one"))),
    ]);
    let mut loader = files.loader(LoaderConfig::default());
    let imported = |loader: &mut ModuleLoader| {
        let loaded = loader.load("a.md", None).unwrap();
        let imports = loader.resolve_dependencies(&loaded, Some(Level::Standard)).unwrap();
        imports.loaded.iter().map(|it| it.text().to_owned()).collect::<String>()
    };
    assert!(imported(&mut loader).contains("one"));
    let path = files.path().join("b.md");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    // Of the same size, and with its old time.
    files.write("b.md", &document("b", "", &tool("two")));
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert!(imported(&mut loader).contains("two"));
    // Replaced by another file, as editors do.
    files.write("b.new", &document("b", "", &tool("three")));
    std::fs::rename(files.path().join("b.new"), &path).unwrap();
    assert!(imported(&mut loader).contains("three"));
    // Installed, replaced and removed packages are seen too.
    assert!(matches!(loader.load("clock", None), Err(LoadError::ModuleNotFound { .. })));
    let clock = |name: &str| {
        files.write("new/ailang.json", &manifest("clock", ""));
        files.write("new/main.md", &document("clock", "", &tool(name)));
        let _none = std::fs::remove_dir_all(files.path().join("ailang_modules/clock"));
        std::fs::create_dir_all(files.path().join("ailang_modules")).unwrap();
        std::fs::rename(files.path().join("new"), files.path().join("ailang_modules/clock")).unwrap();
    };
    for name in ["four", "five"] {
        clock(name);
        assert!(loader.load("clock", Some(Level::Standard)).unwrap().text().contains(name));
    }
    files.write("ailang.json", &manifest("app", ""));
    assert!(matches!(loader.load("clock", None), Err(LoadError::ModuleNotFound { .. })));
}

#[test]
fn built_in_modules_are_documents() {
    let files = Files::new(&[
        ("a.md", document("a", "", "from http import httpGet\nfrom \"@ailang/builtin\" import readFile")),
        ("b.md", document("b", "", "from ailang.htpp import httpGet")),
        ("http.md", document("http", "", &tool("mine"))),
        ("@ailang/http.md", document("http", "", &tool("mine"))),
    ]);
    let mut loader = files.loader(LoaderConfig::default());
    let loaded = loader.load("a.md", None).unwrap();
    let dependencies = loader.resolve_dependencies(&loaded, None).unwrap();
    let found = paths(&dependencies.loaded);
    assert!(found.contains(&"ailang://http.md") && found.contains(&"ailang://storage.md"), "{found:?}");
    assert!(
        loader.load("http", Some(Level::Standard)).unwrap().text().contains("httpGet"),
        "none is shadowed"
    );
    assert!(
        loader.load("@ailang/builtin/storage", Some(Level::Standard)).unwrap().text().contains("readFile")
    );
    assert!(loader.load("./http.md", Some(Level::Standard)).unwrap().text().contains("mine"));
    assert!(matches!(loader.load("b.md", None), Err(LoadError::ModuleNotFound { .. })));
}
