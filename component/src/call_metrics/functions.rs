//! The calls of the functions of one program, grouped by function and outcome.

use super::meter::Said;
use super::samples::Samples;
use crate::audit::Ending;

/// The most groups of one program. A plugin can name its errors as it likes.
const GROUPS: usize = 200;

/// The group of calls beyond the last.
const OTHERS: &str = "other functions";

/// The most calls of one program whose tokens are counted, and the most bytes of their values.
const COUNTED: usize = 4_096;
const BYTES: usize = 16 << 20;

/// The calls of one program so far.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub(super) groups: Vec<Group>,
    /// The values whose tokens are counted later.
    pub(super) values: Vec<CallValues>,
    bytes: usize,
}

/// Calls of one function that ended alike.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) function: String,
    pub(super) ending: Ending,
    pub(super) error: Option<String>,
    pub(super) samples: Samples,
    pub(super) uncounted: u64,
}

/// The arguments of a call, and its result.
#[derive(Clone, Debug)]
pub(super) struct CallValues {
    /// The index of its group.
    pub(super) group: usize,
    pub(super) given: Said,
    pub(super) returned: Said,
}

impl Functions {
    pub(super) fn add(
        &mut self,
        function: &str,
        milliseconds: f64,
        (ending, error): (Ending, Option<String>),
        [given, returned]: [Said; 2],
    ) {
        let group = self.group(function, ending, error);
        self.groups[group].samples.add(milliseconds);
        let bytes = given.bytes().saturating_add(returned.bytes());
        if self.values.len() < COUNTED && self.bytes.saturating_add(bytes) <= BYTES {
            self.bytes += bytes;
            self.values.push(CallValues { group, given, returned });
        } else {
            self.groups[group].uncounted += 1;
        }
    }

    /// Returns the index of the group of a call.
    fn group(&mut self, function: &str, ending: Ending, error: Option<String>) -> usize {
        let found = self
            .groups
            .iter()
            .position(|it| it.ending == ending && it.function == function && it.error == error);
        if let Some(found) = found {
            return found;
        }
        if self.groups.len() > GROUPS {
            return GROUPS; // the last one is for all others
        }
        let function = if self.groups.len() == GROUPS { OTHERS } else { function }.to_owned();
        self.groups.push(Group { function, ending, error, ..Group::default() });
        self.groups.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_names_nor_values_grow_without_bound() {
        let mut functions = Functions::default();
        let text = Said::Text("a".repeat(1 << 20));
        for number in 0..1_000 {
            let ending = (Ending::Failure, Some(format!("Error{number}")));
            functions.add("hostile", 1.0, ending, [text.clone(), Said::Nothing]);
        }
        assert_eq!(functions.groups.len(), GROUPS + 1);
        let others = &functions.groups[GROUPS];
        assert_eq!((others.function.as_str(), others.samples.seen), (OTHERS, 800));
        assert_eq!(functions.values.len(), 16);
        assert_eq!(functions.groups.iter().map(|it| it.uncounted).sum::<u64>(), 984);
    }
}
