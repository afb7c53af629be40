//! Documents made ready to run: their rows in a registry, the meanings of their names, and the bodies of their tools.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use unpoisoned::lock;

use dialect::ast::Expression;
use dialect::{Embedded, Failure, Interrupt, Invocation, Library, Registry};
use source_text::Span;

use super::meaning::{Meaning, Meanings, meanings};
use super::rows::REGISTRY;
use crate::Implementation;
use crate::capability::Capability;
use crate::documents::{Documents, fold};
use crate::interface::Interface;
use crate::standard::standard_module;
use crate::syntax::{Block, DefinitionKind, Item, Program, Tool};
use crate::throwable::Throwable;
use crate::values::Values;

/// The functions whose first argument is the name of an error, and not its value.
const QUOTING: &[&str] = &["expectThrows"];

/// Documents that are ready to run.
pub(super) struct Linked {
    pub(super) documents: Documents,
    /// The index of the document whose programs run.
    pub(super) home: usize,
    /// The rows of all tools, whose code is found when they are called.
    pub(super) registry: Registry,
    /// The rows of methods, those of the libraries among them.
    pub(super) methods: Registry,
    pub(super) values: Values,
    /// The declared capabilities.
    pub(super) capabilities: Arc<[Capability]>,
    pub(super) tools: HashMap<String, LinkedTool>,
    /// The names of each document; the last are those of the prelude.
    meanings: Vec<Meanings>,
    /// The texts of the documents.
    texts: Vec<Arc<str>>,
    /// The expressions that ran so far, by document and place.
    embedded: Mutex<HashMap<(usize, Span), Embedded>>,
}

/// A tool.
#[derive(Clone, Debug)]
pub(super) struct LinkedTool {
    /// The index of its document, and its index among the items there.
    pub(super) place: (usize, usize),
    /// `true` if its body has statements.
    pub(super) is_program: bool,
    /// `true` if calling it twice does no more than calling it once.
    pub(super) may_repeat: bool,
    pub(super) throws: Vec<Throwable>,
    /// The name of the built-in module that declares it.
    pub(super) module: Option<&'static str>,
}

impl Linked {
    /// Makes documents ready. Programs of the example `local` of the document at `path` see its definitions.
    ///
    /// # Errors
    /// The documents have errors, or their rows do not fit together.
    pub(super) fn new(
        mut documents: Documents,
        path: &str,
        local: Option<usize>,
        libraries: &[Library],
        clock: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let home = documents.index_of(path).ok_or_else(|| format!("there is no document `{path}`"))?;
        documents.add_standard_library();
        if let Some(local) = local {
            localize(&mut documents, path, local);
        }
        let interface = Interface::load(&documents).map_err(|invalid| invalid.to_string())?.with_clock(clock);
        let id =
            documents.at(home).and_then(|(_, it)| it.front_matter.id.as_ref()).map(|id| id.value.clone());
        let code = callables(&documents).into_iter().map(|name| {
            let code = not_implemented(&name);
            (name, code)
        });
        let mut library = interface.library(id.unwrap_or_default(), code).map_err(|it| it.to_string())?;
        give_way(&mut library);
        let registry = Registry::new([library]).map_err(|error| error.to_string())?;
        let registry = with_libraries(registry, libraries)?;
        let methods = with_libraries(REGISTRY.clone(), libraries)?;
        let tools = tools(&documents, &interface);
        let (values, meanings) = (interface.values(), meanings(&documents));
        let (capabilities, embedded) = (interface.capabilities().into(), Mutex::default());
        let texts = documents.iter().map(|(_, document)| document.source.as_str().into()).collect();
        Ok(Self {
            documents,
            home,
            registry,
            methods,
            values,
            capabilities,
            tools,
            meanings,
            texts,
            embedded,
        })
    }

    /// Returns the meaning of a name in a document.
    pub(super) fn meaning(&self, home: usize, name: &str) -> Option<&Meaning> {
        let here = self.meanings.get(home)?.get(name);
        here.or_else(|| self.meanings.last()?.get(name))
    }

    /// Returns the meaning of a name that a document defines for others.
    pub(super) fn exported(&self, home: usize, name: &str) -> Option<&Meaning> {
        self.meanings.get(home)?.get(name)
    }

    /// Returns the error of that name that any document declares.
    pub(super) fn error(&self, home: usize, name: &str) -> Option<Arc<Throwable>> {
        let of = |meanings: &Meanings| match meanings.get(name) {
            Some(Meaning::Error(error)) => Some(Arc::clone(error)),
            _ => None,
        };
        self.meanings.get(home).and_then(of).or_else(|| self.meanings.iter().find_map(of))
    }

    /// Returns the text of a document.
    pub(super) fn source(&self, home: usize) -> (&str, &str) {
        self.documents.at(home).map_or(("", ""), |(path, document)| (path, document.source.as_str()))
    }

    /// Returns the program with the bodies of the tools and lambdas of a document.
    pub(super) fn program(&self, home: usize) -> Option<&Program> {
        self.documents.at(home).map(|(_, document)| &document.definitions)
    }

    /// Returns the body of a tool, with its declaration.
    pub(super) fn body(&self, tool: &LinkedTool) -> Option<(&Tool, &Block)> {
        match self.program(tool.place.0)?.items.get(tool.place.1)? {
            Item::Definition(definition) => match &definition.kind {
                DefinitionKind::Tool(it) => it.body.as_ref().map(|body| (it, body)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the statements behind the `=>` of a lambda, by the place of their opening brace.
    pub(super) fn lambda_body(&self, home: usize, at: usize) -> Option<&Block> {
        let (_, document) = self.documents.at(home)?;
        let of_tools = document.definitions.lambda_bodies.get(&at);
        of_tools.or_else(|| {
            let behind = document.examples.partition_point(|example| example.span.start <= at);
            document.examples.get(behind.checked_sub(1)?)?.program.lambda_bodies.get(&at)
        })
    }

    /// Returns an expression of a document, ready to be evaluated.
    pub(super) fn embedded(&self, home: usize, expression: &Expression) -> Embedded {
        let mut embedded = lock(&self.embedded);
        let made = embedded.entry((home, expression.span));
        made.or_insert_with(|| Embedded::new(expression, QUOTING)).clone()
    }

    /// Returns the text of a document, for the places of its expressions.
    pub(super) fn text(&self, home: usize) -> Arc<str> {
        self.texts.get(home).cloned().unwrap_or_else(|| "".into())
    }
}

impl fmt::Debug for Linked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linked").field("home", &self.home).finish_non_exhaustive()
    }
}

/// Adds the definitions and imports of an example to those of its document, for which it runs alone.
fn localize(documents: &mut Documents, path: &str, local: usize) {
    let Some(mut document) = documents.get(path).cloned() else { return };
    let example = document.examples.swap_remove(local);
    let is_local = |item: &&Item| !matches!(item, Item::Statement(_));
    let own: Vec<Item> = example.program.items.iter().filter(is_local).cloned().collect();
    let name = |item: &Item| match item {
        Item::Definition(definition) => Some(definition.name.text.clone()),
        _ => None,
    };
    let shadowed: Vec<String> = own.iter().filter_map(name).collect();
    document.definitions.items.retain(|item| name(item).is_none_or(|name| !shadowed.contains(&name)));
    document.definitions.items.extend(own);
    document.definitions.lambda_bodies.extend(example.program.lambda_bodies.clone());
    document.examples = vec![example];
    documents.insert(path, document);
}

/// Drops the constructors of types that have the name of a tool, such as a type `Charge` beside a tool `charge`.
/// Programs write such values as objects.
fn give_way(library: &mut Library) {
    let name = |signature: &str| fold(signature.split('(').next().unwrap_or_default());
    let tools: HashSet<String> = library.functions.iter().map(|row| name(&row.signature)).collect();
    for row in &mut library.types {
        row.has_constructor = !tools.contains(&name(&row.signature));
    }
}

/// Adds libraries, of which those before count first.
fn with_libraries(registry: Registry, libraries: &[Library]) -> Result<Registry, String> {
    libraries.iter().try_fold(registry, |registry, library| {
        registry.with(beside(library, &registry)).map_err(|error| error.to_string())
    })
}

/// Returns a library without the functions whose names the documents use: their own tools come first.
fn beside(library: &Library, registry: &Registry) -> Library {
    let taken: HashSet<String> = registry.signatures().map(|it| fold(&it.name)).collect();
    let mut library = library.clone();
    library.functions.retain_mut(|row| {
        row.aliases.retain(|alias| !taken.contains(&fold(alias)));
        !taken.contains(&fold(row.signature.split('(').next().unwrap_or_default()))
    });
    library
}

/// Returns the names of the tools of all documents.
fn callables(documents: &Documents) -> Vec<String> {
    let definitions = documents.iter().flat_map(|(_, document)| document.definitions());
    let tools = definitions.filter(|it| matches!(it.kind, DefinitionKind::Tool(_)));
    tools.map(|it| it.name.text.clone()).collect()
}

/// Returns the code of a tool that nothing implements.
pub(super) fn not_implemented(tool: &str) -> Implementation {
    let tool = tool.to_owned();
    Implementation::new(move |_: Invocation| {
        let failure = Failure::raised("NotImplementedError", format!("nothing implements `{tool}`"))
            .recovery(
                "Give it a body, bind an implementation, or describe its results in a file of fixtures.",
            );
        async move { Err(Interrupt::from(failure)) }
    })
}

fn tools(documents: &Documents, interface: &Interface) -> HashMap<String, LinkedTool> {
    let mut tools = HashMap::new();
    for (home, (path, document)) in documents.iter().enumerate() {
        let module = standard_module(path, document);
        for (index, item) in document.definitions.items.iter().enumerate() {
            let Item::Definition(definition) = item else { continue };
            let DefinitionKind::Tool(tool) = &definition.kind else { continue };
            let linked = LinkedTool {
                place: (home, index),
                is_program: tool.body.as_ref().is_some_and(|it| !it.items.is_empty()),
                may_repeat: definition.documentation.may_repeat(),
                throws: interface.thrown_by(&definition.name.text).to_vec(),
                module,
            };
            tools.insert(definition.name.text.clone(), linked);
        }
    }
    tools
}
