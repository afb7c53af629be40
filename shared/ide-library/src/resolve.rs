//! Resolution of symbols and places to definitions.
//!
//! Names match exactly. If nothing does, case is ignored. If the file of a pinned symbol has changed, the nearest
//! definition of that name in it is taken. A note tells about every inexact match.

mod in_file;
mod subject;

use std::cmp::Reverse;
use std::collections::HashSet;

use dialect::{Failure, Interrupt, Invocation, Notes};
use futures::{StreamExt, TryStreamExt, stream};
use ide_protocol::{
    Definition, DefinitionsQuestion, DefinitionsResult, FileRange, Line, LinesQuestion, LinesResult,
    Location, Operation, Point, Reason, Source, Target,
};
pub(crate) use subject::Subject;
use subject::are_parts;

use crate::ambiguity::{describe, is_vendored, likeliest_first, only_renames, which};
use crate::cached_host::CachedHost;
use crate::completeness_notes::note_lookup;
use crate::excerpt::lines_of;
use crate::failure::{from_wire, invalid, is_not_found, moved_away, unknown, unknown_name, unnamed_place};
use crate::naming::{is_called, is_here, is_same_folded, known_inside};
use crate::selection::Selection;
use crate::spelling::{bare_name, display_location, marked_name, own_name, split_qualified, words};
use crate::symbol::{Symbol, last_line};

/// The maximum number of columns of one line to try for a name.
const TRIED_COLUMNS: usize = 4;

/// The maximum number of names to resolve in one selection.
const TRIED_WORDS: usize = 32;

/// The maximum number of those that are resolved concurrently.
const AT_A_TIME: usize = 8;

/// Resolves symbols, and adds notes about inexact matches.
#[derive(Clone, Copy)]
pub(crate) struct Resolver<'call> {
    host: &'call CachedHost,
    notes: &'call Notes,
    about: Subject,
    /// The argument that holds the symbol.
    argument: &'static str,
    references_next: bool,
}

impl<'call> Resolver<'call> {
    /// Creates a resolver for one call.
    pub(crate) fn new(host: &'call CachedHost, invocation: &'call Invocation) -> Self {
        Self {
            host,
            notes: &invocation.notes,
            about: Subject::default(),
            argument: "symbol",
            references_next: false,
        }
    }

    /// Sets the name of the argument that holds the symbol, if it is another than `symbol`.
    pub(crate) fn argument(self, argument: &'static str) -> Self {
        Self { argument, ..self }
    }

    /// Asks for the uses of the only definition at the same time, since they are needed next.
    pub(crate) fn references_next(self, references_next: bool) -> Self {
        Self { references_next, ..self }
    }

    /// Restricts it to definitions that a question can be about.
    pub(crate) fn about(self, about: Subject) -> Self {
        Self { about, ..self }
    }

    /// Returns the definitions of a symbol, the likeliest first; at least one.
    pub(crate) async fn symbol(&self, symbol: &Symbol) -> Result<Vec<Definition>, Failure> {
        match (&symbol.path, symbol.line) {
            (None, None) => self.name(bare_name(&symbol.name)).await,
            (Some(path), None) => self.name_in_file(bare_name(&symbol.name), path).await,
            (Some(path), Some(line)) => self.pinned(symbol, path, line).await,
            (None, Some(_)) => Err(invalid(
                format!("the symbol `{}` has a line and no path", symbol.name),
                format!("Write symbol(`{}`, path=`FILE`, line=LINE).", symbol.name),
            )),
        }
    }

    /// Returns the one definition of the argument, or the question which is meant.
    pub(crate) async fn only(&self, symbol: &Symbol) -> Result<Definition, Interrupt> {
        let mut found = self.meant(symbol).await?;
        if found.len() > 1 {
            return Err(which(&symbol.name, &found, Some(self.argument)));
        }
        Ok(found.remove(0))
    }

    /// Resolves as [`Self::symbol`], without definitions that the question cannot be about, and without copies of other
    /// projects where this one has the name. Those are noted; a pinned symbol keeps them.
    async fn meant(&self, symbol: &Symbol) -> Result<Vec<Definition>, Failure> {
        let found = self.symbol(symbol).await?;
        if symbol.line.is_some() {
            return Ok(found);
        }
        let (meant, others) = self.about.part(found);
        self.leave_out(&others, &format!("Since this is about {}, not meant", self.about.word()));
        let meant = self.at_top_level(&symbol.name, meant);
        if symbol.path.is_some() {
            return Ok(meant);
        }
        let own = self.unless_all(meant, is_vendored, "Not meant, since it is in a copy of another project");
        Ok(self.unless_all(own, only_renames, "Not meant, since it only renames"))
    }

    /// Leaves out members, with a note, if a bare name means the only definition at the top level of its one file.
    fn at_top_level(&self, name: &str, found: Vec<Definition>) -> Vec<Definition> {
        let is_top = |it: &Definition| it.container.is_none();
        let is_one_file = found.iter().all(|it| it.name_at.path == found[0].name_at.path);
        if !is_one_file
            || split_qualified(name).is_some()
            || found.iter().filter(|it| is_top(it)).count() != 1
        {
            return found;
        }
        self.unless_all(found, |it| !is_top(it), "Not meant, since it is a member")
    }

    /// Leaves out definitions, with a note, unless nothing would be left.
    fn unless_all(
        &self,
        all: Vec<Definition>,
        is_left_out: impl Fn(&Definition) -> bool,
        why: &str,
    ) -> Vec<Definition> {
        let (others, meant): (Vec<_>, Vec<_>) = all.into_iter().partition(is_left_out);
        if meant.is_empty() {
            return others;
        }
        self.leave_out(&others, why);
        meant
    }

    /// Notes the definitions that are not meant.
    fn leave_out(&self, others: &[Definition], why: &str) {
        let Some(other) = others.first() else { return };
        let more = match others.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        self.notes.add(format!("{why}: {}{more}.", describe(other)));
    }

    /// Returns the one definition of the argument, or all parts of one type; else resolves as
    /// [`Self::alike`].
    pub(crate) async fn whole(&self, symbol: &Symbol) -> Result<Vec<Definition>, Interrupt> {
        let found = self.alike(symbol).await?;
        if found.len() > 1 && !are_parts(&found) {
            return Err(which(&symbol.name, &found, Some(self.argument)));
        }
        Ok(found)
    }

    /// Returns the one definition of the argument, or all that a fallback cannot distinguish: overloads, and
    /// the parts of one class. A fallback that knows only the syntax compares names. The first definition is to be
    /// asked about, and the answer then [settled](Self::settle).
    pub(crate) async fn alike(&self, symbol: &Symbol) -> Result<Vec<Definition>, Interrupt> {
        let found = self.meant(symbol).await?;
        let first = &found[0];
        let is_alike = |it: &Definition| {
            let is_there = it.container.is_some() || it.name_at.path == first.name_at.path;
            (&it.name, &it.kind, &it.container) == (&first.name, &first.kind, &first.container) && is_there
        };
        if found.len() == 1 {
            return Ok(found);
        }
        let is_bare = symbol.path.is_none() && symbol.line.is_none();
        if is_bare && (found.iter().all(is_alike) || are_parts(&found)) {
            let answer = self.ask_name(bare_name(&symbol.name)).await?;
            if goes_by_name(&answer.completeness.source) {
                return Ok(found);
            }
        }
        Err(which(&symbol.name, &found, Some(self.argument)))
    }

    /// Notes that the answer is about several similar definitions. If a language server answered instead, the
    /// question is which definition is meant.
    pub(crate) fn settle(
        &self,
        symbol: &Symbol,
        alike: &[Definition],
        source: &Source,
    ) -> Result<(), Interrupt> {
        match alike.len() {
            1 => Ok(()),
            _ if !goes_by_name(source) => Err(which(&symbol.name, alike, Some(self.argument))),
            count if are_parts(alike) => {
                self.notes.add(format!("`{}` is one {} in {count} parts.", symbol.name, alike[0].kind));
                Ok(())
            }
            count => {
                self.notes.add(format!(
                    "`{}` is defined in {count} places, which the syntax alone does not tell apart: this is about all.",
                    symbol.name
                ));
                Ok(())
            }
        }
    }

    /// Returns the definitions of the symbol at a place; at least one.
    pub(crate) async fn place(&self, place: &Location) -> Result<Vec<Definition>, Failure> {
        let found = self.at(place).await?;
        if !found.is_empty() {
            return Ok(found);
        }
        if place.column.is_some() {
            let found = self.defined_on_line_of(place).await?;
            if !found.is_empty() {
                self.notes.add(format!(
                    "Nothing is named at {}; this is what that line defines.",
                    display_location(place)
                ));
                return Ok(found);
            }
        }
        Err(unnamed_place(place, self.line(&place.path, place.line).await.as_ref()))
    }

    /// Returns the definitions of the symbol at the start of a range, or else those on its first line.
    pub(crate) async fn range(&self, range: &FileRange) -> Result<Vec<Definition>, Failure> {
        let start = range.location();
        let mut found = self.at(&start).await?;
        if found.is_empty() {
            found = self.defined_on_line_of(&start).await?;
        }
        if !found.is_empty() {
            return Ok(found);
        }
        Err(unnamed_place(&start, self.line(&range.path, range.start.line).await.as_ref()))
    }

    /// Returns the definitions of the names in a selection, those that lie in it first; at least one.
    pub(crate) async fn selection(&self, selection: &Selection) -> Result<Vec<Definition>, Failure> {
        let range = selection.range();
        if selection.selected.trim().is_empty() {
            return self.place(&range.location()).await;
        }
        let lines = lines_of(self.host, &selection.path, range.start.line, last_line(&range)).await?;
        let places = selection.stands_at(&lines.lines);
        if places.is_empty() {
            return Err(no_longer_there(selection));
        }
        let mut words: Vec<(&str, Point)> = Vec::new();
        for (word, point) in places.iter().flat_map(|it| selection.words_from(*it)) {
            // In one stretch a word always means the same; in several it may not.
            if places.len() > 1 || words.iter().all(|(before, _)| *before != word) {
                words.push((word, point));
            }
        }
        if words.len() > TRIED_WORDS {
            let count = words.len();
            self.notes.add(format!(
                "Of the {count} names in the selection, the first {TRIED_WORDS} were looked at."
            ));
            words.truncate(TRIED_WORDS);
        }
        let found = self.named(&selection.path, words).await?;
        if found.is_empty() {
            return Err(unnamed_place(&range.location(), Some(&lines)));
        }
        let is_own = |it: &Definition| {
            it.name_at.path == lines.path && (range.start..range.end).contains(&it.name_at.start)
        };
        let (own, used): (Vec<_>, Vec<_>) = found.into_iter().partition(is_own);
        Ok(own.into_iter().chain(used).collect())
    }

    /// Returns the definitions of some words of a file, without duplicates. If any has the name of its word, those
    /// with other names are left out: a keyword may lead to its function.
    async fn named(&self, path: &str, words: Vec<(&str, Point)>) -> Result<Vec<Definition>, Failure> {
        let ask = |(word, point): (&str, Point)| {
            let place = Location { path: path.to_owned(), line: point.line, column: Some(point.column) };
            let word = word.to_owned();
            async move { self.at(&place).await.map(|found| (word, found)) }
        };
        let each: Vec<_> = words.into_iter().map(ask).collect();
        let answers: Vec<_> = stream::iter(each).buffered(AT_A_TIME).try_collect().await?;
        let is_exact = |(word, found): &(String, Vec<Definition>)| found.iter().any(|it| it.name == *word);
        let has_exact = answers.iter().any(is_exact);
        let mut seen = HashSet::new();
        let of_word = answers
            .into_iter()
            .flat_map(|(word, found)| found.into_iter().filter(move |it| !has_exact || it.name == word));
        Ok(of_word.filter(|it| seen.insert(it.name_at.location())).collect())
    }

    async fn ask(&self, target: Target) -> Result<DefinitionsResult, Failure> {
        let name = target.name.clone().filter(|_| target.at.is_none());
        let mut answer = self
            .host
            .ask(
                Operation::Definitions,
                &DefinitionsQuestion { target, references_next: self.references_next },
            )
            .await
            .map_err(from_wire)?;
        let mut seen = HashSet::new();
        answer.definitions.retain(|it| seen.insert(it.name_at.location()));
        likeliest_first(&mut answer.definitions);
        // For a qualified name the host may have returned those of one container only.
        let are_all = answer.completeness.is_complete()
            && answer.definitions.iter().all(|it| Some(&it.name) == name.as_ref());
        self.host.keep(self.notes, &answer.definitions, are_all);
        if let (Some(references), [only]) = (answer.references.take(), answer.definitions.as_slice()) {
            self.host.keep_references(self.notes, Target::of(only), references);
        }
        Ok(answer)
    }

    async fn at(&self, place: &Location) -> Result<Vec<Definition>, Failure> {
        let answer = self.ask(Target { name: None, at: Some(place.clone()) }).await?;
        if !answer.definitions.is_empty() || !answer.completeness.is_complete() {
            note_lookup(Operation::Definitions, self.notes, &answer.completeness);
        }
        Ok(answer.definitions)
    }

    /// Returns the definitions whose name or beginning is on a line. Symbols that the line only uses are left out.
    async fn defined_on_line_of(&self, place: &Location) -> Result<Vec<Definition>, Failure> {
        let mut found = self.at(&Location { column: None, ..place.clone() }).await?;
        found.retain(|it| [&it.name_at, &it.defined_at].map(|range| range.start.line).contains(&place.line));
        Ok(self.in_file(&place.path, found).await)
    }

    async fn ask_name(&self, name: &str) -> Result<DefinitionsResult, Failure> {
        self.ask(Target { name: Some(name.to_owned()), at: None }).await
    }

    async fn name(&self, name: &str) -> Result<Vec<Definition>, Failure> {
        if name.is_empty() {
            return Err(invalid("the name of the symbol is empty", "Write findDefinitions(`NAME`)."));
        }
        let answer = self.ask_name(name).await?;
        if let Some(found) = self.called(name, &answer).await? {
            return Ok(found);
        }
        let Some((container, last)) = split_qualified(name) else { return Err(unknown_name(name, &answer)) };
        // The host knows that the container has no such member, so members of others are not meant.
        let is_of_another = |it: &String| split_qualified(it).is_some_and(|(_, other)| other == last);
        if answer.nearest.iter().any(is_of_another) {
            return Err(unknown_name(name, &answer));
        }
        let unqualified = self.ask_name(last).await?;
        match self.called(last, &unqualified).await? {
            Some(found) => Ok(self.inside(container, last, found)),
            None => Err(unknown_name(name, &unqualified)),
        }
    }

    /// Returns the definitions of exactly that name, or else those whose name differs in case only. The host may
    /// understand more than the name: `auth::User`, `fn new`.
    async fn called(
        &self,
        name: &str,
        answer: &DefinitionsResult,
    ) -> Result<Option<Vec<Definition>>, Failure> {
        let own = own_name(name);
        let exact: Vec<_> =
            answer.definitions.iter().filter(|it| is_called(&it.name, name)).cloned().collect();
        if !exact.is_empty() {
            note_lookup(Operation::Definitions, self.notes, &answer.completeness);
            return Ok(Some(exact));
        }
        let is_alike = |it: &&Definition| is_same_folded(&it.name, own);
        let mut others: Vec<_> = answer.definitions.iter().filter(is_alike).cloned().collect();
        let near = answer.nearest.iter().find(|it| is_same_folded(it, own));
        if let (true, Some(near)) = (others.is_empty(), near) {
            others = self.ask_name(near).await?.definitions;
            others.retain(|it| it.name == *near);
        }
        let Some(other) = others.first() else {
            // A bare name may stand for a symbol of another name, such as an alias of an import.
            let is_bare = name == own && answer.nearest.is_empty();
            let others = Some(answer.definitions.clone()).filter(|it| is_bare && !it.is_empty());
            others.iter().for_each(|_| note_lookup(Operation::Definitions, self.notes, &answer.completeness));
            return Ok(others);
        };
        note_lookup(Operation::Definitions, self.notes, &answer.completeness);
        if !answer.completeness.reasons().iter().any(|it| names(it, &other.name)) {
            let wanted = marked_name(name).unwrap_or(own);
            let differs = if is_same_folded(wanted, &other.name) { ", whose case differs" } else { "" };
            let note = format!("No symbol is called `{wanted}`; this is `{}`{differs}.", other.name);
            self.notes.add(note);
        }
        Ok(Some(others))
    }

    /// Returns the definitions inside the container. If none is known to be, returns all with a note.
    fn inside(&self, container: &str, name: &str, found: Vec<Definition>) -> Vec<Definition> {
        let inside = known_inside(container, &found);
        if inside.is_some() || is_here(container) {
            return inside.unwrap_or(found);
        }
        self.notes.add(format!("No `{name}` is known to belong to `{container}`; this is every `{name}`."));
        found
    }

    async fn pinned(&self, symbol: &Symbol, path: &str, line: Line) -> Result<Vec<Definition>, Failure> {
        if let Some(cached) = self.host.recall(self.notes, symbol) {
            return Ok(vec![cached]);
        }
        let pin = Location { path: path.to_owned(), line, column: symbol.column };
        if pin.column.is_some() {
            let found = self.named_at(&symbol.name, &pin).await?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let answer = self.ask_pinned(&symbol.name, &pin).await?;
        let named = answer.as_ref().map(|it| named(&symbol.name, it)).unwrap_or_default();
        let there = self.in_file(path, named).await;
        let exact: Vec<_> = there.iter().filter(|it| it.name_at.start.line == line).cloned().collect();
        if exact.is_empty()
            && let Some(local) = self.local(&symbol.name, &pin).await?
        {
            return Ok(vec![local]);
        }
        if let Some(answer) = &answer {
            note_lookup(Operation::Definitions, self.notes, &answer.completeness);
        }
        let found = if exact.is_empty() { self.nearest(there, &pin) } else { Some(exact) };
        match found {
            Some(found) => Ok(found),
            None => Err(moved_away(&symbol.name, path, &self.ask_name(&symbol.name).await?)),
        }
    }

    /// Returns the definitions of a name near a place; `None` if the host knows none.
    async fn ask_pinned(&self, name: &str, pin: &Location) -> Result<Option<DefinitionsResult>, Failure> {
        match self.ask(Target { name: Some(name.to_owned()), at: Some(pin.clone()) }).await {
            Ok(answer) => Ok(Some(answer)),
            // There is no such name or file; the caller looks up the rest.
            Err(failure) if is_not_found(&failure) && self.line(&pin.path, Line::FIRST).await.is_some() => {
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns the symbols of that name at a place with a column: the one defined there, or all that the name stands
    /// for.
    async fn named_at(&self, name: &str, place: &Location) -> Result<Vec<Definition>, Failure> {
        let mut found = self.at(place).await?;
        found.retain(|it| it.name == name);
        let defined_there: Vec<_> =
            found.iter().filter(|it| it.name_at.location() == *place).cloned().collect();
        Ok(if defined_there.is_empty() { found } else { defined_there })
    }

    /// Returns a symbol that no symbol table has, such as a local variable. Its name stands on the line, which
    /// defines it.
    async fn local(&self, name: &str, pin: &Location) -> Result<Option<Definition>, Failure> {
        let Some(answer) = self.line(&pin.path, pin.line).await else { return Ok(None) };
        let text = answer.lines.first().map(|it| it.text.as_str()).unwrap_or_default();
        for (at, _) in words(text).filter(|(_, word)| *word == name).take(TRIED_COLUMNS) {
            let column = Some(ide_protocol::Column::from_index(at));
            let place = Location { path: answer.path.clone(), line: pin.line, column };
            let answer = self.ask(Target { name: None, at: Some(place.clone()) }).await?;
            let found =
                answer.definitions.into_iter().find(|it| it.name == name && it.name_at.location() == place);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn nearest(&self, mut there: Vec<Definition>, pin: &Location) -> Option<Vec<Definition>> {
        there.sort_by_key(|it| Reverse(it.name_at.start.line.get().abs_diff(pin.line.get())));
        let nearest = there.pop()?;
        let place = nearest.name_at.location();
        self.notes.add(format!(
            "`{}` is no longer at {}; this is the one at {}.",
            nearest.name,
            display_location(pin),
            display_location(&place)
        ));
        Some(vec![nearest])
    }

    /// Returns the text of a line, if it can be read.
    async fn line(&self, path: &str, line: Line) -> Option<LinesResult> {
        self.host
            .ask(Operation::Lines, &LinesQuestion { path: path.to_owned(), first: line, last: line })
            .await
            .ok()
    }
}

fn named(name: &str, answer: &DefinitionsResult) -> Vec<Definition> {
    answer.definitions.iter().filter(|it| it.name == name).cloned().collect()
}

fn no_longer_there(selection: &Selection) -> Failure {
    let (place, path) = (selection.display(), &selection.path);
    let problem = format!("what the user selected does not stand at {place} of the file as it is now");
    unknown(problem, "").recovery(format!(
        "Ask for what it names, findDefinitions(`NAME`); source(`{path}`) shows the file as it is."
    ))
}

/// Returns true for sources that compare names only.
fn goes_by_name(source: &Source) -> bool {
    matches!(source.0.as_str(), "syntax" | "text")
}

/// Returns whether a reason says that this is the name of what was found. The words of an editor say so if they have it.
fn names(reason: &Reason, name: &str) -> bool {
    match reason {
        Reason::OtherCase { found, .. } => found == name,
        Reason::OtherName { of, .. } => of == name,
        Reason::Note { text, .. } => text.contains(name),
        _ => false,
    }
}
