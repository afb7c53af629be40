//! Rows and tables: what a library says about its functions, types and conversions.

use std::fmt;
use std::sync::Arc;

use crate::{Call, Failure, Habit, Object, Requirement, Value};

/// A set of tables.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Who brings it: `ide`.
    pub name: String,
    /// Types.
    pub types: Vec<RecordType>,
    /// Functions, in the order in which they are shown.
    pub functions: Vec<Function>,
    /// Conversions.
    pub conversions: Vec<Conversion>,
    /// Calls as other languages have them.
    pub habits: Vec<Habit>,
}

/// What running a callable does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Computes from its arguments alone.
    Pure,
    /// Looks at the world.
    Reads,
    /// Changes it.
    Writes,
}

/// A function's row.
#[derive(Clone)]
pub struct Function {
    /// `findReferences(symbol: Symbol, includeDeclaration?: boolean) -> List<FileRange>`
    pub signature: String,
    /// Other names of the same function.
    pub aliases: Vec<String>,
    /// Other names of its parameters: alias, parameter.
    pub parameter_aliases: Vec<(String, String)>,
    /// What other languages call it. These names work where something is called in text form, unless a callable has
    /// them, and nothing shows them.
    pub foreign: Vec<String>,
    /// One sentence.
    pub summary: String,
    /// The rest of its documentation, Markdown; may be empty.
    pub docs: String,
    /// Programs that use it, the commonest first.
    pub examples: Vec<String>,
    /// What it does to the world.
    pub effect: Effect,
    /// Which permissions calling it needs, all of them; see [`Function::requirements`].
    pub requires: Vec<Requirement>,
    /// The failures that its callers should know of before they meet them.
    pub fails: Vec<DeclaredFailure>,
    /// What runs.
    pub code: Arc<dyn Call>,
}

/// A failure that a row speaks of, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredFailure {
    /// Its name: `RateLimitError`.
    pub name: String,
    /// When it comes, in a sentence; may be empty.
    pub description: String,
    /// What it says, with `${…}` where it differs from time to time: `${remaining} requests are left.`
    pub message: String,
    /// What its reader can do, in the same way; empty when nothing is known to help.
    pub recovery: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

impl DeclaredFailure {
    /// This failure, with the values of what its words name: `${remaining}` and so on.
    pub fn raise<'name>(&self, values: impl IntoIterator<Item = (&'name str, String)>) -> Failure {
        let values: Vec<(&str, String)> = values.into_iter().collect();
        let mut failure = Failure::raised(&self.name, filled(&self.message, &values));
        if !self.recovery.is_empty() {
            failure = failure.recovery(filled(&self.recovery, &values));
        }
        if self.retryable { failure.retryable() } else { failure }
    }
}

/// A template with its holes filled; a hole that has no value stays.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("${") {
        let hole = behind.split_once('}');
        let value =
            hole.and_then(|(name, after)| Some((&values.iter().find(|it| it.0 == name.trim())?.1, after)));
        text.push_str(before);
        rest = match value {
            Some((value, after)) => {
                text.push_str(value);
                after
            }
            None => {
                text.push_str("${");
                behind
            }
        };
    }
    text + rest
}

impl Function {
    /// A row with what every row needs. It counts as writing until [`Function::effect`] says otherwise, so
    /// that a forgotten line asks for permission instead of doing harm.
    pub fn new(signature: impl Into<String>, summary: impl Into<String>, code: impl Call + 'static) -> Self {
        Self {
            signature: signature.into(),
            aliases: Vec::new(),
            parameter_aliases: Vec::new(),
            foreign: Vec::new(),
            summary: summary.into(),
            docs: String::new(),
            examples: Vec::new(),
            effect: Effect::Writes,
            requires: Vec::new(),
            fails: Vec::new(),
            code: Arc::new(code),
        }
    }

    /// The same with what it does to the world.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// The same with one more permission that calling it needs.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }

    /// The same with one more failure that its callers should know of.
    #[must_use]
    pub fn fails(mut self, failure: DeclaredFailure) -> Self {
        self.fails.push(failure);
        self
    }

    /// The same with one more name.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }

    /// The same with names that other languages have for it.
    #[must_use]
    pub fn foreign<'name>(mut self, names: impl IntoIterator<Item = &'name str>) -> Self {
        self.foreign.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// The same with documentation beyond its summary.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = docs.into();
        self
    }

    /// The same with one more example.
    #[must_use]
    pub fn example(mut self, program: impl Into<String>) -> Self {
        self.examples.push(program.into());
        self
    }
}

/// A registered type's row. Its constructor is a callable of the type's name with a small first letter.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// Its name and fields, which are the constructor's parameters:
    /// `FileRange(path: string, start: Point, end: Point, text?: string)`
    pub signature: String,
    /// What it represents, in a sentence.
    pub description: String,
    /// How a reader is told which value this is: ``the struct `User` at src/a.rs:12``.
    pub label: Option<fn(&Object) -> String>,
    /// What a program may give for it that is shorter to write, of another type that is registered.
    pub stand_in: Option<fn(&Object) -> Option<Value>>,
}

impl RecordType {
    /// A row with what every row needs.
    pub fn new(signature: impl Into<String>, description: impl Into<String>) -> Self {
        Self { signature: signature.into(), description: description.into(), label: None, stand_in: None }
    }

    /// The same with a way to say which value of the type one is, used where a reader has to choose. It is
    /// given the fields, those that are absent in the value absent.
    #[must_use]
    pub fn label(mut self, label: fn(&Object) -> String) -> Self {
        self.label = Some(label);
        self
    }

    /// The same with something shorter that stands for a value of the type, if there is: it is offered in programs
    /// where one of several is wanted, and either type will do.
    #[must_use]
    pub fn stand_in(mut self, stand_in: fn(&Object) -> Option<Value>) -> Self {
        self.stand_in = Some(stand_in);
        self
    }
}

/// A conversion's row: applied where what it gives is wanted and what it takes is given. It never writes.
#[derive(Clone)]
pub struct Conversion {
    /// Its name, what it takes and what it gives: `nameToSymbol(name: string) -> Symbol`
    pub signature: String,
    /// One sentence.
    pub description: String,
    /// What it does to the world: at most, it looks at it.
    pub effect: Effect,
    /// Which permissions applying it needs, all of them: one that looks something up in the network.
    pub requires: Vec<Requirement>,
    /// What runs.
    pub code: Arc<dyn Call>,
}

impl Conversion {
    /// A row. The signature has exactly one parameter. It counts as looking at the world until
    /// [`Conversion::computes`] says otherwise.
    pub fn new(
        signature: impl Into<String>,
        description: impl Into<String>,
        code: impl Call + 'static,
    ) -> Self {
        let (signature, description) = (signature.into(), description.into());
        Self { signature, description, effect: Effect::Reads, requires: Vec::new(), code: Arc::new(code) }
    }

    /// The same, of which it is known that it computes from its argument alone.
    #[must_use]
    pub fn computes(mut self) -> Self {
        self.effect = Effect::Pure;
        self
    }

    /// The same with one more permission that applying it needs.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }
}

/// `NotReady: A language server is loading. Wait a while. The same call may succeed later.` Without a description what
/// it says stands there, in quotes.
impl fmt::Display for DeclaredFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, description, message, recovery, retryable } = self;
        let told = match (description.as_str(), message.as_str()) {
            ("", "") => String::new(),
            ("", message) => crate::types::quoted(message),
            (description, _) => description.to_owned(),
        };
        let again = if *retryable { "The same call may succeed later." } else { "" };
        let parts: Vec<&str> =
            [&told, recovery.as_str(), again].into_iter().filter(|it| !it.is_empty()).collect();
        let colon = if told.is_empty() { "" } else { ":" };
        write!(f, "{name}{colon} {}", parts.join(" "))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("signature", &self.signature).finish_non_exhaustive()
    }
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion").field("signature", &self.signature).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fill_holes_and_are_not_read_again() {
        let values = [("a", "${b}".to_owned()), ("b", "two".to_owned())];
        assert_eq!(filled("${a} and ${ b }, ${c} ${", &values), "${b} and two, ${c} ${");
    }
}
