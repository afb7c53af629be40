//! Documents in the making: definitions from another format, made valid.

use std::collections::{BTreeMap, BTreeSet};

use ailang::print::{Comments, Printer};
use ailang::syntax::{
    Definition, DefinitionKind, Documentation, Member, MemberKind, Parameters, Payload, Tool, Type, TypeKind,
};
use ailang::{Document, Documents, Strictness, format, plain, validate};
use source_text::{Severity, Span};

use super::format::Imported;
use super::node;
use super::remark::Remarks;

/// The maximum length of a title, in characters.
const LONGEST_TITLE: usize = 120;

/// The maximum length of the summary, in characters.
const LONGEST_ABOUT: usize = 500;

/// The number of attempts to make a definition valid.
const MOST_ROUNDS: usize = 10;

/// The number of those that remove single rules, since one mistake may hide another.
const SPECIFIC_ROUNDS: usize = 6;

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
    /// The paths of the fields and parameters that may be left out, and have a default: without it they are optional.
    relaxed: BTreeSet<String>,
}

/// The properties of an error as code.
#[derive(Clone, Debug)]
pub(super) struct ErrorBody {
    pub(super) code: String,
    /// The code to use if that one is not valid.
    pub(super) plain: String,
}

/// The errors of validation in a definition of a draft.
struct Mistakes {
    /// The index of the definition.
    index: usize,
    /// The places in the text, with the reasons.
    all: Vec<(Span, String)>,
    /// The definition with places; `None` if it could not be parsed.
    parsed: Option<Definition>,
}

impl DraftItem {
    pub(super) fn new(name: &str, kind: DefinitionKind, documentation: Documentation, origin: &str) -> Self {
        let definition = Definition { name: node::name(name), kind, documentation, span: Span::default() };
        Self { definition, body: None, origin: origin.to_owned(), relaxed: BTreeSet::new() }
    }

    fn code(&self, printer: Printer<'_>) -> String {
        let code = printer.definition(&self.definition);
        match &self.body {
            Some(body) => format!("{code} {{\n{}}}", body.code),
            None => code,
        }
    }

    /// Takes the `?` from what has a default, which says the same.
    fn settle(&mut self) {
        let relaxed = &mut self.relaxed;
        each_slot(&mut self.definition.kind, &mut |path, optional, ty| {
            if *optional && ty.default().is_some() {
                *optional = false;
                relaxed.insert(path.to_owned());
            }
        });
    }

    /// Replaces the parts that are wrong: first the refinements there, then all of them, then all types. Defaults that
    /// are lost are reported by the names of their fields.
    fn weaken(&mut self, mistakes: Mistakes, round: usize, remarks: &mut Remarks) {
        if let Some(body) = &mut self.body {
            body.code = body.plain.clone();
        }
        if let Some(parsed) = mistakes.parsed {
            self.definition = parsed;
            if let DefinitionKind::Error(error) = &mut self.definition.kind {
                error.properties.clear();
            }
        }
        let what = format!("rules of `{}`", self.definition.name.text);
        let before = self.defaults();
        let mut reasons: Vec<(String, &str)> = Vec::new();
        for (place, why) in &mistakes.all {
            let (known, whole) = (self.defaults(), self.definition.kind.clone());
            each_type(&mut self.definition.kind, &mut |ty| match round {
                0..SPECIFIC_ROUNDS => without_refinements_at(ty, *place),
                SPECIFIC_ROUNDS => without_refinements(ty),
                _ => *ty = node::named("any"),
            });
            let left = self.defaults();
            let lost = known.into_iter().filter(|it| !left.contains(it));
            let lost: Vec<(String, &str)> = lost.map(|it| (it, why.as_str())).collect();
            if !is_in_default(&whole, *place) {
                remarks.lost(&self.origin, what.clone(), why.clone());
            }
            reasons.extend(lost);
        }
        let (definition, relaxed) = (&mut self.definition, &self.relaxed);
        each_slot(&mut definition.kind, &mut |path, optional, ty| {
            if before.contains(path) && ty.default().is_none() {
                *optional = relaxed.contains(path);
            }
        });
        for (path, why) in reasons {
            remarks.lost(&self.origin, format!("the default of `{path}`"), why);
        }
        if let DefinitionKind::Tool(tool) = &mut self.definition.kind {
            tool.parameters.list.sort_by_key(|it| !it.is_required());
            if round > SPECIFIC_ROUNDS + 1 {
                tool.throws.clear();
                tool.requires = vec![node::requirement("ToolExecution", Vec::new())];
            }
        }
    }

    /// Returns the paths of the fields and parameters that have a default.
    fn defaults(&mut self) -> BTreeSet<String> {
        let mut defaults = BTreeSet::new();
        each_slot(&mut self.definition.kind, &mut |path, _, ty| {
            if ty.default().is_some() {
                defaults.insert(path.to_owned());
            }
        });
        defaults
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
        self.items.iter_mut().for_each(DraftItem::settle);
        let mut text = self.text();
        for round in 0..MOST_ROUNDS {
            let wrong = self.wrong(&text);
            if wrong.is_empty() {
                break;
            }
            for mistakes in wrong {
                let index = mistakes.index;
                self.items[index].weaken(mistakes, round, &mut self.remarks);
            }
            text = self.text();
        }
        let text = format(&text).unwrap_or(text);
        Imported { text, remarks: self.remarks.into_all() }
    }

    /// Returns the mistakes of each definition that has some.
    fn wrong(&self, text: &str) -> Vec<Mistakes> {
        let mut documents = Documents::new();
        documents.insert("draft.md", Document::parse(text));
        let found = validate(&documents, "draft.md", Strictness::Normal).unwrap_or_default();
        let parsed: Vec<&Definition> =
            documents.get("draft.md").into_iter().flat_map(Document::definitions).collect();
        let errors = found.into_iter().filter(|it| it.severity == Severity::Error);
        if parsed.len() != self.items.len() {
            // Something cannot be parsed, so that nobody knows which definition is wrong.
            let why = errors.map(|it| it.message).next().unwrap_or_default();
            let all = vec![(Span::default(), why)];
            return (0..self.items.len())
                .map(|index| Mistakes { index, all: all.clone(), parsed: None })
                .collect();
        }
        let mut wrong: BTreeMap<usize, Vec<(Span, String)>> = BTreeMap::new();
        for error in errors {
            if let Some(index) = parsed.iter().position(|it| is_inside(it.span, error.span)) {
                wrong.entry(index).or_default().push((error.span, error.message));
            }
        }
        let of_one = |(index, all)| Mistakes { index, all, parsed: Some(parsed[index].clone()) };
        wrong.into_iter().map(of_one).collect()
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

/// Removes the refinement at a place, or all of the innermost type there.
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
        let count = refinements.len();
        refinements.retain(|it| !is_inside(it.span, place));
        if refinements.is_empty() || refinements.len() == count {
            *ty = (**base).clone();
        }
    }
}

/// Returns `true` for a place in the default of a field or a parameter.
fn is_in_default(kind: &DefinitionKind, place: Span) -> bool {
    let mut is_in = false;
    each_slot(&mut kind.clone(), &mut |_, _, ty| {
        let mut defaults = ty.refinements().iter().filter(|it| it.name.text == "default");
        is_in |= defaults.any(|it| is_inside(it.span, place));
    });
    is_in
}

/// Runs `change` on each field and parameter at any depth, with its path and whether it may be left out.
fn each_slot(kind: &mut DefinitionKind, change: &mut impl FnMut(&str, &mut bool, &mut Type)) {
    fn inside(ty: &mut Type, path: &str, change: &mut impl FnMut(&str, &mut bool, &mut Type)) {
        let each = |types: &mut Vec<Type>, change: &mut _| {
            for (index, it) in types.iter_mut().enumerate() {
                inside(it, &format!("{path}|{index}"), change);
            }
        };
        match &mut ty.kind {
            TypeKind::Refined { base, .. } => inside(base, path, change),
            TypeKind::List(inner) | TypeKind::Choice(inner) => inside(inner, path, change),
            TypeKind::Named { arguments, .. } => each(arguments, change),
            TypeKind::Union(members) => each(members, change),
            TypeKind::Struct(members) => {
                for Member { name, kind, .. } in members {
                    if let MemberKind::Field { optional, ty } = kind {
                        slot(path, &name.text, optional, ty, change);
                    }
                }
            }
            TypeKind::Variant { payload, .. } => {
                for Payload { name, optional, ty } in payload {
                    slot(path, name.as_ref().map_or("", |it| &it.text), optional, ty, change);
                }
            }
            _ => {}
        }
    }
    fn slot(
        above: &str,
        name: &str,
        optional: &mut bool,
        ty: &mut Type,
        change: &mut impl FnMut(&str, &mut bool, &mut Type),
    ) {
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        change(&path, optional, ty);
        inside(ty, &path, change);
    }
    let parameters = |list: &mut Parameters, change: &mut _| {
        for it in &mut list.list {
            if let Some(ty) = &mut it.ty {
                slot("", &it.name.text, &mut it.optional, ty, change);
            }
        }
    };
    match kind {
        DefinitionKind::Type(it) => inside(&mut it.ty, "", change),
        DefinitionKind::Error(it) => it.parameters.iter_mut().for_each(|it| parameters(it, change)),
        DefinitionKind::Tool(tool) => {
            parameters(&mut tool.parameters, change);
            if let Some(ty) = &mut tool.returns {
                inside(ty, "result", change);
            }
        }
        DefinitionKind::Enum(_) | DefinitionKind::Capability(_) => {}
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
