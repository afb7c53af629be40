//! `createRuntime`: a runtime in the run of the program that makes it.

use std::sync::{Arc, Mutex};

use ailang::{ActiveRun, CapabilityMode, ErrorStrategy, Level, Methods, RuntimeSettings, RuntimeSetup};
use dialect::{Failure, Interrupt, Invocation, Object, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value as Json, json};
use unpoisoned::lock;

use crate::call::{Call, level, result};
use crate::capabilities::Registry;
use crate::config::{Loading, loading, settings, shown};
use crate::error_handler::Handler;
use crate::loader::{self, LoaderValue, error_value};
use crate::monitor::RuntimeMonitor;
use crate::type_validator::TypeValidator;

/// Makes a runtime.
pub(crate) fn create(call: &Call) -> Result<Value, Failure> {
    let given = call.invocation.arguments.get("config").map(Value::to_json).unwrap_or_default();
    let settings = settings(&given);
    let Loading { config, level } = loading(&given, call.program.cache(&given).as_deref());
    let documents = call.program.loader(config)?;
    let registry = Registry::new(call.run.clone(), settings.capabilities);
    let monitor = RuntimeMonitor::new(call.run.clone());
    let setup = setup(&call.run, &settings, &registry, &monitor);
    let inner = call.run.inside(None, setup.clone()).map_err(|it| Failure::raised("InternalError", it))?;
    let errors = Handler { run: call.run.clone(), errors: ailang::ErrorHandler::default() };
    let loader = LoaderValue {
        monitor: settings.monitoring.then(|| monitor.monitor.clone()),
        ..loader::value(&call.run, &call.program, &documents, level)
    };
    let runtime = RuntimeValue {
        run: call.run.clone(),
        loader: loader.clone(),
        setup,
        strategy: settings.errors,
        inner: Arc::new(Mutex::new(inner)),
        errors: errors.clone(),
    };
    let invocation = &call.invocation;
    let object =
        |name: &str, methods: Arc<dyn Methods>| call.run.object(name, Object::new(), &methods, invocation);
    let fields = [
        ("config", shown(&settings, &given).into()),
        ("capabilities", object("CapabilityRegistry", Arc::new(registry))),
        ("moduleLoader", loader.into_value(invocation)),
        ("typeValidator", TypeValidator::default().into_value(call)),
        ("errorHandler", errors.into_value(invocation)),
        ("monitor", object("RuntimeMonitor", Arc::new(monitor))),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    let methods: Arc<dyn Methods> = Arc::new(runtime);
    Ok(call.run.object("Runtime", fields, &methods, invocation))
}

/// Returns the surroundings of a runtime: those of the run around it, with permissions and measurements of its own.
fn setup(
    run: &ActiveRun,
    settings: &RuntimeSettings,
    registry: &Registry,
    monitor: &RuntimeMonitor,
) -> RuntimeSetup {
    let is_watched = settings.monitoring;
    // The registry knows the mode, and asks the run around it in each. Bodies of tools handle errors as they always do.
    let settings = RuntimeSettings {
        capabilities: CapabilityMode::Strict,
        errors: ErrorStrategy::Throw,
        ..settings.clone()
    };
    RuntimeSetup {
        settings,
        gate: Some(Arc::new(registry.clone())),
        monitor: is_watched.then(|| monitor.monitor.clone()),
        observer: is_watched.then(|| Arc::new(monitor.clone()) as _),
        ..run.setup().clone()
    }
}

/// Calls a tool of a runtime.
pub(crate) fn execute(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move {
        let arguments = &call.invocation.arguments;
        let runtime = arguments.get("runtime").and_then(Value::fields).and_then(|it| it.get("execute"));
        let Some(execute) = runtime.and_then(Value::as_function) else {
            let message = "`runtime` of `executeToolWithRuntime` takes what `createRuntime` returned";
            return Err(Failure::raised("ValidationError", message).into());
        };
        let given = ["toolName", "params"].map(|it| arguments.get(it).cloned().unwrap_or_default());
        execute.call(given.into()).await
    }
    .boxed()
}

/// A runtime as a value of the program.
#[derive(Clone)]
struct RuntimeValue {
    /// The run whose program made it.
    run: ActiveRun,
    loader: LoaderValue,
    setup: RuntimeSetup,
    strategy: ErrorStrategy,
    /// The run of its calls, over all documents so far.
    inner: Arc<Mutex<ActiveRun>>,
    errors: Handler,
}

impl Methods for RuntimeValue {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (this, method) = (self.clone(), method.to_owned());
        async move { this.called(&method, invocation).await }.boxed()
    }
}

impl RuntimeValue {
    async fn called(&self, method: &str, invocation: Invocation) -> Result<Value, Interrupt> {
        let arguments = &invocation.arguments;
        match method {
            "loadSkill" => self.load(arguments.text("path")?, level(&invocation, "level")).await,
            "registerTool" => {
                let tool = arguments.get("tool").map(Value::to_json).unwrap_or_default();
                self.register(&tool).map_err(Interrupt::from)
            }
            "useTool" | "execute" => {
                let name = arguments.text(if method == "execute" { "toolName" } else { "name" })?;
                self.execute(name, &invocation).await
            }
            _ => Err(Failure::raised("InternalError", format!("nothing implements `{method}`")).into()),
        }
    }

    /// Loads a document, and makes its tools callable.
    async fn load(&self, path: &str, level: Option<Level>) -> Result<Value, Interrupt> {
        let before = self.loader.lookups();
        let loaded = self.loader.load(path, level).await;
        self.loader.count(before);
        let loaded = loaded?;
        let thrown = |error: &packages::LoadError| self.run.thrown(&error_value(&self.run, error));
        let loaded = loaded.map_err(|error| thrown(&error))?;
        self.link(&loaded.path)?;
        Ok(self.loader.document(&loaded))
    }

    /// Makes the tools of a definition's document callable.
    fn register(&self, tool: &Json) -> Result<Value, Failure> {
        let (name, document) = (tool["name"].as_str().unwrap_or_default(), tool["document"].as_str());
        let Some(document) = document else {
            let message =
                format!("`{name}` is registered with the path of its `document`, as a loader returns it");
            return Err(Failure::raised("ValidationError", message));
        };
        self.link(document)?;
        if lock(&self.inner).document_of(name).is_none() {
            let message = format!("`{document}` declares no tool `{name}`");
            return Err(Failure::raised("NotFoundError", message));
        }
        Ok(Value::Null)
    }

    /// Adds a document and its imports to those whose tools can be called.
    fn link(&self, path: &str) -> Result<(), Failure> {
        let mut inner = lock(&self.inner);
        if inner.documents().get(path).is_some() {
            return Ok(());
        }
        let found = self.loader.loader.lock().with_imports(path);
        let (mut documents, _) = found.map_err(|error| self.run.thrown(&error_value(&self.run, &error)))?;
        documents.add_all(inner.documents());
        *inner = self.run.inside(Some(documents), self.setup.clone()).map_err(|reason| {
            let params = json!({"path": path, "reason": reason});
            self.run.thrown(&self.run.error("ParseError", params))
        })?;
        Ok(())
    }

    /// Calls a tool, and counts that as a use of its document.
    async fn execute(&self, tool: &str, invocation: &Invocation) -> Result<Value, Interrupt> {
        let params = invocation.arguments.get("params").and_then(Value::fields).cloned().unwrap_or_default();
        let inner = lock(&self.inner).clone();
        if let Some(path) = inner.document_of(tool) {
            // That it cannot gain detail keeps no tool from being called.
            let _ = self.loader.loader.lock().mark_used(path);
        }
        let outcome = inner.call(tool, params, invocation).await?;
        match (self.strategy, outcome) {
            (ErrorStrategy::Return, outcome) => Ok(result(outcome)),
            (_, Ok(value)) => Ok(value),
            (ErrorStrategy::Throw, Err(error)) => Err(self.run.thrown(&error).into()),
            (ErrorStrategy::Log, Err(error)) => {
                let context = ailang::ErrorContext { tool: tool.to_owned(), params: Object::new() };
                self.errors.errors.log(&error.to_json(), Some(&context));
                self.run.log(self.errors.errors.lines().pop().unwrap_or_default());
                Ok(Value::Null)
            }
        }
    }
}
