//! Describes a symbol: its signature and its documentation.

use ide_protocol::{
    Completeness, DescriptionQuestion, DescriptionResult, IdeError, Operation, Reason, Source, Target,
};
use serde_json::{Value, json};

use super::about_symbol::about_symbol;
use super::handler::{Call, Handler};
use super::lookup::leads::led_to;
use super::lookup::mentions;
use super::lookup::target::{Subject, nothing_there, subjects};
use super::server_query::{Openness, ServerQuery, SyntacticAnswer};
use crate::fallback::servers::run::hover;
use crate::fallback::servers::run::hover::HoverText;
use crate::fallback::session::Session;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::Language;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic;
use crate::fallback::syntactic::FallbackReason;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of lines in the head of a definition.
const HEAD: usize = 30;

pub(crate) struct Description;

impl Handler for Description {
    const OPERATION: Operation = Operation::Description;
    type Question = DescriptionQuestion;

    async fn answer(call: &Call, question: DescriptionQuestion) -> Result<DescriptionResult, IdeError> {
        about_symbol(call, question.target, |target| DescriptionQuestion { target }).await
    }
}

impl ServerQuery for DescriptionQuestion {
    type Answer = DescriptionResult;
    const SYNTAX: SyntacticAnswer = SyntacticAnswer::WhileLoading;

    async fn ask(&self, asking: &QueryContext, session: &Session) -> Result<DescriptionResult, Problem> {
        description(asking, &session.roots, &self.target).await
    }

    async fn ask_syntax(
        &self,
        session: &Session,
        language: &'static Language,
        reason: &FallbackReason,
    ) -> Option<DescriptionResult> {
        syntactic::description(&session.roots, language, &self.target, reason).await
    }

    fn openness(&self, answer: &DescriptionResult) -> Openness {
        // A description is complete if the server has one; if not, missing code may be the reason.
        Openness::open_if(!answer.completeness.is_complete())
    }

    fn cache_key(&self) -> Option<Value> {
        Some(json!(["description", self.target]))
    }
}

/// Returns the signature and documentation of a symbol.
async fn description(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<DescriptionResult, Problem> {
    let (subject, hover) = ask(asking, roots, target).await?;
    let head = head(asking, roots, &subject).await?;
    let name = asking.server.name();
    let HoverText { signature, docs } = hover.unwrap_or_default();
    let mut signature = with_overloads(asking, &subject, signature).await?;
    if !signature.is_empty() && !signature.contains(&subject.name) {
        signature = heads(asking, &subject).await?.unwrap_or(signature);
    }
    asking.check_unchanged().await?;
    let (signature, reason) = match head {
        Some(head) if signature.is_empty() => {
            (head.text, Some(Reason::NotDescribed { server: name.to_owned() }))
        }
        Some(head) if head.says_more_than(&signature) => (head.text, None),
        None if signature.is_empty() => return Err(nothing_there(target).into()),
        _ => (signature, None),
    };
    Ok(DescriptionResult {
        completeness: Completeness::with(Source(format!("language-server:{name}")), reason),
        signature,
        docs,
    })
}

/// Resolves the symbol and requests its hover text.
async fn ask(
    asking: &QueryContext,
    roots: &SessionFolders,
    target: &Target,
) -> Result<(Subject, Option<HoverText>), Problem> {
    let mut last = None;
    for subject in subjects(asking, roots, target).await? {
        let hover = asking.hover(&subject.path, subject.point).await?.map(|it| hover::parse(&it));
        if hover.as_ref().is_some_and(|it| !it.signature.is_empty()) {
            return Ok((subject, hover));
        }
        last = last.or(Some((subject, hover)));
    }
    last.ok_or_else(|| nothing_there(target).into())
}

/// Returns the signatures of all overloads if the server shows one of them.
async fn with_overloads(
    asking: &QueryContext,
    subject: &Subject,
    signature: String,
) -> Result<String, Problem> {
    if !asking.server.setup.language.has_overloads || signature.is_empty() {
        return Ok(signature);
    }
    let mut signatures: Vec<String> = Vec::new();
    for overload in mentions::overloads(asking, subject).await? {
        let hover = asking.hover(&subject.path, overload).await?.map(|it| hover::parse(&it).signature);
        signatures.extend(hover.filter(|it| !it.is_empty() && !signatures.contains(it)));
    }
    // Some servers list all overloads at each one.
    let is_said = |it: &String| it.lines().all(|it| signature.lines().any(|line| line == it));
    Ok(if signatures.iter().all(is_said) { signature } else { signatures.join("\n") })
}

/// The head of a definition, up to its body.
struct Head {
    text: String,
    is_type: bool,
}

impl Head {
    /// Returns `true` if the head is better than the server's signature. Some servers shorten long signatures,
    /// and most show only the name of a type.
    fn says_more_than(&self, signature: &str) -> bool {
        let is_shortened = signature.contains("...") && !self.text.contains("...");
        is_shortened || self.is_type && signature.lines().count() == 1
    }
}

async fn head(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
) -> Result<Option<Head>, Problem> {
    let led = led_to(asking, &subject.path, subject.point).await?;
    if let Some(outside) = led.iter().find(|it| asking.withholds(&it.path)) {
        // The server's hover would reveal text of that file.
        return Err(roots.not_readable_error(&roots.display_path(&outside.path)).into());
    }
    let Some(definition) = led.into_iter().next() else { return Ok(None) };
    let is_type = matches!(definition.kind.as_str(), "class" | "struct" | "interface" | "enum" | "typeAlias");
    let text = asking.text(&definition.path).await;
    let head = text.and_then(|text| head_of(&text, definition.name_at.start.line.index()));
    Ok(head.map(|text| Head { text, is_type }))
}

/// Returns the heads of several definitions, such as a Python property's getter and setter.
async fn heads(asking: &QueryContext, subject: &Subject) -> Result<Option<String>, Problem> {
    let points = mentions::overloads(asking, subject).await?;
    let text = asking.text(&subject.path).await;
    let heads: Vec<_> =
        text.iter().flat_map(|text| points.iter().filter_map(|it| head_of(text, it.line.index()))).collect();
    Ok((!heads.is_empty()).then(|| heads.join("\n")))
}

/// Returns the lines up to the closing bracket, without the token that opens a body.
fn head_of(text: &Text, first: usize) -> Option<String> {
    let (mut lines, mut depth) = (Vec::new(), 0i32);
    for index in first..first + HEAD {
        let line = text.line(index)?.trim();
        depth += line
            .chars()
            .map(|it| match it {
                '(' | '[' => 1,
                ')' | ']' => -1,
                _ => 0,
            })
            .sum::<i32>();
        lines.push(line);
        if depth <= 0 {
            break;
        }
    }
    let head = lines.join(" ").replace("( ", "(").replace(", )", ")").replace(" )", ")");
    Some(head.trim_end_matches(['{', ':', ';', ' ']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_definition_ends_before_its_body() {
        for (text, head) in [
            ("def f(x: int) -> str:\n    pass\n", "def f(x: int) -> str"),
            ("fn f(\n    x: u32,\n    y: u32,\n) -> u32 {\n", "fn f(x: u32, y: u32) -> u32"),
            ("export const a = 1;\n", "export const a = 1"),
        ] {
            assert_eq!(head_of(&Text::from(text.to_owned()), 0).as_deref(), Some(head));
        }
    }
}
