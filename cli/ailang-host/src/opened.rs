//! A document with everything that it imports.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ailang::{Diagnostic, Document, Documents, Runtime, RuntimeSetup, Strictness, validate};
use built_in_modules::BuiltInModules;
use packages::{Package, ReadError, user_cache};

/// A document with everything that it imports, from its package and the installed ones.
#[derive(Debug)]
pub struct Opened {
    package: Package,
    /// The folder that `storage` reads and writes.
    files: Option<PathBuf>,
}

impl Opened {
    /// Reads a document of a file, and its imports.
    ///
    /// # Errors
    /// The document cannot be read, or imports too many. What cannot be imported is a problem of the document.
    pub fn file(file: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(Self { package: packages::package(file.as_ref())?, files: None })
    }

    /// Takes a text as a document. It imports only built-in modules.
    pub fn text(name: &str, text: impl Into<String>) -> Self {
        let mut documents = Documents::new();
        documents.insert(name, Document::parse(text.into()));
        documents.add_standard_library();
        Self { package: Package { documents, path: name.to_owned(), folder: None }, files: None }
    }

    /// Lets the module `storage` read and write below a folder. Without it, that is the folder of the package.
    #[must_use]
    pub fn with_files(self, folder: impl Into<PathBuf>) -> Self {
        Self { files: Some(folder.into()), ..self }
    }

    /// Returns the documents.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// Returns the documents alone.
    pub fn into_package(self) -> Package {
        self.package
    }

    /// Returns the problems of the document, in the order of their places.
    pub fn problems(&self, strictness: Strictness) -> Vec<Diagnostic> {
        validate(&self.package.documents, &self.package.path, strictness).unwrap_or_default()
    }

    /// Makes the document ready to run. Where the setup has no modules and no libraries, these are the built-in ones.
    ///
    /// # Errors
    /// The documents have errors, or names clash. The message has the places.
    pub fn runtime(self, setup: RuntimeSetup) -> Result<Runtime, String> {
        let Self { package: Package { documents, path, folder }, files } = self;
        let setup = match files.or_else(|| folder.clone()) {
            Some(files) => with_standard(setup, folder.as_deref().unwrap_or(&files), &files),
            None => with_libraries(setup),
        };
        Runtime::new(documents, &path, setup)
    }
}

/// Adds the core library to a setup that has no libraries, and to one without modules the built-in modules: for the
/// documents of the package in a folder, and for files below `files`. Their cache on disk is the user's.
pub fn with_standard(setup: RuntimeSetup, package: &Path, files: &Path) -> RuntimeSetup {
    let mut setup = with_libraries(setup);
    setup.modules.get_or_insert_with(|| {
        let modules = BuiltInModules::new(package, files);
        Arc::new(match user_cache() {
            Some(folder) => modules.with_cache(folder.join("documents")),
            None => modules,
        })
    });
    setup
}

fn with_libraries(mut setup: RuntimeSetup) -> RuntimeSetup {
    if setup.libraries.is_empty() {
        setup.libraries = vec![core_library::library()];
    }
    setup
}
