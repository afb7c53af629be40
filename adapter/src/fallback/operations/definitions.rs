//! Finds the definitions of a symbol: by name, by place, or by name near a place.

pub(crate) mod by_name;
pub(crate) mod by_place;
pub(crate) mod dependencies;
pub(crate) mod inherited_members;
pub(crate) mod mentioning_languages;
mod merge;
pub(crate) mod only_symbol;
pub(crate) mod python_modules;

use std::sync::Arc;
use std::time::{Duration, Instant};

use by_name::by_name;
use by_place::{at_place, pinned};
use futures::future::join_all;
use ide_protocol::{Completeness, DefinitionsResult, ErrorCode, IdeError, Location, Source, Target};
use mentioning_languages::mentioning_languages;
use merge::{LanguageAnswer, merge};
use serde_json::{Value, json};

use super::dispatch::ask;
use super::handler::Call;
use super::lookup::candidates::{DefinitionAnswer, write};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::blocking;
use crate::fallback::operations::lookup::target::read;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::ServerDefinitions;
use crate::fallback::workspace::format_places::line_of;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;
use crate::fallback::workspace::word_scan::WordOccurrences;

/// The definitions that a target means in one language.
pub(crate) struct DefinitionsQuery {
    pub(crate) target: Arc<Target>,
    /// The lines with the name, if already scanned.
    mentions: Option<Arc<WordOccurrences>>,
}

impl DefinitionsQuery {
    /// Returns the query for the definitions at a place.
    pub(crate) fn new(target: Arc<Target>) -> Self {
        Self { target, mentions: None }
    }
}

impl ServerQuery for DefinitionsQuery {
    type Answer = ServerDefinitions;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WhileLoading;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<ServerDefinitions, Problem> {
        let roots = &session.roots;
        let answer = find(asking, roots, &self.target).await?;
        let is_near = answer.is_near;
        Ok(ServerDefinitions { result: result(asking, roots, answer).await?, is_near })
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<ServerDefinitions> {
        syntactic::definitions(&session.roots, language, &self.target, self.mentions.clone(), reason).await
    }

    fn openness(&self, answer: &ServerDefinitions) -> Openness {
        // A resolved place is complete; a name may have further definitions, such as generated ones.
        Openness::open_if(self.target.at.is_none() || answer.result.definitions.is_empty())
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!(["definitions", self.target]))
    }
}

/// Finds the definitions of a name, in any language.
///
/// # Errors
/// No language that may know the name can answer.
pub(crate) async fn definitions_of_name(
    call: &Call,
    target: &Arc<Target>,
) -> Result<DefinitionsResult, IdeError> {
    let (session, name) = (&call.session, target.name.as_deref().unwrap_or_default());
    let (languages, mentions) = mentioning_languages(session, name, call.within).await;
    let all = languages.into_iter().map(async |language| {
        let query = DefinitionsQuery { target: Arc::clone(target), mentions: mentions.clone() };
        let answer = ask(call, language, &query).await;
        let declared = match &answer {
            Ok(_) => Vec::new(),
            Err(_) => declared(call, language, target).await,
        };
        LanguageAnswer { language, answer, declared }
    });
    match merge(&session.roots, join_all(all).await) {
        Some(answer) => answer,
        None => Err(session.no_language().await),
    }
}

/// Returns some places that read as a definition of a name.
async fn declared(call: &Call, language: &'static Language, target: &Target) -> Vec<Location> {
    let name = Name::of_target(target, language);
    let Some(word) = name.map(|it| it.last) else { return Vec::new() };
    let tree = call.session.roots.search_scope();
    // The deadline may have passed; this scan gets at least half a second.
    let until = call.within.deadline.max(Instant::now() + Duration::from_millis(500));
    let scan = blocking::spawn(move || word_scan::declarations(language, &tree, &word, until));
    let lines = scan.await.lines;
    let places = lines.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, *line)));
    let place = |(path, line)| line_of(&call.session.roots, (path, Extent::within(line, 0..0)));
    places.take(5).map(place).collect()
}

/// Converts the candidates to the protocol's definitions, sorted: those of the workspace first, and those of its copies
/// last.
pub(crate) async fn result(
    asking: &QueryContext,
    roots: &SessionFolders,
    answer: DefinitionAnswer,
) -> Result<DefinitionsResult, Problem> {
    let mut definitions = Vec::new();
    for candidate in &answer.candidates {
        roots.allow_named(&candidate.path);
        definitions.push(write(asking, roots, candidate).await);
    }
    definitions.sort_by_cached_key(|it| {
        let is_hidden = roots.is_hidden(&it.name_at.path);
        (it.name_at.external, is_hidden, it.name_at.path.clone(), it.name_at.start)
    });
    asking.check_unchanged().await?;
    Ok(DefinitionsResult {
        completeness: Completeness::with(
            Source(format!("language-server:{}", asking.server.name())),
            answer.reasons,
        ),
        definitions,
        nearest: answer.nearest,
        references: None,
    })
}

async fn find(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<DefinitionAnswer, Problem> {
    match (&target.name, &target.at) {
        (None, None) => {
            Err(IdeError::new(ErrorCode::InvalidRequest, "neither a name nor a place is given").into())
        }
        (Some(name), None) => by_name(asking, roots, &read(asking, name, Name::parse)?).await,
        (None, Some(at)) => at_place(asking, roots, at).await,
        (Some(name), Some(at)) => pinned(asking, roots, &read(asking, name, Name::parse_known)?, at).await,
    }
}
