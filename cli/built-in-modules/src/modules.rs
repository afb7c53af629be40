//! The modules with their tools, by name.

use std::path::PathBuf;
use std::sync::Arc;

use ailang::{ActiveRun, Modules, RunModules};
use dialect::{Failure, Handler, Interrupt, Invocation, Object, Requirement, Value};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use crate::call::Call;
use crate::program::Program;
use crate::transport::{Internet, Transport};
use crate::{
    context, error_handler, generator, http, loader, parser, runtime, storage, type_validator, validator,
};

/// The code of the built-in modules.
#[derive(Clone)]
pub struct BuiltInModules {
    package: PathBuf,
    files: PathBuf,
    cache: Option<PathBuf>,
    transport: Arc<dyn Transport>,
}

impl std::fmt::Debug for BuiltInModules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuiltInModules")
            .field("package", &self.package)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl BuiltInModules {
    /// Makes the modules for documents of the package in a folder, and for files below `files`.
    pub fn new(package: impl Into<PathBuf>, files: impl Into<PathBuf>) -> Self {
        let transport = Arc::new(Internet::default());
        Self { package: package.into(), files: files.into(), cache: None, transport }
    }

    /// Keeps caches of documents below a folder of the user, where a program asks for a cache on disk.
    #[must_use]
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        Self { cache: Some(folder.into()), ..self }
    }

    /// Sends requests another way.
    #[must_use]
    pub fn with_transport(self, transport: Arc<dyn Transport>) -> Self {
        Self { transport, ..self }
    }

    /// Returns `true` for the name of a tool here that reaches files or the network.
    pub fn reaches_out(tool: &str) -> bool {
        ["http", "storage"].iter().any(|module| code(module, tool).is_some())
    }
}

impl Modules for BuiltInModules {
    fn begin(&self) -> Arc<dyn RunModules> {
        let Self { package, files, cache, transport } = self.clone();
        Arc::new(OfRun(Arc::new(Program::new(package, files, cache, transport))))
    }
}

/// The modules of one run.
struct OfRun(Arc<Program>);

impl RunModules for OfRun {
    fn implementation(&self, module: &str, tool: &str, run: &ActiveRun) -> Option<Arc<dyn Handler>> {
        let code = code(module, tool)?;
        let (run, program) = (run.clone(), Arc::clone(&self.0));
        Some(Arc::new(move |invocation: Invocation| {
            let call = Call { run: run.clone(), program: Arc::clone(&program), invocation };
            match code {
                Code::Now(code) => ready(code(&call).map_err(Interrupt::from)).boxed(),
                Code::Later(code) => code(call),
            }
        }))
    }

    fn narrowed(&self, requirement: Requirement, arguments: &Object) -> Requirement {
        let text = |name: &str| arguments.get(name).and_then(Value::as_text);
        match requirement.capability.rsplit('/').next() {
            // What is no URL of a server is refused later. Nobody is asked about the whole network for it.
            Some("NetworkAccess") => match text("url") {
                Some(url) => requirement.restricted("domains", [http::domain(url).unwrap_or(url.to_owned())]),
                None => requirement,
            },
            Some("FileSystemRead" | "FileSystemWrite") => match text("path").or_else(|| text("pattern")) {
                Some(path) => requirement.restricted("paths", [path]),
                None => requirement,
            },
            _ => requirement,
        }
    }
}

/// The code of a tool.
#[derive(Clone, Copy)]
enum Code {
    /// It computes, or reads files.
    Now(fn(&Call) -> Result<Value, Failure>),
    /// It waits for something.
    Later(fn(Call) -> BoxFuture<'static, Result<Value, Interrupt>>),
}

fn code(module: &str, tool: &str) -> Option<Code> {
    use Code::{Later, Now};
    Some(match (module, tool) {
        ("parser", "parseDocument") => Now(parser::parse_document),
        ("parser", "parseDocumentFromString") => Now(parser::parse_text),
        ("parser", "extractMetadata") => Now(parser::metadata),
        ("parser", "extractDefinitions") => Now(parser::definitions),
        ("parser", "extractExamples") => Now(parser::examples),
        ("parser", "extractProse") => Now(parser::prose),
        ("validator", "validateDocument") => Now(validator::document),
        ("validator", "validateTypes") => Now(validator::types),
        ("validator", "validateCapabilities") => Now(validator::capabilities),
        ("validator", "validateErrorHandling") => Now(validator::errors),
        ("generator", "generateCode") => Now(generator::generate_code),
        ("context", "getCurrentContextBudget") => Now(context::budget),
        ("context", "getCurrentContextUsage" | "estimateContextUsage") => Now(context::usage),
        ("context", "estimateDocumentSize") => Now(context::document_size),
        ("context", "estimateSize") => Now(context::own_size),
        ("context", "optimizeContextUsage") => Now(context::plan),
        ("context", "loadDocumentWithLevel") => Later(context::load),
        ("storage", "readFile") => Now(storage::read_file),
        ("storage", "writeFile") => Now(storage::write_file),
        ("storage", "deleteFile") => Now(storage::delete_file),
        ("storage", "listFiles") => Now(storage::list_files),
        ("http", "httpGet") => Later(http::get),
        ("http", "httpPost") => Later(http::post),
        ("http", "httpPut") => Later(http::put),
        ("http", "httpDelete") => Later(http::delete),
        ("runtime", "createRuntime") => Now(runtime::create),
        ("runtime", "executeToolWithRuntime") => Later(runtime::execute),
        ("runtime", "makeTypeValidator") => Now(type_validator::make),
        ("runtime", "makeErrorHandler") => Now(error_handler::make),
        ("runtime", "makeModuleLoader") => Now(loader::make),
        ("runtime", "makeContextMonitor") => Now(context::monitor),
        _ => return None,
    })
}
