//! Packages: the documents of a folder, on disk and as editors have them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ailang::{Document, Documents, LARGEST_DOCUMENT, Manifest, standard_document};
use ignore::WalkBuilder;
use lsp_types::Url;

use crate::text::Text;

/// The maximum number of documents. A folder with more is no package, but perhaps a whole disk.
const MOST_DOCUMENTS: usize = 5_000;

/// The maximum depth of folders in a package.
const DEEPEST_FOLDER: usize = 16;

/// The folders of dependencies and of build results.
const FOREIGN: [&str; 3] = ["ailang_modules", "node_modules", "target"];

/// One state of a package. Clones share everything, so a clone is a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    disk: Arc<Disk>,
    /// The files that changed on disk since it was read; `None` for one that is gone.
    changed: BTreeMap<String, Option<Arc<Document>>>,
    open: BTreeMap<String, OpenDocument>,
    /// All documents; computed on demand.
    documents: Arc<OnceLock<Documents>>,
}

/// The files of the package, read on demand.
#[derive(Debug)]
struct Disk {
    /// The folder; `None` for texts without a file.
    root: Option<PathBuf>,
    content: OnceLock<DiskContent>,
}

#[derive(Debug, Default)]
struct DiskContent {
    documents: BTreeMap<String, Arc<Document>>,
    dependencies: Vec<String>,
}

/// A document that an editor has open.
#[derive(Clone, Debug)]
pub(crate) struct OpenDocument {
    pub(crate) text: Text,
    /// The address by which the client knows it.
    pub(crate) url: Url,
    /// `true` if the client says that it is an interface document, whatever it contains.
    is_declared: bool,
    parsed: Arc<OnceLock<Arc<Document>>>,
}

impl OpenDocument {
    pub(crate) fn new(url: Url, text: Text, is_declared: bool) -> Self {
        Self { text, url, is_declared, parsed: Arc::default() }
    }

    fn document(&self) -> &Arc<Document> {
        self.parsed.get_or_init(|| Arc::new(Document::parse(&*self.text.source)))
    }
}

impl Package {
    /// Creates the package of a folder; without one it has open documents alone.
    pub(crate) fn new(root: Option<PathBuf>) -> Self {
        let disk = Arc::new(Disk { root, content: OnceLock::new() });
        Self { disk, changed: BTreeMap::new(), open: BTreeMap::new(), documents: Arc::default() }
    }

    /// Returns `true` if no document is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns `true` if a document is to be read as an interface document. Other Markdown is left alone.
    pub(crate) fn is_interface(&self, path: &str) -> bool {
        let is_declared = self.open.get(path).is_some_and(|open| open.is_declared);
        let has_marks = |it: &Document| it.blocks().next().is_some() || it.front_matter.id.is_some();
        is_declared || self.documents().get(path).is_some_and(has_marks)
    }

    /// Returns the file at a path; `None` for a text without a file, and for a built-in module.
    pub(crate) fn file(&self, path: &str) -> Option<PathBuf> {
        if standard_document(path).is_some() {
            return None;
        }
        self.disk.root.as_ref().map(|root| root.join(path))
    }

    /// Returns the address of a document.
    pub(crate) fn address(&self, path: &str) -> Option<Url> {
        match self.open.get(path) {
            Some(open) => Some(open.url.clone()),
            None => Url::from_file_path(self.file(path)?).ok(),
        }
    }

    /// Returns the text of a document, with its lines.
    pub(crate) fn text_of(&self, path: &str) -> Option<Text> {
        if let Some(open) = self.open.get(path) {
            return Some(open.text.clone());
        }
        self.documents().get(path).map(|document| Text::new(document.source.as_str()))
    }

    /// Sets the text of an open document.
    pub(crate) fn set_open(&mut self, path: &str, document: OpenDocument) {
        self.open.insert(path.to_owned(), document);
        self.documents = Arc::default();
    }

    /// Closes a document: from now on its file counts.
    pub(crate) fn close(&mut self, path: &str) {
        self.open.remove(path);
        self.reload(path);
    }

    /// Reads a file again; that of the manifest means the whole package.
    pub(crate) fn reload(&mut self, path: &str) {
        if path == Manifest::FILE {
            self.disk = Arc::new(Disk { root: self.disk.root.clone(), content: OnceLock::new() });
            self.changed.clear();
        } else {
            let document = self.file(path).and_then(|file| read(&file));
            self.changed.insert(path.to_owned(), document.map(Arc::new));
        }
        self.documents = Arc::default();
    }

    /// Returns all documents. The first call reads the folder, and blocks meanwhile.
    pub(crate) fn documents(&self) -> &Documents {
        self.documents.get_or_init(|| {
            let disk =
                self.disk.content.get_or_init(|| self.disk.root.as_deref().map(load).unwrap_or_default());
            let mut all = disk.documents.clone();
            for (path, document) in &self.changed {
                match document {
                    Some(document) => all.insert(path.clone(), Arc::clone(document)),
                    None => all.remove(path),
                };
            }
            for (path, open) in &self.open {
                all.insert(path.clone(), Arc::clone(open.document()));
            }
            let mut documents = Documents::new();
            all.into_iter().for_each(|(path, document)| documents.insert(path, document));
            disk.dependencies.iter().for_each(|name| documents.depend_on(name));
            documents.add_standard_library();
            documents
        })
    }
}

/// Reads the documents of a folder and of those below it. Hidden and ignored files are skipped, and links.
fn load(root: &Path) -> DiskContent {
    let is_own =
        |entry: &ignore::DirEntry| !entry.file_name().to_str().is_some_and(|it| FOREIGN.contains(&it));
    let walk = WalkBuilder::new(root).max_depth(Some(DEEPEST_FOLDER)).filter_entry(is_own).build();
    let is_markdown = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    let files = walk.flatten().filter(|it| it.file_type().is_some_and(|it| it.is_file()));
    let files = files.map(ignore::DirEntry::into_path).filter(|path| is_markdown(path));
    let documents = files.take(MOST_DOCUMENTS).filter_map(|file| {
        let path = relative(root, &file)?;
        Some((path, Arc::new(read(&file)?)))
    });
    let documents = documents.collect();
    let manifest = std::fs::read_to_string(root.join(Manifest::FILE)).map(Manifest::parse);
    let dependencies = manifest.map(|it| it.dependencies).unwrap_or_default();
    DiskContent { documents, dependencies: dependencies.into_iter().map(|it| it.name.value).collect() }
}

/// Reads a file that is an interface document; `None` for any other, and for one that cannot be read.
fn read(file: &Path) -> Option<Document> {
    let is_small =
        std::fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= LARGEST_DOCUMENT as u64);
    let text = is_small.then(|| std::fs::read_to_string(file).ok()).flatten()?;
    Some(Document::parse(text)).filter(Document::is_interface)
}

/// Returns a path relative to the root, with `/`.
pub(crate) fn relative(root: &Path, file: &Path) -> Option<String> {
    let path = file.strip_prefix(root).ok()?;
    Some(path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
}
