//! What programs can name beyond what is built in: libraries of whoever starts the component.

use std::sync::Arc;

use dialect::{Library, Registry, RegistryError, Requirement, help};
use ide_library::Host;

use crate::documented;
use crate::permission::{Capability, CapabilityError, Catalogue, Pass, guarded};

/// A library and the capabilities that its rows need.
#[derive(Clone, Debug, Default)]
pub struct Extension {
    /// The tables.
    pub library: Library,
    /// Whose it is, for the user to read in questions; absent when it is as much ours as what is built in.
    pub origin: Option<String>,
    /// Its capabilities. One that rows require and nobody declares is asked for by its name.
    pub capabilities: Vec<Capability>,
    /// Names for all of several capabilities together, of this library or of others.
    pub composites: Vec<(String, Vec<Requirement>)>,
}

/// Why an extension does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionError {
    /// Its tables.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Its capabilities.
    #[error(transparent)]
    Capability(#[from] CapabilityError),
    /// Its name is that of something else, whose capabilities would be its own.
    #[error("the name of the library `{0}` is taken")]
    Taken(String),
    /// Its document.
    #[error(transparent)]
    Document(#[from] ailang::Rejected),
    /// What its document declares is not what there is.
    #[error(transparent)]
    Code(#[from] ailang::Mismatch),
}

/// All of them, and what is built in.
///
/// Invariant: they fit together.
#[derive(Clone, Debug)]
pub(crate) struct Extensions {
    libraries: Vec<Library>,
    pub(crate) catalogue: Catalogue,
}

impl Extensions {
    /// What is built in, with tables that look like `host`'s.
    pub(crate) fn built_in(host: Arc<dyn Host>) -> Self {
        let mut catalogue = Catalogue::default();
        built_in(host).iter().for_each(|it| catalogue.introduce(&it.name, None));
        for capability in documented::prelude() {
            catalogue.declare(documented::PRELUDE, capability).expect("nobody else declares it");
        }
        Self { libraries: Vec::new(), catalogue }
    }

    /// Adds one, if it fits.
    pub(crate) fn add(&mut self, extension: Extension, host: Arc<dyn Host>) -> Result<(), ExtensionError> {
        let Extension { library, origin, capabilities, composites } = extension;
        let mut more = self.clone();
        if more.catalogue.is_taken(&library.name) {
            return Err(ExtensionError::Taken(library.name));
        }
        more.libraries.push(library.clone());
        more.try_registry(host, |library| library)?;
        let origin = origin.as_deref();
        more.catalogue.introduce(&library.name, origin);
        for capability in capabilities {
            let capability = Capability { origin: origin.map(str::to_owned), ..capability };
            more.catalogue.declare(&library.name, capability)?;
        }
        for (id, parts) in composites {
            more.catalogue.compose(&library.name, &id, parts)?;
        }
        *self = more;
        Ok(())
    }

    /// Everything that a program can name. What needs a permission asks `pass` before it runs.
    pub(crate) fn registry(&self, host: Arc<dyn Host>, pass: &Pass) -> Registry {
        self.try_registry(host, |library| guarded(library, pass)).expect("they fit together")
    }

    fn try_registry(
        &self,
        host: Arc<dyn Host>,
        each: impl Fn(Library) -> Library,
    ) -> Result<Registry, RegistryError> {
        // What is said about a tool ends with what models know from elsewhere.
        let [ide, general] = built_in(host);
        let libraries = [ide].into_iter().chain(self.libraries.iter().cloned()).chain([general]);
        let registry = Registry::new(libraries.map(each))?;
        registry.with(help(&registry))
    }
}

fn built_in(host: Arc<dyn Host>) -> [Library; 2] {
    [ide_library::library(host), core_library::library()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Nobody;
    use dialect::{Function, Interrupt, Invocation, Value};

    fn extension(library: &str, signature: &str, capability: &str) -> Extension {
        let code = |_: Invocation| std::future::ready(Ok::<Value, Interrupt>(Value::Null));
        let functions = vec![Function::new(signature, "It writes.", code)];
        let library = Library { name: library.to_owned(), functions, ..Library::default() };
        let capabilities = vec![Capability::new(capability, "May I")];
        Extension { library, origin: Some("them".to_owned()), capabilities, composites: Vec::new() }
    }

    fn add(extensions: &mut Extensions, extension: Extension) -> Result<(), ExtensionError> {
        extensions.add(extension, Arc::new(Nobody))
    }

    #[test]
    fn nobody_takes_a_name_or_a_capability_of_another() {
        let mut all = Extensions::built_in(Arc::new(Nobody));
        let shadow = extension("notes", "search(path: string) -> null", "notes/Write");
        assert!(matches!(add(&mut all, shadow), Err(ExtensionError::Registry(RegistryError::Clash { .. }))));
        let ours = extension("notes", "writeNote(text: string) -> null", "ide/Write");
        assert!(matches!(add(&mut all, ours), Err(ExtensionError::Capability(_))));
        assert_eq!(
            add(&mut all, extension("notes", "writeNote(text: string) -> null", "notes/Write")),
            Ok(())
        );
        for taken in ["core", "notes", "prelude"] {
            let other = extension(taken, "scribble(text: string) -> null", &format!("{taken}/Scribble"));
            assert_eq!(add(&mut all, other), Err(ExtensionError::Taken(taken.to_owned())));
        }
        let undeclared = extension("evil", "be(text: string) -> null", "notes/writeNote");
        assert!(matches!(add(&mut all, undeclared), Err(ExtensionError::Capability(_))));
        assert_eq!(all.libraries.len(), 1);
        assert_eq!(all.catalogue.find("notes/Write").origin.as_deref(), Some("them"));
    }
}
