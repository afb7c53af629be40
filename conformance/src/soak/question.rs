//! Programs of every kind to ask, some of them wrong.

use super::workspace::{ChangingWorkspace, TYPES};
use crate::random::Random;

/// A program, and what is known of its answer.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) kind: &'static str,
    pub(super) program: String,
    pub(super) expected: Expected,
}

/// The expectation of an answer that claims to be complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Anything,
    /// That text.
    Exactly(String),
    /// Not that there is no such symbol.
    Known,
}

/// The percentage of each kind of program.
const MIX: [(usize, &str); 21] = [
    (14, "findDefinitions"),
    (14, "findReferences"),
    (6, "findCallers"),
    (5, "findCallees"),
    (3, "findImplementations"),
    (3, "findSubtypes"),
    (2, "findTypeDefinitions"),
    (5, "describe"),
    (5, "outline"),
    (5, "findSymbols"),
    (3, "files"),
    (3, "diagnostics"),
    (8, "search"),
    (6, "lines"),
    (4, "source"),
    (3, "brief"),
    (4, "rename"),
    (1, "applyEdits"),
    (3, "several names"),
    (2, "an unknown name"),
    (1, "a wrong program"),
];

impl Question {
    pub(super) fn draw(workspace: &ChangingWorkspace, random: &mut Random) -> Self {
        let mut left = random.below(MIX.iter().map(|(share, _)| share).sum());
        let drawn = MIX.iter().find(|(share, _)| {
            let is_it = left < *share;
            left = left.saturating_sub(*share);
            is_it
        });
        Self::of(drawn.map_or("search", |(_, kind)| kind), workspace, random)
    }

    fn of(kind: &'static str, workspace: &ChangingWorkspace, random: &mut Random) -> Self {
        use Expected::{Anything, Exactly, Known};
        let function = workspace.function(random);
        let other = workspace.function(random).name;
        let (name, path, n_uses) = (&function.name, &function.path, function.n_uses);
        let a_type = random.one(&TYPES);
        let (old, new) = workspace.renaming(random);
        let (program, expected) = match kind {
            "findDefinitions" => (format!("findDefinitions(`{name}`)"), Known),
            "findReferences" => (format!("findReferences(`{name}`).length"), Exactly(n_uses.to_string())),
            "findCallers" => (format!("findCallers(`{name}`).length"), Exactly(n_uses.to_string())),
            "findCallees" => (format!("findCallees(`{name}`)"), Known),
            "findImplementations" => (format!("findImplementations(`{a_type}`)"), Known),
            "findSubtypes" => (format!("findSubtypes(`{a_type}`)"), Known),
            "findTypeDefinitions" => (format!("findTypeDefinitions(`{name}`)"), Known),
            "describe" => (format!("describe(`{name}`)"), Known),
            "outline" => (format!("outline(`{path}`)"), Anything),
            // Those of C are declared in a header too, and counted or not.
            "findSymbols" if name.starts_with("cc_") => (format!("findSymbols(`{name}`)"), Known),
            "findSymbols" => (format!("findSymbols(`{name}`).length"), Exactly("1".into())),
            "files" => ("files(`*.py`).length".into(), Exactly("9".into())),
            "diagnostics" => (format!("diagnostics(`{path}`)"), Anything),
            "search" => (format!("search(`.`, `\\b{name}\\b`)"), Anything),
            "lines" => (format!("lines(`{path}`, 1, 5)"), Anything),
            "source" => (format!("source(findDefinition(`{name}`))"), Known),
            "brief" => (format!("brief(findReferences(`{name}`, includeDeclaration=true))"), Known),
            "rename" => (format!("rename(`{name}`, `{name}_new`).files.length"), Known),
            "applyEdits" => (format!("applyEdits(rename(`{old}`, `{new}`))"), Anything),
            "several names" => {
                (format!("[`{name}`, `{other}`].map(it => findDefinitions(it).length)"), Known)
            }
            "an unknown name" => (format!("findReferences(`{name}_nowhere`)"), Anything),
            _ => (format!("findReferences(`{name}`"), Anything),
        };
        Self { kind, program, expected }
    }
}
