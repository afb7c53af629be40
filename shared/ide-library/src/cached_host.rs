//! What the host has told the program that runs, so that it is not asked twice where the answer is fresh.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use dialect::Notes;
use ide_protocol::Definition;

use crate::Host;
use crate::symbol::Symbol;

/// The host, with the definitions that it gave during one run of a program.
///
/// What an earlier program was told is not kept: files change between programs. Within one, a definition is some
/// seconds old at most, and whoever is asked about it next checks that its name stands there.
pub(crate) struct Memory {
    host: Arc<dyn Host>,
    told: Mutex<Told>,
}

/// The definitions that one run was told.
#[derive(Default)]
struct Told {
    run: Option<Notes>,
    /// Each with whether all that have its name were told with it.
    definitions: Vec<(Definition, bool)>,
}

impl Memory {
    pub(crate) fn of(host: Arc<dyn Host>) -> Self {
        Self { host, told: Mutex::default() }
    }

    /// The host gave these to the run that these notes belong to; `are_all` when they are all of their name.
    pub(crate) fn keep(&self, run: &Notes, definitions: &[Definition], are_all: bool) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.run.as_ref().is_some_and(|it| it.is_same_run(run)) {
            *told = Told { run: Some(run.clone()), definitions: Vec::new() };
        }
        told.definitions.extend(definitions.iter().map(|it| (it.clone(), are_all)));
    }

    /// The definition at which the symbol is pinned, when the same run was told it. A pin without a column may mean
    /// several of its line, so it counts only where all of the name are known.
    pub(crate) fn recall(&self, run: &Notes, symbol: &Symbol) -> Option<Definition> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.run.as_ref().filter(|it| it.is_same_run(run))?;
        let is_meant = |it: &&(Definition, bool)| match symbol.column {
            Some(_) => Symbol::with_column_of(&it.0) == *symbol,
            None => it.1 && Symbol::of(&it.0) == *symbol,
        };
        let mut meant = told.definitions.iter().filter(is_meant).map(|(it, _)| it);
        let first = meant.next()?;
        meant.all(|it| it.name_at.start == first.name_at.start).then(|| first.clone())
    }
}

impl Deref for Memory {
    type Target = dyn Host;

    fn deref(&self) -> &Self::Target {
        &*self.host
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        Answer, DefinitionsQuestion, LinesQuestion, ReferencesQuestion, SearchQuestion, SelectionQuestion,
    };
    use ide_protocol::{Column, FileRange, Line, Point};

    /// Never answers.
    pub(crate) struct Nobody;

    impl Host for Nobody {
        fn definitions(&self, _: DefinitionsQuestion) -> Answer<'_, ide_protocol::DefinitionsResult> {
            Box::pin(std::future::pending())
        }
        fn references(&self, _: ReferencesQuestion) -> Answer<'_, ide_protocol::ReferencesResult> {
            Box::pin(std::future::pending())
        }
        fn search(&self, _: SearchQuestion) -> Answer<'_, ide_protocol::SearchResult> {
            Box::pin(std::future::pending())
        }
        fn lines(&self, _: LinesQuestion) -> Answer<'_, ide_protocol::LinesResult> {
            Box::pin(std::future::pending())
        }
        fn selection(&self, _: SelectionQuestion) -> Answer<'_, ide_protocol::SelectionResult> {
            Box::pin(std::future::pending())
        }
    }

    fn definition(line: usize, column: usize) -> Definition {
        let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let (start, end) = (point(column), point(column + 4));
        let range = FileRange::new("a.rs", start, end);
        Definition {
            name: "User".into(),
            kind: "struct".into(),
            defined_at: range.clone(),
            name_at: range,
            container: None,
        }
    }

    #[test]
    fn what_the_same_run_was_told_is_recalled() {
        let memory = Memory::of(Arc::new(Nobody));
        let (run, other) = (Notes::default(), Notes::default());
        memory.keep(&run, &[definition(3, 7), definition(9, 7)], true);
        memory.keep(&run, &[definition(9, 7)], false);
        let recalled =
            |run: &Notes, symbol: &Symbol| memory.recall(run, symbol).map(|it| it.name_at.start.line);
        assert_eq!(recalled(&run, &Symbol::of(&definition(9, 7))), Some(Line::from_index(9)));
        assert_eq!(recalled(&run, &Symbol::of(&definition(4, 7))), None);
        assert_eq!(recalled(&run, &Symbol::named("User")), None);
        assert_eq!(recalled(&other, &Symbol::of(&definition(9, 7))), None);
        memory.keep(&other, &[], true);
        assert_eq!(recalled(&run, &Symbol::of(&definition(9, 7))), None);
    }

    #[test]
    fn a_line_is_a_pin_only_where_all_of_the_name_are_known() {
        let memory = Memory::of(Arc::new(Nobody));
        let run = Notes::default();
        memory.keep(&run, &[definition(3, 7)], false);
        assert_eq!(memory.recall(&run, &Symbol::of(&definition(3, 7))), None);
        assert!(memory.recall(&run, &Symbol::with_column_of(&definition(3, 7))).is_some());
        memory.keep(&run, &[definition(3, 7), definition(3, 20)], true);
        assert_eq!(memory.recall(&run, &Symbol::of(&definition(3, 7))), None);
        assert!(memory.recall(&run, &Symbol::with_column_of(&definition(3, 20))).is_some());
    }
}
