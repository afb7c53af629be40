//! Formats files and organizes imports.

use std::path::Path;
use std::sync::Arc;

use ide_protocol::{
    CodeActionsQuestion, Completeness, EditsResult, ErrorCode, FormatQuestion, IdeError, Operation,
    OrganizeImportsQuestion, Source,
};

use super::code_actions::{OfferedActions, extent, offered, text};
use super::dispatch::{ask, language_of_file};
use super::handler::{Call, Handler};
use super::server_query::{Openness, ServerQuery};
use super::take_action::{edits as edits_of, planned, refusal};
use crate::fallback::edits;
use crate::fallback::edits::{FileChange, Preview, Previews};
use crate::fallback::servers::run::convert;
use crate::fallback::servers::run::convert::code_action::Indentation;
use crate::fallback::servers::run::convert::workspace_edit;
use crate::fallback::servers::run::request::AskError;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::text::Text;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The LSP code action kind that organizes imports.
const IMPORTS: &str = "source.organizeImports";

pub(crate) struct Format;

impl Handler for Format {
    const OPERATION: Operation = Operation::Format;
    type Question = FormatQuestion;

    async fn answer(call: &Call, question: FormatQuestion) -> Result<EditsResult, IdeError> {
        ask_formatter(call, &question.path, &question).await
    }
}

impl ServerQuery for FormatQuestion {
    type Answer = EditsResult;

    const IS_LENT: bool = false;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<EditsResult, Problem> {
        format(asking, &session.roots, &session.previews, self).await
    }

    fn openness(&self, _: &EditsResult) -> Openness {
        // Formatting depends only on the text of the file.
        Openness::Closed
    }
}

pub(crate) struct OrganizeImports;

impl Handler for OrganizeImports {
    const OPERATION: Operation = Operation::OrganizeImports;
    type Question = OrganizeImportsQuestion;

    async fn answer(call: &Call, question: OrganizeImportsQuestion) -> Result<EditsResult, IdeError> {
        ask_formatter(call, &question.path, &question).await
    }
}

impl ServerQuery for OrganizeImportsQuestion {
    type Answer = EditsResult;

    const IS_LENT: bool = false;

    // Imports that seem unused are removed, so missing code matters: its answers are open.
    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<EditsResult, Problem> {
        organize_imports(asking, &session.roots, &session.previews, self).await
    }
}

/// Asks the formatter of a file's language if it has a separate one, otherwise its server.
async fn ask_formatter<Q>(call: &Call, path: &str, query: &Q) -> Result<EditsResult, IdeError>
where
    Q: ServerQuery<Answer = EditsResult>,
{
    let language = language_of_file(&call.session, path)?;
    let Some(stylist) = language.stylist else { return ask(call, language, query).await };
    match ask(call, stylist, query).await {
        // What is missing is the formatter, whatever the server says.
        Err(missing) if missing.kind == ErrorCode::Unavailable => {
            ask(call, language, query).await.map_err(|_| missing)
        }
        answer => answer,
    }
}

/// Computes the edits that format a file or a part of it.
async fn format(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    previews: &Previews,
    request: &FormatQuestion,
) -> Result<EditsResult, Problem> {
    let (name, path) = (asking.server.name(), &request.path);
    let is_part = request.start.is_some();
    if !asking.provides("documentFormattingProvider") {
        return Err(unavailable(
            format!("{name} lays out no files"),
            "Lay it out with the project's own tool.",
        ));
    }
    if is_part && !asking.provides("documentRangeFormattingProvider") {
        let advice = format!("format(`{path}`) lays out all of it.");
        return Err(unavailable(format!("{name} lays out whole files only"), &advice));
    }
    let (place, text) = text(asking, roots, path).await?;
    if let Some(file) = named_formatter(asking, &place.path) {
        let message =
            format!("{name} may run what `{file}` names to lay files out, and the workspace is restricted");
        return Err(unavailable(message, "It does where the user trusts the workspace (`--trust`)."));
    }
    let part = if is_part { Some(extent(&text, request.start, request.end)?) } else { None };
    let answer = asking.format_edits(&place.path, part, indentation(&text)).await;
    let edits = answer.map_err(|error| refused(name, "lay out", &place.spelling, error))?;
    let uri = convert::uri(&place.path).expect("a place of the session is an absolute path").to_string();
    let changes = workspace_edit::texts(&uri, &edits).map_err(edits::PlanError::from);
    let steps = changes.map_err(IdeError::from)?.into_iter().map(Into::into).collect();
    let files = asking.plan_all(roots, steps).await?;
    Ok(answered(asking, previews, "format", format!("Lay out `{}`", place.spelling), files))
}

/// Returns the configuration file that makes the server unsafe in a restricted workspace: it may name another
/// program to run.
fn named_formatter(asking: &QueryContext, path: &Path) -> Option<String> {
    let file = asking.profile().names_formatter.filter(|_| !asking.server.setup.level.runs_code())?;
    let mut above = path.ancestors().skip(1).map(|it| it.join(file));
    above.find(|it| it.symlink_metadata().is_ok()).map(|it| it.display().to_string())
}

/// Computes the edits that organize the imports of a file.
async fn organize_imports(
    asking: &QueryContext,
    roots: &Arc<SessionFolders>,
    previews: &Previews,
    request: &OrganizeImportsQuestion,
) -> Result<EditsResult, Problem> {
    let (name, path) = (asking.server.name(), &request.path);
    if !asking.offers(IMPORTS) {
        let advice = format!("format(`{path}`) may sort them; codeActions(`{path}`) has what else there is.");
        return Err(unavailable(format!("{name} puts no imports in order"), &advice));
    }
    let request =
        CodeActionsQuestion { path: path.clone(), start: None, end: None, kind: Some(IMPORTS.to_owned()) };
    let OfferedActions { place, actions, .. } = offered(asking, roots, &request).await?;
    let action = actions.into_iter().find(|it| refusal(asking, it).is_none());
    let failed = |error| refused(name, "put in order the imports of", &place.spelling, error);
    let edits = match action {
        None => Vec::new(),
        Some(action) => {
            let action = asking.resolved(&place.path, action).await.map_err(failed)?;
            edits_of(asking, &action).await?.map_err(failed)?
        }
    };
    let files = planned(asking, roots, &edits).await?;
    Ok(answered(
        asking,
        previews,
        "imports",
        format!("Put the imports of `{}` in order", place.spelling),
        files,
    ))
}

/// Returns the preview; it has no files if there is nothing to do.
fn answered(
    asking: &QueryContext,
    previews: &Previews,
    about: &str,
    title: String,
    files: Vec<FileChange>,
) -> EditsResult {
    let edit = previews.keep(about, Preview { title, kind: None, files });
    EditsResult {
        completeness: Completeness::complete(Source(format!("language-server:{}", asking.server.name()))),
        edits: vec![edit],
        mentions: Vec::new(),
        mentioned: None,
    }
}

fn unavailable(message: String, advice: &str) -> Problem {
    IdeError::new(ErrorCode::Unavailable, message).recovery(advice).into()
}

/// Reports the server's reason for refusing: usually code that does not parse.
fn refused(name: &str, what: &str, path: &str, error: AskError) -> Problem {
    match error {
        AskError::Refused { message, .. } => {
            let message = format!("{name} refuses to {what} `{path}`: {message}");
            let error = IdeError::new(ErrorCode::InvalidRequest, message);
            error.recovery(format!("diagnostics(`{path}`) says what is wrong there.")).into()
        }
        error => error.into(),
    }
}

/// Detects the indentation, which some servers require: tabs if most indented lines use them, otherwise the
/// likeliest width.
fn indentation(text: &Text) -> Indentation {
    let lines = text.as_str().lines().filter(|it| !it.trim().is_empty());
    let (mut tabs, mut widths) = (0, Vec::new());
    for line in lines {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        match () {
            () if line.starts_with('\t') => tabs += 1,
            // One blank precedes the `*` of a block comment.
            () if blanks > 1 => widths.push(blanks),
            () => {}
        }
    }
    if tabs > widths.len() {
        return Indentation { width: 4, by_tabs: true };
    }
    let fits = |width: usize| widths.iter().filter(|it| *it % width == 0).count() * 10 >= widths.len() * 8;
    let width = [8, 4, 3, 2].into_iter().find(|it| fits(*it)).unwrap_or(4);
    let width = if widths.contains(&width) { width } else { 4 };
    Indentation { width, by_tabs: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_read_off_the_text() {
        for (text, width, by_tabs) in [
            ("", 4, false),
            ("a\nb\n", 4, false),
            ("a\n\tb\n\t\tc\n  d\n", 4, true),
            ("a {\n  b {\n    c\n  }\n}\n", 2, false),
            ("a:\n    b:\n        c\n    d\n", 4, false),
            ("/*\n * a\n */\na {\n    b\n}\n", 4, false),
            ("a:\n        b\n                c\n", 8, false),
        ] {
            assert_eq!(indentation(&Text::from(text.to_owned())), Indentation { width, by_tabs }, "{text}");
        }
    }
}
