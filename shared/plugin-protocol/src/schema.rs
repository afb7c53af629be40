//! The description that a plugin gives of itself: the result of the handshake.
//!
//! It is read leniently. An entry that cannot be read costs itself and a warning, and not the plugin.

mod read;
mod write;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::methods::HostCall;
use crate::signature::Signature;
use crate::value::Value;

/// The prefix of the names of libraries from plugins.
pub const PREFIX: &str = "plugin.";

/// A plugin as it describes itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// The library whose functions, classes and constants these are.
    pub library: Library,
    /// The capabilities that it names.
    pub capabilities: Vec<String>,
    /// The functions. Names are unique over functions, classes and constants.
    pub functions: Vec<Function>,
    /// The classes, in the order of the handshake's result.
    pub classes: Vec<Class>,
    /// The constants, in the order of the handshake's result.
    pub constants: Vec<Constant>,
    /// The entries that were not taken as they are, each with its reason.
    pub warnings: Vec<String>,
}

/// The library of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// The name without the prefix `plugin.`.
    pub name: String,
    /// The version, or an empty text.
    pub version: String,
    /// The text for people, or an empty one.
    pub description: String,
}

/// A function, a method or a constructor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The name without the library; programs write it behind `library.`.
    pub name: String,
    /// The text for people.
    pub description: Option<String>,
    /// The source that a host with an interpreter runs instead of calling the plugin. Constructors and methods have none.
    pub source: Option<String>,
    /// The parameters, if any place tells them.
    pub signature: Option<Signature>,
    /// The effect of a call, if the plugin declares it: a member of ours, beside `params` and `returns`.
    pub effect: Option<Effect>,
}

/// The effect of a call, as a plugin declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// None: the result depends on the arguments alone.
    Pure,
    /// The call reads files or other state.
    Reads,
    /// The call changes something. This is assumed of a function that declares nothing.
    Writes,
}

/// A class of objects that live in the plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// The name without the library; programs write it behind `library.`.
    pub name: String,
    /// The text for people.
    pub description: Option<String>,
    /// The source that a host with an interpreter runs instead of making objects in the plugin.
    pub source: Option<String>,
    /// The constructor. Its name is empty for a class that is source alone.
    pub constructor: Function,
    /// The methods, which are called on an object.
    pub methods: Vec<Function>,
    /// The properties, which are read without arguments.
    pub properties: Vec<Property>,
}

/// A property of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// The name without the library; programs write it behind `library.`.
    pub name: String,
    /// The text for people.
    pub description: Option<String>,
    /// True if it can be set.
    pub settable: bool,
    /// The type, in the words of the plugin.
    pub returns: Option<String>,
}

/// A value that a plugin gives once, in the handshake.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constant {
    /// The name without the library; programs write it behind `library.`.
    pub name: String,
    /// The value, which does not change while the process runs.
    pub value: Value,
}

/// A reason why a plugin is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The plugin speaks another version of the protocol.
    #[error("unsupported protocol {0:?}")]
    Protocol(String),
    /// The plugin chose a transport that was not offered.
    #[error("unsupported transport {0:?}")]
    Transport(String),
    /// The answer to the handshake cannot be read.
    #[error("the handshake's result cannot be read: {0}")]
    Unreadable(String),
    /// The plugin gives its library no name.
    #[error("the library has no name")]
    Unnamed,
    /// The plugin answered the handshake with an error.
    #[error("{0}")]
    Error(String),
}

impl Library {
    /// Returns the name that the host calls the library by.
    pub fn qualified_name(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }
}

/// Returns the names of the methods that the source of a class defines.
pub fn defined_methods(source: &str) -> Vec<&str> {
    let definitions = || {
        let lines = source.lines().filter(|it| it.trim_start().starts_with("def "));
        lines.map(|it| it.split_at(it.len() - it.trim_start().len())).filter(|it| !it.0.is_empty())
    };
    // Functions within methods are further in.
    let Some((indent, _)) = definitions().next() else { return Vec::new() };
    let names = definitions().filter(|it| it.0 == indent);
    names.filter_map(|(_, it)| Some(it.strip_prefix("def ")?.split_once('(')?.0.trim())).collect()
}

impl Class {
    /// Returns the methods, with those that its source defines and their parameters there. Names that begin with `_` are
    /// its own.
    pub fn all_methods(&self) -> Vec<Function> {
        let source = self.source.as_deref().unwrap_or_default();
        let mut all = self.methods.clone();
        for name in defined_methods(source).into_iter().filter(|it| !it.starts_with('_')) {
            if all.iter().all(|it| it.name != name) {
                all.push(Function { name: name.to_owned(), ..Function::default() });
            }
        }
        for method in all.iter_mut().filter(|it| it.signature.is_none()) {
            method.signature = Signature::of_method(source, &method.name);
        }
        all
    }

    /// Creates the assignment of a property, or says why there is none.
    pub fn assignment(&self, object_id: &str, property: &str, value: Value) -> Result<HostCall, String> {
        match self.properties.iter().find(|it| it.name == property) {
            Some(it) if it.settable => Ok(HostCall::set(object_id, property, value)),
            Some(_) => Err(format!("can't set attribute '{property}': property is read-only")),
            None => Err(format!("{} has no property '{property}'", self.name)),
        }
    }
}

impl Description {
    /// Returns the function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|it| it.name == name)
    }

    /// Returns the class of this name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|it| it.name == name)
    }

    /// Returns the constant of this name.
    pub fn constant(&self, name: &str) -> Option<&Constant> {
        self.constants.iter().find(|it| it.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_the_functions_of_the_class_itself() {
        let source = "import x\ndef helper(a):\n    pass\nclass C:\n    def a(self):\n        def inner():\n            \
                      pass\n    y = 1\n    def b (self): pass\n";
        assert_eq!(defined_methods(source), ["a", "b"]);
        assert!(defined_methods("class C:\n    pass\n").is_empty());
    }
}
