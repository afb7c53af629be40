use std::fs;
use std::time::Duration;

use ide_protocol::{DefinitionsResult, SymbolsQuestion, SymbolsResult, Target};

use super::*;
use crate::fallback::source::languages::LANGUAGES;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::workspace::buffers::Buffers;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_index::WordIndex;

fn language(id: &str) -> &'static Language {
    LANGUAGES.iter().find(|it| it.id == id).unwrap()
}

fn later() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

/// A folder with an editor, and what is known of it.
struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
    buffers: Buffers,
    index: Index,
    roots: Arc<SessionFolders>,
}

impl World {
    fn new(store: Option<IndexStore>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, buffers) = (dir.path().canonicalize().unwrap(), Buffers::default());
        let index = Index::with_store(store);
        let roots = Arc::new(roots(&root, &buffers, &index));
        Self { _dir: dir, root, buffers, index, roots }
    }

    /// As another process would, which knows what is on disk.
    fn begin_again(&mut self) {
        self.index = Index::with_store(self.index.store.clone());
        self.roots = Arc::new(roots(&self.root, &self.buffers, &self.index));
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn fill(&self) {
        let folder_index = Arc::clone(lock(&self.index.folders).entry(self.root.clone()).or_default());
        let (store, known) = (self.index.store.as_ref(), &self.index.known);
        fill(&Arc::downgrade(&folder_index), &self.root, store, known).unwrap();
    }

    fn has_cards(&self) -> bool {
        // While files are indexed in the background, no query waits for them.
        while lock(&self.index.folders).values().any(|it| it.is_busy.load(Ordering::SeqCst)) {
            std::thread::yield_now();
        }
        self.roots.symbols(language("rust"), None, later()).is_some()
    }

    /// One that knows nothing.
    fn without(&self) -> Arc<SessionFolders> {
        Arc::new(roots(&self.root, &self.buffers, &Index::default()))
    }
}

fn roots(root: &Path, buffers: &Buffers, index: &Index) -> SessionFolders {
    SessionFolders::new(vec![root.to_owned()])
        .with_buffers(buffers.clone())
        .with_indexes(index.clone(), WordIndex::default())
}

fn instead() -> FallbackReason {
    FallbackReason::beside_server(later())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn symbols(roots: &Arc<SessionFolders>, query: &str) -> Option<SymbolsResult> {
    let request = SymbolsQuestion { query: query.into(), path: None };
    let found = block_on(syntactic::symbols(roots, language("rust"), &request, &instead()));
    found.filter(|it| !it.definitions.is_empty())
}

fn definitions(roots: &Arc<SessionFolders>, name: &str) -> Option<DefinitionsResult> {
    let target = Target { name: Some(name.into()), at: None };
    block_on(syntactic::definitions(roots, language("rust"), &target, None, &instead())).map(|it| it.result)
}

fn implementations(roots: &Arc<SessionFolders>, name: &str) -> Option<DefinitionsResult> {
    let target = Target { name: Some(name.into()), at: None };
    block_on(syntactic::implementations(roots, language("rust"), &target, &instead()))
}

/// xorshift: the same numbers in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const TYPES: &[&str] = &["User", "UserSession", "Shape", "Usher", "Token"];
const FUNCTIONS: &[&str] = &["total", "validate_token", "user_of", "hello", "draw"];
const QUERIES: &[&str] = &["User", "user", "tok", "total", "valtok", "Shp", "nothing_like_it", "draw"];

fn code(chance: &mut Chance) -> String {
    let mut text = String::new();
    for _ in 0..chance.below(6) {
        let (a, b, f) = (chance.of(TYPES), chance.of(TYPES), chance.of(FUNCTIONS));
        text += &match chance.below(6) {
            0 => format!("/// é😀\npub struct {a} {{\n    pub {f}: u8,\n}}\n\n"),
            1 => format!("impl {a} for {b} {{\n    fn {f}(&self) {{}}\n}}\n\n"),
            2 => format!("trait {a}: {b} {{\n    fn {f}(&self);\n}}\n\n"),
            3 => format!("fn {f}() {{\n    let {f}_inner = {b};\n}}\n\n"),
            4 => format!("mod {f} {{\n    pub enum {a} {{}}\n}}\n\n"),
            _ => format!("// {a} {f}\nfn main() {{ {f}(\"{b}\") }}\n\n"),
        };
    }
    text
}

/// Any change that people, agents and git make.
fn change(world: &World, chance: &mut Chance) {
    let path = |chance: &mut Chance| format!("{}/{}.rs", chance.of(&["src", "src/a", "b"]), chance.below(8));
    let (one, other) = (path(chance), path(chance));
    match chance.below(10) {
        0 => drop(fs::remove_file(world.root.join(one))),
        1 => drop(fs::rename(world.root.join(one), world.root.join(other))),
        2 => drop(fs::rename(world.root.join("src/a"), world.root.join("c"))),
        3 => drop(fs::remove_dir_all(world.root.join("c"))),
        4 => drop(world.buffers.begin_write(&world.root.join(one), code(chance))),
        5 => world.write(".gitignore", chance.of(&["b/\n", "", "src/a\n"])),
        _ => world.write(&one, &code(chance)),
    }
}

fn check(world: &World, chance: &mut Chance) {
    let query = chance.of(QUERIES);
    assert_eq!(symbols(&world.roots, query), symbols(&world.without(), query), "{query}");
    for names in [TYPES, FUNCTIONS, &["Userr", "totl"]] {
        let name = chance.of(names);
        assert_eq!(definitions(&world.roots, name), definitions(&world.without(), name), "{name}");
    }
    let name = chance.of(TYPES);
    assert_eq!(implementations(&world.roots, name), implementations(&world.without(), name), "{name}");
}

#[test]
fn answers_from_the_index_are_those_without_it() {
    for seed in 1..=3 {
        let store = tempfile::tempdir().unwrap();
        let mut world = World::new(Some(IndexStore::at(store.path())));
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15 ^ seed);
        world.write("src/0.rs", "struct User;\n");
        (0..20).for_each(|_| change(&world, &mut chance));
        world.write("z.rs", "struct Last;\n");
        world.fill();
        for round in 0..8 {
            assert!(world.has_cards(), "seed {seed}, round {round}");
            check(&world, &mut chance);
            (0..=chance.below(3)).for_each(|_| change(&world, &mut chance));
            if round % 4 == 3 {
                world.fill();
                world.begin_again();
                change(&world, &mut chance);
            }
            world.fill();
        }
    }
}

#[test]
fn what_is_kept_on_disk_counts_for_files_that_are_as_they_were() {
    let store = tempfile::tempdir().unwrap();
    let mut world = World::new(Some(IndexStore::at(store.path())));
    for number in 0..AT_ONCE + 10 {
        world.write(&format!("src/{number}.rs"), &format!("struct User{number};\n"));
    }
    std::thread::sleep(RACY * 2); // what was written just now is not believed later
    world.fill();
    world.begin_again();
    assert!(world.has_cards(), "they are on disk");
    world.write("src/3.rs", "struct Other;\n");
    fs::remove_file(world.root.join("src/4.rs")).unwrap();
    world.write("src/new.rs", "struct User;\n");
    world.begin_again();
    assert!(world.has_cards(), "few are read again");
    let found = symbols(&world.roots, "User").unwrap();
    assert_eq!(found.total, AT_ONCE as u64 + 9);
    assert_eq!(found.definitions[0].name_at.path, "src/new.rs");
    assert_eq!(Some(found), symbols(&world.without(), "User"));

    for file in fs::read_dir(store.path()).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    }
    world.begin_again();
    assert!(!world.has_cards(), "it is not what was written");
    assert!(symbols(&world.roots, "Other").is_some(), "then the files are looked through");
}

#[test]
fn a_change_between_reading_and_filing_is_not_lost() {
    let world = World::new(None);
    world.write("a.rs", "struct Before;\n");
    world.fill();
    let path = world.root.join("a.rs");
    let old = FileState::read(&path, &KnownSymbols::default()).unwrap();
    world.write("a.rs", "struct Behind;\nstruct Now;\n");
    assert!(world.has_cards());
    let folder_index = Arc::clone(&lock(&world.index.folders)[&world.root]);
    // What a slow reader brings of before.
    lock(&folder_index.files).put(&path, old);
    assert!(symbols(&world.roots, "Now").is_some());
    assert!(symbols(&world.roots, "Before").is_none());
}

#[test]
fn a_file_that_cannot_be_read_is_told_of() {
    let world = World::new(None);
    world.write("a.rs", "struct User;\n");
    let huge = fs::File::create(world.root.join("huge.rs")).unwrap();
    huge.set_len(crate::fallback::source::text::SIZE_LIMIT + 1).unwrap();
    world.write("binary.rs", "struct User\0;\n");
    world.fill();
    // Files as young as these are looked at again in the background, and nobody waits for that.
    let known = || world.has_cards().then(|| world.roots.symbols(language("rust"), None, later())).flatten();
    assert_eq!((0..100).find_map(|_| known()).unwrap().unreadable, [world.root.join("huge.rs")]);
    let is_told =
        || symbols(&world.roots, "User").unwrap().completeness.note().unwrap().contains("not every file");
    assert!((0..100).any(|_| world.has_cards() && is_told()));
}

#[test]
fn what_is_made_of_equal_texts_is_made_once_for_all_work_trees() {
    const FILES: usize = 5;
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let git = |words: &str| {
        let mut git = std::process::Command::new("git");
        let git = git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]).arg(top.join("main"));
        assert!(git.args(words.split(' ')).status().unwrap().success(), "{words}");
    };
    let text = |number: usize| format!("pub struct User{number};\n");
    fs::create_dir(top.join("main")).unwrap();
    (0..FILES).for_each(|it| fs::write(top.join(format!("main/{it}.rs")), text(it)).unwrap());
    git("init -q");
    git("add .");
    git("commit -q -m one");
    let trees: Vec<_> = (0..20).map(|it| format!("tree{it}")).collect();
    trees.iter().for_each(|it| git(&format!("worktree add -q ../{it}")));
    std::thread::sleep(RACY * 2); // what was written just now is not believed later
    let store = IndexStore::at(top.join("store"));
    let filled = |tree: &str, store: &IndexStore| {
        let (index, root) = (Index::with_store(Some(store.clone())), top.join(tree));
        let folder = Arc::clone(lock(&index.folders).entry(root.clone()).or_default());
        fill(&Arc::downgrade(&folder), &root, Some(store), &index.known).unwrap();
        let made = lock(&folder.files).files.values().filter_map(|it| it.made.clone()?.symbols).collect();
        (index, made)
    };
    let all: Vec<(Index, Vec<Arc<FileSymbols>>)> =
        ["main"].into_iter().chain(trees.iter().map(String::as_str)).map(|it| filled(it, &store)).collect();
    for (_, made) in &all {
        assert_eq!(made.len(), FILES);
        assert!(made.iter().zip(&all[0].1).all(|(one, other)| Arc::ptr_eq(one, other)));
    }
    // Another process, which has a new work tree.
    git("worktree add -q ../new");
    let (store, mut files) = (IndexStore::at(top.join("store")), IndexedFiles::default());
    files.load(&top.join("new"), Some(&store));
    for number in 0..FILES {
        store.symbols.get_or_compute(store::key("rust", &text(number)), || panic!("it is parsed once more"));
    }
}
