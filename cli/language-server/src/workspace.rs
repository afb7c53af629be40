//! The workspace: its folders, the packages in them, and the open files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ailang::{Document, Manifest};
use dialect::Registry;
use lsp_types::Url;
use source_text::Encoding;

use crate::package::{OpenDocument, Package, relative};
use crate::text::{Change, Text};

/// The language of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// An interface document, or Markdown that may become one.
    Document,
    /// A Dialect program.
    Program,
}

/// A file between `textDocument/didOpen` and `didClose`, with the text of the client.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    pub(crate) language: Language,
    is_declared: bool,
    pub(crate) version: i32,
    text: Text,
    /// The package of a document, and its path there.
    home: (PathBuf, String),
}

/// The open files, and everything around them.
#[derive(Debug)]
pub(crate) struct Workspace {
    folders: Vec<PathBuf>,
    packages: HashMap<PathBuf, Package>,
    /// The folders of the client without open documents, once they were searched.
    searched: HashMap<PathBuf, Package>,
    files: HashMap<Url, OpenFile>,
    registry: Arc<Registry>,
    pub(crate) encoding: Encoding,
}

/// One file in one state of the workspace.
#[derive(Clone, Debug)]
pub(crate) enum View {
    Document(DocumentView),
    Program(ProgramView),
}

/// A document in one state of its package.
#[derive(Clone, Debug)]
pub(crate) struct DocumentView {
    pub(crate) package: Package,
    /// The folder of the package, or the address of a text without a file.
    pub(crate) root: PathBuf,
    pub(crate) path: String,
    pub(crate) text: Text,
    pub(crate) encoding: Encoding,
}

/// A Dialect program.
#[derive(Clone, Debug)]
pub(crate) struct ProgramView {
    pub(crate) text: Text,
    pub(crate) registry: Arc<Registry>,
    pub(crate) encoding: Encoding,
}

impl Workspace {
    pub(crate) fn new(registry: Arc<Registry>) -> Self {
        Self {
            folders: Vec::new(),
            packages: HashMap::new(),
            searched: HashMap::new(),
            files: HashMap::new(),
            registry,
            encoding: Encoding::Utf16,
        }
    }

    /// Sets the folders that the client has open.
    pub(crate) fn set_folders(&mut self, folders: impl IntoIterator<Item = Url>) {
        let paths = folders.into_iter().filter_map(|folder| folder.to_file_path().ok());
        self.folders = paths.map(|path| path.canonicalize().unwrap_or(path)).collect();
    }

    pub(crate) fn open(&mut self, url: &Url, language_id: &str, version: i32, source: String) {
        let is_program = language_id == "dialect" || url.path().ends_with(".dialect");
        let language = if is_program { Language::Program } else { Language::Document };
        let is_declared = language_id == "ailang";
        let home = self.home(url);
        let text = Text::new(source);
        if language == Language::Document {
            let document = OpenDocument::new(url.clone(), text.clone(), is_declared);
            self.package(&home.0, url).set_open(&home.1, document);
        }
        self.files.insert(url.clone(), OpenFile { language, is_declared, version, text, home });
    }

    /// Changes the text of an open file; nothing happens for any other.
    pub(crate) fn change(&mut self, url: &Url, version: i32, changes: Vec<Change>) {
        let Some(file) = self.files.get_mut(url) else { return };
        for change in changes {
            file.text = file.text.changed(change, self.encoding);
        }
        file.version = version;
        if file.language == Language::Document
            && let Some(package) = self.packages.get_mut(&file.home.0)
        {
            let document = OpenDocument::new(url.clone(), file.text.clone(), file.is_declared);
            package.set_open(&file.home.1, document);
        }
    }

    pub(crate) fn close(&mut self, url: &Url) {
        let Some(file) = self.files.remove(url) else { return };
        if let Some(package) = self.packages.get_mut(&file.home.0) {
            package.close(&file.home.1);
            // Without open documents nobody asks about it, and it may be large.
            if package.is_idle() {
                self.packages.remove(&file.home.0);
            }
        }
    }

    /// Reads a file again that changed on disk. Returns the open documents of its package.
    pub(crate) fn reload(&mut self, url: &Url) -> Vec<Url> {
        let Ok(file) = url.to_file_path() else { return Vec::new() };
        let file = canonical(&file);
        for (root, package) in self.packages.iter_mut().chain(&mut self.searched) {
            let Some(path) = relative(root, &file) else { continue };
            package.reload(&path);
        }
        let is_near = |it: &&Url| self.files.get(it).is_some_and(|it| file.starts_with(&it.home.0));
        self.files.keys().filter(is_near).cloned().collect()
    }

    /// Returns an open file.
    pub(crate) fn file(&self, url: &Url) -> Option<&OpenFile> {
        self.files.get(url)
    }

    /// Returns an open file with everything around it, as it is now.
    pub(crate) fn view(&self, url: &Url) -> Option<View> {
        let file = self.files.get(url)?;
        let (text, encoding) = (file.text.clone(), self.encoding);
        if file.language == Language::Program {
            return Some(View::Program(ProgramView { text, registry: Arc::clone(&self.registry), encoding }));
        }
        let package = self.packages.get(&file.home.0)?.clone();
        let (root, path) = file.home.clone();
        Some(View::Document(DocumentView { package, root, path, text, encoding }))
    }

    /// Returns every package with open documents, and then every folder of the client as a package.
    ///
    /// Folders are read once where the client tells of changes on disk, and otherwise again for each call.
    pub(crate) fn all(&mut self, is_watched: bool) -> Vec<Package> {
        if !is_watched {
            self.searched.clear();
        }
        let mut all: Vec<Package> = self.packages.values().cloned().collect();
        for folder in self.folders.iter().filter(|folder| !self.packages.contains_key(*folder)) {
            let searched = self.searched.entry(folder.clone());
            all.push(searched.or_insert_with(|| Package::new(Some(folder.clone()))).clone());
        }
        all
    }

    fn package(&mut self, root: &Path, url: &Url) -> &mut Package {
        let folder = url.to_file_path().is_ok().then(|| root.to_owned());
        self.packages.entry(root.to_owned()).or_insert_with(|| Package::new(folder))
    }

    /// Returns the package of a file, and its path there: the nearest folder above with an `ailang.json`, then the
    /// folder of the client, then the folder of the file.
    fn home(&self, url: &Url) -> (PathBuf, String) {
        let Ok(file) = url.to_file_path() else {
            return (PathBuf::from(url.as_str()), url.path().to_owned());
        };
        let file = canonical(&file);
        let folder = file.parent().unwrap_or(&file);
        let package = folder.ancestors().find(|folder| folder.join(Manifest::FILE).is_file());
        let opened =
            self.folders.iter().filter(|it| file.starts_with(it)).max_by_key(|it| it.as_os_str().len());
        let root = package.or(opened.map(PathBuf::as_path)).unwrap_or(folder);
        let path = relative(root, &file).unwrap_or_else(|| file.to_string_lossy().into_owned());
        (root.to_owned(), path)
    }
}

/// Returns a path without links in its folder; the file may be new.
fn canonical(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

impl DocumentView {
    /// Returns the parsed document.
    pub(crate) fn document(&self) -> &Document {
        self.package.documents().get(&self.path).expect("an open document is one of its package")
    }

    /// Returns `true` if the text is to be read as an interface document. Other Markdown is left alone.
    pub(crate) fn is_interface(&self) -> bool {
        self.package.is_interface(&self.path)
    }
}
