//! Which definitions a name means: what the server lists, checked against what the sources say.

use super::inherited_members::Member;
use super::{dependencies, inherited_members, python_modules};
use crate::blocking;
use crate::fallback::operations::corrections::{
    assigned_attributes, assigned_members, declared_apart, overloads, preprocessed_code, unresolved_imports,
};
use crate::fallback::operations::lookup::candidates::{ALIASES, Answer, candidates, is_called};
use crate::fallback::operations::lookup::format_places;
use crate::fallback::operations::lookup::format_places::listed;
use crate::fallback::operations::lookup::leads::{is_file, led_to};
use crate::fallback::servers::run::convert::RawSymbol;
use crate::fallback::session::query_context::{Problem, QueryContext, folders};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::workspace::session_folders::Roots;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::Lines;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// How many names are given that may be meant.
const NEAREST: usize = 8;

/// Every definition of that name: what the server lists, checked against what the sources seem to define.
pub(crate) async fn by_name(asking: &QueryContext, roots: &Roots, name: &Name) -> Result<Answer, Problem> {
    let listed = asking.symbols(name.last.clone()).await?;
    let mut answer = Answer::default();
    if listed.len() >= asking.profile().symbols.limit {
        answer.incomplete = true;
        answer.notes.push(format!("the server stops listing at {} symbols", listed.len()));
    }
    let exact = listed.iter().filter(|it| is_called(it, &name.last));
    let (own, foreign): (Vec<_>, Vec<_>) = exact.partition(|it| roots.hold(&it.at.path));
    let mut found = candidates(asking, &own, name).await?;
    // What is the workspace's own is meant, and reading all that a standard library calls so takes long.
    if !found.iter().any(|it| it.fit == Fit::Exact && it.loaded && !it.is_local) {
        found.extend(candidates(asking, &foreign, name).await?);
    }
    let written = written(asking, roots, name, &mut answer).await?;
    merge(asking, &mut found, written).await?;
    let Sorted { mut found, modules, unfollowed } =
        without_aliases((asking, roots), found, &mut answer).await?;
    if found.is_empty() {
        found = by_alias(asking, roots, name, &mut answer).await?;
    }
    if found.is_empty() {
        found = modules;
    }
    if found.is_empty() {
        doubt(asking, roots, name, &mut answer).await;
    }
    let found = declared_apart::defined(asking, found).await?;
    let modules = python_modules::meant(asking, roots, name, &found).await?;
    if !modules.is_empty() {
        answer.candidates = modules;
        return Ok(answer);
    }
    let (found, pieces) = overloads::wholes(asking, found).await;
    let all = if name.path.is_empty() { Vec::new() } else { found.clone() };
    choose(asking, roots, &mut answer, found, name);
    overloads::tell(roots, &mut answer, &pieces);
    tell_specialised(asking, roots, &mut answer).await?;
    if answer.candidates.is_empty() {
        answer.is_near = true;
        fall_back(asking, roots, name, (&listed, &all), &mut answer).await?;
    }
    if answer.is_near && !unfollowed.is_empty() {
        answer.incomplete = true;
        let (name, server) = (&name.last, asking.server.name());
        let places = places(&unfollowed, roots);
        answer.notes.push(format!("`{name}` is imported from where {server} does not follow: {places}"));
    }
    Ok(answer)
}

/// What the sources seem to define under that name, each confirmed by the outline of its file.
async fn written(
    asking: &QueryContext,
    roots: &Roots,
    name: &Name,
    answer: &mut Answer,
) -> Result<Vec<Candidate>, Problem> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (word, until) = (name.last.clone(), asking.deadline);
    let scan = blocking::spawn(move || word_scan::definitions(language, &folders, &word, until));
    let lines = scan.await;
    answer.heed(&lines, name);
    let mut written = Vec::new();
    for path in lines.lines.keys() {
        let nodes = asking.outline(path).await?;
        let all = outline::all(&nodes);
        let named = all.iter().filter(|it| plain(&it.node.name) == name.last);
        written.extend(named.map(|it| of_node(path, it, name)));
        let left_out = preprocessed_code::left_out(asking, path).await?;
        let left_out = outline::all(&left_out).into_iter().filter(|it| it.node.name == name.last);
        written.extend(left_out.map(|it| Candidate { loaded: false, ..of_node(path, &it, name) }));
        if let (true, Some(text)) = (language.id == "python", asking.text(path).await) {
            written.extend(assigned_attributes::of((path, &text), &lines.lines[path], &all, name));
        }
    }
    Ok(written)
}

/// Adds what is written and was not listed, after asking whether the server loaded it.
async fn merge(
    asking: &QueryContext,
    found: &mut Vec<Candidate>,
    written: Vec<Candidate>,
) -> Result<(), Problem> {
    for mut candidate in written {
        if found.iter().any(|it| it.path == candidate.path && it.name_at == candidate.name_at) {
            continue;
        }
        candidate.loaded = candidate.loaded && is_loaded(asking, &candidate).await?;
        found.push(candidate);
    }
    let mut seen = HashSet::new();
    found.retain(|it| seen.insert((it.path.clone(), it.name_at)));
    Ok(())
}

/// Whether the server loaded it. Of macros that several branches define, those that count lead to themselves.
async fn is_loaded(asking: &QueryContext, candidate: &Candidate) -> Result<bool, Problem> {
    let (path, start) = (&candidate.path, candidate.name_at.start);
    if candidate.kind == "macro" && asking.profile().guesses {
        let led = led_to(asking, path, start).await?;
        return Ok(led.iter().any(|it| (&it.path, it.name_at.start) == (path, start)));
    }
    Ok(asking.is_loaded(path, start).await?)
}

/// What was found under a name.
#[derive(Debug, Default)]
struct Sorted {
    /// Definitions.
    found: Vec<Candidate>,
    /// Names that stand for modules.
    modules: Vec<Candidate>,
    /// Names that are imported from where the server does not follow.
    unfollowed: Vec<Candidate>,
}

/// Names that only stand for other definitions, as those that are imported do, replaced by what they lead to.
async fn without_aliases(
    (asking, roots): (&QueryContext, &Roots),
    found: Vec<Candidate>,
    answer: &mut Answer,
) -> Result<Sorted, Problem> {
    let mut sorted = Sorted::default();
    for candidate in &found {
        let stands_for_another = stands_for_another(asking, candidate).await;
        let targets = match stands_for_another {
            true => led_to(asking, &candidate.path, candidate.name_at.start).await?,
            false => Vec::new(),
        };
        if stands_for_another && unresolved_imports::is_one(asking, roots, candidate, &targets).await {
            sorted.unfollowed.push(candidate.clone());
            continue;
        }
        let targets = assigned_members::first(asking, roots, targets).await;
        let is_itself =
            |it: &Candidate| it.path == candidate.path && it.name_at.start == candidate.name_at.start;
        // A property that is written as `{ name }` leads to itself and to what it holds.
        let has_another = !targets.iter().any(is_itself)
            || targets.iter().any(|it| it.name == candidate.name && !ALIASES.contains(&it.kind.as_str()));
        // What is written in several pieces is one; what reads a property and what writes it are told apart later.
        let is_earlier = |it: &Candidate| {
            (&it.path, &it.kind, &it.container) == (&candidate.path, &candidate.kind, &candidate.container)
                && it.kind == "property"
                && it.name_at < candidate.name_at
        };
        if targets.iter().any(is_itself) && targets.iter().any(is_earlier) {
            let earlier = targets.iter().filter(|it| is_earlier(it));
            if !overloads::is_whole_or_piece_of(asking, candidate, earlier).await {
                continue;
            }
        }
        if !targets.is_empty() && targets.iter().all(|it| is_file(it.name_at)) {
            sorted.modules.push(candidate.clone());
            continue;
        }
        let others: Vec<_> = targets.iter().filter(|it| !is_itself(it)).cloned().collect();
        let others = match has_another && !others.is_empty() {
            true => renamed(others, candidate, answer),
            false => vec![candidate.clone()],
        };
        for other in others {
            // What is listed itself says more of it.
            let is_other = |it: &&Candidate| it.path == other.path && it.name_at == other.name_at;
            let other = found.iter().find(is_other).cloned().unwrap_or(other);
            if !sorted.found.iter().any(|it| it.path == other.path && it.name_at == other.name_at) {
                sorted.found.push(other);
            }
        }
    }
    Ok(sorted)
}

/// Whether it may be no definition, but what is imported under that name.
async fn stands_for_another(asking: &QueryContext, candidate: &Candidate) -> bool {
    if ALIASES.contains(&candidate.kind.as_str()) {
        return !candidate.is_local;
    }
    let text = asking.text(&candidate.path).await;
    let line = text.as_ref().and_then(|it| it.line(candidate.whole.start.line.index())).unwrap_or_default();
    candidate.kind == "namespace" && line.trim_start().starts_with("using ")
}

/// Says so when what a name leads to is called something else.
fn renamed(targets: Vec<Candidate>, alias: &Candidate, answer: &mut Answer) -> Vec<Candidate> {
    if let Some(other) = targets.iter().find(|it| it.name != alias.name) {
        let note = format!("`{}` is another name of `{}`", alias.name, other.name);
        if !answer.notes.contains(&note) {
            answer.notes.push(note);
        }
    }
    targets.into_iter().map(|it| Candidate { fit: alias.fit, ..it }).collect()
}

/// What is called so only where it is imported under that name: `import total as NAME`.
async fn by_alias(
    asking: &QueryContext,
    roots: &Roots,
    name: &Name,
    answer: &mut Answer,
) -> Result<Vec<Candidate>, Problem> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (word, until) = (name.last.clone(), asking.deadline);
    let scan = blocking::spawn(move || word_scan::aliases(language, &folders, &word, until));
    let importing = scan.await;
    answer.heed(&importing, name);
    let mut found: Vec<Candidate> = Vec::new();
    for (path, name_at) in named(asking, &importing, &name.last).await {
        for target in led_to(asking, &path, name_at.start).await? {
            if is_file(target.name_at) {
                // It has this name alone.
                found.push(Candidate {
                    path: path.clone(),
                    name: name.last.clone(),
                    whole: name_at,
                    name_at,
                    ..target
                });
            } else if target.name != name.last
                && !found.iter().any(|it| it.path == target.path && it.name_at == target.name_at)
            {
                answer.notes.push(format!("`{}` is another name of `{}`", name.last, target.name));
                found.push(target);
            }
        }
    }
    Ok(found)
}

/// Picks what is meant. What is left aside is said: fields beside items, code that is not loaded beside code that is.
fn choose(asking: &QueryContext, roots: &Roots, answer: &mut Answer, found: Vec<Candidate>, name: &Name) {
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    let fitting: Vec<_> = found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect();
    let (own, foreign): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|it| roots.hold(&it.path));
    let (loaded, unloaded): (Vec<_>, Vec<_>) =
        if own.is_empty() { foreign } else { own }.into_iter().partition(|it| it.loaded);
    let (locals, others): (Vec<_>, Vec<_>) = loaded.into_iter().partition(|it| it.is_local);
    let (fields, items): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| it.kind == "field");
    let (constructors, items) = constructors(items);
    let ranks =
        [(items, ""), (constructors, "constructors"), (fields, "fields"), (locals, "local variables")];
    let mut ranks = ranks.into_iter();
    let best = ranks.find(|(found, _)| !found.is_empty());
    for (found, what) in ranks.filter(|(found, _)| !found.is_empty()) {
        answer.notes.push(format!("{what} of that name are left out: {}", places(&found, roots)));
    }
    answer.candidates = best.map(|(found, _)| found).unwrap_or_default();
    if unloaded.is_empty() {
        return;
    }
    answer.incomplete = true;
    let (place, not_loaded) = (places(&unloaded, roots), asking.not_loaded());
    if answer.candidates.is_empty() {
        answer.notes.push(format!("`{}` stands in code that is {not_loaded}: {place}", name.last));
        answer.candidates = unloaded;
    } else {
        answer.notes.push(format!("also defined in code that is {not_loaded}: {place}"));
    }
}

/// Says where else a template is written that was chosen, for some of its arguments.
async fn tell_specialised(asking: &QueryContext, roots: &Roots, answer: &mut Answer) -> Result<(), Problem> {
    if let [Candidate { path, name, name_at, .. }] = &answer.candidates[..] {
        let found = declared_apart::specialised(asking, roots, path, name_at.start, name).await?;
        let found: Vec<_> = found.into_iter().map(|(path, point)| (path, Extent::at(point))).collect();
        if !found.is_empty() {
            let at = format_places::places(roots, &found, 5);
            answer.notes.push(format!("`{name}` is specialised at {at}"));
        }
    }
    Ok(())
}

/// Those that have the name of their type, where that is among them, and the others.
fn constructors(found: Vec<Candidate>) -> (Vec<Candidate>, Vec<Candidate>) {
    let is_type = |it: &Candidate| it.kind != "constructor";
    let are_beside_it = found.iter().any(is_type);
    found.into_iter().partition(|it| are_beside_it && !is_type(it))
}

/// `src/a.rs:3, src/b.rs:7 and 4 more`.
fn places(candidates: &[Candidate], roots: &Roots) -> String {
    let all = candidates.iter().map(|it| format!("{}:{}", roots.spell(&it.path), it.name_at.start.line));
    listed(&all.collect::<Vec<_>>(), 5)
}

/// Says which lines read as definitions of a name of which the server knows none.
async fn doubt(asking: &QueryContext, roots: &Roots, name: &Name, answer: &mut Answer) {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (word, until) = (name.last.clone(), asking.deadline);
    let scan = blocking::spawn(move || word_scan::declarations(language, &folders, &word, until));
    let scanned = scan.await;
    answer.heed(&scanned, name);
    let lines = scanned.lines;
    let all = lines.iter().flat_map(|(path, lines)| lines.iter().map(|line| (roots.spell(path), line + 1)));
    let shown: Vec<_> = all.take(5).map(|(path, line)| format!("{path}:{line}")).collect();
    if !shown.is_empty() {
        answer.incomplete = true;
        let places = shown.join(", ");
        answer.notes.push(format!(
            "{} knows no definition of `{}`, but these lines read as one: {places}",
            asking.server.name(),
            name.last
        ));
    }
}

/// What to answer when nothing is called exactly so; `all` has what is called so elsewhere.
async fn fall_back(
    asking: &QueryContext,
    roots: &Roots,
    name: &Name,
    (listed, all): (&[RawSymbol], &[Candidate]),
    answer: &mut Answer,
) -> Result<(), Problem> {
    let elsewhere = Name { path: Vec::new(), last: name.last.clone() };
    if !name.path.is_empty() {
        let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
        let found = candidates(asking, &exact, &elsewhere).await?;
        let imported = imported(asking, roots, name, &found).await?;
        if !imported.is_empty() {
            answer.candidates = imported;
            answer.is_near = false;
            return Ok(());
        }
        let member = inherited_members::member(asking, roots, name, all).await?;
        if let Member::Of(members, notes) = member {
            answer.candidates = members;
            answer.notes.extend(notes);
            answer.is_near = false;
            return Ok(());
        }
        let dependencies = match found.is_empty() {
            true => Vec::new(),
            false => dependencies::defining(asking, roots, name, answer).await?,
        };
        if dependencies.is_empty() && matches!(member, Member::Nothing) && !all.is_empty() {
            // A member of some other type would pass for this one.
            answer.nearest = qualified(asking, all);
            return Ok(());
        }
        if dependencies.is_empty() && !found.is_empty() {
            let qualified = name.path.join(asking.server.setup.language.separator);
            let note = format!("nothing in `{qualified}` is called `{}`; these are, elsewhere", name.last);
            answer.notes.push(note);
            answer.candidates = found;
            return Ok(());
        }
        answer.candidates = dependencies;
    }
    // Who writes capitals means them; who writes none may have left them out.
    let means_its_case = name.last.contains(char::is_uppercase);
    if answer.candidates.is_empty() && !means_its_case {
        answer.candidates = ignoring_case(asking, name, answer).await?;
    }
    if answer.candidates.is_empty() {
        answer.candidates = dependencies::defining(asking, roots, name, answer).await?;
        if answer.candidates.iter().any(|it| !roots.hold(&it.path)) {
            answer.notes.push(format!("`{}` is not the workspace's own", name.last));
        }
    }
    if answer.candidates.is_empty() && means_its_case {
        answer.candidates = ignoring_case(asking, name, answer).await?;
    }
    if answer.candidates.is_empty() {
        answer.nearest = nearest(asking, roots, name, listed).await;
        answer.incomplete |= !asking.left_out.is_empty();
        answer.notes.extend(asking.left_out.iter().cloned());
    }
    Ok(())
}

/// The names of members with those of their types, each once.
fn qualified(asking: &QueryContext, all: &[Candidate]) -> Vec<String> {
    let separator = asking.server.setup.language.separator;
    let name = |it: &Candidate| match &it.container {
        Some(container) => format!("{container}{separator}{}", it.name),
        None => it.name.clone(),
    };
    let names: BTreeSet<_> = all.iter().map(name).collect();
    names.into_iter().take(NEAREST).collect()
}

/// Those that stand in what is imported under the name that this one is qualified by: `import * as NAME`.
async fn imported(
    asking: &QueryContext,
    roots: &Roots,
    name: &Name,
    found: &[Candidate],
) -> Result<Vec<Candidate>, Problem> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (Some(qualifier), until) = (name.path.last().cloned(), asking.deadline) else {
        return Ok(Vec::new());
    };
    let word = qualifier.clone();
    let scan = blocking::spawn(move || word_scan::aliases(language, &folders, &word, until));
    let (mut files, mut wholes) = (HashSet::new(), Vec::new());
    for (path, extent) in named(asking, &scan.await, &qualifier).await {
        for target in asking.definition(&path, extent.start).await?.iter() {
            let (name_at, whole) = (asking.extent(&target.name).await, asking.extent(&target.whole).await);
            match name_at.is_some_and(is_file) {
                true => drop(files.insert(target.name.path.clone())),
                false => wholes.extend(whole.map(|it| (target.name.path.clone(), it))),
            }
        }
    }
    let is_imported = |it: &&Candidate| {
        let holds = |(path, whole): &(PathBuf, Extent)| *path == it.path && whole.holds(it.name_at.start);
        files.contains(&it.path) || wholes.iter().any(holds)
    };
    Ok(found.iter().filter(|it| !it.is_local).filter(is_imported).cloned().collect())
}

/// Where a name stands last on these lines.
async fn named(asking: &QueryContext, lines: &Lines, name: &str) -> Vec<(PathBuf, Extent)> {
    let mut places = Vec::new();
    for (path, lines) in &lines.lines {
        let Some(text) = asking.text(path).await else { continue };
        for line in lines {
            let words = asking.server.setup.language.words(text.line(*line).unwrap_or_default());
            let last = words.into_iter().rfind(|(word, _)| word == name);
            places.extend(last.map(|(_, columns)| (path.clone(), Extent::within(*line, columns))));
        }
    }
    places
}

async fn ignoring_case(
    asking: &QueryContext,
    name: &Name,
    answer: &mut Answer,
) -> Result<Vec<Candidate>, Problem> {
    // Capitals make some servers match case.
    let lower = name.last.to_lowercase();
    let listed = asking.symbols(lower.clone()).await?;
    let alike: Vec<_> = listed.iter().filter(|it| plain(&it.name).to_lowercase() == lower).collect();
    let found: Vec<_> =
        candidates(asking, &alike, name).await?.into_iter().filter(|it| it.fit != Fit::None).collect();
    if let Some(first) = found.first() {
        answer.notes.push(format!("nothing is called `{}`; `{}` differs in case", name.last, first.name));
    }
    Ok(found)
}

async fn nearest(asking: &QueryContext, roots: &Roots, name: &Name, listed: &[RawSymbol]) -> Vec<String> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let until = asking.deadline;
    let scan = blocking::spawn(move || word_scan::declared_names(language, &folders, until));
    let mut names = scan.await;
    names.extend(listed.iter().map(|it| plain(&it.name).to_owned()));
    names.remove(&name.last);
    word_scan::nearest(&name.last, names)
}
