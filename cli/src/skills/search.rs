//! The documents below the folders of skills: loose ones, and the main documents of packages.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use ailang::Manifest;
use packages::Project;

/// The most documents of all folders.
const MOST_DOCUMENTS: usize = 500;

/// The most entries of all folders that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// The most bytes of one document, and of all of them.
const LARGEST: u64 = 1 << 20;
const MOST_BYTES: u64 = 32 << 20;

/// The folders inside of each other that are looked into.
const DEEPEST: usize = 6;

/// The documents of one package, or loose ones that may import each other.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) project: Project,
    /// The paths of the documents in the package.
    pub(super) documents: Vec<String>,
    /// True if it has a manifest: then a document is a skill, whatever is in it.
    pub(super) is_package: bool,
}

/// The documents that were found.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) places: Vec<Place>,
    pub(super) problems: Vec<String>,
    seen: HashSet<PathBuf>,
    documents: usize,
    entries: usize,
    bytes: u64,
    is_full: bool,
}

impl Search {
    /// Searches folders, in their order.
    pub(super) fn of(folders: &[PathBuf]) -> Self {
        let mut search = Self::default();
        folders.iter().for_each(|it| search.folder(it));
        search
    }

    fn problem(&mut self, path: &Path, problem: impl std::fmt::Display) {
        self.problems.push(format!("{}: {problem}", path.display()));
    }

    fn folder(&mut self, folder: &Path) {
        let project = match Project::open(folder) {
            Ok(project) => project,
            Err(error) => {
                return self.problem(folder, format!("the folder of skills cannot be read: {error}"));
            }
        };
        if !self.seen.insert(project.folder().to_path_buf()) {
            return; // the command line may name one of the settings
        }
        let mut loose = Vec::new();
        self.look(project.folder(), "", 0, &mut loose);
        let has_loose = !loose.is_empty();
        if has_loose {
            self.places.push(Place { project, documents: loose, is_package: false });
        }
    }

    /// Looks into one folder. `below` is its path in the folder of the user, with a slash behind it.
    fn look(&mut self, folder: &Path, below: &str, depth: usize, loose: &mut Vec<String>) {
        if folder.join(Manifest::FILE).is_file() {
            return self.package(folder);
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.problem(folder, format!("it cannot be read: {error}")),
        };
        let mut names: Vec<(String, bool)> = Vec::new();
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return self.full(folder);
            }
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let is_hidden = name.starts_with('.') || name == "node_modules" || name == "ailang_modules";
            // A link to a folder may lead in a circle. One to a file may not lead out, which reading finds.
            if !is_hidden && (kind.is_dir() || name.ends_with(".md")) {
                names.push((name, kind.is_dir()));
            }
        }
        names.sort();
        for (name, is_folder) in names {
            match is_folder {
                false if self.has_room(&folder.join(&name)) => loose.push(format!("{below}{name}")),
                false => {}
                true if depth < DEEPEST => {
                    self.look(&folder.join(&name), &format!("{below}{name}/"), depth + 1, loose);
                }
                true => self.problem(&folder.join(&name), "it lies too deep, so it is not looked into"),
            }
        }
    }

    fn package(&mut self, folder: &Path) {
        match Project::open(folder) {
            Ok(project) => {
                let main = project.manifest().map_or(Manifest::MAIN, Manifest::main_path).to_owned();
                if self.has_room(&folder.join(&main)) {
                    self.places.push(Place { project, documents: vec![main], is_package: true });
                }
            }
            Err(error) => self.problem(folder, format!("the package cannot be read: {error}")),
        }
    }

    /// Counts a document, if it may be read.
    fn has_room(&mut self, file: &Path) -> bool {
        let bytes = fs::metadata(file).map_or(0, |it| it.len());
        if bytes > LARGEST {
            self.problem(file, format!("it has {bytes} bytes, and a skill has at most {LARGEST}"));
            return false;
        }
        if self.documents == MOST_DOCUMENTS || self.bytes + bytes > MOST_BYTES {
            self.full(file);
            return false;
        }
        self.documents += 1;
        self.bytes += bytes;
        true
    }

    /// Says once that there are more.
    fn full(&mut self, folder: &Path) {
        if !std::mem::replace(&mut self.is_full, true) {
            let most = format!(
                "there are more than {MOST_DOCUMENTS} documents, {MOST_ENTRIES} files or {MOST_BYTES} bytes; the rest \
                 is left out. Name smaller folders with --skills"
            );
            self.problem(folder, most);
        }
    }
}
