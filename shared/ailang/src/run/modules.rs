//! The tools of the built-in modules: their code is passed in by the host, and sees the run that calls them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use dialect::{
    ArgumentCheck, Binding, Caller, Effect, Failure, Function, GivenArgument, Handler, Interrupt, Invocation,
    Library, Object, Registry, Requirement, ResultCheck, Row, Signature, Value,
};
use futures::future::BoxFuture;
use serde_json::Value as Json;
use source_text::Span;

use super::errors::{ErrorContext, ErrorHandler};
use super::halt::{Halt, error_of, failure_of};
use super::host::{PermissionRequest, Refusal};
use super::linked::Linked;
use super::recovery::{recover, recovery};
use super::settings::ValidationMode;
use super::setup::RuntimeSetup;
use super::stack::growing;
use super::state::RunState;
use crate::capability::Capability;
use crate::documents::{Documents, built_in_at};
use crate::interface::Interface;
use crate::lower::Lowering;
use crate::module::INDEX;
use crate::names::SymbolTable;
use crate::throwable::{Bindings, Throwable};
use crate::values::Values;

/// The code of the built-in modules.
pub trait Modules: Send + Sync {
    /// Makes the modules of one run, which remember nothing of another run.
    fn begin(&self) -> Arc<dyn RunModules>;
}

/// The built-in modules of one run.
pub trait RunModules: Send + Sync {
    /// Returns the code of a tool of a module, for the runtime that calls it; `None` if there is none.
    fn implementation(&self, module: &str, tool: &str, run: &ActiveRun) -> Option<Arc<dyn Handler>>;

    /// Narrows a permission to what a call with these arguments needs: one host of the network, one path.
    fn narrowed(&self, requirement: Requirement, arguments: &Object) -> Requirement;
}

/// The methods of a value.
pub trait Methods: Send + Sync {
    /// Calls a method, with arguments that fit its declaration.
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>>;
}

/// A run, as the code of its modules sees it.
#[derive(Clone)]
pub struct ActiveRun {
    state: Arc<RunState>,
}

impl fmt::Debug for ActiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveRun").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl ActiveRun {
    pub(super) fn new(state: &Arc<RunState>) -> Self {
        Self { state: Arc::clone(state) }
    }

    /// Returns the documents whose tools it can call.
    pub fn documents(&self) -> &Documents {
        &self.state.linked.documents
    }

    /// Returns the path of the document whose program runs.
    pub fn path(&self) -> &str {
        self.state.linked.source(self.state.linked.home).0
    }

    /// Returns its surroundings.
    pub fn setup(&self) -> &RuntimeSetup {
        &self.state.setup
    }

    /// Returns the time of its clock, in seconds since the Unix epoch.
    pub fn now(&self) -> f64 {
        self.state.now()
    }

    /// Adds a line to the log of the run.
    pub fn log(&self, line: impl Into<String>) {
        self.state.log(line.into());
    }

    /// Returns the path of the document that declares a tool; `None` if there is no such tool.
    pub fn document_of(&self, tool: &str) -> Option<&str> {
        let tool = self.state.linked.tools.get(tool)?;
        Some(self.state.linked.source(tool.place.0).0)
    }

    /// Asks the user, or takes the answer of a fixture. Returns the chosen option, or null.
    ///
    /// # Errors
    /// Nobody can be asked.
    pub async fn ask(&self, question: &str, options: &[&str]) -> Result<Value, Interrupt> {
        let options = options.iter().map(|&it| it.to_owned()).collect();
        self.state.ask(question, options, Span::default()).await.map_err(Halt::into_interrupt)
    }

    /// Returns the capabilities that the documents declare.
    pub fn capabilities(&self) -> &Arc<[Capability]> {
        &self.state.linked.capabilities
    }

    /// Decides about the permissions of a call, as for a tool of this run.
    ///
    /// # Errors
    /// One of them is denied.
    pub async fn permits(&self, request: &PermissionRequest) -> Result<(), Refusal> {
        self.state.permits(request).await
    }

    /// Makes a runtime in this run, which shares its limits, its output and its log. Without documents it has those of
    /// this one.
    ///
    /// # Errors
    /// The documents have errors, or define the same names.
    pub fn inside(&self, documents: Option<Documents>, setup: RuntimeSetup) -> Result<Self, String> {
        let linked = match documents {
            Some(documents) => {
                let host = Arc::clone(&setup.host);
                let clock = move || host.now();
                Arc::new(Linked::new(documents, self.path(), None, &setup.libraries, clock)?)
            }
            None => Arc::clone(&self.state.linked),
        };
        Ok(Self { state: self.state.inside(linked, setup) })
    }

    /// Calls a tool with named arguments. The inner result is its value, or the error that it threw as a value.
    ///
    /// # Errors
    /// The run itself ends: a limit is reached, or an assertion does not hold.
    pub async fn call(
        &self,
        tool: &str,
        params: Object,
        invocation: &Invocation,
    ) -> Result<Result<Value, Value>, Interrupt> {
        let _deeper = self.state.deeper().map_err(Halt::into_interrupt)?;
        let caller = self.state.caller(&invocation.work, &invocation.notes);
        let given = params.into_iter().map(|(name, value)| GivenArgument { name: Some(name), value });
        let result = self.state.call(&caller, tool, given.collect()).await;
        match result.map_err(|interrupt| Halt::of_interrupt(interrupt, Span::default())) {
            Ok(value) => Ok(Ok(value)),
            Err(Halt::Thrown(thrown)) => Ok(Err(thrown.error)),
            Err(halt) => Err(halt.into_interrupt()),
        }
    }

    /// Returns an error that the prelude or a built-in module declares, as a value.
    pub fn error(&self, name: &str, params: impl Into<Json>) -> Value {
        let params = params.into();
        let Some(error) = STANDARD.errors.get(name) else {
            return error_of(&Failure::raised("InternalError", format!("`{name}` is no error")));
        };
        let params = error.carried(&STANDARD.values, &params).unwrap_or(params);
        error.json(&params, self.now()).into()
    }

    /// Returns the failure that throws an error.
    pub fn thrown(&self, error: &Value) -> Failure {
        failure_of(error)
    }

    /// Handles an error: logs it, waits as it or its declaration says, and repeats the call that failed with it, where a
    /// second call does no harm and may help. `context` names the call; without it, it is the one that failed last.
    ///
    /// # Errors
    /// The error, if no second call is made; otherwise the error of the last call.
    pub async fn recover(
        &self,
        errors: &ErrorHandler,
        error: &Value,
        context: Option<ErrorContext>,
        invocation: &Invocation,
    ) -> Result<Value, Value> {
        let call = match context {
            Some(context) => Some(context.into_call()),
            None => self.state.failed_with(error).map(|it| (it.tool, it.arguments)),
        };
        recover(&self.state, errors, error, call, (&invocation.work, &invocation.notes)).await
    }

    /// Returns the advice of an error that a document declares or that was registered, for its parameters.
    pub fn recovery(&self, errors: &ErrorHandler, error: &str, params: &Json) -> Option<String> {
        let known = Bindings { params, now: Some(self.now()) };
        recovery(&self.state.linked, errors, error, &known)
    }

    /// Makes a value of a type that a built-in module declares with methods: its fields, and functions that check their
    /// arguments and results against the declaration.
    pub fn object(
        &self,
        type_name: &str,
        mut fields: Object,
        methods: &Arc<dyn Methods>,
        invocation: &Invocation,
    ) -> Value {
        let (arguments, results) = match self.state.settings().validation {
            ValidationMode::Strict => (ArgumentCheck::Exact, ResultCheck::Fail),
            ValidationMode::Runtime => (ArgumentCheck::Convert, ResultCheck::Note),
            ValidationMode::None => (ArgumentCheck::Skip, ResultCheck::Skip),
        };
        let bound = STANDARD.methods.bound(MethodBinding(Arc::clone(methods)));
        let caller = Caller::new(&bound, &self.state.limits, &invocation.work, &invocation.notes)
            .checking(arguments, results);
        for signature in STANDARD.methods.signatures() {
            if let Some((_, method)) = signature.name.split_once('.').filter(|(of, _)| *of == type_name) {
                fields.insert(method.to_owned(), method_value(&caller, signature));
            }
        }
        fields.into()
    }
}

/// Returns a method as a function value.
fn method_value(caller: &Caller, signature: &Signature) -> Value {
    let parameters: Vec<String> = signature.parameters.iter().map(|it| it.name.clone()).collect();
    let (own, whole) = (caller.clone(), signature.name.clone());
    caller.function(&signature.name, &parameters, move |values| {
        let (caller, name) = (own.clone(), whole.clone());
        let given = values.into_iter().map(|value| GivenArgument { name: None, value }).collect();
        growing(async move { caller.call(&name, given).await })
    })
}

/// The code behind the rows of methods.
struct MethodBinding(Arc<dyn Methods>);

impl Binding for MethodBinding {
    fn call(&self, row: Row<'_>, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        self.0.call(row.name.split_once('.').map_or(row.name, |(_, method)| method), invocation)
    }

    fn failed(&self, _: Row<'_>, _: &Failure) {}
}

/// The declarations of all built-in modules.
struct Standard {
    /// A row for each method of a type: `ModuleLoader.load`.
    methods: Registry,
    errors: HashMap<String, Throwable>,
    values: Values,
}

static STANDARD: LazyLock<Standard> = LazyLock::new(standard);

fn standard() -> Standard {
    let mut documents = Documents::new();
    for (path, document) in crate::standard_library() {
        if built_in_at(&path) != Some(INDEX) {
            documents.insert(path, document.clone());
        }
    }
    let interface = Interface::load(&documents).expect("the built-in modules are valid, as tests show");
    let table = SymbolTable::new(&documents);
    let mut lowering = Lowering::new(&table);
    let mut functions = Vec::new();
    for (home, (_, document)) in documents.iter().enumerate() {
        for definition in document.definitions() {
            for method in lowering.methods(definition, home) {
                let name = format!("{}.{}", definition.name.text, method.member.name.text);
                let (parameters, returns) = (method.parameters, method.returns);
                let signature = Signature { name, parameters, returns, is_open: false };
                let summary = method.member.documentation.first_sentence();
                let missing = |_: Invocation| async {
                    Err(Interrupt::from(Failure::raised("NotImplementedError", "nothing implements it")))
                };
                let row = Function::new(signature.to_string(), summary, missing).effect(Effect::Writes);
                functions.push(row);
            }
        }
    }
    let library = Library {
        name: "methods".to_owned(),
        types: interface.types().to_vec(),
        functions,
        ..Library::default()
    };
    let home = lowering.prelude_home();
    let prelude = crate::prelude().definitions().filter_map(|it| lowering.throwable(it, home));
    let prelude: Vec<Throwable> = prelude.collect();
    let errors = interface.throwables().iter().cloned().chain(prelude);
    let errors = errors.map(|it| (it.name.clone(), it)).collect();
    let methods = Registry::new([library]).expect("their methods are rows, as tests show");
    Standard { methods, errors, values: interface.values() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_methods_are_rows() {
        let names: Vec<&str> = STANDARD.methods.signatures().map(|it| it.name.as_str()).collect();
        assert!(
            names.contains(&"ModuleLoader.load") && names.contains(&"ErrorHandler.handleError"),
            "{names:?}"
        );
        for error in ["NetworkError", "ModuleNotFoundError", "CapabilityDeniedError"] {
            assert!(STANDARD.errors.contains_key(error), "{error}");
        }
    }
}
