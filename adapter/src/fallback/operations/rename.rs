//! Computes the edits that rename a symbol.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use ide_protocol::{
    Completeness, EditsResult, ErrorCode, IdeError, Operation, Point, Reason, RenameQuestion, Source,
};

use super::about_symbol::about_symbol;
use super::corrections::{new_name, stub_files};
use super::handler::{Call, Handler};
use super::lookup::mentions::home;
use super::lookup::target::{Subject, nothing_there, subjects};
use super::server_query::ServerQuery;
use super::{corrections, replaced_text, unrenamed_mentions};
use crate::fallback::edits::{Plan, Preview, Previews};
use crate::fallback::operations::corrections::correction::{Context, Edits, Query, Renamed};
use crate::fallback::operations::corrections::missed_rename_sites::MentionLines;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The positions of the names of the renamed symbol's definitions.
type Home = BTreeSet<(PathBuf, Point)>;

pub(crate) struct Rename;

impl Handler for Rename {
    const OPERATION: Operation = Operation::Rename;
    type Question = RenameQuestion;

    async fn answer(call: &Call, question: RenameQuestion) -> Result<EditsResult, IdeError> {
        let RenameQuestion { target, new_name } = question;
        about_symbol(call, target, |target| RenameQuestion { target, new_name }).await
    }
}

impl ServerQuery for RenameQuestion {
    type Answer = EditsResult;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<EditsResult, Problem> {
        rename(asking, &session.roots, &session.previews, self).await
    }
}

/// Resolves the symbol, requests the edits and corrects them. Requests them again for missed sites, and reports
/// what keeps the old name.
async fn rename(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    previews: &Previews,
    request: &RenameQuestion,
) -> Result<EditsResult, Problem> {
    let subject = subject(asking, roots, request).await?;
    let twins = stub_files::twins(asking, &subject).await?;
    let home: Home = home(asking, &subject).await?.into_iter().chain(twins.iter().cloned()).collect();
    let context = Context { asking, roots, operation: Operation::Rename };
    let query = Query { context, subject: &subject, include_declaration: true };
    let own: Home = [(subject.path.clone(), subject.point)].into_iter().chain(twins).collect();
    let sites = MentionLines::of(&query, &home).await;
    asking.open_lone_returns(sites.files()).await;
    let (mut plan, mut remarks) = planned(&query, roots, (&home, &own), &request.new_name).await?;
    let mut left = sites.left_by(&query, &plan.files).await?;
    if !left.uses.is_empty() {
        // A server that was queried about those sites usually knows them by now.
        let all = own.into_iter().chain(left.reassigned).collect();
        (plan, remarks) = planned(&query, roots, (&home, &all), &request.new_name).await?;
        left = sites.left_by(&query, &plan.files).await?;
    }
    let skipped = plan.skipped();
    let files = plan.files;
    let unrenamed = unrenamed_mentions::kept(roots, &subject.name, &files, asking.deadline).await;
    let renamed = Renamed { new: &request.new_name, files: &files, home: &home, left: &left };
    let mut reasons = corrections::left_by_rename(&query, renamed).await?;
    asking.check_unchanged().await?;
    reasons.extend(skipped);
    reasons.extend(corrections::gaps(&query, &home).await?);
    if !unrenamed.is_all || !sites.is_all {
        reasons.push(Reason::NameNotSearched { name: subject.name.clone() });
    }
    reasons.extend(remarks);
    let title = format!("Rename `{}` to `{}`", subject.name, request.new_name);
    Ok(EditsResult {
        completeness: Completeness::gaps_first(
            Source(format!("language-server:{}", asking.server.name())),
            reasons,
        ),
        edits: vec![previews.keep("rename", Preview { title, kind: None, files })],
        mentions: unrenamed.lines,
        mentioned: Some(unrenamed.total),
    })
}

/// Resolves the symbol; returns an error unless it can be renamed in the workspace.
async fn subject(
    asking: &QueryContext,
    roots: &SessionFolders,
    request: &RenameQuestion,
) -> Result<Subject, Problem> {
    if !asking.provides("renameProvider") {
        let name = asking.server.name();
        let error = IdeError::new(ErrorCode::Unavailable, format!("{name} renames nothing"));
        return Err(error.recovery("brief(findReferences(`NAME`)) lists the places to change.").into());
    }
    let mut subjects = subjects(asking, roots, &request.target).await?.into_iter();
    let subject = subjects.next().ok_or_else(|| nothing_there(&request.target))?;
    let name = &subject.name;
    if !roots.contains(&subject.path) {
        let message =
            format!("`{name}` is defined outside of the workspace, in {}", roots.display_path(&subject.path));
        return Err(invalid(message, "What is defined there is not yours to rename.").into());
    }
    if *name == request.new_name {
        return Err(invalid(format!("it is called `{name}` already"), "Give another name.").into());
    }
    if !new_name::may_follow(&request.new_name, name) {
        return Err(invalid(format!("`{}` is no name", request.new_name), "Give one word.").into());
    }
    Ok(subject)
}

fn invalid(message: String, advice: &str) -> IdeError {
    IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice)
}

/// Plans the corrected edits for these positions, with remarks on what is omitted.
async fn planned(
    query: &Query<'_>,
    roots: &Arc<SessionFolders>,
    (home, places): (&Home, &Home),
    new: &str,
) -> Result<(Plan, Vec<Reason>), Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    let refused = |error: AskError| refused(asking, &subject.name, new, error);
    if !asking.can_rename(&subject.path, subject.point).await.map_err(refused)? {
        let message = format!("{} says that `{}` cannot be renamed", asking.server.name(), subject.name);
        return Err(invalid(message, "Rename its definition, if that is in the workspace.").into());
    }
    let mut edits = Edits { home: home.clone(), ..Edits::default() };
    for (path, point) in places {
        let edit = asking.rename(path, *point, new).await.map_err(refused)?;
        let more = asking.steps(&edit)?;
        let more: Vec<_> = more.into_iter().filter(|it| !edits.steps.contains(it)).collect();
        edits.steps.extend(more);
    }
    corrections::correct_edits(query, new, &mut edits).await?;
    replaced_text::check(query, new, &mut edits.steps).await?;
    let plan = asking.plan(roots, edits.steps).await?;
    if plan.files.is_empty() {
        plan.whole().map_err(IdeError::from)?;
        let message = format!("{} would change nothing for it", asking.server.name());
        return Err(invalid(message, "brief(findReferences(`NAME`)) lists the places to change.").into());
    }
    Ok((plan, edits.remarks))
}

/// Reports the server's reason for refusing: an invalid name, a conflict, or a symbol that cannot be renamed.
fn refused(asking: &QueryContext, old: &str, new: &str, error: AskError) -> Problem {
    match error {
        AskError::Refused { message, .. } => {
            let server = asking.server.name();
            let message = format!("{server} refuses to rename `{old}` to `{new}`: {message}");
            invalid(message, "Give another name, or name another symbol.").into()
        }
        error => error.into(),
    }
}
