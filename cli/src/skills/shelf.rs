//! The skills of one session: their documents, how much of each is loaded, and why.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ailang::{Budget, Documents, EvictionOrder, Host, Level, Loading, Runtime, RuntimeSetup};
use ailang_formats::{Foreign, export};
use ailang_host::with_standard;
use component::skills::{
    FoundSkill, LoadedSkill, SkillContext, SkillFile, SkillState, SkillSurroundings, Skills,
};
use dialect::{Failure, Interrupt, Invocation, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use packages::loader::{ContextPolicy, Room, RuleContext};
use packages::{LoadError, LoadedDocument, LoaderConfig, ModuleLoader};
use unpoisoned::lock;

use super::found::{library_name, skill};
use super::search::{Place, Search};

/// The level that an agent needs for calling tools: their declarations.
const USEFUL: Level = Level::Standard;

/// The most skills that an error names.
const MOST_NAMED: usize = 20;

/// The skills of one session.
#[derive(Debug)]
pub(super) struct Shelf {
    found: Vec<FoundSkill>,
    problems: Vec<String>,
    /// The way to run each skill.
    runs: Vec<RunnableSkill>,
    books: Mutex<Books>,
    /// The folder of the files that bodies know: that of the session.
    files: PathBuf,
}

/// A skill that can run.
#[derive(Debug)]
struct RunnableSkill {
    documents: Documents,
    path: String,
    /// The folder of its package.
    package: PathBuf,
    runtime: OnceLock<Result<Runtime, String>>,
}

/// The levels of all skills.
#[derive(Debug, Default)]
struct Books {
    loaders: Vec<ModuleLoader>,
    entries: Vec<Entry>,
}

/// The state of one skill.
#[derive(Debug)]
struct Entry {
    name: String,
    /// The index of its loader.
    loader: usize,
    path: String,
    loading: Loading,
    level: Option<Level>,
    tokens: usize,
    uses: u64,
    why: String,
    has_matched: bool,
}

impl Shelf {
    /// Finds the skills below some folders, and loads what is loaded at the start, in at most so many tokens.
    pub(super) fn open(folders: &[PathBuf], tokens: usize, files: PathBuf) -> Self {
        let mut shelf = Self {
            found: Vec::new(),
            problems: Vec::new(),
            runs: Vec::new(),
            books: Mutex::default(),
            files,
        };
        let search = Search::of(folders);
        shelf.problems = search.problems;
        let room = Room::default();
        for place in search.places {
            shelf.add_place(place, tokens, &room);
        }
        shelf.start();
        shelf
    }

    /// Adds the documents of a package, or of a folder.
    fn add_place(&mut self, place: Place, tokens: usize, room: &Room) {
        let Place { project, documents, is_package } = place;
        let config = LoaderConfig {
            budget: Some(Budget { max: tokens, used: 0, reserved: 0 }),
            policy: ContextPolicy::Adaptive,
            eviction: vec![EvictionOrder::LeastRecentlyUsed, EvictionOrder::LeastFrequentlyUsed],
            ..LoaderConfig::default()
        };
        let folder = project.folder().to_path_buf();
        let mut loader = ModuleLoader::sharing(project, config, room, &folder.to_string_lossy());
        let index = self.books().loaders.len();
        for document in documents {
            let file = folder.join(&document);
            if let Err(problem) = self.add(&mut loader, index, &document, &file, &folder, is_package) {
                self.problems.push(format!("{}: {problem}", file.display()));
            }
        }
        self.books().loaders.push(loader);
    }

    /// Adds a document, if it is a skill.
    fn add(
        &mut self,
        loader: &mut ModuleLoader,
        index: usize,
        document: &str,
        file: &Path,
        folder: &Path,
        is_package: bool,
    ) -> Result<(), String> {
        let read = match loader.read(document, Level::Minimal) {
            Ok(read) => read,
            // Other Markdown is no document.
            Err(LoadError::Parse { .. }) if !is_package && !has_front_matter(file) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let digest = read.metadata();
        if digest.id.is_none() && !is_package && read.document().definitions().next().is_none() {
            return Ok(());
        }
        let (imports, path) = loader.with_imports(document).map_err(|error| error.to_string())?;
        let hash = read.hash();
        let skill = skill(read.document(), digest, &imports, (file.to_path_buf(), hash), &mut self.problems)?;
        let is_taken = |it: &&FoundSkill| library_name(&it.name) == library_name(&skill.name);
        if let Some(before) = self.found.iter().find(is_taken) {
            return Err(format!("ignored: {} is a skill of that name", before.path.display()));
        }
        let (name, loading) = (skill.name.clone(), digest.loading());
        self.found.push(skill);
        let (package, runtime) = (folder.to_path_buf(), OnceLock::new());
        self.runs.push(RunnableSkill { documents: imports, path: path.clone(), package, runtime });
        self.books().entries.push(Entry {
            name,
            loader: index,
            path,
            loading,
            level: None,
            tokens: 0,
            uses: 0,
            why: String::new(),
            has_matched: false,
        });
        Ok(())
    }

    /// Loads every skill at the lowest level, and then those that load eagerly.
    fn start(&mut self) {
        let mut books = std::mem::take(self.books());
        let mut failed = Vec::new();
        for index in 0..books.entries.len() {
            let path = books.entries[index].path.clone();
            match books.loader(index).load(&path, Some(Level::Minimal)) {
                Ok(_) => books.note(index, "found at the start".to_owned()),
                Err(error @ LoadError::ContextBudgetExceeded { .. }) => {
                    books.entries[index].why = format!("no room for its line: {error}");
                }
                Err(error) => failed.push((index, error.to_string())),
            }
        }
        for index in 0..books.entries.len() {
            let Entry { loading, path, .. } = &books.entries[index];
            if *loading == Loading::Eager && failed.iter().all(|it| it.0 != index) {
                let path = path.clone();
                let loaded = books.loader(index).load_with_room(&path, USEFUL);
                if loaded.is_ok() {
                    books.note(index, "it loads eagerly, as far as it fits".to_owned());
                }
            }
        }
        for (index, problem) in failed.into_iter().rev() {
            let skill = self.found.remove(index);
            self.problems.push(format!("{}: {problem}", skill.path.display()));
            self.runs.remove(index);
            books.entries.remove(index);
        }
        *self.books() = books;
    }

    fn books(&mut self) -> &mut Books {
        self.books.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn index(&self, skill: &str) -> Result<usize, String> {
        let found = self.found.iter().position(|it| it.name == skill);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.found.iter().map(|it| it.name.as_str()).take(MOST_NAMED).collect();
            format!("there is no skill `{skill}`; there are: {}", known.join(", "))
        })
    }

    /// Returns the runtime of a skill, made at its first call.
    fn runtime(&self, index: usize) -> Result<&Runtime, String> {
        let RunnableSkill { documents, path, package, runtime } = &self.runs[index];
        let make = || {
            let setup = RuntimeSetup { host: Arc::new(SessionHost), ..RuntimeSetup::default() };
            Runtime::new(documents.clone(), path, with_standard(setup, package, &self.files))
        };
        runtime.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

impl Books {
    fn loader(&mut self, index: usize) -> &mut ModuleLoader {
        let loader = self.entries[index].loader;
        &mut self.loaders[loader]
    }

    /// Takes over the levels of the loaders. That of one skill was changed for a reason; others made room for it.
    fn note(&mut self, changed: usize, why: String) {
        let loaded: Vec<Vec<(String, Level, usize)>> =
            self.loaders.iter().map(ModuleLoader::loaded).collect();
        let name = self.entries[changed].name.clone();
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let Some((_, level, tokens)) = loaded[entry.loader].iter().find(|it| it.0 == entry.path) else {
                continue;
            };
            let has_changed = entry.level != Some(*level);
            if index == changed {
                entry.why.clone_from(&why);
            } else if has_changed {
                entry.why = format!("it made room for {name}");
            }
            (entry.level, entry.tokens) = (Some(*level), *tokens);
            if has_changed || index == changed {
                let Entry { name, why, .. } = entry;
                tracing::info!(skill = name, level = level.name(), tokens, "{why}");
            }
        }
    }
}

impl Skills for Shelf {
    fn found(&self) -> &[FoundSkill] {
        &self.found
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }

    fn load(&self, skill: &str, level: Option<Level>) -> Result<LoadedSkill, String> {
        let index = self.index(skill)?;
        let mut books = lock(&self.books);
        let (path, current) = (books.entries[index].path.clone(), books.entries[index].level);
        let loader = books.loader(index);
        let loaded = match level {
            Some(level) => loader.load(&path, Some(level)),
            None => loader.automatic_level(&path).and_then(|automatic| {
                let most = automatic.max(USEFUL).max(current.unwrap_or(USEFUL));
                loader.load_with_room(&path, most)
            }),
        };
        let loaded = loaded.map_err(|error| error.to_string())?;
        let why = match level {
            Some(level) => format!("asked for at the level {}", level.name()),
            None => format!("asked for; {} is the highest level that has room", loaded.level.name()),
        };
        books.note(index, why.clone());
        Ok(shown(skill, &loaded, why))
    }

    fn current(&self, skill: &str) -> Option<LoadedSkill> {
        let index = self.index(skill).ok()?;
        let mut books = lock(&self.books);
        let Entry { path, level, why, .. } = &books.entries[index];
        let (path, level, why) = (path.clone(), (*level)?, why.clone());
        let loaded = books.loader(index).read(&path, level).ok()?;
        Some(shown(skill, &loaded, why))
    }

    fn approve(&self, skill: &str) {
        let Ok(index) = self.index(skill) else { return };
        let mut books = lock(&self.books);
        let path = books.entries[index].path.clone();
        // What cannot be read any more is not loaded either.
        let _ = books.loader(index).approve(&path);
    }

    fn used(&self, skill: &str, tool: &str) {
        let Ok(index) = self.index(skill) else { return };
        let mut books = lock(&self.books);
        books.entries[index].uses += 1;
        let path = books.entries[index].path.clone();
        let is_minimal = books.entries[index].level <= Some(Level::Minimal);
        let loader = books.loader(index);
        // A skill that has no room is called all the same.
        let _ = if is_minimal {
            loader.load_with_room(&path, Level::Compact).map(drop)
        } else {
            loader.mark_used(&path)
        };
        let before = books.entries[index].level;
        let level = books.loader(index).loaded().into_iter().find(|it| it.0 == path).map(|it| it.1);
        if level != before {
            books.note(index, format!("`{tool}` was called"));
        }
    }

    fn matching(&self, about: &SkillContext) -> Vec<LoadedSkill> {
        let SkillContext { text, files } = about.clone();
        let rules = RuleContext { text, files, ..RuleContext::default() };
        let mut books = lock(&self.books);
        let mut matching = Vec::new();
        for index in 0..books.entries.len() {
            let Entry { name, path, loading, has_matched, .. } = &books.entries[index];
            if *loading != Loading::ByRule || *has_matched {
                continue;
            }
            let (name, path) = (name.clone(), path.clone());
            let loaded = books.loader(index).load_with_strategy(&path, Loading::ByRule, None, &rules);
            let Ok(Some(loaded)) = loaded else { continue };
            books.entries[index].has_matched = true;
            let why = "one of its rules matches what the session is about".to_owned();
            books.note(index, why.clone());
            matching.push(shown(&name, &loaded, why));
        }
        matching
    }

    fn states(&self) -> Vec<SkillState> {
        let books = lock(&self.books);
        let state = |it: &Entry| SkillState {
            name: it.name.clone(),
            loading: it.loading,
            level: it.level,
            tokens: it.tokens,
            uses: it.uses,
            why: it.why.clone(),
        };
        books.entries.iter().map(state).collect()
    }

    fn files(&self, skill: &str) -> Vec<SkillFile> {
        let Ok(index) = self.index(skill) else { return Vec::new() };
        let RunnableSkill { documents, path, .. } = &self.runs[index];
        let Some(exported) = export(documents, path, Foreign::Skill) else { return Vec::new() };
        let mut files: Vec<SkillFile> =
            exported.files.into_iter().map(|it| SkillFile { path: it.path, text: it.text }).collect();
        let Some(folder) = files.first().and_then(|it| it.path.split('/').next()).map(str::to_owned) else {
            return files;
        };
        // What it imports, where its text says that it is.
        let beside = path.rfind('/').map_or("", |at| &path[..=at]);
        for (other, document) in documents.iter() {
            let is_own = other != path && !documents.is_installed(other);
            let Some(below) = other.strip_prefix(beside).filter(|_| is_own) else { continue };
            let path = format!("{folder}/{below}");
            let is_open = document.front_matter.loading() != Loading::Manual;
            if is_open && files.iter().all(|it| it.path != path) {
                files.push(SkillFile { path, text: document.source.clone() });
            }
        }
        files
    }

    fn call(
        &self,
        skill: &str,
        tool: &str,
        surroundings: SkillSurroundings,
        invocation: Invocation,
    ) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let found = self.index(skill).and_then(|index| Ok((index, self.runtime(index)?.clone())));
        let (index, runtime) = match found {
            Ok(found) => found,
            Err(message) => {
                let failure = Failure::raised("InternalError", message);
                return std::future::ready(Err(failure.into())).boxed();
            }
        };
        let setup = RuntimeSetup {
            host: Arc::new(SessionHost),
            gate: Some(surroundings.gate),
            providers: surroundings.providers,
            ..RuntimeSetup::default()
        };
        let setup = with_standard(setup, &self.runs[index].package, &self.files);
        let tool = tool.to_owned();
        async move { runtime.call_in(&tool, &setup, invocation).await }.boxed()
    }
}

fn shown(skill: &str, loaded: &LoadedDocument, why: String) -> LoadedSkill {
    LoadedSkill { name: skill.to_owned(), level: loaded.level, text: loaded.text().to_owned(), why }
}

/// Returns `true` for a file that begins as a document does, whatever is wrong with the rest.
fn has_front_matter(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|it| it.trim_ascii_start().starts_with(b"---"))
}

/// The world of the bodies of a session.
#[derive(Debug)]
struct SessionHost;

impl Host for SessionHost {
    fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }
}
