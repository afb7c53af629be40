//! Tests of the cache: what it keeps, for how long, and what it does with damaged files.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

const LEVEL: Option<Level> = Some(Level::Compact);

fn text(word: &str) -> String {
    format!("---\nid: a\ntitle: A\nsummary: {word}.\n---\n\n# A\n")
}

struct Ground {
    folder: TempDir,
    project: Project,
}

impl Ground {
    fn new(documents: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in documents {
            fs::write(folder.path().join(name), text(name)).unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        Self { folder, project }
    }

    fn cache(&self, strategy: CacheStrategy, change: impl Fn(&mut CacheConfig)) -> DocumentCache {
        let folder = Some(self.folder.path().join(".cache"));
        let mut config = CacheConfig { strategy, folder, ..CacheConfig::default() };
        change(&mut config);
        DocumentCache::with_clock(config, clock)
    }

    /// Returns whether each request is a hit.
    fn requests(&self, cache: &mut DocumentCache, paths: &str) -> String {
        let hit = |path: &str| {
            let before = cache.stats(Level::Compact).hits;
            cache.request(&self.project, path, LEVEL).unwrap();
            if cache.stats(Level::Compact).hits > before { "hit" } else { "miss" }
        };
        paths.split(' ').map(hit).collect::<Vec<_>>().join(" ")
    }

    fn digests(&self) -> Vec<PathBuf> {
        let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
        let folders: Vec<PathBuf> = below(&self.folder.path().join(".cache")).collect();
        folders.iter().flat_map(|folder| below(folder)).collect()
    }
}

thread_local! {
    /// The seconds that this test is ahead of its time.
    static AHEAD: Cell<u64> = const { Cell::new(0) };
}

fn clock() -> SystemTime {
    SystemTime::now() + Duration::from_secs(AHEAD.get())
}

#[test]
fn a_strategy_says_where_documents_are_kept() {
    let ground = Ground::new(&["a.md"]);
    for (strategy, again, elsewhere) in [
        (CacheStrategy::None, "miss miss", "miss"),
        (CacheStrategy::Memory, "miss hit", "miss"),
        (CacheStrategy::Disk, "miss hit", "hit"),
        (CacheStrategy::Hybrid, "hit hit", "hit"),
    ] {
        assert_eq!(ground.requests(&mut ground.cache(strategy, |_| {}), "a.md a.md"), again, "{strategy:?}");
        assert_eq!(ground.requests(&mut ground.cache(strategy, |_| {}), "a.md"), elsewhere, "{strategy:?}");
    }
    assert_eq!(ground.digests().len(), 1, "it is one content");
    ground.cache(CacheStrategy::Hybrid, |_| {}).clear();
    assert_eq!(ground.digests().len(), 0);
}

#[test]
fn a_damaged_file_is_a_miss_and_is_written_anew() {
    let ground = Ground::new(&["a.md"]);
    let cache = || ground.cache(CacheStrategy::Disk, |_| {});
    assert_eq!(ground.requests(&mut cache(), "a.md"), "miss");
    let [file] = ground.digests().try_into().unwrap();
    let good = fs::read(&file).unwrap();
    let mut cases =
        vec![Vec::new(), b"\n".to_vec(), b"{}".to_vec(), good[..good.len() / 2].to_vec(), vec![0xff; 100]];
    // Each byte counts, in the sum and in the body.
    cases.extend((0..good.len()).step_by(7).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    }));
    for damaged in cases {
        fs::write(&file, &damaged).unwrap();
        assert_eq!(ground.requests(&mut cache(), "a.md"), "miss");
        assert_eq!(fs::read(&file).unwrap(), good, "it is whole again");
        assert_eq!(ground.requests(&mut cache(), "a.md"), "hit");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(ground.requests(&mut cache(), "a.md a.md"), "miss miss");
}

#[test]
fn what_disk_knows_is_what_parsing_finds() {
    let ground = Ground::new(&[]);
    let text = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/ailang/corpus/skills/github-workflow.md"
    ));
    fs::write(ground.folder.path().join("a.md"), text.unwrap()).unwrap();
    let read = || ground.cache(CacheStrategy::Disk, |_| {}).request(&ground.project, "a.md", None).unwrap();
    let (first, second) = (read(), read());
    assert_eq!(first.digest, second.digest);
    assert!(Level::ALL.iter().all(|level| first.at(*level) == second.at(*level)));
    assert_eq!(second.document().definitions, first.document().definitions);
}

#[test]
fn a_full_cache_removes_by_its_rule() {
    let ground = Ground::new(&["a.md", "b.md", "c.md"]);
    let one = Parsed::new(text("a.md"), [0; 32]).bytes() as u64;
    let cache = |invalidation| {
        ground.cache(CacheStrategy::Memory, move |it| {
            it.max_size = one * 5 / 2;
            it.invalidation = invalidation;
        })
    };
    let order = "a.md b.md a.md c.md a.md b.md";
    assert_eq!(ground.requests(&mut cache(Invalidation::Lru), order), "miss miss hit miss hit miss");
    assert_eq!(ground.requests(&mut cache(Invalidation::Ttl), order), "miss miss hit miss miss miss");
    assert_eq!(ground.requests(&mut cache(Invalidation::Manual), order), "miss miss hit miss hit hit");
    let mut cache = cache(Invalidation::Lru);
    ground.requests(&mut cache, order);
    let stats = cache.stats(Level::Compact);
    assert!((stats.entry_count, stats.hits, stats.misses) == (2, 2, 4) && stats.size > 0, "{stats:?}");
    assert!((stats.hit_rate() - 1.0 / 3.0).abs() < 1e-9);
}

#[test]
fn old_entries_expire() {
    let ground = Ground::new(&["a.md"]);
    let cache = || ground.cache(CacheStrategy::Hybrid, |it| it.invalidation = Invalidation::Ttl);
    let mut first = cache();
    assert_eq!(ground.requests(&mut first, "a.md a.md"), "miss hit");
    assert_eq!(ground.requests(&mut cache(), "a.md"), "hit");
    let mut memory = ground.cache(CacheStrategy::Memory, |it| it.invalidation = Invalidation::Ttl);
    assert_eq!(ground.requests(&mut memory, "a.md a.md"), "miss hit");
    AHEAD.set(3_700);
    assert_eq!(ground.requests(&mut cache(), "a.md"), "miss");
    assert_eq!(ground.requests(&mut memory, "a.md a.md"), "miss hit");
}

/// Returns the sizes of all digests together.
fn size(ground: &Ground) -> u64 {
    ground.digests().iter().map(|it| fs::metadata(it).unwrap().len()).sum()
}

#[test]
fn the_folder_has_a_size() {
    let ground = Ground::new(&[]);
    let write = |number: usize| {
        fs::write(ground.folder.path().join("a.md"), text(&format!("Number {number:04}"))).unwrap();
    };
    let mut cache = ground.cache(CacheStrategy::Disk, |it| it.max_size = 20_000);
    let mut largest = 0;
    for number in 0..600 {
        write(number);
        assert_eq!(ground.requests(&mut cache, "a.md"), "miss");
        largest = largest.max(size(&ground));
    }
    assert!(largest <= 20_000 && largest > 15_000, "{largest}");
    assert_eq!(ground.requests(&mut cache, "a.md"), "hit", "the newest stays");
    write(0);
    assert_eq!(ground.requests(&mut cache, "a.md"), "miss", "the oldest went");
    let mut full = ground.cache(CacheStrategy::Disk, |it| {
        (it.max_size, it.invalidation) = (size(&ground), Invalidation::Manual);
    });
    let before = ground.digests().len();
    write(9_999);
    assert_eq!(ground.requests(&mut full, "a.md a.md"), "miss miss", "a full cache takes no new ones");
    assert_eq!(ground.digests().len(), before);
    full.clear();
    assert_eq!(ground.requests(&mut full, "a.md a.md"), "miss hit");
}

#[test]
fn uses_count_on_disk_and_expired_files_go() {
    let ground = Ground::new(&["a.md", "b.md", "c.md"]);
    let limited = |invalidation| ground.cache(CacheStrategy::Disk, move |it| it.invalidation = invalidation);
    assert_eq!(ground.requests(&mut limited(Invalidation::Lru), "a.md b.md"), "miss miss");
    let both = size(&ground);
    AHEAD.set(100);
    assert_eq!(ground.requests(&mut limited(Invalidation::Lru), "a.md"), "hit");
    let mut small = ground.cache(CacheStrategy::Disk, |it| it.max_size = both + both / 4);
    assert_eq!(ground.requests(&mut small, "c.md a.md b.md"), "miss hit miss", "b.md was used longest ago");
    // A draft of a process that was killed, and a digest of another version, which nobody reads any more.
    let folder = ground.digests()[0].parent().unwrap().to_path_buf();
    for name in [".tmpdraft", "old-0.digest"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    AHEAD.set(8_000);
    fs::write(ground.folder.path().join("a.md"), text("Another")).unwrap();
    assert_eq!(ground.requests(&mut limited(Invalidation::Ttl), "a.md"), "miss");
    assert_eq!(ground.digests().len(), 1, "what is expired is removed from the disk: {:?}", ground.digests());
}

/// The variable that makes [`a_process_of_its_own`] one.
const WORKER: &str = "AILANG_TEST_CACHE";

/// Uses a cache that others use too; its parent starts it.
#[test]
fn a_process_of_its_own() {
    let Some(folder) = std::env::var_os(WORKER).map(PathBuf::from) else { return };
    let own = Ground::new(&[]);
    let config = CacheConfig {
        strategy: CacheStrategy::Disk,
        folder: Some(folder),
        max_size: 60_000,
        ..CacheConfig::default()
    };
    let mut cache = DocumentCache::new(config);
    for round in 0..400 {
        let name = format!("{}.md", round % 7);
        let text = text(&format!("Text {}", round % 120));
        fs::write(own.folder.path().join(&name), &text).unwrap();
        let parsed = cache.request(&own.project, &name, LEVEL).unwrap();
        assert_eq!(parsed.source, text);
        let summary = format!("Text {}.", round % 120);
        assert_eq!(parsed.digest.summary.as_deref(), Some(summary.as_str()));
        assert_eq!(parsed.at(Level::Minimal), Parsed::new(text, [0; 32]).at(Level::Minimal));
        if round % 150 == 149 {
            cache.clear();
        }
    }
    let hits = cache.stats(Level::Compact).hits;
    assert!(hits + cache.stats(Level::Compact).misses > 0);
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "loader::cache::tests::a_process_of_its_own", "--nocapture"])
            .env(WORKER, folder.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    for process in [start(), start(), start()] {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let disk = DiskCache::new(folder.path(), 60_000, Duration::MAX, Invalidation::Lru);
    let files: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .flat_map(|it| fs::read_dir(it.path()).unwrap().flatten())
        .collect();
    let total: u64 = files.iter().map(|it| it.metadata().unwrap().len()).sum();
    assert!(!files.is_empty() && total <= 60_000 * 19 / 16, "{total}");
    for number in 0..120 {
        let text = text(&format!("Text {number}"));
        if let Some(digest) = disk.get(&content_hash(&text), SystemTime::now()) {
            assert_eq!(digest, Parsed::new(text, [0; 32]).digest, "each file is whole");
        }
    }
    assert!(
        files.iter().all(|it| it.path().extension().is_some_and(|it| it == "digest")),
        "no draft is left"
    );
}
