//! A cache of the definitions that the host returned during one run of a program.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};

use unpoisoned::lock;

use dialect::Notes;
use ide_protocol::{Definition, ReferencesResult, Target};

use crate::Host;
use crate::symbol::Symbol;

/// The host, with a cache of the definitions that it returned during one run.
///
/// The cache is dropped between programs, because files change. Within a run an entry is at most a few seconds old,
/// and the next operation checks that the name is still there.
pub(crate) struct CachedHost {
    host: Arc<dyn Host>,
    cached: Mutex<CachedDefinitions>,
}

/// The cached definitions of one run.
#[derive(Default)]
struct CachedDefinitions {
    run: Option<Notes>,
    /// The definitions, each with true if all of its name were returned together.
    definitions: Vec<(Definition, bool)>,
    /// The uses that came with definitions, until they are taken.
    references: HashMap<Target, ReferencesResult>,
}

impl CachedHost {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self { host, cached: Mutex::default() }
    }

    fn cached(&self) -> MutexGuard<'_, CachedDefinitions> {
        lock(&self.cached)
    }

    /// Caches definitions of a run, which its notes identify. `are_all` is true if they are all of their name.
    pub(crate) fn keep(&self, run: &Notes, definitions: &[Definition], are_all: bool) {
        self.of_run(run).definitions.extend(definitions.iter().map(|it| (it.clone(), are_all)));
    }

    /// Returns what is cached for a run, without that of others.
    fn of_run(&self, run: &Notes) -> MutexGuard<'_, CachedDefinitions> {
        let mut cached = self.cached();
        if !cached.run.as_ref().is_some_and(|it| it.is_same_run(run)) {
            *cached = CachedDefinitions { run: Some(run.clone()), ..CachedDefinitions::default() };
        }
        cached
    }

    /// Caches the uses that came with a definition.
    pub(crate) fn keep_references(&self, run: &Notes, target: Target, references: ReferencesResult) {
        self.of_run(run).references.insert(target, references);
    }

    /// Takes the uses that came with a definition in the same run. They are given once, since a later call may come after
    /// an edit.
    pub(crate) fn take_references(&self, run: &Notes, target: &Target) -> Option<ReferencesResult> {
        self.of_run(run).references.remove(target)
    }

    /// Returns the cached definition that a symbol is pinned to, if the same run got it. A pin without a column may
    /// fit several definitions on its line, so it counts only if all of the name are cached.
    pub(crate) fn recall(&self, run: &Notes, symbol: &Symbol) -> Option<Definition> {
        let cached = self.cached();
        cached.run.as_ref().filter(|it| it.is_same_run(run))?;
        let is_meant = |it: &&(Definition, bool)| match symbol.column {
            Some(_) => Symbol::with_column_of(&it.0) == *symbol,
            None => it.1 && Symbol::from_definition(&it.0) == *symbol,
        };
        let mut meant = cached.definitions.iter().filter(is_meant).map(|(it, _)| it);
        let first = meant.next()?;
        meant.all(|it| it.name_at.start == first.name_at.start).then(|| first.clone())
    }
}

impl Deref for CachedHost {
    type Target = dyn Host;

    fn deref(&self) -> &Self::Target {
        &*self.host
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ide_protocol::{Column, FileRange, Line, Operation, Point};
    use serde_json::Value;

    use super::*;
    use crate::Answer;

    /// A host that never answers.
    pub(crate) struct Nobody;

    impl Host for Nobody {
        fn send(&self, _: Operation, _: Value) -> Answer<'_, Value> {
            Box::pin(std::future::pending())
        }
    }

    fn definition(line: usize, column: usize) -> Definition {
        let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let (start, end) = (point(column), point(column + 4));
        let range = FileRange::new("a.rs", start, end);
        Definition::new("User", "struct", range.clone(), range)
    }

    #[test]
    fn definitions_of_the_same_run_are_cached() {
        let memory = CachedHost::new(Arc::new(Nobody));
        let (run, other) = (Notes::default(), Notes::default());
        memory.keep(&run, &[definition(3, 7), definition(9, 7)], true);
        memory.keep(&run, &[definition(9, 7)], false);
        let recalled =
            |run: &Notes, symbol: &Symbol| memory.recall(run, symbol).map(|it| it.name_at.start.line);
        assert_eq!(recalled(&run, &Symbol::from_definition(&definition(9, 7))), Some(Line::from_index(9)));
        assert_eq!(recalled(&run, &Symbol::from_definition(&definition(4, 7))), None);
        assert_eq!(recalled(&run, &Symbol::named("User")), None);
        assert_eq!(recalled(&other, &Symbol::from_definition(&definition(9, 7))), None);
        memory.keep(&other, &[], true);
        assert_eq!(recalled(&run, &Symbol::from_definition(&definition(9, 7))), None);
    }

    #[test]
    fn a_line_is_a_pin_only_where_all_of_the_name_are_known() {
        let memory = CachedHost::new(Arc::new(Nobody));
        let run = Notes::default();
        memory.keep(&run, &[definition(3, 7)], false);
        assert_eq!(memory.recall(&run, &Symbol::from_definition(&definition(3, 7))), None);
        assert!(memory.recall(&run, &Symbol::with_column_of(&definition(3, 7))).is_some());
        memory.keep(&run, &[definition(3, 7), definition(3, 20)], true);
        assert_eq!(memory.recall(&run, &Symbol::from_definition(&definition(3, 7))), None);
        assert!(memory.recall(&run, &Symbol::with_column_of(&definition(3, 20))).is_some());
    }
}
