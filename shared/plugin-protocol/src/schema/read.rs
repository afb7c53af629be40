//! Reads the result of the handshake.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::methods::{PROTOCOL, TRANSPORT};
use crate::schema::{Class, Constant, Description, Function, Library, PREFIX, Property, Refusal};
use crate::signature::{Origin, Parameter, Signature};
use crate::value::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Read<'a> {
    protocol: Option<String>,
    transport: Option<String>,
    library: Option<ReadLibrary>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    schema: Option<ReadSchema<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadLibrary {
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadSchema<'a> {
    #[serde(borrow)]
    functions: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    classes: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    constants: Option<Vec<&'a RawValue>>,
}

/// A function, method, constructor or property, with the members of ours and of older plugins.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadFunction<'a> {
    name: String,
    description: Option<String>,
    source: Option<String>,
    settable: Option<bool>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    returns: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    effect: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadClass<'a> {
    name: String,
    description: Option<String>,
    source: Option<String>,
    #[serde(borrow)]
    constructor: Option<&'a RawValue>,
    #[serde(borrow)]
    methods: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    properties: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct ReadConstant<'a> {
    name: String,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

impl Description {
    /// Reads the result of the handshake.
    pub fn read(result: Option<&RawValue>) -> Result<Self, Refusal> {
        let unreadable = |error: serde_json::Error| Refusal::Unreadable(error.to_string());
        let read: Read<'_> = match result {
            Some(result) if result.get().starts_with('{') => {
                serde_json::from_str(result.get()).map_err(unreadable)?
            }
            Some(result) if result.get() != "null" => {
                return Err(Refusal::Unreadable("it is not an object".to_owned()));
            }
            _ => Read::default(),
        };
        let protocol = read.protocol.unwrap_or_default();
        if protocol != PROTOCOL {
            return Err(Refusal::Protocol(protocol));
        }
        let transport = read.transport.unwrap_or_default();
        if transport != TRANSPORT {
            return Err(Refusal::Transport(transport));
        }
        let mut description = Self { library: library(read.library)?, ..Self::default() };
        description.capabilities =
            read.capabilities.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default();
        description.take(read.schema.unwrap_or_default());
        Ok(description)
    }

    /// Takes the entries of the schema. Of those with one name the last counts, in the order that they have
    /// here.
    fn take(&mut self, schema: ReadSchema<'_>) {
        let mut entries = Entries { warnings: Vec::new() };
        let functions = entries.all("functions", schema.functions, Entries::function);
        let classes = entries.all("classes", schema.classes, Entries::class);
        let constants = entries.all("constants", schema.constants, Entries::constant);
        let mut taken = BTreeSet::new();
        self.constants = entries.unique(constants, |it| &it.name, &mut taken);
        self.classes = entries.unique(classes, |it| &it.name, &mut taken);
        self.functions = entries.unique(functions, |it| &it.name, &mut taken);
        self.warnings = entries.warnings;
    }
}

fn library(read: Option<ReadLibrary>) -> Result<Library, Refusal> {
    let ReadLibrary { name, version, description } = read.unwrap_or_default();
    let name = name.unwrap_or_default();
    let name = name.strip_prefix(PREFIX).unwrap_or(&name).trim().to_owned();
    if name.is_empty() {
        return Err(Refusal::Unnamed);
    }
    Ok(Library { name, version: version.unwrap_or_default(), description: description.unwrap_or_default() })
}

/// The reading of entries, which collects warnings.
struct Entries {
    warnings: Vec<String>,
}

impl Entries {
    fn all<T>(
        &mut self,
        place: &str,
        entries: Option<Vec<&RawValue>>,
        read: fn(&mut Self, &str, &RawValue) -> Option<T>,
    ) -> Vec<T> {
        let entries = entries.into_iter().flatten().enumerate();
        entries.filter_map(|(at, it)| read(self, &format!("{place}[{at}]"), it)).collect()
    }

    /// Reads an entry with a name.
    fn entry<'a, T: Deserialize<'a>>(
        &mut self,
        place: &str,
        raw: &'a RawValue,
        name: impl Fn(&T) -> &str,
    ) -> Option<T> {
        let problem = match serde_json::from_str::<T>(raw.get()) {
            Ok(entry) if !name(&entry).is_empty() => return Some(entry),
            Ok(_) => "it has no name".to_owned(),
            Err(error) => error.to_string(),
        };
        self.warnings.push(format!("{place} is left out: {problem}"));
        None
    }

    fn function(&mut self, place: &str, raw: &RawValue) -> Option<Function> {
        let read = self.entry(place, raw, |it: &ReadFunction<'_>| &it.name)?;
        let signature = self.signature(place, &read);
        let effect = self.member(place, "effect", read.effect);
        Some(Function {
            name: read.name,
            description: read.description,
            source: read.source.filter(|it| !it.is_empty()),
            signature,
            effect,
        })
    }

    fn method(&mut self, place: &str, raw: &RawValue) -> Option<Function> {
        self.function(place, raw).map(|it| Function { source: None, ..it })
    }

    fn property(&mut self, place: &str, raw: &RawValue) -> Option<Property> {
        let read = self.entry(place, raw, |it: &ReadFunction<'_>| &it.name)?;
        Some(Property {
            returns: read.returns.and_then(|it| serde_json::from_str(it.get()).ok()),
            name: read.name,
            description: read.description,
            settable: read.settable.unwrap_or(false),
        })
    }

    fn class(&mut self, place: &str, raw: &RawValue) -> Option<Class> {
        let read = self.entry(place, raw, |it: &ReadClass<'_>| &it.name)?;
        let source = read.source.filter(|it| !it.is_empty());
        let constructor = read.constructor.map(|it| serde_json::from_str::<ReadFunction<'_>>(it.get()));
        let constructor = match constructor {
            Some(Ok(constructor)) => constructor,
            // A class that is source alone has a constructor without a name.
            None if source.is_some() => ReadFunction::default(),
            None => ReadFunction { name: read.name.clone(), ..ReadFunction::default() },
            Some(Err(error)) => {
                self.warnings.push(format!("{place} is left out: its constructor: {error}"));
                return None;
            }
        };
        let signature = self.signature(&format!("{place}.constructor"), &constructor);
        let effect = self.member(&format!("{place}.constructor"), "effect", constructor.effect);
        let of_source = || Signature::of_method(source.as_deref()?, "__init__");
        Some(Class {
            constructor: Function {
                signature: signature.or_else(of_source),
                name: constructor.name,
                description: constructor.description,
                source: None,
                effect,
            },
            methods: self.all(&format!("{place}.methods"), read.methods, Self::method),
            properties: self.all(&format!("{place}.properties"), read.properties, Self::property),
            name: read.name,
            description: read.description,
            source,
        })
    }

    fn constant(&mut self, place: &str, raw: &RawValue) -> Option<Constant> {
        let read = self.entry(place, raw, |it: &ReadConstant<'_>| &it.name)?;
        let value = match read.value.map(|it| Value::read(it, &format!("constant {}", read.name))) {
            None => Value::Null,
            Some(Ok(value)) => value,
            Some(Err(error)) => {
                self.warnings.push(format!("{place} is the text of its error: {error}"));
                Value::String(error.to_string())
            }
        };
        Some(Constant { name: read.name, value })
    }

    /// Returns the signature from the best place that has one.
    fn signature(&mut self, place: &str, read: &ReadFunction<'_>) -> Option<Signature> {
        let declared = self.member::<Vec<Parameter>>(place, "params", read.params);
        if let Some(parameters) = declared {
            let returns = self.member(place, "returns", read.returns);
            return Some(Signature { parameters, returns, origin: Origin::Declared });
        }
        if let Some(names) = self.member(place, "args", read.args) {
            return Some(Signature::of_names(names));
        }
        let of_source = read.source.as_deref().and_then(|it| Signature::of_definition(it, &read.name));
        let of_help = || Signature::of_help(read.description.as_deref()?, &read.name);
        of_source.or_else(of_help)
    }

    fn member<'a, T: Deserialize<'a>>(
        &mut self,
        place: &str,
        name: &str,
        raw: Option<&'a RawValue>,
    ) -> Option<T> {
        match serde_json::from_str(raw?.get()) {
            Ok(member) => Some(member),
            Err(error) => {
                self.warnings.push(format!("{place}.{name} is left out: {error}"));
                None
            }
        }
    }

    /// Keeps the last of the entries with one name, and none whose name is taken.
    fn unique<T>(
        &mut self,
        entries: Vec<T>,
        name: fn(&T) -> &String,
        taken: &mut BTreeSet<String>,
    ) -> Vec<T> {
        let mut kept: Vec<T> = Vec::new();
        for entry in entries.into_iter().rev() {
            if taken.insert(name(&entry).clone()) {
                kept.push(entry);
            } else {
                self.warnings.push(format!("{} is declared twice: the last one counts", name(&entry)));
            }
        }
        kept.reverse();
        kept
    }
}
