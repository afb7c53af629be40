//! Hovers: the declaration of a name, its documentation and its examples.

use ailang::syntax::{Definition, DefinitionKind, Documentation};
use ailang::{Analysis, Document, Occurrence, OccurrenceKind};

use crate::answers::HoverText;
use crate::workspace::DocumentView;

/// The maximum number of examples.
const MOST_EXAMPLES: usize = 2;

/// Returns the text about the name at a place.
pub(crate) fn hover(view: &DocumentView, offset: usize) -> Option<HoverText> {
    let analysis = Analysis::new(view.package.documents());
    let found = analysis.occurrence_at(&view.path, offset)?;
    Some(HoverText { span: found.span, markdown: about(view, &analysis, found)? })
}

fn about(view: &DocumentView, analysis: &Analysis<'_>, found: Occurrence) -> Option<String> {
    let home = analysis.document_of(found.target)?;
    let name = home.text(found.target.span);
    match (found.target.kind, analysis.definition_of(found.target)) {
        (OccurrenceKind::Module, _) => Some(module(view, analysis, found)),
        (_, Some(definition)) if definition.name.span == found.target.span => {
            let origin = analysis.path_of(found.target).filter(|path| *path != view.path);
            let is_prelude = analysis.path_of(found.target).is_none();
            let origin = origin.or(is_prelude.then_some("the prelude"));
            Some(definition_text(home, definition, origin))
        }
        (kind, definition) => Some(part(home, kind, name, definition)),
    }
}

/// Returns the text about a definition; `origin` is where it comes from.
pub(super) fn definition_text(home: &Document, definition: &Definition, origin: Option<&str>) -> String {
    let mut parts = vec![fenced(&home.declaration(definition))];
    parts.extend(origin.map(|origin| format!("from {origin}")));
    parts.push(documentation(&definition.documentation));
    if matches!(definition.kind, DefinitionKind::Tool(_)) {
        let name = definition.name.text.as_str();
        let about = home.examples.iter().filter(|example| example.tool() == Some(name));
        for example in about.take(MOST_EXAMPLES) {
            let code: Vec<&str> = example.code.iter().map(|span| home.text(*span).trim()).collect();
            let title = example.id().map_or_else(String::new, |id| format!(" `{id}`"));
            parts.push(format!("Example{title}:\n{}", fenced(&code.join("\n"))));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// Returns the text about a part of a definition, or about a variable.
fn part(home: &Document, kind: OccurrenceKind, name: &str, definition: Option<&Definition>) -> String {
    let Some(definition) = definition else { return format!("{} `{name}`", kind.noun()) };
    let owner = format!("{} `{name}` of `{}`", kind.noun(), definition.name.text);
    let declared = part_documentation(definition, name);
    let declaration = declared.0.map(|span| fenced(home.text(span).trim())).unwrap_or_default();
    let parts = [owner, declaration, declared.1.map(documentation).unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the place and the documentation of a parameter, a field or a variant.
fn part_documentation<'a>(
    definition: &'a Definition,
    name: &str,
) -> (Option<source_text::Span>, Option<&'a Documentation>) {
    let parameters = match &definition.kind {
        DefinitionKind::Tool(tool) => Some(&tool.parameters),
        DefinitionKind::Error(error) => error.parameters.as_ref(),
        DefinitionKind::Enum(it) => {
            let variant = it.variants.iter().find(|variant| variant.name.text == name);
            return (None, variant.map(|variant| &variant.documentation));
        }
        _ => None,
    };
    let found = parameters.into_iter().flat_map(|it| &it.list).find(|it| it.name.text == name);
    (found.map(|it| it.span), found.map(|it| &it.documentation))
}

fn module(view: &DocumentView, analysis: &Analysis<'_>, found: Occurrence) -> String {
    let name = view.document().text(found.span);
    let imports = view.document().definitions.imports();
    let import = imports.filter(|it| it.span.start <= found.target.span.start).last();
    let path = import.and_then(|import| analysis.module(&view.path, &import.module));
    let Some(path) = path else { return format!("module `{name}`") };
    let front_matter = view.package.documents().get(path).map(|document| &document.front_matter);
    let field = |field: Option<&ailang::Field<String>>| field.map_or_else(String::new, |it| it.value.clone());
    let title = field(front_matter.and_then(|it| it.title.as_ref()));
    let summary = field(front_matter.and_then(|it| it.summary.as_ref()));
    format!("module `{name}` from {path}\n\n**{title}**\n\n{summary}")
}

/// Returns a comment with its tags as Markdown.
pub(super) fn documentation(documentation: &Documentation) -> String {
    let tags = documentation.tags.iter().map(|tag| format!("*@{}* {}", tag.name, tag.text).trim().to_owned());
    let parts = [documentation.text.trim().to_owned()].into_iter().chain(tags);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns code in a fence, which is longer than any in the code.
pub(super) fn fenced(code: &str) -> String {
    let longest = code.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}typescript\n{code}\n{fence}")
}
