//! Finds symbols by approximate name: the server's list, completed by definitions scanned from the sources.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_protocol::{
    Completeness, Definition, IdeError, Operation, Reason, Source, SymbolsQuestion, SymbolsResult,
};
use serde_json::{Value, json};

use super::definitions::mentioning_languages::concerned;
use super::every_language::{ask_each, languages_at};
use super::handler::{Call, Handler};
use super::lookup::candidates::{candidates, name_impl, write};
use super::lookup::target::read;
use super::server_query::{MergedQuery, ServerQuery, SyntacticAnswer};
use crate::blocking;
use crate::fallback::servers::run::convert::RawSymbol;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::{Fit, Likeness, Name, likeness};
use crate::fallback::source::outline;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::{Candidate, of_node, plain};
use crate::fallback::syntactic::symbols::{LIMIT, limit_results};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::SearchScope;

/// The maximum number of files checked for definitions that the server does not list.
const FILES: usize = 64;

/// The maximum number of outlines requested concurrently.
const AT_ONCE: usize = 8;

pub(crate) struct Symbols;

impl Handler for Symbols {
    const OPERATION: Operation = Operation::Symbols;
    type Question = SymbolsQuestion;

    async fn answer(call: &Call, question: SymbolsQuestion) -> Result<SymbolsResult, IdeError> {
        let session = &call.session;
        let place = question.path.as_deref().map(|it| session.roots.resolve(it)).transpose()?;
        let mut languages = languages_at(session, place.as_ref()).await?;
        if languages.len() > 1 {
            languages = able_to_define(call, languages, &question.query).await;
        }
        ask_each(call, languages.into_iter().map(|it| (it, question.clone())).collect()).await
    }
}

impl ServerQuery for SymbolsQuestion {
    type Answer = SymbolsResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WhileLoading;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<SymbolsResult, Problem> {
        symbols(asking, &session.roots, self).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<SymbolsResult> {
        syntactic::symbols(&session.roots, language, self, reason).await
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!(["symbols", self.query, self.path]))
    }
}

impl MergedQuery for SymbolsQuestion {
    fn merge(&self, answers: Vec<SymbolsResult>) -> SymbolsResult {
        together(answers, &self.query)
    }

    async fn not_answered(
        &self,
        call: &Call,
        language: &'static Language,
        error: &IdeError,
    ) -> Option<Reason> {
        // A language in which no line reads as such a definition would add nothing.
        let is_missed = seems_to_define(call, language, &self.query).await;
        let (language, message) = (language.name.to_owned(), error.message.clone());
        is_missed.then_some(Reason::SymbolsNotAnswered { language, message })
    }
}

/// Leaves out the languages whose servers load, and whose files have no line that reads as such a definition.
async fn able_to_define(
    call: &Call,
    languages: Vec<&'static Language>,
    query: &str,
) -> Vec<&'static Language> {
    let mut able = HashSet::new();
    for language in &languages {
        let is_open = !language.given.is_empty() || !call.session.is_loading(language);
        // The editor's servers were started before.
        if is_open || call.caller.lender.is_some() || seems_to_define(call, language, query).await {
            able.insert(language.id);
        }
    }
    concerned(languages, |it| able.contains(it.id))
}

async fn seems_to_define(call: &Call, language: &'static Language, query: &str) -> bool {
    let Some(word) = Name::parse_known(query, language).map(|it| it.last) else { return true };
    let (tree, deadline) = (call.session.roots.search_scope(), call.within.deadline);
    let scan = blocking::spawn(move || word_scan::declared_like(language, &tree, &word, deadline));
    !scan.await.is_empty()
}

/// Finds the symbols of one language.
async fn symbols(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    request: &SymbolsQuestion,
) -> Result<SymbolsResult, Problem> {
    let name = read(asking, &request.query, Name::parse_known)?;
    let within = request.path.as_deref().map(|it| roots.resolve(it)).transpose()?;
    let mut reasons = Vec::new();
    // Capitals make some servers match case.
    let listed = asking.symbols(name.last.to_lowercase()).await?;
    let mut unlisted = unlisted(asking, roots, request, &name).await;
    // The server's limit is for the whole workspace; the files of a path are read.
    if listed.len() >= asking.profile().symbols.limit && !unlisted.are_all {
        let server = asking.server.name().to_owned();
        reasons.push(Reason::ServerLimit { server, symbols: listed.len() });
    }
    let mut listed = alike(roots, &listed, &name, within.as_ref());
    let mut written = written(asking, roots, &name, within.as_ref()).await;
    let best = best(&listed, &written, &unlisted.symbols);
    unlisted.symbols.retain(|(likeness, _)| *likeness <= best);
    listed.retain(|(likeness, _)| *likeness <= best);
    let known: BTreeSet<_> =
        listed.iter().map(|(_, it)| (it.at.path.clone(), plain(&it.name).to_owned())).collect();
    written.retain(|(path, other), likeness| {
        *likeness <= best && !known.contains(&(path.clone(), other.clone()))
    });
    let beyond = listed.len().saturating_sub(LIMIT);
    let shown: Vec<_> = listed.into_iter().take(LIMIT).map(|(_, it)| it).collect();
    let mut found = Vec::new();
    for some in shown.chunks(AT_ONCE) {
        found.extend(candidates(asking, some, &name).await?);
    }
    let files: BTreeSet<_> = written.keys().map(|(path, _)| path.clone()).collect();
    if files.len() > FILES {
        reasons.push(Reason::MoreFilesDefine { files: files.len() - FILES });
    }
    for path in files.into_iter().take(FILES) {
        found.extend(confirmed(asking, &path, &written, &name).await?);
    }
    let mut seen = BTreeSet::new();
    let mut is_new = |it: &Candidate| seen.insert((it.path.clone(), it.name_at, it.name.clone()));
    found.retain(|it| !it.is_local && it.fit != Fit::None && is_new(it));
    let total = (found.len() + beyond) as u64;
    let mut definitions = Vec::new();
    for mut candidate in found {
        roots.allow_named(&candidate.path);
        name_impl(&mut candidate);
        definitions.push(write(asking, roots, &candidate).await);
    }
    let known: BTreeSet<_> =
        definitions.iter().map(|it| (it.name_at.path.clone(), it.name_at.start)).collect();
    let is_new = |it: &Definition| !known.contains(&(it.name_at.path.clone(), it.name_at.start));
    let unlisted: Vec<_> = unlisted.symbols.into_iter().map(|(_, it)| it).filter(is_new).collect();
    let total = total + unlisted.len() as u64;
    definitions.extend(unlisted);
    asking.check_unchanged().await?;
    let source = Source(format!("language-server:{}", asking.server.name()));
    let result = SymbolsResult { completeness: Completeness::with(source, reasons), total, definitions };
    Ok(limit_results(result, &name.last))
}

/// Merges the results of several languages.
fn together(results: Vec<SymbolsResult>, query: &str) -> SymbolsResult {
    let sources: Vec<_> =
        results.iter().filter(|it| it.total > 0).map(|it| it.completeness.source.0.clone()).collect();
    let silent: Vec<_> = results.iter().map(|it| it.completeness.source.0.clone()).collect();
    let last = query.rsplit([':', '.', '#', '/']).next().unwrap_or(query);
    let all = SymbolsResult {
        completeness: Completeness::merged(
            Source(if sources.is_empty() { silent.join(", ") } else { sources.join(", ") }),
            results.iter().map(|it| &it.completeness),
        ),
        total: results.iter().map(|it| it.total).sum(),
        definitions: results.into_iter().flat_map(|it| it.definitions).collect(),
    };
    // A match on a part of the name in one language outranks matches on scattered letters in another.
    let best = all.definitions.iter().filter_map(|it| likeness(last, &it.name)).min();
    let is_worse = |it: &Definition| {
        best.is_some_and(|best| best.is_part() && !likeness(last, &it.name).is_some_and(Likeness::is_part))
    };
    let worse = all.definitions.iter().filter(|it| is_worse(it)).count() as u64;
    let mut all = SymbolsResult { total: all.total - worse, ..all };
    all.definitions.retain(|it| !is_worse(it));
    limit_results(all, last)
}

/// Returns the listed workspace symbols with similar names, the most similar first.
fn alike<'a>(
    roots: &SessionFolders,
    listed: &'a [RawSymbol],
    name: &Name,
    within: Option<&SessionPath>,
) -> Vec<(Likeness, &'a RawSymbol)> {
    let is_meant = |it: &&RawSymbol| roots.contains(&it.at.path) && is_within(&it.at.path, within);
    let meant = listed.iter().filter(is_meant);
    let mut alike: Vec<_> =
        meant.filter_map(|it| Some((likeness(&name.last, plain(&it.name))?, it))).collect();
    alike.sort_by(|(a, one), (b, other)| {
        (a, one.name.len(), &one.name, &one.at.path).cmp(&(b, other.name.len(), &other.name, &other.at.path))
    });
    alike
}

fn is_within(path: &Path, within: Option<&SessionPath>) -> bool {
    within.is_none_or(|it| path.starts_with(&it.path))
}

/// Returns the similar names that the sources seem to define, by file.
async fn written(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    within: Option<&SessionPath>,
) -> BTreeMap<(PathBuf, String), Likeness> {
    let language = asking.server.setup.language;
    let tree = SearchScope {
        texts: asking.server.own_texts(&roots.texts()),
        ..roots.search_scope_of(folders_within(asking, within))
    };
    let (last, until) = (name.last.clone(), asking.deadline);
    let scan = blocking::spawn(move || word_scan::declared_like(language, &tree, &last, until));
    scan.await
}

fn folders_within(asking: &QueryContext, within: Option<&SessionPath>) -> Vec<PathBuf> {
    match within {
        Some(place) => vec![place.path.clone()],
        None => asking.server.setup.folders.iter().cloned().collect(),
    }
}

/// Returns the scanned names that the outline of the file confirms.
async fn confirmed(
    asking: &QueryContext,
    path: &Path,
    written: &BTreeMap<(PathBuf, String), Likeness>,
    name: &Name,
) -> Result<Vec<Candidate>, Problem> {
    let nodes = asking.outline(path).await?;
    let is_written = |it: &str| written.contains_key(&(path.to_owned(), it.to_owned()));
    let all = outline::all(&nodes);
    Ok(all.iter().filter(|it| is_written(plain(&it.node.name))).map(|it| of_node(path, it, name)).collect())
}

/// Symbols with similar names from the syntax trees.
#[derive(Default)]
struct UnlistedSymbols {
    symbols: Vec<(Likeness, Definition)>,
    /// `true` if they are all symbols of the requested path.
    are_all: bool,
}

/// Returns the symbols that the server may not list: all of the requested path, since its limit is for the whole
/// workspace; otherwise the fields, for servers that list none.
async fn unlisted(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    request: &SymbolsQuestion,
    name: &Name,
) -> UnlistedSymbols {
    let (has_fields, has_path) = (asking.profile().symbols.has_fields, request.path.is_some());
    if has_fields && !has_path {
        return UnlistedSymbols::default();
    }
    let instead = FallbackReason::beside_server(asking.deadline);
    let found = syntactic::symbols(roots, asking.server.setup.language, request, &instead).await;
    let Some(found) = found else { return UnlistedSymbols::default() };
    let are_all = has_path && found.total == found.definitions.len() as u64;
    let is_unlisted = |it: &Definition| has_path || it.kind == "field" && !has_fields;
    let symbols = found.definitions.into_iter().filter(is_unlisted);
    let symbols = symbols.filter_map(|it| Some((likeness(&name.last, &it.name)?, it))).collect();
    UnlistedSymbols { symbols, are_all }
}

/// Returns the lowest likeness to keep: `Part` if any name matches by a part, otherwise `Letters`.
fn best(
    listed: &[(Likeness, &RawSymbol)],
    written: &BTreeMap<(PathBuf, String), Likeness>,
    unlisted: &[(Likeness, Definition)],
) -> Likeness {
    let all = listed.iter().map(|(it, _)| *it).chain(written.values().copied());
    let all = all.chain(unlisted.iter().map(|(it, _)| *it));
    if all.min().is_some_and(Likeness::is_part) { Likeness::Part } else { Likeness::Letters }
}
