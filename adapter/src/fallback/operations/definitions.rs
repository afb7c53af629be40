//! Where a symbol is defined: by its name, at a place, or by its name near a place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{
    Definition, DefinitionsResult, ErrorCode, FileRange, IdeError, Line, Location, Point, Source, Target,
};

use crate::fallback::asking::{Asking, Problem};
use crate::fallback::convert::RawSymbol;
use crate::fallback::names::{Fit, Name, word_at, words};
use crate::fallback::outline::{self, Extent, Found, Node};
use crate::fallback::roots::Roots;
use crate::fallback::scan;
use crate::fallback::text::{Text, excerpt};

/// A definition that was found, before it is written for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) whole: Extent,
    pub(super) name_at: Extent,
    pub(super) container: Option<String>,
    fit: Fit,
    /// Whether the server loaded the code that it stands in.
    loaded: bool,
}

/// What was found, and what has to be said about it.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) candidates: Vec<Candidate>,
    notes: Vec<String>,
    incomplete: bool,
    nearest: Vec<String>,
}

/// Answers.
pub(crate) async fn definitions(
    asking: &Asking,
    roots: &Roots,
    target: &Target,
) -> Result<DefinitionsResult, Problem> {
    let answer = find(asking, roots, target).await?;
    let mut definitions = Vec::new();
    for candidate in &answer.candidates {
        roots.remember(&candidate.path);
        definitions.push(write(asking, roots, candidate).await);
    }
    definitions.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    asking.check_unmoved().await?;
    let mut notes = answer.notes;
    let complaint = asking.complaint.as_ref();
    notes.extend(complaint.map(|it| format!("{} complains: {}", asking.server.name(), it.message)));
    Ok(DefinitionsResult {
        complete: !answer.incomplete && complaint.is_none(),
        source: Source(format!("language-server:{}", asking.server.name())),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        definitions,
        nearest: answer.nearest,
    })
}

fn place_of(definition: &Definition) -> (&str, Point) {
    (&definition.name_at.path, definition.name_at.start)
}

pub(super) async fn find(asking: &Asking, roots: &Roots, target: &Target) -> Result<Answer, Problem> {
    match (&target.name, &target.at) {
        (None, None) => {
            Err(IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given").into())
        }
        (Some(name), None) => by_name(asking, roots, &parse(asking, name)?).await,
        (None, Some(at)) => at_place(asking, roots, at).await,
        (Some(name), Some(at)) => pinned(asking, roots, &parse(asking, name)?, at).await,
    }
}

pub(super) fn parse(asking: &Asking, name: &str) -> Result<Name, IdeError> {
    let language = asking.server.setup.language;
    Name::parse(name, language).ok_or_else(|| {
        IdeError::new(ErrorCode::InvalidRequest, format!("`{name}` is no name of a {} symbol", language.name))
            .recovery("Give a symbol's name, such as `User` or `auth::User`; `search` finds any text.")
    })
}

/// The folders that textual scans look into: those of the session and of the projects.
pub(super) fn folders(asking: &Asking, roots: &Roots) -> Vec<PathBuf> {
    let all: Vec<_> = roots.folders().iter().chain(&asking.server.setup.folders).collect();
    let is_inner = |it: &Path| all.iter().any(|other| it != *other && it.starts_with(other));
    let mut outermost: Vec<_> = all.iter().filter(|it| !is_inner(it)).map(|it| (*it).clone()).collect();
    outermost.sort();
    outermost.dedup();
    outermost
}

/// Every definition of that name: what the server lists, checked against what the sources seem to define.
async fn by_name(asking: &Asking, roots: &Roots, name: &Name) -> Result<Answer, Problem> {
    let listed = asking.symbols(name.last.clone()).await?;
    let mut answer = Answer::default();
    if listed.len() >= asking.server.setup.language.server.symbol_limit {
        answer.incomplete = true;
        answer.notes.push(format!("the server stops listing at {} symbols", listed.len()));
    }
    let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
    let mut found = candidates(asking, &exact, name).await?;
    let written = written(asking, roots, name).await?;
    merge(asking, &mut found, written).await?;
    choose(&mut answer, found, name, roots);
    if answer.candidates.is_empty() {
        fall_back(asking, roots, name, &listed, &mut answer).await?;
    }
    Ok(answer)
}

fn is_called(symbol: &RawSymbol, name: &str) -> bool {
    plain(&symbol.name) == name
}

/// Some servers decorate names: `r#type`, `total()`.
fn plain(name: &str) -> &str {
    name.trim_start_matches("r#").trim_end_matches("()")
}

/// The listed symbols with their whole extents, from the outlines of their files.
async fn candidates(asking: &Asking, symbols: &[&RawSymbol], name: &Name) -> Result<Vec<Candidate>, Problem> {
    let all = symbols.iter().map(|symbol| candidate(asking, symbol, name));
    Ok(try_join_all(all).await?.into_iter().flatten().collect())
}

async fn candidate(asking: &Asking, symbol: &RawSymbol, name: &Name) -> Result<Option<Candidate>, Problem> {
    let Some(at) = asking.extent(&symbol.at).await else { return Err(Problem::Moved) };
    let nodes = asking.outline(&symbol.at.path).await?;
    let found = outline::all(&nodes).into_iter().find(|it| names_it(it.node, symbol, at));
    Ok(Some(match found {
        Some(found) => of_node(&symbol.at.path, &found, name),
        // A macro wrote it: there is a name, and nothing around it.
        None => Candidate {
            path: symbol.at.path.clone(),
            name: plain(&symbol.name).to_owned(),
            kind: symbol.kind.to_owned(),
            whole: at,
            name_at: at,
            container: symbol.container.clone(),
            fit: fit_of_listed(symbol, name),
            loaded: true,
        },
    }))
}

/// Whether an outline's node is that symbol: servers point at its name or at all of it.
fn names_it(node: &Node, symbol: &RawSymbol, at: Extent) -> bool {
    plain(&node.name) == plain(&symbol.name) && (node.name_at.holds(at.start) || node.whole == at)
}

fn fit_of_listed(symbol: &RawSymbol, name: &Name) -> Fit {
    let fits_container = symbol.container.is_some() && symbol.container.as_ref() == name.path.last();
    if fits_container { Fit::Exact } else { name.fits(&symbol.at.path, &[]) }
}

fn of_node(path: &Path, found: &Found<'_>, name: &Name) -> Candidate {
    Candidate {
        path: path.to_owned(),
        name: plain(&found.node.name).to_owned(),
        kind: found.node.kind.to_owned(),
        whole: found.node.whole,
        name_at: found.node.name_at,
        container: found.around.last().map(|it| outline::plain_name(it)),
        fit: name.fits(path, &found.around),
        loaded: true,
    }
}

/// What the sources seem to define under that name, each confirmed by the outline of its file.
async fn written(asking: &Asking, roots: &Roots, name: &Name) -> Result<Vec<Candidate>, Problem> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let (word, until) = (name.last.clone(), asking.deadline);
    let scan = tokio::task::spawn_blocking(move || scan::definitions(language, &folders, &word, until));
    let lines = scan.await.unwrap_or_default();
    let mut written = Vec::new();
    for path in lines.lines.keys() {
        let nodes = asking.outline(path).await?;
        let all = outline::all(&nodes);
        let named = all.iter().filter(|it| plain(&it.node.name) == name.last);
        written.extend(named.map(|it| of_node(path, it, name)));
    }
    Ok(written)
}

/// Adds what is written and was not listed, after asking whether the server loaded it.
async fn merge(asking: &Asking, found: &mut Vec<Candidate>, written: Vec<Candidate>) -> Result<(), Problem> {
    for mut candidate in written {
        if found.iter().any(|it| it.path == candidate.path && it.name_at == candidate.name_at) {
            continue;
        }
        candidate.loaded = asking.is_loaded(&candidate.path, candidate.name_at.start).await?;
        found.push(candidate);
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|it| seen.insert((it.path.clone(), it.name_at)));
    Ok(())
}

/// Picks what is meant. What is left aside is said: fields beside items, code that is not loaded beside code that is.
fn choose(answer: &mut Answer, found: Vec<Candidate>, name: &Name, roots: &Roots) {
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    let fitting: Vec<_> = found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect();
    let (loaded, unloaded): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|it| it.loaded);
    let (fields, items): (Vec<_>, Vec<_>) = loaded.into_iter().partition(|it| it.kind == "field");
    if !items.is_empty() && !fields.is_empty() {
        answer.notes.push(format!("fields of that name are left out: {}", places(&fields, roots)));
    }
    answer.candidates = if items.is_empty() { fields } else { items };
    if unloaded.is_empty() {
        return;
    }
    answer.incomplete = true;
    let where_ = places(&unloaded, roots);
    if answer.candidates.is_empty() {
        let note = format!(
            "`{}` stands in code that is not loaded (cfg'd out, or in no crate): {where_}",
            name.last
        );
        answer.notes.push(note);
        answer.candidates = unloaded;
    } else {
        answer
            .notes
            .push(format!("also defined in code that is not loaded (cfg'd out, or in no crate): {where_}"));
    }
}

/// `src/a.rs:3, src/b.rs:7 and 4 more`.
fn places(candidates: &[Candidate], roots: &Roots) -> String {
    let all = candidates.iter().map(|it| format!("{}:{}", roots.spell(&it.path), it.name_at.start.line));
    let shown: Vec<_> = all.take(5).collect();
    let more = candidates.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &rest
}

/// What to answer when nothing is called exactly so.
async fn fall_back(
    asking: &Asking,
    roots: &Roots,
    name: &Name,
    listed: &[RawSymbol],
    answer: &mut Answer,
) -> Result<(), Problem> {
    let elsewhere = Name { path: Vec::new(), last: name.last.clone() };
    if !name.path.is_empty() {
        let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
        let found = candidates(asking, &exact, &elsewhere).await?;
        let dependencies = if found.is_empty() { Vec::new() } else { in_dependencies(asking, name).await? };
        if dependencies.is_empty() && !found.is_empty() {
            let qualified = name.path.join("::");
            let note = format!("nothing in `{qualified}` is called `{}`; these are, elsewhere", name.last);
            answer.notes.push(note);
            answer.candidates = found;
            return Ok(());
        }
        answer.candidates = dependencies;
    }
    if answer.candidates.is_empty() {
        answer.candidates = ignoring_case(asking, name, answer).await?;
    }
    if answer.candidates.is_empty() {
        answer.candidates = in_dependencies(asking, name).await?;
    }
    if answer.candidates.is_empty() {
        answer.nearest = nearest(asking, roots, name, listed).await;
    }
    Ok(())
}

async fn ignoring_case(asking: &Asking, name: &Name, answer: &mut Answer) -> Result<Vec<Candidate>, Problem> {
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

/// Definitions in dependencies and the standard library.
async fn in_dependencies(asking: &Asking, name: &Name) -> Result<Vec<Candidate>, Problem> {
    let Some(suffix) = asking.server.setup.language.server.with_dependencies else { return Ok(Vec::new()) };
    let listed = asking.symbols(format!("{}{suffix}", name.last)).await?;
    let exact: Vec<_> = listed.iter().filter(|it| is_called(it, &name.last)).collect();
    let found = candidates(asking, &exact, name).await?;
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    Ok(found.into_iter().filter(|it| it.fit == best && best != Fit::None).collect())
}

async fn nearest(asking: &Asking, roots: &Roots, name: &Name, listed: &[RawSymbol]) -> Vec<String> {
    let (language, folders) = (asking.server.setup.language, folders(asking, roots));
    let until = asking.deadline;
    let scan = tokio::task::spawn_blocking(move || scan::declared_names(language, &folders, until));
    let mut names = scan.await.unwrap_or_default();
    names.extend(listed.iter().map(|it| plain(&it.name).to_owned()));
    names.remove(&name.last);
    scan::nearest(&name.last, names)
}

/// The definition of a name nearest to a place.
async fn pinned(asking: &Asking, roots: &Roots, name: &Name, at: &Location) -> Result<Answer, Problem> {
    let place = roots.resolve(&at.path)?;
    let nodes = asking.outline(&place.path).await?;
    let all = outline::all(&nodes);
    let named = all.iter().filter(|it| plain(&it.node.name) == name.last);
    let mut found: Vec<_> = named.map(|it| of_node(&place.path, it, name)).collect();
    if found.is_empty() {
        let listed = asking.symbols(name.last.clone()).await?;
        let here: Vec<_> =
            listed.iter().filter(|it| is_called(it, &name.last) && it.at.path == place.path).collect();
        found = candidates(asking, &here, name).await?;
    }
    let best = found.iter().map(|it| it.fit).max().unwrap_or(Fit::None);
    let nearest = found.into_iter().filter(|it| it.fit == best).min_by_key(|it| distance(it, at));
    let Some(candidate) = nearest else { return Err(not_there(&name.last, &place.spelling).into()) };
    Ok(Answer { candidates: vec![candidate], ..Answer::default() })
}

/// How far a definition is from a place, in lines; of those on one line the one at the column comes first.
fn distance(candidate: &Candidate, at: &Location) -> (u32, bool) {
    let lines = candidate.name_at.start.line.get().abs_diff(at.line.get());
    let is_at = at.column.is_some_and(|column| candidate.name_at.holds(Point { line: at.line, column }));
    (lines, !is_at)
}

pub(super) fn not_there(name: &str, path: &str) -> IdeError {
    IdeError::new(ErrorCode::NotFound, format!("nothing in `{path}` is called `{name}` (any more)"))
        .recovery(format!("Look for it everywhere: findDefinition(`{name}`)."))
}

/// What the name at a place leads to.
async fn at_place(asking: &Asking, roots: &Roots, at: &Location) -> Result<Answer, Problem> {
    let place = roots.resolve(&at.path)?;
    let Some(text) = asking.text(&place.path).await else {
        return Err(IdeError::new(ErrorCode::InvalidRequest, format!("`{}` is no text", at.path)).into());
    };
    let line = line_of(&text, at)?;
    let nodes = asking.outline(&place.path).await?;
    let mut answer = Answer::default();
    let points = points(asking, &nodes, line, at);
    for point in &points {
        answer.add(led_to(asking, &place.path, *point).await?);
    }
    if answer.candidates.is_empty() {
        let column = at.column.map_or(String::new(), |it| format!(":{it}"));
        answer.notes.push(format!("no symbol's name stands at {}:{}{column}", place.spelling, at.line));
    }
    Ok(answer)
}

impl Answer {
    fn add(&mut self, found: Vec<Candidate>) {
        for candidate in found {
            if !self.candidates.iter().any(|it| it.path == candidate.path && it.name_at == candidate.name_at)
            {
                self.candidates.push(candidate);
            }
        }
    }
}

/// A line of the text.
///
/// # Errors
/// The file has no such line.
pub(super) fn line_of<'a>(text: &'a Text, at: &Location) -> Result<&'a str, IdeError> {
    text.line(at.line.index()).filter(|_| at.line.index() < text.line_count().max(1)).ok_or_else(|| {
        let message = format!("`{}` has {} lines; there is no line {}", at.path, text.line_count(), at.line);
        IdeError::new(ErrorCode::InvalidRequest, message)
    })
}

/// Where the names stand that a place means: the one at the column; else the one that is defined from there on, so
/// that the start of a definition means the definition; without a column, what the line defines, or all its names.
pub(super) fn points(asking: &Asking, nodes: &[Node], line: &str, at: &Location) -> Vec<Point> {
    let language = asking.server.setup.language;
    let point = |column| Point { line: at.line, column: ide_protocol::Column::from_index(column) };
    if let Some(column) = at.column {
        let word = word_at(line, column.index()).filter(|(word, _)| language.is_name(word));
        let is_comment = defined_from(nodes, at.line).is_some_and(|it| it.name_at.start.line != at.line);
        if let Some((_, columns)) = word.filter(|_| !is_comment) {
            return vec![point(columns.start)];
        }
        return defined_from(nodes, at.line).map(|it| it.name_at.start).into_iter().collect();
    }
    if let Some(node) = defined_on(nodes, at.line).or_else(|| defined_from(nodes, at.line)) {
        return vec![node.name_at.start];
    }
    let names = words(line).into_iter().filter(|(word, _)| language.is_name(word));
    names.map(|(_, columns)| point(columns.start)).take(20).collect()
}

/// The outermost definition whose name stands on that line.
fn defined_on(nodes: &[Node], line: Line) -> Option<&Node> {
    let on = outline::all(nodes).into_iter().find(|it| it.node.name_at.start.line == line);
    on.map(|it| it.node)
}

/// The outermost definition that starts on that line, with its documentation.
fn defined_from(nodes: &[Node], line: Line) -> Option<&Node> {
    let from = outline::all(nodes).into_iter().find(|it| it.node.whole.start.line == line);
    from.map(|it| it.node)
}

async fn led_to(asking: &Asking, path: &Path, point: Point) -> Result<Vec<Candidate>, Problem> {
    let mut found = Vec::new();
    for target in asking.definition(path, point).await? {
        let (Some(whole), Some(name_at)) =
            (asking.extent(&target.whole).await, asking.extent(&target.name).await)
        else {
            return Err(Problem::Moved);
        };
        let nodes = asking.outline(&target.name.path).await?;
        let any = Name { path: Vec::new(), last: String::new() };
        let all = outline::all(&nodes);
        let node = all.iter().find(|it| it.node.name_at == name_at);
        match node {
            Some(node) => found.push(of_node(&target.name.path, node, &any)),
            None => found.extend(unlisted(asking, &target.name.path, whole, name_at, &nodes).await),
        }
    }
    Ok(found)
}

/// A definition that no outline lists: a local variable, a parameter, a macro.
async fn unlisted(
    asking: &Asking,
    path: &Path,
    whole: Extent,
    name_at: Extent,
    nodes: &[Node],
) -> Option<Candidate> {
    let text = asking.text(path).await?;
    let line = text.line(name_at.start.line.index())?;
    let (name, _) = word_at(line, name_at.start.column.index())?;
    let separator = asking.server.setup.language.separator;
    Some(Candidate {
        path: path.to_owned(),
        name,
        kind: "variable".into(),
        whole,
        name_at,
        container: outline::enclosing(nodes, name_at.start, separator),
        fit: Fit::Exact,
        loaded: true,
    })
}

async fn write(asking: &Asking, roots: &Roots, candidate: &Candidate) -> Definition {
    Definition {
        name: candidate.name.clone(),
        kind: candidate.kind.clone(),
        defined_at: file_range(asking, roots, &candidate.path, candidate.whole).await,
        name_at: file_range(asking, roots, &candidate.path, candidate.name_at).await,
        container: candidate.container.clone(),
    }
}

/// A stretch as the agent sees it, with the line that it starts on.
pub(super) async fn file_range(asking: &Asking, roots: &Roots, path: &Path, extent: Extent) -> FileRange {
    let place = roots.place(path.to_owned());
    let text = asking.text(path).await;
    let line = text.as_ref().and_then(|it| it.line(extent.start.line.index()));
    FileRange {
        path: place.spelling,
        start: extent.start,
        end: extent.end,
        text: line.map(|it| excerpt(it, extent.start.column.index())),
        inside: None,
        external: place.external,
    }
}

/// Candidates by file, for tests and for counting.
pub(super) fn by_file(candidates: &[Candidate]) -> BTreeMap<&Path, Vec<Line>> {
    let mut files: BTreeMap<&Path, Vec<Line>> = BTreeMap::new();
    for candidate in candidates {
        files.entry(&candidate.path).or_default().push(candidate.name_at.start.line);
    }
    files
}
