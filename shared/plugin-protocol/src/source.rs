//! The source of a plugin: functions and classes that a host runs itself, and that reach the plugin where they call it.

use serde::{Deserialize, Serialize};

use crate::schema::Description;

/// The named argument of a call of source that is the host's function for calls of the plugin.
pub const HOST: &str = "_dialect_host";

/// The start of the ids of objects that live in the source.
pub const OBJECT: &str = "dialect-source-";

/// The start of the description of a process that runs source and that the operating system does not confine; the reason
/// follows.
pub const UNCONFINED: &str = "not confined: ";

/// The entries of a plugin, in the order in which it names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The name of the plugin's library, as sources call it: `plugin.hello`.
    pub library: String,
    /// The functions.
    pub functions: Vec<Entry>,
    /// The classes.
    pub classes: Vec<Entry>,
}

/// A function or a class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The source; without it, the plugin answers its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The methods and properties of a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
}

/// The variables in which the process of a source finds its module, in pieces: `DIALECT_SOURCE_0` and so on. An operating
/// system limits the length of one.
const VARIABLE: &str = "DIALECT_SOURCE_";
const PIECE: usize = 96 * 1024;

/// The maximum of all pieces, in bytes. An operating system limits them too.
const VARIABLES: usize = 1024 * 1024;

impl Module {
    /// Returns the variables that hold the module.
    ///
    /// # Errors
    /// It is too long for them.
    pub fn variables(&self) -> Result<Vec<(String, String)>, String> {
        let json = serde_json::to_string(self).expect("texts are JSON");
        if json.len() > VARIABLES {
            return Err(format!("it has {} bytes, and {VARIABLES} are the most", json.len()));
        }
        let mut pieces = vec![String::new()];
        for it in json.chars() {
            match pieces.last_mut() {
                Some(piece) if piece.len() < PIECE => piece.push(it),
                _ => pieces.push(it.to_string()),
            }
        }
        Ok(pieces.into_iter().enumerate().map(|(at, piece)| (format!("{VARIABLE}{at}"), piece)).collect())
    }

    /// Reads the module from variables, which `get` returns.
    ///
    /// # Errors
    /// They hold none.
    pub fn of_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let pieces = (0..).map_while(|at| get(&format!("{VARIABLE}{at}")));
        serde_json::from_str(&pieces.collect::<String>()).map_err(|error| error.to_string())
    }

    /// Returns the module of a plugin; `None` if nothing of it is source.
    pub fn of(description: &Description) -> Option<Self> {
        let functions = description.functions.iter().map(|it| Entry {
            name: it.name.clone(),
            source: it.source.clone(),
            members: Vec::new(),
        });
        let classes = description.classes.iter().map(|it| {
            let methods = it.methods.iter().map(|it| it.name.clone());
            let members = methods.chain(it.properties.iter().map(|it| it.name.clone())).collect();
            Entry { name: it.name.clone(), source: it.source.clone(), members }
        });
        let (functions, classes): (Vec<_>, Vec<_>) = (functions.collect(), classes.collect());
        let has_source = functions.iter().chain(&classes).any(|it| it.source.is_some());
        let library = description.library.qualified_name();
        has_source.then_some(Self { library, functions, classes })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_module_of_any_length_passes_through_variables() {
        for length in [0, 10, PIECE + 7] {
            let source = Some("é\n\"".repeat(length));
            let functions = vec![Entry { name: "f".to_owned(), source, members: Vec::new() }];
            let module = Module { library: "plugin.x".to_owned(), functions, classes: Vec::new() };
            let variables: HashMap<String, String> = module.variables().unwrap().into_iter().collect();
            assert!(variables.values().all(|it| it.len() < 128 * 1024));
            assert_eq!(Module::of_variables(|it| variables.get(it).cloned()), Ok(module));
        }
        assert!(Module::of_variables(|_| None).is_err());
        let library = "x".repeat(VARIABLES);
        let refused = Module { library, ..Module::default() }.variables();
        assert!(refused.is_err_and(|it| it.ends_with("1048576 are the most")));
    }
}
