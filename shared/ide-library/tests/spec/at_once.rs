//! The uses of a symbol come with its definition where the host gives them.

use std::sync::Arc;

use dialect::{Limits, Outcome, Registry, run};
use futures::executor::block_on;

use super::all_cases;
use super::world::World;

/// Programs in the workspace of the first chapter, and their questions to a host that gives the uses of the only
/// definition with it.
const CASES: &[(&str, usize)] = &[
    // By name, at the definition, and where it is used.
    ("findReferences(`validateToken`)", 1),
    ("findReferences(`src/auth.rs:15:14`)", 1),
    ("findReferences(`src/main.rs:10:8`)", 1),
    ("`src/auth.rs:15:14`.findReferences().count()", 1),
    // The declaration is not among them, so that they are asked for again.
    ("findReferences(`src/auth.rs:15:14`, includeDeclaration=true)", 2),
    // Those of one call are no other call's: something may have changed between.
    ("a = findReferences(`validateToken`)\n[a, findReferences(`MyClass`)]", 2),
    // The definitions alone are wanted.
    ("findDefinition(`validateToken`)", 1),
    ("findReferences(findDefinition(`validateToken`))", 2),
];

pub(crate) fn uses_come_with_the_definition() {
    let case = all_cases().swap_remove(0);
    for (program, expected) in CASES {
        let world = World::of(&case).answering_next();
        let libraries = [ide_library::library(Arc::new(world.clone())), core_library::library()];
        let registry = Registry::new(libraries).expect("the tables fit");
        let outcome = block_on(run(&registry, program, &Limits::default()));
        assert!(matches!(outcome, Outcome::Success(_)), "{program}\n{outcome:?}");
        assert_eq!(world.asked(), *expected, "{program}");
    }
}
