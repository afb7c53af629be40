//! Documents in the making: definitions from another format, made valid.

use super::format::Imported;
use super::node;
use super::remark::Remarks;
use crate::Document;
use crate::diagnostic::Diagnostic;
use crate::documents::Documents;
use crate::format::format;
use crate::print::{Comments, Printer};
use crate::syntax::{
    Definition, DefinitionKind, Documentation, Member, MemberKind, Parameters, Payload, Refinement, Tool,
    Type, TypeKind,
};
use crate::trust::plain;
use crate::validate::{Strictness, validate};
use source_text::{Severity, Span};

/// The maximum length of a title, in characters.
const LONGEST_TITLE: usize = 120;

/// The maximum length of the summary, in characters.
const LONGEST_ABOUT: usize = 500;

/// The number of attempts to make a definition valid.
const MOST_ROUNDS: usize = 6;

/// The front matter of a draft.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) keywords: Vec<String>,
    pub(super) version: Option<semver::Version>,
}

/// A document before it is text.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) header: Header,
    /// The Markdown below the title.
    pub(super) prose: String,
    pub(super) items: Vec<DraftItem>,
    pub(super) remarks: Remarks,
}

/// A definition with its place in the original, as a JSON Pointer.
#[derive(Clone, Debug)]
pub(super) struct DraftItem {
    pub(super) definition: Definition,
    /// The text behind the definition: the properties of an error, between braces.
    pub(super) body: Option<ErrorBody>,
    pub(super) origin: String,
}

/// The properties of an error as code.
#[derive(Clone, Debug)]
pub(super) struct ErrorBody {
    pub(super) code: String,
    /// The code to use if that one is not valid.
    pub(super) plain: String,
}

/// An error of validation in a draft.
struct Mistake {
    /// The index of the definition.
    index: usize,
    /// The place in the text.
    span: Span,
    /// The definition with places; `None` if it could not be parsed.
    parsed: Option<Definition>,
    why: String,
}

impl DraftItem {
    pub(super) fn new(name: &str, kind: DefinitionKind, documentation: Documentation, origin: &str) -> Self {
        let definition = Definition { name: node::name(name), kind, documentation, span: Span::default() };
        Self { definition, body: None, origin: origin.to_owned() }
    }

    fn code(&self, printer: Printer<'_>) -> String {
        let code = printer.definition(&self.definition);
        match &self.body {
            Some(body) => format!("{code} {{\n{}}}", body.code),
            None => code,
        }
    }

    /// Replaces the part that is wrong: first the refinements there, then all of them, then all types.
    fn weaken(&mut self, mistake: Mistake, round: usize) {
        if let Some(body) = &mut self.body {
            body.code = body.plain.clone();
        }
        if let Some(parsed) = mistake.parsed {
            self.definition = parsed;
            if let DefinitionKind::Error(error) = &mut self.definition.kind {
                error.properties.clear();
            }
        }
        each_type(&mut self.definition.kind, &mut |ty| match round {
            0 | 1 => without_refinements_at(ty, mistake.span),
            2 => without_refinements(ty),
            _ => *ty = node::named("any"),
        });
        if let DefinitionKind::Tool(tool) = &mut self.definition.kind
            && round > 3
        {
            tool.throws.clear();
            tool.requires = vec![node::requirement("ToolExecution", Vec::new())];
        }
    }
}

impl Draft {
    /// Returns the document, valid and in the canonical layout. A definition that is not valid is weakened.
    pub(super) fn finished(mut self) -> Imported {
        for (what, words, most) in [
            ("title", &self.header.title, LONGEST_TITLE),
            ("description", &self.header.summary, LONGEST_ABOUT),
        ] {
            if words.trim().chars().count() > most {
                let why = format!("{most} characters are kept");
                self.remarks.lost("", format!("the end of the {what}"), why);
            }
        }
        let mut text = self.text();
        for round in 0..MOST_ROUNDS {
            let wrong = self.wrong(&text);
            if wrong.is_empty() {
                break;
            }
            for mistake in wrong {
                let item = &mut self.items[mistake.index];
                let what = format!("rules of `{}`", item.definition.name.text);
                self.remarks.lost(&item.origin, what, mistake.why.clone());
                item.weaken(mistake, round);
            }
            text = self.text();
        }
        let text = format(&text).unwrap_or(text);
        Imported { text, remarks: self.remarks.into_all() }
    }

    /// Returns the mistakes, at most one for each place.
    fn wrong(&self, text: &str) -> Vec<Mistake> {
        let mut documents = Documents::new();
        documents.insert("draft.md", Document::parse(text));
        let found = validate(&documents, "draft.md", Strictness::Normal).unwrap_or_default();
        let parsed: Vec<&Definition> =
            documents.get("draft.md").into_iter().flat_map(Document::definitions).collect();
        let errors = found.into_iter().filter(|it| it.severity == Severity::Error);
        if parsed.len() != self.items.len() {
            // Something cannot be parsed, so that nobody knows which definition is wrong.
            let why = errors.map(|it| it.message).next().unwrap_or_default();
            let all = 0..self.items.len();
            return all
                .map(|index| Mistake { index, span: Span::default(), parsed: None, why: why.clone() })
                .collect();
        }
        let mistake = |error: Diagnostic| {
            let index = parsed.iter().position(|it| is_inside(it.span, error.span))?;
            Some(Mistake { index, span: error.span, parsed: Some(parsed[index].clone()), why: error.message })
        };
        let mut mistakes: Vec<Mistake> = errors.filter_map(mistake).collect();
        // The next round finds the others.
        mistakes.dedup_by_key(|it| it.index);
        mistakes
    }

    fn text(&self) -> String {
        let Header { id, title, summary, keywords, version } = &self.header;
        let quoted = |text: &str, most| serde_json::Value::from(plain(text, most)).to_string();
        let title = if title.trim().is_empty() { id } else { title };
        let summary = if summary.trim().is_empty() { "No description was given." } else { summary };
        let mut text = format!(
            "---\nid: {id}\ntitle: {}\nsummary: {}\n",
            quoted(title, LONGEST_TITLE),
            quoted(summary, LONGEST_ABOUT)
        );
        text.push_str("loading: on_demand\n");
        if !keywords.is_empty() {
            let keywords: Vec<String> = keywords.iter().map(|it| quoted(it, 80)).collect();
            text.push_str(&format!("keywords: [{}]\n", keywords.join(", ")));
        }
        if let Some(version) = version {
            text.push_str(&format!("version: {version}\n"));
        }
        text.push_str(&format!("---\n\n# {}\n", heading(title)));
        if !self.prose.is_empty() {
            text.push_str(&format!("\n{}\n", self.prose));
        }
        if !self.items.is_empty() {
            let nothing = Document::parse("");
            let printer = Printer::new(&nothing, Comments::All);
            let code: Vec<String> = self.items.iter().map(|it| it.code(printer)).collect();
            text.push_str(&format!("\n<define>\n\n```typescript\n{}\n```\n\n</define>\n", code.join("\n\n")));
        }
        text
    }
}

/// Returns words as the text of a heading, in which Markdown means nothing.
fn heading(title: &str) -> String {
    let escape = |char: char| if "\\`*_[]<>#".contains(char) { vec!['\\', char] } else { vec![char] };
    plain(title, LONGEST_TITLE).chars().flat_map(escape).collect()
}

/// Runs `change` on the types of a definition: those of fields, parameters and results.
fn each_type(kind: &mut DefinitionKind, change: &mut impl FnMut(&mut Type)) {
    match kind {
        DefinitionKind::Type(it) => change(&mut it.ty),
        DefinitionKind::Error(it) => it.parameters.iter_mut().for_each(|it| each_parameter(it, change)),
        DefinitionKind::Tool(Tool { parameters, returns, .. }) => {
            each_parameter(parameters, change);
            returns.iter_mut().for_each(change);
        }
        DefinitionKind::Enum(_) | DefinitionKind::Capability(_) => {}
    }
}

fn each_parameter(parameters: &mut Parameters, change: &mut impl FnMut(&mut Type)) {
    parameters.list.iter_mut().filter_map(|it| it.ty.as_mut()).for_each(change);
}

/// Returns `true` if the start of a place is inside another.
fn is_inside(whole: Span, part: Span) -> bool {
    (whole.start..whole.end).contains(&part.start)
}

/// Removes the refinements of the innermost type at a place; only the default, if the place is in it.
fn without_refinements_at(ty: &mut Type, place: Span) {
    if !is_inside(ty.span, place) {
        return;
    }
    let before = ty.clone();
    each_inner(ty, &mut |inner| without_refinements_at(inner, place));
    if *ty != before {
        return;
    }
    if let TypeKind::Refined { base, refinements } = &mut ty.kind {
        let is_default = |it: &Refinement| it.name.text == "default" && is_inside(it.span, place);
        if refinements.iter().any(is_default) && refinements.len() > 1 {
            refinements.retain(|it| !is_default(it));
        } else {
            *ty = (**base).clone();
        }
    }
}

/// Removes refinements and defaults at any depth.
fn without_refinements(ty: &mut Type) {
    if let TypeKind::Refined { base, .. } = &mut ty.kind {
        *ty = (**base).clone();
    }
    each_inner(ty, &mut without_refinements);
}

/// Runs `change` on the types directly inside a type.
fn each_inner(ty: &mut Type, change: &mut impl FnMut(&mut Type)) {
    match &mut ty.kind {
        TypeKind::List(inner) | TypeKind::Choice(inner) | TypeKind::Refined { base: inner, .. } => {
            change(inner);
        }
        TypeKind::Struct(members) => members.iter_mut().for_each(|Member { kind, .. }| {
            if let MemberKind::Field { ty, .. } = kind {
                change(ty);
            }
        }),
        TypeKind::Named { arguments, .. } => arguments.iter_mut().for_each(change),
        TypeKind::Union(members) => members.iter_mut().for_each(change),
        TypeKind::Variant { payload, .. } => payload.iter_mut().for_each(|Payload { ty, .. }| change(ty)),
        _ => {}
    }
}
