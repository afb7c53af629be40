//! What a function was given where it takes a name as well as a place: `findDefinitions`, `lines`.

use dialect::{Choice, Failure, FailureKind, Interrupt, Question, Value};
use ide_protocol::{Definition, FileRange, Location};
use serde::Deserialize;

use crate::ambiguity::{OFFERED, describe};
use crate::selection::Selection;
use crate::symbol::{PastedDefinition, Sight, Symbol};

/// What a function was given, by its form: records and pasted objects alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Given {
    /// `` `User` ``, `` `src/auth.rs:12` ``
    Text(String),
    /// What `findDefinitions` gives.
    Definition(PastedDefinition),
    /// What `getSelection` gives.
    Selection(Selection),
    /// What `findReferences`, `search` and `lines` give.
    Range(FileRange),
    /// ``symbol(`User`, path=`src/a.rs`, line=12)``
    Symbol(Symbol),
    /// ``location(`src/a.rs`, 12, 5)``
    Location(Location),
}

impl Given {
    /// Reads an argument. A list of one is its element; of several, the question is which.
    pub(crate) fn read(argument: &Value, parameter: &str) -> Result<Self, Interrupt> {
        match argument.as_list() {
            None => Self::read_one(argument, parameter).map_err(Interrupt::from),
            Some([]) => Err(unreadable(parameter, "the list is empty, nothing was found").into()),
            Some([only]) => Self::read(only, parameter),
            Some(items) => Self::which(items, parameter),
        }
    }

    fn read_one(argument: &Value, parameter: &str) -> Result<Self, Failure> {
        argument.read().map_err(|_| {
            let found = argument.type_name();
            let reason = format!(
                "a name, a place (`path:line:column`), a range or a definition is wanted, not this {found}"
            );
            unreadable(parameter, &reason)
        })
    }

    fn which(items: &[Value], parameter: &str) -> Result<Self, Interrupt> {
        let mut choices: Vec<Choice> = Vec::new();
        for item in items {
            let choice = Self::read_one(item, parameter)?.choice(item);
            if choices.len() <= OFFERED && choices.iter().all(|it| it.value != choice.value) {
                choices.push(choice);
            }
        }
        if choices.len() == 1 {
            return Self::read(&choices.remove(0).value, parameter);
        }
        let rest = if choices.len() > OFFERED { " These are the first of them." } else { "" };
        choices.truncate(OFFERED);
        let count = items.len();
        let question = format!("One symbol or place is wanted here, and there are {count}. Which one?{rest}");
        Err(Interrupt::Ambiguous(Question { question, argument: Some(parameter.to_owned()), choices }))
    }

    /// What stands in the program when this one is meant: the shortest that says which.
    fn choice(self, item: &Value) -> Choice {
        match self {
            Self::Definition(pasted) => {
                let definition = Definition::from(pasted);
                let value = Value::from_record("Symbol", &Symbol::with_column_of(&definition));
                Choice { description: describe(&definition), value: value.unwrap_or_else(|_| item.clone()) }
            }
            Self::Range(range) => {
                let sight = Sight::from(range);
                let value = Value::from_record("Location", &sight.location());
                Choice { description: sight.describe(), value: value.unwrap_or_else(|_| item.clone()) }
            }
            _ => Choice { description: item.to_json().to_string(), value: item.clone() },
        }
    }
}

fn unreadable(parameter: &str, reason: &str) -> Failure {
    FailureKind::UnreadableArgument { parameter: parameter.to_owned(), reason: reason.to_owned() }.into()
}
