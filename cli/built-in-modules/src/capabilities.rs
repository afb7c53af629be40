//! `CapabilityRegistry`: what a runtime that a program made permits, within what the program itself may do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ailang::{ActiveRun, Capability, CapabilityMode, Gate, GrantScope, Methods, PermissionRequest, Refusal};
use dialect::{Closure, Failure, Interrupt, Invocation, Object, Requirement, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value as Json, json};
use unpoisoned::lock;

/// The most entries of the log, and grants; the oldest entries go first.
const MOST: usize = 10_000;

/// The permissions of a runtime. A clone is the same registry.
#[derive(Clone)]
pub(crate) struct Registry {
    /// The run whose program made the runtime.
    run: ActiveRun,
    mode: CapabilityMode,
    records: Arc<Mutex<Records>>,
}

#[derive(Default)]
struct Records {
    grants: Vec<Grant>,
    log: VecDeque<Json>,
    callback: Option<Closure>,
}

struct Grant {
    capability: String,
    at: f64,
    scope: GrantScope,
    uses: u64,
}

/// Returns `true` if two names mean one capability: both its id, or one the part behind the document.
fn means(name: &str, id: &str) -> bool {
    name == id || short(id) == name || short(name) == id
}

/// Returns the name of a capability without its document.
fn short(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

impl Registry {
    pub(crate) fn new(run: ActiveRun, mode: CapabilityMode) -> Self {
        Self { run, mode, records: Arc::default() }
    }

    fn is_granted(&self, capability: &str) -> bool {
        let records = lock(&self.records);
        self.mode != CapabilityMode::Strict
            || records.grants.iter().any(|it| means(&it.capability, capability))
    }

    fn record(&self, capability: &str, action: &str, context: Json) {
        let entry = json!({
            "capability": short(capability),
            "action": action,
            "timestamp": whole(self.run.now().floor()),
            "context": context,
        });
        let mut records = lock(&self.records);
        if records.log.len() >= MOST {
            records.log.pop_front();
        }
        records.log.push_back(entry);
    }

    fn grant(&self, capability: &str, scope: GrantScope) {
        let mut records = lock(&self.records);
        records.grants.retain(|it| !means(&it.capability, capability));
        if records.grants.len() < MOST {
            let (capability, at) = (capability.to_owned(), self.run.now());
            records.grants.push(Grant { capability, at, scope, uses: 0 });
        }
        drop(records);
        self.record(capability, "granted", json!({"scope": scope.name()}));
    }

    fn revoke(&self, capability: &str) {
        lock(&self.records).grants.retain(|it| !means(&it.capability, capability));
        self.record(capability, "revoked", json!({}));
    }

    /// Counts a use. A grant for one call ends with it.
    fn used(&self, requirement: &Requirement, tool: &str) {
        let mut records = lock(&self.records);
        let id = &requirement.capability;
        if let Some(at) = records.grants.iter().position(|it| means(&it.capability, id)) {
            records.grants[at].uses += 1;
            if records.grants[at].scope == GrantScope::Once {
                records.grants.remove(at);
            }
        }
        drop(records);
        self.record(id, "used", json!({ "tool": tool }));
    }

    /// Decides about one capability of a call, before the run around it does.
    async fn decide(&self, requirement: &Requirement, request: &PermissionRequest) -> Result<(), Refusal> {
        let (id, tool) = (&requirement.capability, &request.tool);
        self.record(id, "requested", json!({ "tool": tool }));
        if self.is_granted(id) {
            return Ok(());
        }
        let callback = lock(&self.records).callback.clone();
        let Some(callback) = callback else { return Ok(()) };
        let asked = asked(requirement, request);
        let answer = callback.call(vec![asked]).await;
        match answer {
            Ok(value) if is_yes(&value) || self.is_granted(id) => Ok(()),
            Ok(_) => Err(self.denied(id, tool, String::new())),
            Err(interrupt) => {
                let reason = interrupt.into_failure().map(|it| dialect::diagnostic(&it).message);
                let reason = format!("the callback failed: {}", reason.unwrap_or_default());
                Err(self.denied(id, tool, reason))
            }
        }
    }

    fn denied(&self, capability: &str, tool: &str, reason: String) -> Refusal {
        self.record(capability, "denied", json!({ "tool": tool }));
        Refusal { reason, recovery: String::new() }
    }

    /// Asks for a capability outside of a call.
    async fn request(&self, wanted: &Json) -> Result<bool, Failure> {
        let name = wanted["capability"].as_str().unwrap_or_default();
        let declared = self.run.capabilities().iter().cloned().chain(Capability::prelude());
        let known: Vec<Capability> = declared.collect();
        let Some(capability) = known.iter().find(|it| means(name, &it.id)) else {
            let names: Vec<&str> = known.iter().map(|it| short(&it.id)).collect();
            let message = format!("there is no capability `{name}`; there are: {}", names.join(", "));
            return Err(Failure::raised("NotFoundError", message));
        };
        let requirement = Requirement::new(capability.id.as_str());
        let request = PermissionRequest {
            // What the program says about a tool is not shown to the user.
            tool: "request".to_owned(),
            requires: vec![requirement.clone()],
            arguments: Object::new(),
            declared: Arc::clone(self.run.capabilities()),
        };
        let has_callback = lock(&self.records).callback.is_some();
        let was_granted = self.is_granted(&capability.id);
        let mut decision = self.decide(&requirement, &request).await;
        if decision.is_ok() && !has_callback && !was_granted {
            decision = self.run.permits(&request).await;
        }
        match decision {
            Ok(()) if !self.is_granted(&capability.id) => self.grant(&capability.id, GrantScope::Session),
            Ok(()) => {}
            Err(_) if !has_callback => self.record(&capability.id, "denied", json!({"tool": request.tool})),
            Err(_) => {}
        }
        Ok(self.is_granted(&capability.id))
    }

    async fn called(&self, method: &str, invocation: &Invocation) -> Result<Value, Interrupt> {
        let arguments = &invocation.arguments;
        Ok(match method {
            "isGranted" => self.is_granted(arguments.text("capability")?).into(),
            "request" => {
                let wanted = arguments.get("capability").map(Value::to_json).unwrap_or_default();
                self.request(&wanted).await?.into()
            }
            "grant" => {
                let scope = arguments.text("scope")?;
                let scope = GrantScope::ALL.into_iter().find(|it| it.name() == scope);
                self.grant(arguments.text("capability")?, scope.unwrap_or(GrantScope::Once));
                Value::Null
            }
            "revoke" => {
                self.revoke(arguments.text("capability")?);
                Value::Null
            }
            "listGranted" => self.granted().into(),
            "getAuditLog" => lock(&self.records).log.iter().cloned().collect::<Json>().into(),
            "onCapabilityRequest" => {
                lock(&self.records).callback = Some(arguments.function("callback")?.clone());
                Value::Null
            }
            _ => {
                return Err(Failure::raised("InternalError", format!("nothing implements `{method}`")).into());
            }
        })
    }

    fn granted(&self) -> Json {
        let records = lock(&self.records);
        let one = |it: &Grant| {
            let capability = short(&it.capability);
            let (at, scope, uses) = (whole(it.at.floor()), it.scope.name(), it.uses);
            json!({"capability": capability, "grantedAt": at, "scope": scope, "usageCount": uses})
        };
        records.grants.iter().map(one).collect()
    }
}

impl Gate for Registry {
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>> {
        let this = self.clone();
        async move {
            for requirement in &request.requires {
                this.decide(requirement, &request).await?;
            }
            if let Err(refusal) = this.run.permits(&request).await {
                for requirement in &request.requires {
                    this.record(&requirement.capability, "denied", json!({"tool": request.tool}));
                }
                return Err(refusal);
            }
            for requirement in &request.requires {
                this.used(requirement, &request.tool);
            }
            Ok(())
        }
        .boxed()
    }
}

impl Methods for Registry {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (this, method) = (self.clone(), method.to_owned());
        async move { this.called(&method, &invocation).await }.boxed()
    }
}

/// Returns the request as a callback gets it.
fn asked(requirement: &Requirement, request: &PermissionRequest) -> Value {
    let id = &requirement.capability;
    let known = request.declared.iter().cloned().chain(Capability::prelude()).find(|it| it.id == *id);
    let scopes = known.as_ref().map(|it| it.scopes.iter().map(|it| it.name()).collect::<Vec<_>>());
    let fields = json!({
        "capability": short(id),
        "ask": known.map(|it| it.ask).unwrap_or_default(),
        "scope": scopes.unwrap_or_default(),
        "tool": request.tool,
        "params": Value::Object(request.arguments.clone()).to_json(),
    });
    fields.into()
}

/// Returns `true` for what a program takes for a yes: true, or a value that is there.
fn is_yes(value: &Value) -> bool {
    match value {
        Value::Bool(is_yes) => *is_yes,
        Value::Null => false,
        Value::Text(text) => !text.is_empty(),
        _ => true,
    }
}

/// Returns a whole number as JSON.
pub(crate) fn whole(seconds: f64) -> Json {
    ailang::number(seconds).map_or(Json::Null, Json::Number)
}
