//! Resolves a symbol to its declarations, its type definitions or its implementations.

use std::path::{Path, PathBuf};

use ide_protocol::{
    DefinitionsQuestion, DefinitionsResult, ErrorCode, Hierarchy, IdeError, Navigation, Operation, Point,
    Reason, Target,
};
use serde_json::{Value, json};

use super::about_symbol::about_symbol;
use super::corrections::correction::{Context, Query, Related, Uses};
use super::corrections::returned_types;
use super::corrections::returned_types::ReturnType;
use super::handler::{Call, Handler};
use super::lookup::candidates::{ALIASES, DefinitionAnswer};
use super::lookup::leads::there;
use super::lookup::mentions;
use super::lookup::target::{Subject, nothing_there, subjects};
use super::references::uses_of;
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use super::{corrections, definitions, unexpanded};
use crate::fallback::operations::lookup::candidates::name_impl;
use crate::fallback::servers::run::convert::RawTarget;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::Language;
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline::{self, Extent};
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::syntactic::candidate::{Candidate, of_node};
use crate::fallback::syntactic::syntax_facts;
use crate::fallback::workspace::format_places::NAMED;
use crate::fallback::workspace::format_places::places;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of types whose implementations are requested transitively.
const FOLLOWED: usize = 200;

pub(crate) struct Declarations;

impl Handler for Declarations {
    const OPERATION: Operation = Operation::Declarations;
    type Question = DefinitionsQuestion;

    async fn answer(call: &Call, question: DefinitionsQuestion) -> Result<DefinitionsResult, IdeError> {
        navigate(call, Navigation::Declarations, question.target).await
    }
}

pub(crate) struct TypeDefinitions;

impl Handler for TypeDefinitions {
    const OPERATION: Operation = Operation::TypeDefinitions;
    type Question = DefinitionsQuestion;

    async fn answer(call: &Call, question: DefinitionsQuestion) -> Result<DefinitionsResult, IdeError> {
        navigate(call, Navigation::TypeDefinitions, question.target).await
    }
}

pub(crate) struct Implementations;

impl Handler for Implementations {
    const OPERATION: Operation = Operation::Implementations;
    type Question = DefinitionsQuestion;

    async fn answer(call: &Call, question: DefinitionsQuestion) -> Result<DefinitionsResult, IdeError> {
        navigate(call, Navigation::Implementations, question.target).await
    }
}

async fn navigate(call: &Call, way: Navigation, target: Target) -> Result<DefinitionsResult, IdeError> {
    about_symbol(call, target, |target| NavigationQuery { way, target }).await
}

/// The way from a symbol to others.
struct NavigationQuery {
    way: Navigation,
    target: Target,
}

impl ServerQuery for NavigationQuery {
    type Answer = DefinitionsResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WithoutServer;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<DefinitionsResult, Problem> {
        navigation(asking, &session.roots, self.way, &self.target).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<DefinitionsResult> {
        match self.way {
            Navigation::Implementations => {
                syntactic::implementations(&session.roots, language, &self.target, reason).await
            }
            // Syntax cannot infer types, nor tell separate declarations apart.
            Navigation::Declarations | Navigation::TypeDefinitions => None,
        }
    }

    fn openness(&self, answer: &DefinitionsResult) -> Openness {
        // Declarations and type definitions are complete if present; there may always be another
        // implementation.
        match self.way {
            Navigation::Implementations => Openness::Judged,
            _ => Openness::open_if(answer.definitions.is_empty()),
        }
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!([self.way.operation().name(), self.target]))
    }
}

/// Answers `declarations`, `typeDefinitions` or `implementations` for a target.
async fn navigation(
    asking: &QueryContext,
    roots: &SessionFolders,
    way: Navigation,
    target: &Target,
) -> Result<DefinitionsResult, Problem> {
    if !asking.provides(provider(way)) {
        return Err(lacking(asking, way, target).into());
    }
    let (subject, mut targets) = ask(asking, roots, way, target).await?;
    let mut answer = DefinitionAnswer::default();
    if way == Navigation::TypeDefinitions
        && let Some(returned) = returned_types::by(asking, &subject).await?
    {
        targets = types_in(asking, &returned).await?;
        answer.reasons.extend(returned.remark(!targets.is_empty()));
    }
    let mut nameless = collect(asking, &targets, &subject.name, &mut answer).await?;
    if way == Navigation::Implementations {
        add_extending(asking, roots, (&subject.path, subject.point), &mut answer).await?;
        if asking.profile().implements_directly {
            nameless.extend(follow(asking, roots, &mut answer).await?);
        }
        mentioned_only(asking, roots, &mut answer.candidates).await;
    }
    if way != Navigation::TypeDefinitions {
        // Some servers list the symbol itself.
        answer.candidates.retain(|it| it.path != subject.path || it.name_at.start != subject.point);
    }
    if way == Navigation::Implementations {
        let unsaid = unsaid(asking, roots, &subject, &answer).await?;
        answer.reasons.extend(asking.left_out.iter().cloned().chain(unsaid));
    }
    if way == Navigation::Declarations && answer.candidates.is_empty() {
        answer.add(declared_only(asking, &subject).await?);
    }
    if !nameless.is_empty() {
        let places = places(roots, &nameless, NAMED);
        answer.reasons.push(match way {
            Navigation::Implementations => Reason::UnnamedImplementations { places },
            _ => Reason::UnnamedLiterals { places },
        });
    }
    if targets.is_empty() && !asking.is_loaded(&subject.path, subject.point).await? {
        answer.reasons.push(asking.not_loaded_reason(&subject.name));
    }
    if answer.candidates.is_empty() && answer.reasons.is_empty() {
        answer.reasons.extend(nothing(asking, way, &subject.name));
    }
    answer.candidates.iter_mut().for_each(name_impl);
    definitions::result(asking, roots, answer).await
}

/// Returns a remark on an empty answer, unless that says all: nothing implements the symbol.
fn nothing(asking: &QueryContext, way: Navigation, name: &str) -> Option<Reason> {
    let (server, name) = (asking.server.name().to_owned(), name.to_owned());
    match way {
        Navigation::Declarations => Some(Reason::DeclaredWhereDefined { name }),
        Navigation::TypeDefinitions => Some(Reason::NoTypeDefinition { server, name }),
        Navigation::Implementations => None,
    }
}

/// Returns declarations in files that the definition's file does not include; the server lists those only as
/// references.
async fn declared_only(asking: &QueryContext, subject: &Subject) -> Result<Vec<Candidate>, Problem> {
    if !asking.server.setup.language.declares_apart {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (path, extent) in mentions::declared(asking, &subject.path, subject.point).await? {
        let nodes = asking.outline(&path).await?;
        let named = outline::named_at(&nodes, extent.start).map(|it| of_node(&path, &it, &Name::any()));
        // A definition expanded from another macro is reported under that macro's name.
        let named = named.filter(|it| it.name == subject.name);
        found.extend(named.filter(|it| it.path != subject.path || it.name_at.start != subject.point));
    }
    Ok(found)
}

/// Resolves the type names in a function's return type to their definitions.
async fn types_in(asking: &QueryContext, returned: &ReturnType) -> Result<Vec<RawTarget>, Problem> {
    let mut types: Vec<RawTarget> = Vec::new();
    for point in &returned.names {
        let mut found = asking.goto(Navigation::TypeDefinitions, &returned.path, *point).await?;
        if found.is_empty() {
            found = asking.definition(&returned.path, *point).await?.to_vec();
        }
        for target in found {
            let is_type = there(asking, &target, None).await?.is_some_and(|it| is_type(&it.kind));
            if is_type && !types.contains(&target) {
                types.push(target);
            }
        }
    }
    Ok(types)
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "interface" | "enum" | "typeAlias")
}

/// Adds the definitions at the server's targets. Returns the unnamed literals among them.
async fn collect(
    asking: &QueryContext,
    targets: &[RawTarget],
    called: &str,
    answer: &mut DefinitionAnswer,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let mut nameless = Vec::new();
    for target in targets {
        match definition(asking, target, called).await? {
            Some(candidate) => answer.add(vec![candidate]),
            None => {
                let extent = asking.extent(&target.name).await;
                nameless.extend(extent.map(|it| (target.name.path.clone(), it)));
            }
        }
    }
    Ok(nameless)
}

/// Adds the implementations of the types found so far, transitively.
async fn follow(
    asking: &QueryContext,
    roots: &SessionFolders,
    answer: &mut DefinitionAnswer,
) -> Result<Vec<(PathBuf, Extent)>, Problem> {
    let (mut next, mut nameless) = (0, Vec::new());
    while let Some(Candidate { name, kind, path, name_at, .. }) = answer.candidates.get(next).cloned() {
        if next == FOLLOWED {
            answer.reasons.push(Reason::TypesNotFollowed { limit: FOLLOWED });
            break;
        }
        next += 1;
        if matches!(kind.as_str(), "class" | "struct" | "interface" | "method") {
            let targets = asking.goto(Navigation::Implementations, &path, name_at.start).await?;
            nameless.extend(collect(asking, &targets, &name, answer).await?);
            add_extending(asking, roots, (&path, name_at.start), answer).await?;
        }
    }
    Ok(nameless)
}

/// Adds the subtypes of the type at a position that corrections find, with the gaps.
async fn add_extending(
    asking: &QueryContext,
    roots: &SessionFolders,
    (path, point): (&Path, Point),
    answer: &mut DefinitionAnswer,
) -> Result<(), Problem> {
    let nodes = asking.outline(path).await?;
    let named = outline::named_at(&nodes, point).filter(|it| is_type(it.node.kind));
    let Some(of) = named.map(|it| of_node(path, &it, &Name::any())) else { return Ok(()) };
    let listed = answer.candidates.iter().map(|it| (it.clone(), Vec::new())).collect();
    let mut related = Related::new(of, Hierarchy::Subtypes, listed);
    let context = Context { asking, roots, operation: Operation::Implementations };
    corrections::correct_related(&context, &mut related).await?;
    answer.add(related.added);
    answer.reasons.extend(related.gaps);
    Ok(())
}

/// Removes places that only mention a definition: re-exports, comments and strings.
pub(crate) async fn mentioned_only(
    asking: &QueryContext,
    roots: &SessionFolders,
    found: &mut Vec<Candidate>,
) {
    let places: Vec<_> = found.iter().map(|it| (it.path.clone(), it.name_at)).collect();
    let is_mention =
        |it: &syntax_facts::Usage| matches!(it.role, "import" | "comment" | "documentation" | "string");
    let mentions = file_syntax::with_usage(asking, roots, &places, is_mention).await;
    found.retain(|it| !mentions.iter().any(|(path, at)| (path, at) == (&it.path, &it.name_at)));
}

/// Returns the reasons why the implementations of a symbol may be incomplete.
async fn unsaid(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    answer: &DefinitionAnswer,
) -> Result<Vec<Reason>, Problem> {
    let nodes = asking.outline(&subject.path).await?;
    let own = outline::named_at(&nodes, subject.point);
    // The head of a type does not name functions.
    let is_in_heads = own.is_none_or(|it| !matches!(it.node.kind, "function" | "method"));
    let mut reasons = Vec::new();
    if is_in_heads || asking.unknown.is_some() {
        let context = Context { asking, roots, operation: Operation::Implementations };
        let uses = uses_of(context, subject).await?;
        if is_in_heads {
            reasons.extend(unlisted(asking, roots, (subject, &uses), answer).await?);
        }
        let query = Query { context, subject, include_declaration: false };
        reasons.extend(unexpanded::doubt(&query, &uses).await?);
    }
    reasons.extend(structural(asking, subject).await);
    Ok(reasons)
}

/// Lists the subtypes that the server omits; some servers list only those of one project.
async fn unlisted(
    asking: &QueryContext,
    roots: &SessionFolders,
    (subject, uses): (&Subject, &Uses),
    answer: &DefinitionAnswer,
) -> Result<Option<Reason>, Problem> {
    let mut unlisted =
        file_syntax::with_usage(asking, roots, &uses.extents, syntax_facts::Usage::is_implementation).await;
    unlisted.retain(|(path, extent)| {
        let mut listed = answer.candidates.iter().filter(|it| it.path == *path);
        // Some servers return only the range of the name.
        !listed.any(|it| it.whole.holds(extent.start) || it.name_at.start.line == extent.start.line)
    });
    let (server, name) = (asking.server.name().to_owned(), subject.name.clone());
    let places = places(roots, unlisted, NAMED);
    Ok((!places.is_empty()).then_some(Reason::ImplementationsNotListed { server, name, places }))
}

/// Returns the reason that a type such as Python's `Protocol` is implemented structurally, by classes that do not name it.
pub(crate) async fn structural(asking: &QueryContext, subject: &Subject) -> Option<Reason> {
    let text = asking.text(&subject.path).await?;
    let line = text.line(subject.point.line.index())?;
    let language = asking.server.setup.language;
    let is_protocol = !language.structural_base.is_empty()
        && line.trim_start().starts_with("class ")
        && language.words(line).iter().any(|(word, _)| word == language.structural_base);
    is_protocol.then(|| Reason::Structural { name: subject.name.clone() })
}

/// Returns the key of the server capability that provides a navigation.
fn provider(way: Navigation) -> &'static str {
    match way {
        Navigation::Declarations => "declarationProvider",
        Navigation::TypeDefinitions => "typeDefinitionProvider",
        Navigation::Implementations => "implementationProvider",
    }
}

fn lacking(asking: &QueryContext, way: Navigation, target: &Target) -> IdeError {
    let name = target.name.as_deref().unwrap_or("NAME");
    let message = format!("{} has no `{}`", asking.server.name(), way.operation());
    IdeError::new(ErrorCode::Unavailable, message).recovery(match way {
        Navigation::Declarations | Navigation::TypeDefinitions => {
            format!("findDefinitions(`{name}`) gives what is declared where it is defined.")
        }
        Navigation::Implementations => {
            format!("findReferences(`{name}`) has the lines that extend or implement it among the uses.")
        }
    })
}

/// Resolves the symbol and requests its targets.
async fn ask(
    asking: &QueryContext,
    roots: &SessionFolders,
    way: Navigation,
    target: &Target,
) -> Result<(Subject, Vec<RawTarget>), Problem> {
    let mut last = None;
    for subject in subjects(asking, roots, target).await? {
        let targets = asking.goto(way, &subject.path, subject.point).await?;
        if !targets.is_empty() {
            return Ok((subject, targets));
        }
        // The first subject is the most likely.
        last = last.or(Some(subject));
    }
    last.map(|it| (it, Vec::new())).ok_or_else(|| nothing_there(target).into())
}

/// Returns the definition at a target. An unnamed object literal is named after its container; other literals
/// yield `None`.
async fn definition(
    asking: &QueryContext,
    target: &RawTarget,
    called: &str,
) -> Result<Option<Candidate>, Problem> {
    if let Some(candidate) = there(asking, target, Some(called)).await? {
        return Ok(Some(candidate));
    }
    let path = &target.name.path;
    let (Some(text), Some(extent)) = (asking.text(path).await, asking.extent(&target.name).await) else {
        return Ok(None);
    };
    let line = text.line(extent.start.line.index()).unwrap_or_default();
    if line.chars().nth(extent.start.column.index()) != Some('{') {
        return Ok(None);
    }
    let nodes = asking.outline(path).await?;
    let any = Name::any();
    let all = outline::all(&nodes);
    let around = all.iter().rfind(|it| it.node.whole.holds(extent.start));
    if let Some(found) = around.filter(|it| ALIASES.contains(&it.node.kind)) {
        return Ok(Some(of_node(path, found, &any)));
    }
    let container = outline::enclosing(&nodes, extent.start, asking.server.setup.language.separator);
    Ok(Some(Candidate {
        path: path.clone(),
        name: container.clone().unwrap_or_else(|| "object".to_owned()),
        kind: "object".to_owned(),
        whole: extent,
        name_at: extent,
        container,
        fit: Fit::Exact,
        is_local: true,
        loaded: true,
    }))
}
