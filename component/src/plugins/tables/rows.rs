//! The rows of a plugin's functions, classes and constants.

use std::collections::HashMap;
use std::sync::Arc;

use ailang::{Capability, Document, Documents, Interface};
use dialect::{
    DeclaredFailure, Effect, Function, Interrupt, Invocation, Library, RecordType, Registry, show,
};
use plugin_protocol::schema::{self, Class, Constant, Description};
use plugin_protocol::{Origin, Parameter, Signature};

use crate::plugins::Plugin;
use crate::plugins::tables::call::{Call, Kind, Side};
use crate::plugins::tables::objects::Objects;
use crate::plugins::tables::plugin_names::{
    FAILURES, NOT_RUN, library_name, not_run, permission, setter, type_name,
};
use crate::plugins::tables::signatures::{signature_text, value_parameter};
use crate::plugins::tables::source::SourceHost;
use crate::plugins::tables::values::from_wire;

/// The method that ends an object.
const RELEASE: &str = "release";

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

/// Makes the tables of a plugin. `source` is the process that runs its source; without one, calls of that fail. `known` has
/// everything else that a program can name; `is_alone` says whether no other plugin has a function of that name, which then
/// works without the plugin's name too.
pub(crate) fn tables(
    plugin: &Plugin,
    source: Option<&Plugin>,
    objects: &Arc<Objects>,
    known: &Registry,
    document: Option<&str>,
    is_alone: impl Fn(&str) -> bool,
) -> Tables {
    let description = plugin.description();
    let library = library_name(&description);
    let types = description.classes.iter().map(|it| {
        let properties = it.properties.iter().map(|it| it.name.clone()).collect();
        (type_name(&library, &it.name), properties)
    });
    objects.add(&library, plugin, types);
    let (own, documented) = (library.clone(), Vec::new());
    let mut maker = Maker { plugin, source: None, objects, library: own, known, documented, is_alone };
    let mut tables = Tables { library: Library { name: library, ..Library::default() }, ..Tables::default() };
    tables.unavailable.extend(description.warnings.iter().cloned());
    if let Some(document) = document {
        maker.read(document, &description, &mut tables);
    }
    maker.source = source.map(|it| (maker.host(&description), it));
    maker.source.iter().for_each(|(host, source)| objects.add_source(host.clone(), source));
    maker.all(&description, &mut tables);
    tables
}

struct Maker<'a, F> {
    plugin: &'a Plugin,
    /// The process that runs its source, with what it reaches.
    source: Option<(SourceHost, &'a Plugin)>,
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
    /// True for source, which the host runs.
    is_source: bool,
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
        tables.library.aliases = interface.aliases().to_vec();
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

    /// Returns the plugin as its source reaches it, with the permissions that it needs for that.
    fn host(&self, description: &Description) -> SourceHost {
        let mut needs = HashMap::new();
        let needed = |function: &schema::Function| match effect(function.effect) {
            Effect::Writes => vec![permission(&self.library)],
            Effect::Pure | Effect::Reads => Vec::new(),
        };
        for class in &description.classes {
            needs.insert(class.name.clone(), needed(&class.constructor));
            let member = |name: &str| format!("{}Ref.{name}", class.name);
            needs.extend(class.methods.iter().map(|it| (member(&it.name), needed(it))));
            needs.extend(class.properties.iter().map(|it| (member(&it.name), Vec::new())));
            needs.entry(member(RELEASE)).or_default();
        }
        for function in &description.functions {
            let declared =
                self.documented(&function.name).map(|it| match (it.effect, it.requires.is_empty()) {
                    (Effect::Writes, true) => vec![permission(&self.library)],
                    _ => it.requires.clone(),
                });
            needs.insert(function.name.clone(), declared.unwrap_or_else(|| needed(function)));
        }
        let (plugin, library) = (self.plugin.clone(), self.library.clone());
        SourceHost { plugin, library, needs: Arc::new(needs) }
    }

    fn all(&self, description: &Description, tables: &mut Tables) {
        for class in &description.classes {
            self.class(class, tables);
        }
        for function in &description.functions {
            let (kind, is_source) = (Kind::Function(function.name.clone()), function.source.is_some());
            let bare = (self.is_alone)(&function.name).then(|| function.name.clone());
            let effect = effect(function.effect);
            let aliases = bare.into_iter().collect();
            let name = function.name.clone();
            let entry = Entry { name, aliases, function, of: None, returns: None, effect, kind, is_source };
            match self.documented(&entry.name) {
                Some(row) => self.add_documented(entry, row, tables),
                None => self.add(entry, tables),
            }
        }
        description.constants.iter().for_each(|it| self.constant(it, tables));
        let sources = description.functions.iter().filter(|it| it.source.is_some()).map(|it| &it.name);
        let classes = description.classes.iter().filter(|it| it.source.is_some()).map(|it| &it.name);
        for name in sources.chain(classes).filter(|_| self.source.is_none()) {
            tables.unavailable.push(not_run(&format!("{}.{name}", self.library)));
        }
    }

    /// Adds a function of the plugin that an interface document declares; the document's row has its words
    /// and effects.
    fn add_documented(&self, entry: Entry<'_>, row: &Function, tables: &mut Tables) {
        let Entry { name, aliases, kind, is_source, .. } = entry;
        let signature = dialect::Signature::parse(&row.signature).map(|it| Signature {
            parameters: it.parameters.into_iter().map(documented_parameter).collect(),
            returns: None,
            origin: Origin::Declared,
        });
        let mut row = row.clone();
        let code = self.code(&name, kind, signature.ok(), is_source);
        let is_source = is_source && self.source.is_none();
        row.signature = format!("{}.{}", self.library, row.signature);
        row.generic = String::new();
        // What the plugin raises has its own words.
        (row.error_template, row.code) = (None, Arc::new(code));
        if is_source {
            row.summary = format!("{NOT_RUN}: {}", row.summary);
            (row.effect, row.requires) = (Effect::Pure, Vec::new());
        }
        if row.effect == Effect::Writes && row.requires.is_empty() {
            row = row.requires(permission(&self.library));
        }
        let row = with_failures(row);
        let named = aliases.iter().fold(row.clone(), |row, it| row.alias(it));
        self.keep(vec![named, row], &format!("function {name}"), tables);
    }

    fn code(&self, name: &str, kind: Kind, signature: Option<Signature>, is_source: bool) -> Call {
        let of_plugin = || Side { plugin: self.plugin.clone(), host: None };
        let (side, kind) = match (is_source, &self.source) {
            (true, Some((host, source))) => {
                (Side { plugin: Plugin::clone(source), host: Some(host.clone()) }, kind)
            }
            (true, None) => (of_plugin(), Kind::Source),
            (false, _) => (of_plugin(), kind),
        };
        let (objects, name) = (Arc::clone(self.objects), format!("{}.{name}", self.library));
        Call { side, objects, library: self.library.clone(), name, kind, signature }
    }

    fn class(&self, class: &Class, tables: &mut Tables) {
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
            is_source: class.source.is_some(),
        };
        self.add(new, tables);
        let methods = class.all_methods();
        for function in &methods {
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
        if methods.iter().all(|it| it.name != RELEASE) {
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
        let is_source = class.source.is_some();
        let name = format!("{}Ref.{}", class.name, function.name);
        let aliases = vec![format!("{}.{}.{}", self.library, class.name, function.name)];
        let of = Some(type_name(&self.library, &class.name));
        self.add(Entry { name, aliases, function, of, returns: None, effect, kind, is_source }, tables);
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
        let Entry { name, aliases, function, of, returns, effect, kind, is_source: runs_source } = entry;
        let signature = function.signature.as_ref();
        let typed = signature_text(&name, &self.library, of.as_deref(), signature, returns.as_deref(), true);
        let untyped =
            signature_text(&name, &self.library, of.as_deref(), signature, returns.as_deref(), false);
        let open = signature_text(&name, &self.library, of.as_deref(), None, returns.as_deref(), false);
        let described = function.description.clone().filter(|it| !it.trim().is_empty());
        let words = described
            .unwrap_or_else(|| format!("Function {name} of the plugin {} (no description).", self.library));
        let is_source = runs_source && self.source.is_none();
        let words = if is_source { format!("{NOT_RUN}: {words}") } else { words };
        let effect = if is_source { Effect::Pure } else { effect };
        let (summary, rest) = words.split_once('\n').unwrap_or((&words, ""));
        let mut docs = vec![rest.trim().to_owned()];
        docs.extend(signature.into_iter().flat_map(|it| &it.parameters).filter_map(|it| {
            let default = it.default.as_ref().map(|it| format!(" Default: {it}."));
            let words = it.description.clone().or(default.as_ref().map(|_| String::new()))?;
            Some(format!("- `{}`: {words}{}", it.name, default.unwrap_or_default()))
        }));
        if is_source {
            docs.push(format!("{}.", not_run(&format!("{}.{name}", self.library))));
        } else if signature.is_none() {
            docs.push(
                "Its parameters are not known: all arguments are passed on as they are given.".to_owned(),
            );
        }
        docs.retain(|it| !it.is_empty());
        let rows = [typed, untyped, open].into_iter().flat_map(|text| {
            let code = self.code(&name, kind.clone(), function.signature.clone(), runs_source);
            let mut row =
                with_failures(Function::new(text, summary, code).docs(docs.join("\n")).effect(effect));
            if effect == Effect::Writes {
                row = row.requires(permission(&self.library));
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

fn effect(declared: Option<schema::Effect>) -> Effect {
    match declared {
        Some(schema::Effect::Pure) => Effect::Pure,
        Some(schema::Effect::Reads) => Effect::Reads,
        Some(schema::Effect::Writes) | None => Effect::Writes,
    }
}
