//! Resolves a name to definitions: the server's symbols, checked against the sources.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use super::inherited_members::Member;
use super::{dependencies, inherited_members, python_modules};
use crate::blocking;
use crate::fallback::operations::corrections::{
    assigned_attributes, assigned_members, declared_apart, overloads, preprocessed_code, unresolved_imports,
};
use crate::fallback::operations::lookup::candidates::{ALIASES, DefinitionAnswer, candidates, is_called};
use crate::fallback::operations::lookup::leads::{beyond_imports, is_file, led_to};
use crate::fallback::servers::run::convert::RawSymbol;
use crate::fallback::session::query_context::{Problem, QueryContext, folders, scan_for};
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, by_rank, of_node, places, plain};
use crate::fallback::workspace::format_places;
use crate::fallback::workspace::format_places::line_of;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::MatchingLines;
use ide_protocol::Reason;

/// The maximum number of similar names suggested.
const NEAREST: usize = 8;

/// Returns every definition of a name: the server's symbols, checked against the definitions that a text scan
/// finds.
pub(crate) async fn by_name(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
) -> Result<DefinitionAnswer, Problem> {
    let listed = asking.symbols(name.last.clone()).await?;
    let mut answer = DefinitionAnswer::default();
    let exact = listed.iter().filter(|it| is_called(it, &name.last));
    let (own, foreign): (Vec<_>, Vec<_>) = exact.partition(|it| roots.contains(&it.at.path));
    let mut found = candidates(asking, &own, name).await?;
    // The workspace's definitions take precedence, and reading all of the standard library's is slow.
    let is_meant = |it: &Candidate| it.fit == Fit::Exact && it.loaded && !it.is_local;
    if !found.iter().any(is_meant) {
        found.extend(candidates(asking, &foreign, name).await?);
    }
    let written = written(asking, roots, name, &mut answer).await?;
    merge(asking, &mut found, written).await?;
    // The scan of the sources finds the workspace's own, whatever the server lists.
    let is_own = |it: &Candidate| is_meant(it) && roots.contains(&it.path);
    if listed.len() >= asking.profile().symbols.limit && !found.iter().any(is_own) {
        let (server, name) = (asking.server.name().to_owned(), name.last.clone());
        answer.reasons.push(Reason::OnlySimilar { server, symbols: listed.len(), name });
    }
    let Sorted { mut found, modules, unfollowed } = without_aliases(asking, found, &mut answer).await?;
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
        let (name, server) = (name.last.clone(), asking.server.name().to_owned());
        let places = places(roots, &unfollowed);
        answer.reasons.push(Reason::ImportNotFollowed { name, server, places });
    }
    Ok(answer)
}

/// Scans the sources for definitions of the name and confirms each by the outline of its file.
async fn written(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    answer: &mut DefinitionAnswer,
) -> Result<Vec<Candidate>, Problem> {
    let lines = scan_for(asking, roots, &name.last, word_scan::definitions).await;
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
        if assigned_attributes::SCOPE.applies(asking)
            && let Some(text) = asking.text(path).await
        {
            written.extend(assigned_attributes::of((path, &text), &lines.lines[path], &all, name));
        }
    }
    Ok(written)
}

/// Adds the scanned definitions that are not listed, and checks whether the server loaded them.
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

/// Returns `true` if the server loaded the definition. Of macros defined in several `#if` branches, only the
/// active one resolves to itself.
async fn is_loaded(asking: &QueryContext, candidate: &Candidate) -> Result<bool, Problem> {
    let (path, start) = (&candidate.path, candidate.name_at.start);
    if candidate.kind == "macro" && asking.profile().guesses {
        let led = led_to(asking, path, start).await?;
        return Ok(led.iter().any(|it| (&it.path, it.name_at.start) == (path, start)));
    }
    Ok(asking.is_loaded(path, start).await?)
}

/// The candidates for a name, by kind.
#[derive(Debug, Default)]
struct Sorted {
    /// The definitions.
    found: Vec<Candidate>,
    /// The names bound to modules.
    modules: Vec<Candidate>,
    /// The names imported from modules that the server cannot resolve.
    unfollowed: Vec<Candidate>,
}

/// Replaces aliases, such as imported names, by the definitions they resolve to.
async fn without_aliases(
    asking: &QueryContext,
    found: Vec<Candidate>,
    answer: &mut DefinitionAnswer,
) -> Result<Sorted, Problem> {
    let mut sorted = Sorted::default();
    for candidate in &found {
        let stands_for_another = stands_for_another(asking, candidate).await;
        let targets = match stands_for_another {
            true => led_to(asking, &candidate.path, candidate.name_at.start).await?,
            false => Vec::new(),
        };
        if stands_for_another && unresolved_imports::is_one(asking, candidate, &targets).await {
            sorted.unfollowed.push(candidate.clone());
            continue;
        }
        let targets = assigned_members::first(asking, targets).await;
        let targets = beyond_imports(asking, Some(candidate), targets).await?;
        let is_itself =
            |it: &Candidate| it.path == candidate.path && it.name_at.start == candidate.name_at.start;
        // A shorthand property `{ name }` resolves to itself and to its value.
        let has_another = !targets.iter().any(is_itself)
            || targets.iter().any(|it| it.name == candidate.name && !ALIASES.contains(&it.kind.as_str()));
        // Definitions written in several pieces are merged; property getters and setters are separated later.
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
            // The listed symbol has more details than the target.
            let is_other = |it: &&Candidate| it.path == other.path && it.name_at == other.name_at;
            let other = found.iter().find(is_other).cloned().unwrap_or(other);
            if !sorted.found.iter().any(|it| it.path == other.path && it.name_at == other.name_at) {
                sorted.found.push(other);
            }
        }
    }
    Ok(sorted)
}

/// Returns `true` if the candidate may be an import rather than a definition.
async fn stands_for_another(asking: &QueryContext, candidate: &Candidate) -> bool {
    if ALIASES.contains(&candidate.kind.as_str()) {
        return !candidate.is_local;
    }
    let text = asking.text(&candidate.path).await;
    let line = text.as_ref().and_then(|it| it.line(candidate.whole.start.line.index())).unwrap_or_default();
    candidate.kind == "namespace" && line.trim_start().starts_with("using ")
}

/// Adds a remark if an alias resolves to a definition with another name.
fn renamed(targets: Vec<Candidate>, alias: &Candidate, answer: &mut DefinitionAnswer) -> Vec<Candidate> {
    if let Some(other) = targets.iter().find(|it| it.name != alias.name) {
        answer.note(Reason::OtherName { name: alias.name.clone(), of: other.name.clone() });
    }
    targets.into_iter().map(|it| Candidate { fit: alias.fit, ..it }).collect()
}

/// Resolves a name that exists only as an import alias: `import total as NAME`.
async fn by_alias(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    answer: &mut DefinitionAnswer,
) -> Result<Vec<Candidate>, Problem> {
    let importing = scan_for(asking, roots, &name.last, word_scan::aliases).await;
    answer.heed(&importing, name);
    let mut found: Vec<Candidate> = Vec::new();
    for (path, name_at) in named(asking, &importing, &name.last).await {
        for target in led_to(asking, &path, name_at.start).await? {
            if is_file(target.name_at) {
                // The module has this name only here.
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
                answer.note(Reason::OtherName { name: name.last.clone(), of: target.name.clone() });
                found.push(target);
            }
        }
    }
    Ok(found)
}

/// Picks the best-fitting candidates. Notes the ones omitted, such as fields next to items, or code that is not
/// loaded.
fn choose(
    asking: &QueryContext,
    roots: &SessionFolders,
    answer: &mut DefinitionAnswer,
    found: Vec<Candidate>,
    name: &Name,
) {
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    let fitting: Vec<_> = found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect();
    let (own, foreign): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|it| roots.contains(&it.path));
    let (loaded, unloaded): (Vec<_>, Vec<_>) =
        if own.is_empty() { foreign } else { own }.into_iter().partition(|it| it.loaded || it.is_local);
    let (best, lesser) = by_rank(roots, &name.last, loaded, |it| it);
    answer.reasons.extend(lesser);
    answer.candidates = best;
    if unloaded.is_empty() {
        return;
    }
    let (places, cause) = (places(roots, &unloaded), asking.not_loaded().to_owned());
    if answer.candidates.is_empty() {
        answer.reasons.push(Reason::NotLoaded { name: name.last.clone(), cause, places });
        answer.candidates = unloaded;
    } else {
        answer.reasons.push(Reason::OthersNotLoaded { cause, places });
    }
}

/// Notes where the chosen template is specialised.
async fn tell_specialised(
    asking: &QueryContext,
    roots: &SessionFolders,
    answer: &mut DefinitionAnswer,
) -> Result<(), Problem> {
    if let [Candidate { path, name, name_at, .. }] = &answer.candidates[..] {
        let found = declared_apart::specialised(asking, roots, path, name_at.start, name).await?;
        let found: Vec<_> = found.into_iter().map(|(path, point)| (path, Extent::at(point))).collect();
        if !found.is_empty() {
            let places = format_places::places(roots, &found, 5);
            answer.reasons.push(Reason::Specialised { name: name.clone(), places });
        }
    }
    Ok(())
}

/// Notes lines that read as definitions of a name that the server does not know.
async fn doubt(asking: &QueryContext, roots: &SessionFolders, name: &Name, answer: &mut DefinitionAnswer) {
    let scanned = scan_for(asking, roots, &name.last, word_scan::declarations).await;
    answer.heed(&scanned, name);
    let lines = scanned.lines;
    let all = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line)));
    let place = |(path, line)| line_of(roots, (path, Extent::within(line, 0..0)));
    let places: Vec<_> = all.take(5).map(place).collect();
    if !places.is_empty() {
        let (server, name) = (asking.server.name().to_owned(), name.last.clone());
        answer.reasons.push(Reason::UnknownDefinitions { server, name, places });
    }
}

/// Resolves a name without an exact match. `all` holds the definitions of its last segment, whatever their
/// qualifier.
async fn fall_back(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    (listed, all): (&[RawSymbol], &[Candidate]),
    answer: &mut DefinitionAnswer,
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
        if let Member::Of(members, reasons) = member {
            answer.candidates = members;
            answer.reasons.extend(reasons);
            answer.is_near = false;
            return Ok(());
        }
        let dependencies = match found.is_empty() {
            true => Vec::new(),
            false => dependencies::defining(asking, roots, name, answer).await?,
        };
        if dependencies.is_empty() && matches!(member, Member::Nothing) && !all.is_empty() {
            // A member of an unrelated type would be mistaken for this one.
            answer.nearest = qualified(asking, all);
            return Ok(());
        }
        if dependencies.is_empty() && !found.is_empty() {
            let qualifier = name.path.join(asking.server.setup.language.separator);
            answer.reasons.push(Reason::NotInQualifier { qualifier, name: name.last.clone() });
            answer.candidates = found;
            return Ok(());
        }
        answer.candidates = dependencies;
    }
    // Capitals in a query are deliberate; a query without any may have omitted them.
    let means_its_case = name.last.contains(char::is_uppercase);
    if answer.candidates.is_empty() && !means_its_case {
        answer.candidates = ignoring_case(asking, name, answer).await?;
    }
    if answer.candidates.is_empty() {
        answer.candidates = dependencies::defining(asking, roots, name, answer).await?;
        if answer.candidates.iter().any(|it| !roots.contains(&it.path)) {
            answer.reasons.push(Reason::NotOwn { name: name.last.clone() });
        }
    }
    if answer.candidates.is_empty() && means_its_case {
        answer.candidates = ignoring_case(asking, name, answer).await?;
    }
    if answer.candidates.is_empty() {
        answer.nearest = nearest(asking, roots, name, listed).await;
        answer.reasons.extend(asking.left_out.iter().cloned());
    }
    Ok(())
}

/// Returns the distinct names of members, qualified by their types.
fn qualified(asking: &QueryContext, all: &[Candidate]) -> Vec<String> {
    let separator = asking.server.setup.language.separator;
    let name = |it: &Candidate| match &it.container {
        Some(container) => format!("{container}{separator}{}", it.name),
        None => it.name.clone(),
    };
    let names: BTreeSet<_> = all.iter().map(name).collect();
    names.into_iter().take(NEAREST).collect()
}

/// Returns the candidates that lie in the target of an import of the qualifier: `import * as NAME`.
async fn imported(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    found: &[Candidate],
) -> Result<Vec<Candidate>, Problem> {
    let Some(qualifier) = name.path.last() else { return Ok(Vec::new()) };
    let importing = scan_for(asking, roots, qualifier, word_scan::aliases).await;
    let (mut files, mut wholes) = (HashSet::new(), Vec::new());
    for (path, extent) in named(asking, &importing, qualifier).await {
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

/// Returns the last occurrence of a name on each line.
async fn named(asking: &QueryContext, lines: &MatchingLines, name: &str) -> Vec<(PathBuf, Extent)> {
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
    answer: &mut DefinitionAnswer,
) -> Result<Vec<Candidate>, Problem> {
    // Capitals make some servers match case.
    let lower = name.last.to_lowercase();
    let listed = asking.symbols(lower.clone()).await?;
    let alike: Vec<_> = listed.iter().filter(|it| plain(&it.name).to_lowercase() == lower).collect();
    let found: Vec<_> =
        candidates(asking, &alike, name).await?.into_iter().filter(|it| it.fit != Fit::None).collect();
    if let Some(first) = found.first() {
        answer.reasons.push(Reason::OtherCase { name: name.last.clone(), found: first.name.clone() });
    }
    Ok(found)
}

async fn nearest(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    listed: &[RawSymbol],
) -> Vec<String> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let until = asking.deadline;
    let mut names = blocking::spawn(move || word_scan::declared_names(language, &folders, until)).await;
    names.extend(listed.iter().map(|it| plain(&it.name).to_owned()));
    names.remove(&name.last);
    word_scan::nearest(&name.last, names)
}
