//! The functions, classes and constants of a plugin as tables of the language.

use std::sync::Arc;

use ailang::{Capability, CapabilityKind, Document, Documents, GrantScope, Interface};
use dialect::{
    ARGS, Choice, DeclaredFailure, Effect, Failure, Function, Handler, Interrupt, Invocation, KWARGS,
    Library, Question, RecordType, Registry, Requirement, Value, show,
};
use plugin_protocol::Value as Wire;
use plugin_protocol::connection::CallError;
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::schema::{self, Backing, Class, Constant, Description};
use plugin_protocol::{Origin, Parameter, Signature, Takes};
use serde::Deserialize;

use crate::plugins::objects::Objects;
use crate::plugins::values::{Outgoing, from_wire};
use crate::plugins::{Object, Plugin};

/// The failure of a plugin's function.
pub(super) const PLUGIN_ERROR: &str = "PluginError";

/// The failure of a plugin that ended, or of an object that did.
pub(super) const PLUGIN_GONE: &str = "PluginGone";

/// The owner of the capabilities around plugins.
pub(crate) const OWNER: &str = "plugins";

/// The capability to run functions of a plugin that may change something.
pub(crate) const RUN: &str = "plugins/Run";

/// The capability to start a plugin of the workspace.
pub(crate) const LOAD: &str = "plugins/Load";

/// Returns the declarations of the capabilities around plugins.
pub(crate) fn capabilities() -> [Capability; 2] {
    let run = Capability::new(RUN, "Let a plugin run functions that may change something");
    let load = Capability::new(LOAD, "Start a plugin of this workspace, which is a program, behind a wall");
    [
        run.kind(CapabilityKind::Execute),
        load.kind(CapabilityKind::Execute).scopes([GrantScope::Session, GrantScope::Persistent]),
    ]
}

/// The method that ends an object.
const RELEASE: &str = "release";

/// The parameter of a method for its object.
const SELF: &str = "self";

/// The tables of a plugin, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The functions and types.
    pub(crate) library: Library,
    /// The capabilities that its document declares.
    pub(crate) capabilities: Vec<Capability>,
    /// The entries that are not available, each with the reason.
    pub(crate) unavailable: Vec<String>,
}

/// Returns the name of a plugin's library in programs.
pub(crate) fn library_name(description: &Description) -> String {
    let name = &description.library.name;
    let plain = |it: char| if it.is_alphanumeric() || matches!(it, '_' | '.') { it } else { '_' };
    let name: String = name.trim_matches('.').chars().map(plain).collect();
    if name.starts_with(|it: char| it.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Returns the type of a class's objects.
pub(super) fn type_name(library: &str, class: &str) -> String {
    format!("{library}.{class}Ref")
}

/// Makes the tables of a plugin. `known` has everything else that a program can name; `is_alone` says whether no other
/// plugin has a function of that name, which then works without the plugin's name too.
pub(crate) fn tables(
    plugin: &Plugin,
    objects: &Arc<Objects>,
    known: &Registry,
    document: Option<&str>,
    is_alone: impl Fn(&str) -> bool,
) -> Tables {
    let description = plugin.description();
    let library = library_name(&description);
    let types = description.classes.iter().map(|it| (type_name(&library, &it.name), it.name.clone()));
    objects.add(&library, plugin, types);
    let mut maker =
        Maker { plugin, objects, library: library.clone(), known, documented: Vec::new(), is_alone };
    let mut tables = Tables { library: Library { name: library, ..Library::default() }, ..Tables::default() };
    tables.unavailable.extend(description.warnings.iter().cloned());
    if let Some(document) = document {
        maker.read(document, &description, &mut tables);
    }
    maker.all(&description, &mut tables);
    tables
}

struct Maker<'a, F> {
    plugin: &'a Plugin,
    objects: &'a Arc<Objects>,
    library: String,
    known: &'a Registry,
    /// The functions that the document beside the plugin describes.
    documented: Vec<Function>,
    is_alone: F,
}

/// One function on its way to a row.
struct Entry<'a> {
    /// The name in programs, without the library.
    name: String,
    /// Other names in programs.
    aliases: Vec<String>,
    function: &'a schema::Function,
    /// The type of the object, for a method.
    of: Option<String>,
    /// The type of the result, if the plugin does not say it.
    returns: Option<String>,
    effect: Effect,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Function(String),
    New(String),
    Method(String),
    Set { class: Arc<Class>, property: String },
    Release,
}

impl<F: Fn(&str) -> bool> Maker<'_, F> {
    /// Reads the interface document beside the plugin, whose words, types and permissions count.
    fn read(&mut self, document: &str, description: &Description, tables: &mut Tables) {
        let mut documents = Documents::new();
        documents.insert(format!("{}.md", self.library), Document::parse(document));
        let interface = match Interface::load(&documents) {
            Ok(interface) => interface,
            Err(error) => return tables.unavailable.push(format!("its document: {error}")),
        };
        tables.capabilities = interface.capabilities().to_vec();
        tables.library.types = interface.types().to_vec();
        self.documented = interface.functions().to_vec();
        let names = self.documented.iter().map(|it| it.signature.split('(').next().unwrap_or_default());
        for name in names.filter(|it| description.function(it).is_none()) {
            tables
                .unavailable
                .push(format!("function {name}: its document describes it, and the plugin lacks it"));
        }
    }

    /// Returns the row that the document has for a function.
    fn documented(&self, name: &str) -> Option<&Function> {
        self.documented.iter().find(|it| it.signature.split('(').next() == Some(name))
    }

    fn all(&self, description: &Description, tables: &mut Tables) {
        for class in &description.classes {
            self.class(class, tables);
        }
        for function in &description.functions {
            if function.backing() == Backing::Source {
                tables.unavailable.push(without_interpreter("function", &function.name));
                continue;
            }
            let kind = Kind::Function(function.name.clone());
            let bare = (self.is_alone)(&function.name).then(|| function.name.clone());
            let effect = effect(function.effect);
            let aliases = bare.into_iter().collect();
            let name = function.name.clone();
            let entry = Entry { name, aliases, function, of: None, returns: None, effect, kind };
            match self.documented(&entry.name) {
                Some(row) => self.add_documented(entry, row, tables),
                None => self.add(entry, tables),
            }
        }
        description.constants.iter().for_each(|it| self.constant(it, tables));
    }

    /// Adds a function with the row of its document.
    fn add_documented(&self, entry: Entry<'_>, row: &Function, tables: &mut Tables) {
        let Entry { name, aliases, kind, .. } = entry;
        let signature = dialect::Signature::parse(&row.signature).map(|it| Signature {
            parameters: it.parameters.into_iter().map(documented_parameter).collect(),
            returns: None,
            origin: Origin::Declared,
        });
        let mut row = row.clone();
        let code = self.code(&name, kind, signature.ok());
        row.signature = format!("{}.{}", self.library, row.signature);
        row.generic = String::new();
        // What the plugin raises has its own words.
        (row.error_template, row.code) = (None, Arc::new(code));
        if row.effect == Effect::Writes && row.requires.is_empty() {
            row = row.requires(self.permission());
        }
        let row = with_failures(row);
        let named = aliases.iter().fold(row.clone(), |row, it| row.alias(it));
        self.keep(vec![named, row], &format!("function {name}"), tables);
    }

    fn permission(&self) -> Requirement {
        Requirement::new(RUN).restricted("plugin", [&self.library])
    }

    fn code(&self, name: &str, kind: Kind, signature: Option<Signature>) -> Call {
        let (plugin, objects) = (self.plugin.clone(), Arc::clone(self.objects));
        let name = format!("{}.{name}", self.library);
        Call { plugin, objects, library: self.library.clone(), name, kind, signature }
    }

    fn class(&self, class: &Class, tables: &mut Tables) {
        if class.backing() == Backing::Source {
            tables.unavailable.push(without_interpreter("class", &class.name));
            return;
        }
        let of = type_name(&self.library, &class.name);
        let words = class.description.clone().unwrap_or_else(|| {
            format!("An object of the class {} in the plugin {}.", class.name, self.library)
        });
        tables.library.types.push(RecordType::new(format!("{of}(ref: string)"), words));
        let mut constructor = class.constructor.clone();
        constructor.description = constructor.description.or_else(|| class.description.clone());
        let new = Entry {
            name: class.name.clone(),
            aliases: Vec::new(),
            function: &constructor,
            of: None,
            returns: Some(of.clone()),
            effect: effect(class.constructor.effect),
            kind: Kind::New(class.name.clone()),
        };
        self.add(new, tables);
        for function in &class.methods {
            let kind = Kind::Method(function.name.clone());
            self.method(class, function, effect(function.effect), kind, tables);
        }
        for property in &class.properties {
            let described = |name: String, parameters, returns| schema::Function {
                signature: Some(Signature { parameters, returns, origin: Origin::Declared }),
                description: property.description.clone(),
                name,
                ..schema::Function::default()
            };
            let kind = Kind::Method(property.name.clone());
            let get = described(property.name.clone(), Vec::new(), property.returns.clone());
            self.method(class, &get, Effect::Reads, kind, tables);
            if property.settable {
                let value = Parameter { kind: property.returns.clone(), ..value_parameter() };
                let set = described(setter(&property.name), vec![value], Some("null".to_owned()));
                let kind = Kind::Set { class: Arc::new(class.clone()), property: property.name.clone() };
                self.method(class, &set, Effect::Writes, kind, tables);
            }
        }
        if class.methods.iter().all(|it| it.name != RELEASE) {
            let words = "Destroys the object. One that no result has is destroyed after its program.";
            let signature = Signature {
                parameters: Vec::new(),
                returns: Some("null".to_owned()),
                origin: Origin::Declared,
            };
            let release = schema::Function {
                name: RELEASE.to_owned(),
                description: Some(words.to_owned()),
                signature: Some(signature),
                ..schema::Function::default()
            };
            self.method(class, &release, Effect::Reads, Kind::Release, tables);
        }
    }

    /// Adds a method of a class, under the name of its type and that of the class.
    fn method(
        &self,
        class: &Class,
        function: &schema::Function,
        effect: Effect,
        kind: Kind,
        tables: &mut Tables,
    ) {
        let name = format!("{}Ref.{}", class.name, function.name);
        let aliases = vec![format!("{}.{}.{}", self.library, class.name, function.name)];
        let of = Some(type_name(&self.library, &class.name));
        self.add(Entry { name, aliases, function, of, returns: None, effect, kind }, tables);
    }

    fn constant(&self, constant: &Constant, tables: &mut Tables) {
        let value = match from_wire(constant.value.clone(), self.objects, &self.library, 0) {
            Ok(value) => value,
            Err(failure) => {
                let why = dialect::diagnostic(&failure).message;
                tables.unavailable.push(format!("constant {}: {why}", constant.name));
                return;
            }
        };
        let shown: String = show(&value.to_json()).chars().take(80).collect();
        let words = format!("The constant {} of the plugin {}: {shown}", constant.name, self.library);
        let code = move |_: Invocation| std::future::ready(Ok::<_, Interrupt>(value.clone()));
        let row = Function::new(format!("{}.{}()", self.library, constant.name), words, code);
        self.keep(vec![row.effect(Effect::Pure)], &format!("constant {}", constant.name), tables);
    }

    /// Adds a function, with the best signature that fits.
    fn add(&self, entry: Entry<'_>, tables: &mut Tables) {
        let Entry { name, aliases, function, of, returns, effect, kind } = entry;
        let signature = function.signature.as_ref();
        let typed = spelled(&name, &self.library, of.as_deref(), signature, returns.as_deref(), true);
        let untyped = spelled(&name, &self.library, of.as_deref(), signature, returns.as_deref(), false);
        let open = spelled(&name, &self.library, of.as_deref(), None, returns.as_deref(), false);
        let described = function.description.clone().filter(|it| !it.trim().is_empty());
        let words = described
            .unwrap_or_else(|| format!("Function {name} of the plugin {} (no description).", self.library));
        let (summary, rest) = words.split_once('\n').unwrap_or((&words, ""));
        let mut docs = vec![rest.trim().to_owned()];
        docs.extend(signature.into_iter().flat_map(|it| &it.parameters).filter_map(|it| {
            let default = it.default.as_ref().map(|it| format!(" Default: {it}."));
            let words = it.description.clone().or(default.as_ref().map(|_| String::new()))?;
            Some(format!("- `{}`: {words}{}", it.name, default.unwrap_or_default()))
        }));
        if signature.is_none() {
            docs.push(
                "Its parameters are not known: all arguments are passed on as they are given.".to_owned(),
            );
        }
        if function.backing() == Backing::Wrapped {
            docs.push("A wrapper of the plugin around it is left out: it needs an interpreter.".to_owned());
        }
        docs.retain(|it| !it.is_empty());
        let rows = [typed, untyped, open].into_iter().flat_map(|text| {
            let code = self.code(&name, kind.clone(), function.signature.clone());
            let mut row =
                with_failures(Function::new(text, summary, code).docs(docs.join("\n")).effect(effect));
            if effect == Effect::Writes {
                row = row.requires(self.permission());
            }
            let named = aliases.iter().fold(row.clone(), |row, it| row.alias(it));
            [named, row]
        });
        self.keep(rows.collect(), &format!("function {name}"), tables);
    }

    /// Adds the first row that fits beside everything else.
    fn keep(&self, rows: Vec<Function>, what: &str, tables: &mut Tables) {
        let mut reason = None;
        for row in rows {
            let library = Library { functions: vec![row.clone()], ..tables.library.clone() };
            let mut all = tables.library.functions.clone();
            let fits = ailang::foreign(library.clone(), &self.library).map_err(|it| it.to_string());
            all.extend(library.functions);
            let whole = Library { functions: all, ..tables.library.clone() };
            match fits.and_then(|_| self.known.with(whole.clone()).map_err(|it| it.to_string())) {
                Ok(_) => return tables.library = whole,
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        tables.unavailable.push(format!("{what}: {}", reason.unwrap_or_default()));
    }
}

/// The failures that every function of a plugin may have.
const FAILURES: &[(&str, &str)] = &[
    (PLUGIN_ERROR, "The plugin refuses the call, or its answer cannot be used."),
    (PLUGIN_GONE, "The plugin ended, or the object did. It starts again with the next call."),
];

/// Adds the failures that every function of a plugin may have.
fn with_failures(row: Function) -> Function {
    FAILURES.iter().fold(row, |row, (name, description)| {
        let (name, description) = ((*name).to_owned(), (*description).to_owned());
        row.fails(DeclaredFailure { name, description, ..DeclaredFailure::default() })
    })
}

/// Returns a parameter of a document as one of the protocol.
fn documented_parameter(parameter: dialect::Parameter) -> Parameter {
    Parameter { name: parameter.name, optional: parameter.optional, ..Parameter::default() }
}

fn without_interpreter(kind: &str, name: &str) -> String {
    format!("{kind} {name} is source that only a host with an interpreter of it can run")
}

fn effect(declared: Option<schema::Effect>) -> Effect {
    match declared {
        Some(schema::Effect::Pure) => Effect::Pure,
        Some(schema::Effect::Reads) => Effect::Reads,
        Some(schema::Effect::Writes) | None => Effect::Writes,
    }
}

/// Returns `setValue` for `value`.
fn setter(property: &str) -> String {
    let mut characters = property.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("set{first}{}", characters.as_str())
}

/// Returns the parameter of a setter.
fn value_parameter() -> Parameter {
    Parameter { name: "value".to_owned(), ..Parameter::default() }
}

/// Spells a signature. Without one it is open.
fn spelled(
    name: &str,
    library: &str,
    of: Option<&str>,
    signature: Option<&Signature>,
    returns: Option<&str>,
    is_typed: bool,
) -> String {
    let kind = |words: Option<&String>| match words.filter(|_| is_typed) {
        Some(words) => type_of(words),
        None => "any".to_owned(),
    };
    let mut parts: Vec<String> = of.map(|it| format!("{SELF}: {it}")).into_iter().collect();
    let parameters = signature.map(|it| it.parameters.as_slice()).unwrap_or_default();
    let mut has_optional = false;
    for parameter in parameters.iter().filter(|it| matches!(it.takes, Takes::One | Takes::Keyword)) {
        has_optional |= parameter.optional;
        let mark = if has_optional { "?" } else { "" };
        parts.push(format!("{}{mark}: {}", parameter.name, kind(parameter.kind.as_ref())));
    }
    let takes_more = parameters.iter().any(|it| matches!(it.takes, Takes::Rest | Takes::Keywords));
    if signature.is_none() || takes_more {
        parts.push("...".to_owned());
    }
    let declared = signature.and_then(|it| it.returns.as_ref());
    let returns = returns.map_or_else(|| kind(declared), str::to_owned);
    format!("{library}.{name}({}) -> {returns}", parts.join(", "))
}

/// Returns a type in the words of programs: those of Python are known too.
fn type_of(words: &str) -> String {
    match words.trim() {
        "str" | "text" => "string",
        "integer" => "int",
        "float" => "number",
        "bool" => "boolean",
        "list" | "array" | "tuple" | "List" => "List<any>",
        "dict" | "map" => "object",
        "None" | "none" | "void" => "null",
        "callable" | "function" | "callback" | "Any" => "any",
        other => other,
    }
    .to_owned()
}

/// The code of a plugin's function.
#[derive(Clone)]
struct Call {
    plugin: Plugin,
    objects: Arc<Objects>,
    library: String,
    /// The name in programs.
    name: String,
    kind: Kind,
    signature: Option<Signature>,
}

impl Handler for Call {
    fn call(&self, invocation: Invocation) -> futures::future::BoxFuture<'static, Result<Value, Interrupt>> {
        let call = self.clone();
        Box::pin(async move { call.run(&invocation).await })
    }
}

impl Call {
    async fn run(self, invocation: &Invocation) -> Result<Value, Interrupt> {
        let given = &invocation.arguments;
        let object = match given.get(SELF).filter(|_| !matches!(self.kind, Kind::Function(_) | Kind::New(_)))
        {
            Some(object) if matches!(self.kind, Kind::Release) => Some(self.objects.take(object)?.object),
            Some(object) => Some(self.objects.find_in(object)?.object),
            None => None,
        };
        let mut outgoing = Outgoing::new(Arc::clone(&self.objects), &self.library);
        let arguments = self.arguments(given, &mut outgoing)?;
        let call = self.host_call(object.as_ref(), arguments).map_err(|it| self.error(&it))?;
        let class = match &call {
            HostCall::New { class, .. } => Some(class.clone()),
            _ => None,
        };
        let generation = object.map(|it| it.generation);
        let done = self.plugin.ask(call, std::mem::take(&mut outgoing.callbacks), generation).await;
        let (answer, generation) = done.map_err(|error| self.interrupt(error, &outgoing))?;
        match (class, answer) {
            (Some(class), answer) => {
                let id = answer.object().map_err(|it| self.error(&it))?;
                let library = self.plugin.description().library.qualified_name();
                let remote = plugin_protocol::Remote { library, class, id };
                let object = Object { remote, generation };
                let recipe = serde_json::json!({&*self.name: Value::Object(given.0.clone()).to_json()});
                Ok(self.objects.value(&self.plugin, &self.library, object, recipe.to_string()))
            }
            (None, answer) => Ok(from_wire(answer.value(), &self.objects, &self.library, 0)?),
        }
    }

    fn host_call(&self, object: Option<&Object>, arguments: Arguments) -> Result<HostCall, CallError> {
        let object_id = object.map(|it| it.remote.id.clone()).unwrap_or_default();
        Ok(match &self.kind {
            Kind::Function(name) => HostCall::Function { name: name.clone(), arguments },
            Kind::New(class) => HostCall::New { class: class.clone(), arguments },
            Kind::Method(method) => HostCall::Method { object_id, method: method.clone(), arguments },
            Kind::Set { class, property } => {
                let value = arguments.args.into_iter().next().unwrap_or(Wire::Null);
                class.assignment(&object_id, property, value).map_err(CallError::Unreadable)?
            }
            Kind::Release => HostCall::Destroy { object_id },
        })
    }

    /// Returns the arguments by position as far as none is left out, and the others by name: many plugins take
    /// positional ones alone.
    fn arguments(&self, given: &dialect::Arguments, outgoing: &mut Outgoing) -> Result<Arguments, Failure> {
        let mut all = Arguments::default();
        let parameters = self.signature.as_ref().map(|it| it.parameters.as_slice()).unwrap_or_default();
        // A setter has a signature of its own.
        let own = [value_parameter()];
        let parameters = if matches!(self.kind, Kind::Set { .. }) { &own } else { parameters };
        let mut has_gap = false;
        for parameter in parameters.iter().filter(|it| matches!(it.takes, Takes::One | Takes::Keyword)) {
            let Some(value) = given.get(&parameter.name) else {
                has_gap = true;
                continue;
            };
            let value = outgoing.value(value, &format!("`{}`", parameter.name))?;
            match has_gap || parameter.takes == Takes::Keyword {
                true => drop(all.kwargs.insert(parameter.name.clone(), value)),
                false => all.args.push(value),
            }
        }
        for (index, value) in given.get(ARGS).and_then(Value::as_list).unwrap_or_default().iter().enumerate()
        {
            all.args.push(outgoing.value(value, &format!("args[{index}]"))?);
        }
        for (key, value) in given.get(KWARGS).and_then(Value::fields).into_iter().flat_map(|it| it.iter()) {
            all.kwargs.insert(key.clone(), outgoing.value(value, &format!("`{key}`"))?);
        }
        Ok(all)
    }

    fn interrupt(&self, error: CallError, outgoing: &Outgoing) -> Interrupt {
        let text = error.to_string();
        match outgoing.stopped(&text).or_else(|| question(&error)) {
            Some(interrupt) => interrupt,
            None => self.error(&error).into(),
        }
    }

    /// Returns the failure of a call, with the text of the plugin.
    fn error(&self, error: &CallError) -> Failure {
        let name = &self.name;
        match error {
            CallError::Peer(peer) => {
                let failure = Failure::raised(PLUGIN_ERROR, format!("`{name}` failed: {}", peer.message));
                match self.signature {
                    Some(_) => failure,
                    None => failure.recovery(format!(
                        "Its parameters are not known. If they are wrong, give them in order, or by name: \
                         {{\"{name}\": {{\"args\": [], \"kwargs\": {{}}}}}}"
                    )),
                }
            }
            CallError::Closed(reason) => {
                let failure = Failure::raised(PLUGIN_GONE, format!("`{name}` has no answer: {reason}"));
                failure.recovery("The plugin starts again with the next call.").retryable()
            }
            error => Failure::raised(PLUGIN_ERROR, format!("`{name}` failed: {error}")),
        }
    }
}

/// The question of a plugin, in the data of its error.
#[derive(Deserialize)]
struct AskedData {
    dialect: Asked,
}

#[derive(Deserialize)]
struct Asked {
    outcome: String,
    argument: Option<String>,
    #[serde(default)]
    alternatives: Vec<Alternative>,
}

#[derive(Deserialize)]
struct Alternative {
    description: String,
    value: Option<serde_json::Value>,
}

/// Returns the question that a plugin asks by an error with alternatives.
fn question(error: &CallError) -> Option<Interrupt> {
    let CallError::Peer(peer) = error else { return None };
    let AskedData { dialect } = serde_json::from_str(peer.data.as_ref()?.get()).ok()?;
    let each = dialect.alternatives.into_iter();
    let choice = |it: Alternative| Some(Choice { description: it.description, value: it.value?.into() });
    let choices: Vec<Choice> = each.filter_map(choice).collect();
    let is_question = dialect.outcome == "ambiguous" && choices.len() > 1;
    let question = peer.message.clone();
    is_question.then(|| Interrupt::Ambiguous(Question { question, argument: dialect.argument, choices }))
}
