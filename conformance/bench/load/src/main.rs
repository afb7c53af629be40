//! The time to load a thousand documents of a package: parsed anew, from the cache on disk, and from memory.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use packages::loader::{CacheConfig, CacheStrategy};
use packages::{Level, LoaderConfig, ModuleLoader, Project};

const ROUNDS: usize = 3;

/// The number of documents beside the one that imports them.
const COUNT: usize = 1_000;

const SKILLS: [&str; 4] = [
    include_str!("../../../../shared/ailang/corpus/skills/email-sender.md"),
    include_str!("../../../../shared/ailang/corpus/skills/github-workflow.md"),
    include_str!("../../../../shared/ailang/corpus/skills/script-tool.md"),
    include_str!("../../../../shared/ailang/corpus/skills/send_tweet.md"),
];

fn main() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let bytes = write(folder.path());
    let cache = folder.path().join(".cache");
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let _absent = fs::remove_dir_all(&cache);
        let mut cold = loader(folder.path(), &cache);
        times[0].push(load(&mut cold));
        times[2].push(load(&mut cold));
        let mut warm = loader(folder.path(), &cache);
        times[1].push(load(&mut warm));
    }
    println!("| {COUNT} documents, {bytes} bytes | ms |\n|---|---:|");
    for (name, mut times) in ["parsed anew", "from the cache on disk", "from memory"].into_iter().zip(times) {
        times.sort();
        println!("| {name} | {} |", times[ROUNDS / 2].as_millis());
    }
}

/// Writes the documents, old enough that their metadata is trusted, and returns their size.
fn write(folder: &Path) -> usize {
    let mut bytes = 0;
    let mut main = "---\nid: main\ntitle: Main\nsummary: All.\n---\n\n<define>\n".to_owned();
    for number in 0..COUNT {
        let text = SKILLS[number % SKILLS.len()].replace("\nid: ", &format!("\nid: n{number}-"));
        bytes += text.len();
        put(&folder.join(format!("skill-{number}.md")), &text);
        main += &format!("import n{number} from \"./skill-{number}.md\"\n");
    }
    put(&folder.join("main.md"), &(main + "</define>\n"));
    bytes
}

fn put(path: &Path, text: &str) {
    fs::write(path, text).expect("there is room");
    let file = fs::File::options().write(true).open(path).expect("it was written");
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).expect("the time can be set");
}

fn loader(folder: &Path, cache: &Path) -> ModuleLoader {
    let cache = CacheConfig {
        strategy: CacheStrategy::Hybrid,
        folder: Some(cache.to_path_buf()),
        ..CacheConfig::default()
    };
    let project = Project::open(folder).expect("the folder is there");
    // One of the four loads manually.
    let approve: packages::loader::Approve = Box::new(|_| true);
    ModuleLoader::new(project, LoaderConfig { cache, approve: Some(approve), ..LoaderConfig::default() })
}

/// Loads all documents at the lowest level with tools.
fn load(loader: &mut ModuleLoader) -> Duration {
    let start = Instant::now();
    let main = loader.load("main.md", Some(Level::Compact)).expect("it is valid");
    let dependencies = loader.resolve_dependencies(&main, None).expect("they are valid");
    assert_eq!(dependencies.loaded.len(), COUNT);
    assert!(dependencies.loaded.iter().all(|it| it.tokens() > 20));
    start.elapsed()
}
