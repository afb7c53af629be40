//! Lists the definitions of a file.

use ide_protocol::{
    Completeness, Counted, ErrorCode, IdeError, Listing, Operation, OutlineQuestion, OutlineResult, Reason,
    Source,
};

use super::corrections::preprocessed_code;
use super::dispatch::{ask, language_of_file};
use super::handler::{Call, Handler};
use super::lookup::candidates::{ALIASES, name_impl, write};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Node;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::{Candidate, of_node};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// The maximum number of omitted definitions that the reason names.
const LEFT_OUT: usize = 10;

pub(crate) struct Outline;

impl Handler for Outline {
    const OPERATION: Operation = Operation::Outline;
    type Question = OutlineQuestion;

    async fn answer(call: &Call, question: OutlineQuestion) -> Result<OutlineResult, IdeError> {
        let language = language_of_file(&call.session, &question.path)?;
        ask(call, language, &question).await
    }
}

impl ServerQuery for OutlineQuestion {
    type Answer = OutlineResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WhileLoading;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<OutlineResult, Problem> {
        outline(asking, &session.roots, &self.path).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<OutlineResult> {
        syntactic::outline(&session.roots, language, &self.path, reason).await
    }

    fn openness(&self, answer: &OutlineResult) -> Openness {
        // Servers need only the text of the file, unless they do not know the file.
        Openness::open_if(!answer.completeness.is_complete())
    }
}

/// Returns the outline of a file.
async fn outline(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &str,
) -> Result<OutlineResult, Problem> {
    let place = roots.resolve(path)?;
    let Some(text) = asking.text(&place.path).await else {
        let message = format!("`{path}` is no text file");
        let advice = format!("Name a file; files(`{path}`) lists those of a folder.");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice).into());
    };
    if !asking.provides("documentSymbolProvider") {
        let message = format!("{} has no `outline`", asking.server.name());
        let advice = format!("source(`{path}`) shows all of the file.");
        return Err(IdeError::new(ErrorCode::Unavailable, message).recovery(advice).into());
    }
    let nodes = asking.outline(&place.path).await?;
    let any = Name::any();
    let all = outline::all(&nodes);
    let names: Vec<_> = all.iter().map(|it| it.node.name_at).collect();
    let usages = file_syntax::usages(asking, roots, &place.path, &names).await;
    let is_imported = |at: usize| {
        let role = usages.as_ref().map(|it| it[at].role);
        role == Some("import") && ALIASES.contains(&all[at].node.kind)
    };
    let shown = all.iter().enumerate().filter(|(at, it)| !is_inner(it) && !is_imported(*at));
    let candidates = shown.map(|(_, found)| of_node(&place.path, found, &any));
    let mut definitions = Vec::new();
    for mut candidate in candidates.collect::<Vec<Candidate>>() {
        name_impl(&mut candidate);
        definitions.push(write(asking, roots, &candidate).await);
    }
    let left_out = preprocessed_code::left_out(asking, &place.path).await?;
    asking.check_unchanged().await?;
    let declared = word_scan::count_declarations(asking.server.setup.language, &text);
    let missed = definitions.is_empty() && declared > 0;
    let name = asking.server.name();
    let nothing = missed.then(|| Reason::NothingListed { server: name.to_owned(), lines: declared });
    let reason = nothing.or_else(|| without(&left_out));
    let completeness = Completeness::with(Source(format!("language-server:{name}")), reason);
    Ok(OutlineResult { completeness, definitions })
}

/// Lists the definitions that the preprocessor excludes.
fn without(left_out: &[Node]) -> Option<Reason> {
    let counted = |it: &Node| Counted { name: it.name.clone(), count: it.name_at.start.line.index() + 1 };
    let definitions = Listing::of(left_out.iter().map(counted), LEFT_OUT);
    (!definitions.is_empty()).then_some(Reason::Preprocessed { definitions })
}

/// Returns `true` for data inside a function, which cannot be referred to from elsewhere.
fn is_inner(found: &outline::NestedNode<'_>) -> bool {
    let is_type = |kind: &str| matches!(kind, "class" | "struct" | "enum" | "interface" | "typeAlias");
    let is_in_code = found.around.iter().any(|it| outline::is_code(it.kind));
    is_in_code && !outline::is_code(found.node.kind) && !is_type(found.node.kind)
}
