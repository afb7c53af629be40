//! Finds the uses of a symbol, and counts the other mentions of its name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{join, try_join_all};
use ide_protocol::{
    Completeness, ErrorCode, FileRange, IdeError, Location, Operation, Reason, ReferencesQuestion,
    ReferencesResult, Source, Target,
};
use serde_json::{Value, json};

use super::about_symbol::about_symbol;
use super::corrections;
use super::corrections::{assigned_members, operator_calls, redeclared_members};
use super::handler::{Call, Handler};
use super::lookup::candidates::file_range;
use super::lookup::follow::ResolvedMentions;
use super::lookup::target::{Subject, is_written_by_macro, nothing_there, subjects};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use super::{strings, unexpanded};
use crate::blocking;
use crate::fallback::operations::corrections::correction::{Context, Query, Uses};
use crate::fallback::operations::corrections::unlisted_references::{UnclearPlaces, unclear_calls};
use crate::fallback::operations::lookup::mentions::{
    OtherMentions, home, mentions, occurrences, uses_of_name,
};
use crate::fallback::servers::run::convert::RawRange;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::Language;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::package::Packages;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan::MatchingLines;

/// The maximum number of files whose uses are converted concurrently.
const AT_ONCE: usize = 8;

/// The maximum number of files with unconfirmed mentions that are checked for being loaded.
const DOUBTFUL_FILES: usize = 20;

pub(crate) struct References;

impl Handler for References {
    const OPERATION: Operation = Operation::References;
    type Question = ReferencesQuestion;

    async fn answer(call: &Call, question: ReferencesQuestion) -> Result<ReferencesResult, IdeError> {
        let ReferencesQuestion { target, include_declaration } = question;
        about_symbol(call, target, |target| ReferencesQuestion { target, include_declaration }).await
    }
}

impl ServerQuery for ReferencesQuestion {
    type Answer = ReferencesResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WithoutServer;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<ReferencesResult, Problem> {
        references(asking, &session.roots, self).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<ReferencesResult> {
        syntactic::references(&session.roots, language, self, reason).await
    }

    /// A list of text answers a question once while the server loads. A question that limits the wait takes
    /// what there is.
    fn refuse_syntax(&self, call: &Call, language: &'static Language, why: &IdeError) -> Option<IdeError> {
        let session = &call.session;
        let is_early = why.kind == ErrorCode::NotReady && session.is_loading(language);
        if call.within.is_limited || !is_early {
            return None;
        }
        let question = serde_json::to_string(self).expect("a question of the wire is JSON");
        let message = format!("{}; an earlier answer has its uses in the text", why.message);
        (!session.is_first_list(question)).then(|| IdeError { message, ..why.clone() })
    }

    fn openness(&self, _: &ReferencesResult) -> Openness {
        Openness::Judged
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!(["references", self.target, self.include_declaration]))
    }
}

/// Resolves the symbol, requests its uses, corrects them and notes what may be missing.
pub(crate) async fn references(
    asking: &QueryContext,
    roots: &SessionFolders,
    request: &ReferencesQuestion,
) -> Result<ReferencesResult, Problem> {
    let FoundUses { subject, listed, mentions } = ask(asking, roots, request).await?;
    let context = Context { asking, roots, operation: Operation::References };
    let include_declaration = request.include_declaration;
    let query = Query { context, subject: &subject, include_declaration };
    let is_known = match &listed {
        Some(listed) if !listed.is_empty() => true,
        _ => is_resolved(asking, &subject).await?,
    };
    let mut uses = corrected(&query, listed, mentions).await?;
    let beyond = uses.beyond();
    let reasons = reasons(&query, &mut uses, &beyond, is_known).await?;
    let doubts = doubts(&query, &uses).await?;
    let nodes = asking.outline(&subject.path).await?;
    let definition = outline::named_at(&nodes, subject.point);
    let is_built = definition.as_ref().is_some_and(|it| BUILT.contains(&it.node.kind));
    let moved = definition.and_then(|it| moved(&request.target, &subject, it.node.whole));
    let mut references = write(asking, roots, &subject.path, &uses.extents).await?;
    mark_calls(&query, is_built, &mut references);
    let strings = strings::of_name(&query, &uses).await;
    let code_mentions = code_mentions(&query, &beyond, references.is_empty()).await;
    asking.check_unchanged().await?;
    let source = Source(format!("language-server:{}", asking.server.name()));
    let reasons = reasons.into_iter().chain(doubts).chain(strings).collect();
    let mut completeness = Completeness::gaps_first(source, reasons);
    moved.into_iter().for_each(|it| completeness.lead_with(it));
    Ok(ReferencesResult { completeness, references, mentions: Some(beyond.count), code_mentions })
}

/// Returns the corrected uses of a resolved symbol, for operations derived from them.
pub(crate) async fn uses_of(context: Context<'_>, subject: &Subject) -> Result<Uses, Problem> {
    let listed = listed(context.asking, subject, false);
    let (listed, mentions) = join(listed, mentions(context.asking, context.roots, &subject.name)).await;
    corrected(&Query { context, subject, include_declaration: false }, listed?, mentions).await
}

/// Converts the listed ranges to extents and runs the corrections on them.
async fn corrected(
    query: &Query<'_>,
    listed: Option<Arc<Vec<RawRange>>>,
    mentions: MatchingLines,
) -> Result<Uses, Problem> {
    let home = home(query.asking(), query.subject).await?;
    let uses = listed.unwrap_or_default();
    let extents = uses_of_name(query.asking(), &uses, &query.subject.name).await?;
    let files: BTreeSet<_> = extents.iter().map(|(path, _)| path.as_path()).collect();
    for path in files.into_iter().take(AT_ONCE) {
        file_syntax::prepare(query.asking(), path).await;
    }
    let mut uses = Uses { mentions, extents, home, ..Uses::default() };
    corrections::correct_uses(query, &mut uses).await?;
    if let Some(base) = uses.base.take() {
        let others = Box::pin(uses_of(query.context, &base.at)).await?;
        let mut extents = others.extents;
        extents
            .retain(|(path, it)| query.include_declaration || !uses.home.contains(&(path.clone(), it.start)));
        uses.reasons.extend(others.reasons.into_iter().filter(Reason::is_gap));
        redeclared_members::add_uses_of_base(query, base, extents, &mut uses).await?;
    }
    let extents = &uses.extents;
    uses.unfollowed.retain(|it| !extents.contains(it));
    Ok(uses)
}

/// Returns the reasons why the uses may be incomplete, with those of the corrections.
async fn reasons(
    query: &Query<'_>,
    uses: &mut Uses,
    beyond: &OtherMentions,
    is_known: bool,
) -> Result<Vec<Reason>, Problem> {
    let (asking, roots, name) = (query.asking(), query.roots(), query.subject.name.clone());
    let server = asking.server.name().to_owned();
    let mut reasons: Vec<Reason> = Vec::new();
    if is_known {
        let unloaded = not_loaded(asking, &beyond.lines, &uses.extents).await?;
        if !unloaded.is_empty() {
            let paths = unloaded.iter().map(|it| roots.display_path(it)).collect();
            let cause = asking.not_loaded().to_owned();
            reasons.push(Reason::MentionsNotLoaded { name: name.clone(), cause, paths });
        }
        // Mentions in files that are not loaded are never clear; the gap above covers them.
        uses.missed.unclear.retain(|(path, _)| !unloaded.contains(path));
    } else if uses.extents.is_empty() {
        reasons.push(asking.not_loaded_reason(&name));
    } else {
        reasons.push(Reason::NoUsesListed { server: server.clone(), name: name.clone() });
    }
    reasons.append(&mut uses.reasons);
    let unasked = uses.missed.unasked;
    if unasked > 0 {
        reasons.push(Reason::UsesLeftOut { server, name, lines: unasked });
    }
    if !uses.mentions.complete {
        reasons.push(Reason::MentionsNotSearched {});
    }
    if !uses.missed.unclear.is_empty() {
        // Projects that the server was not given may be the cause.
        reasons.extend(asking.left_out.iter().cloned());
    }
    reasons.extend(corrections::gaps(query, &uses.home).await?);
    reasons.extend(unexpanded::doubt(query, uses).await?);
    Ok(reasons)
}

/// Returns remarks on the places that the server cannot resolve and that may be uses.
pub(crate) async fn doubts(query: &Query<'_>, uses: &Uses) -> Result<Vec<Reason>, Problem> {
    let (asking, roots) = (query.asking(), query.roots());
    let ResolvedMentions { unclear, is_cut, .. } = &uses.missed;
    let mut doubts = Vec::new();
    let calls = unclear_calls(asking, roots, query.subject, (unclear, *is_cut)).await?;
    doubts.extend(calls.map(UnclearPlaces::maybe_uses));
    let name = &query.subject.name;
    match query.context.operation {
        Operation::Callers => {
            let calls = file_syntax::with_usage(asking, roots, &uses.unfollowed, Usage::is_call).await;
            let unclear = UnclearPlaces::of(asking, roots, (name, true), (calls, *is_cut)).await;
            doubts.extend(unclear.map(UnclearPlaces::maybe_uses));
        }
        _ => {
            let unclear = UnclearPlaces::of(asking, roots, (name, false), (&uses.unfollowed, *is_cut)).await;
            doubts.extend(unclear.map(UnclearPlaces::maybe_uses));
        }
    }
    Ok(doubts)
}

/// The maximum number of lines of code with the name that an answer lists beside the uses.
const LISTED: usize = 5;

/// The maximum number of lines with the name whose syntax is read for that.
const READ: u64 = 500;

/// Returns the other lines of code with the name; `None` if they are many, or not all could be read. Definitions of
/// other symbols count only beside an empty answer.
async fn code_mentions(query: &Query<'_>, beyond: &OtherMentions, is_empty: bool) -> Option<Vec<Location>> {
    let (asking, roots) = (query.asking(), query.roots());
    let read: usize = beyond.lines.values().map(BTreeSet::len).sum();
    if beyond.count > READ.min(read as u64) {
        return None;
    }
    let all = occurrences(asking, roots, &beyond.lines, &query.subject.name).await?;
    let is_prose = |role: &str| matches!(role, "documentation" | "comment" | "string");
    let code =
        all.iter().filter(|it| !is_prose(it.usage.role) && (is_empty || it.usage.role != "definition"));
    let lines: BTreeSet<_> = code.map(|it| (roots.display_path(&it.path), it.at.start.line)).collect();
    let location = |(path, line)| Location { path, line, column: None };
    (lines.len() <= LISTED).then(|| lines.into_iter().map(location).collect())
}

/// Sets the role of calls without call syntax: `construct` where a value is built, `call` on operators.
fn mark_calls(query: &Query<'_>, is_built: bool, references: &mut [FileRange]) {
    let is_operator = operator_calls::is_operator(query.asking().server.setup.language, &query.subject.name);
    for used in references {
        let role = match used.role.as_deref() {
            Some("write") if is_built => "construct",
            Some("read") if is_operator => "call",
            _ => continue,
        };
        used.role = Some(role.to_owned());
    }
}

/// Kinds that are never assigned to: a `write` of such a name is a constructor call.
const BUILT: &[&str] = &["class", "struct", "constructor"];

/// Returns a remark if the name is no longer at the pinned line. A pin may be any line of the definition,
/// including its documentation.
fn moved(target: &Target, subject: &Subject, whole: Extent) -> Option<Reason> {
    let at = target.at.as_ref().filter(|at| target.name.is_some() && at.line != subject.point.line)?;
    if (whole.start.line..=whole.end.line).contains(&at.line) {
        return None;
    }
    let from = Location { column: None, ..at.clone() };
    Some(Reason::Moved { name: subject.name.clone(), from, to: subject.point.line })
}

/// A resolved symbol, with the server's uses of it and the mentions in the text.
struct FoundUses {
    subject: Subject,
    /// The uses that the server lists; `None` if it finds no symbol at that position.
    listed: Option<Arc<Vec<RawRange>>>,
    mentions: MatchingLines,
}

/// Resolves the symbol and requests its uses while scanning the text for its name.
async fn ask(
    asking: &QueryContext,
    roots: &SessionFolders,
    request: &ReferencesQuestion,
) -> Result<FoundUses, Problem> {
    let declaration = request.include_declaration;
    let mut last = None;
    for subject in subjects(asking, roots, &request.target).await? {
        // There mostly are uses beside the definition.
        file_syntax::prepare(asking, &subject.path).await;
        let listed = listed(asking, &subject, declaration);
        let (listed, mentions) = join(listed, mentions(asking, roots, &subject.name)).await;
        let found = FoundUses { listed: listed?, subject, mentions };
        if found.listed.is_some() {
            return Ok(found);
        }
        last = Some(found);
    }
    last.ok_or_else(|| nothing_there(&request.target).into())
}

/// Returns the uses that the server lists. For a definition written by a macro it returns none, since the
/// server would list the uses of the macro.
async fn listed(
    asking: &QueryContext,
    subject: &Subject,
    include_declaration: bool,
) -> Result<Option<Arc<Vec<RawRange>>>, Problem> {
    if is_written_by_macro(asking, subject).await {
        return Ok(Some(Arc::default()));
    }
    let listed = asking.references(&subject.path, subject.point, include_declaration);
    if !assigned_members::is_concerned(asking) {
        return Ok(listed.await?);
    }
    // The correction needs both, and the server answers both at the same time.
    let other = asking.references(&subject.path, subject.point, !include_declaration);
    Ok(join(listed, other).await.0?)
}

/// Returns `true` if the server knows the symbol: it then lists at least the declaration, and "no uses" means
/// none.
async fn is_resolved(asking: &QueryContext, subject: &Subject) -> Result<bool, Problem> {
    let with_declaration = asking.references(&subject.path, subject.point, true).await?;
    Ok(with_declaration.is_some_and(|it| !it.is_empty()))
}

/// Converts the uses to the protocol's ranges, each with the definition that encloses it.
async fn write(
    asking: &QueryContext,
    roots: &SessionFolders,
    home: &Path,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<Vec<FileRange>, Problem> {
    let mut by_path: BTreeMap<&PathBuf, Vec<Extent>> = BTreeMap::new();
    for (path, extent) in extents {
        by_path.entry(path).or_default().push(*extent);
    }
    let outside = outside(home, by_path.keys().map(|it| (*it).clone()).collect()).await;
    let files: Vec<_> = by_path.into_iter().collect();
    let mut references = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let written = some
            .iter()
            .map(|(path, extents)| write_file(asking, roots, outside.contains(*path), path, extents));
        references.extend(try_join_all(written).await?.into_iter().flatten());
    }
    references.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
    Ok(references)
}

/// Keeps the files that belong to another package than `home`.
async fn outside(home: &Path, mut paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let home = home.to_owned();
    let looking = blocking::spawn(move || {
        let mut packages = Packages::default();
        paths.retain(|it| packages.are_different(&home, it));
        paths
    });
    looking.await
}

/// Converts the uses in one file. The enclosing definition comes from the syntax, or from the server's outline
/// if the syntax is not supported.
async fn write_file(
    asking: &QueryContext,
    roots: &SessionFolders,
    is_outside: bool,
    path: &Path,
    extents: &[Extent],
) -> Result<Vec<FileRange>, Problem> {
    roots.allow_named(path);
    let usages = file_syntax::usages(asking, roots, path, extents).await;
    let mut references = Vec::new();
    for (index, extent) in extents.iter().enumerate() {
        let range = file_range(asking, roots, path, *extent).await;
        let range = FileRange { outside: is_outside, ..range };
        references.push(match &usages {
            Some(usages) => usages[index].clone().add_to(range),
            None => {
                let nodes = asking.outline(path).await?;
                let separator = asking.server.setup.language.separator;
                FileRange { inside: outline::enclosing(&nodes, extent.start, separator), ..range }
            }
        });
    }
    Ok(references)
}

/// Returns the files that mention the name but are not loaded, so that the server cannot list their uses.
async fn not_loaded(
    asking: &QueryContext,
    beyond: &BTreeMap<PathBuf, BTreeSet<usize>>,
    extents: &BTreeSet<(PathBuf, Extent)>,
) -> Result<BTreeSet<PathBuf>, Problem> {
    if asking.profile().files.only_open {
        return Ok(BTreeSet::new()); // every open file is loaded
    }
    let answered: BTreeSet<_> = extents.iter().map(|(path, _)| path).collect();
    let doubtful = beyond.keys().filter(|it| !answered.contains(it)).take(DOUBTFUL_FILES);
    let mut unloaded = BTreeSet::new();
    for path in doubtful {
        if !is_file_loaded(asking, path).await? {
            unloaded.insert(path.clone());
        }
    }
    Ok(unloaded)
}

/// Returns `true` if the server loaded a file: one of its first definitions then resolves to itself.
async fn is_file_loaded(asking: &QueryContext, path: &Path) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    let mut all = outline::all(&nodes);
    all.retain(|it| it.node.kind != "macro");
    // A definition disabled by an attribute says nothing about the file, so several are tried.
    let tried = all.iter().filter(|it| it.node.kind != outline::IMPL).take(5);
    for found in tried {
        if asking.is_loaded(path, found.node.name_at.start).await? {
            return Ok(true);
        }
    }
    // A file without definitions has nothing to check, so it counts as loaded.
    Ok(all.is_empty())
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line, Point};

    use super::*;

    #[test]
    fn a_name_that_has_moved_is_said_to_have() {
        let point = |line: usize| Point { line: Line::from_index(line - 1), column: Column::FIRST };
        let subject = |line| Subject { path: "/w/a.rs".into(), point: point(line), name: "User".to_owned() };
        let at = Location { path: "a.rs".to_owned(), line: point(3).line, column: None };
        let target = Target { name: Some("User".to_owned()), at: Some(at) };
        let moved = |target: &Target, subject: &Subject, whole: Extent| {
            moved(target, subject, whole).map(|it| it.to_string())
        };
        let note = "`User` is no longer at a.rs:3; this is the one at a.rs:9";
        let whole = |first, last| Extent { start: point(first), end: point(last) };
        assert_eq!(moved(&target, &subject(9), whole(9, 9)).as_deref(), Some(note));
        assert_eq!(moved(&target, &subject(3), whole(3, 3)), None);
        assert_eq!(moved(&target, &subject(9), whole(2, 12)), None);
        assert_eq!(moved(&target, &subject(9), whole(8, 12)).as_deref(), Some(note));
        assert_eq!(moved(&Target { name: None, ..target }, &subject(9), whole(9, 9)), None);
    }
}
