//! Definitions, references, renames, and links to imported documents.

use ailang::{Analysis, Occurrence, RenameEdit, SymbolId, import_paths};
use source_text::Span;

use crate::answers::Location;
use crate::workspace::DocumentView;

/// Returns the definition of the name at a place, or the start of the document that an import there means.
pub(crate) fn definition(view: &DocumentView, offset: usize) -> Option<Location> {
    let analysis = Analysis::new(view.package.documents());
    if let Some(path) = imported(view, &analysis, offset) {
        return Some(Location { path, span: Span::default() });
    }
    let found = analysis.occurrence_at(&view.path, offset)?;
    location(&analysis, found.target)
}

fn location(analysis: &Analysis<'_>, symbol: SymbolId) -> Option<Location> {
    Some(Location { path: analysis.path_of(symbol)?.to_owned(), span: symbol.span })
}

/// Returns the document that an import at a place means, or a related document of the front matter.
fn imported(view: &DocumentView, analysis: &Analysis<'_>, offset: usize) -> Option<String> {
    let links = links_with(view, analysis).into_iter();
    links.filter(|(span, _)| span.start <= offset && offset < span.end).map(|(_, path)| path).next()
}

/// Returns every place that names the symbol at a place.
pub(crate) fn references(view: &DocumentView, offset: usize, with_definition: bool) -> Vec<Location> {
    let analysis = Analysis::new(view.package.documents());
    let Some(found) = analysis.occurrence_at(&view.path, offset) else { return Vec::new() };
    let definition = location(&analysis, found.target);
    let uses = analysis.uses_of(found.target).into_iter();
    let places = uses.map(|(path, it)| Location { path: path.to_owned(), span: it.span });
    places.filter(|it| with_definition || Some(it) != definition.as_ref()).collect()
}

/// Returns the name at a place that can be renamed.
///
/// # Errors
/// The reason why it cannot.
pub(crate) fn renamable(view: &DocumentView, offset: usize) -> Result<Span, String> {
    let analysis = Analysis::new(view.package.documents());
    let found = at(&analysis, view, offset)?;
    analysis.can_rename(found.target).map_err(|error| error.to_string())?;
    Ok(found.span)
}

/// Returns the edits that rename the symbol at a place.
///
/// # Errors
/// The reason why it cannot be renamed.
pub(crate) fn rename(view: &DocumentView, offset: usize, name: &str) -> Result<Vec<RenameEdit>, String> {
    let analysis = Analysis::new(view.package.documents());
    let found = at(&analysis, view, offset)?;
    analysis.rename(&view.path, found, name).map_err(|error| error.to_string())
}

fn at(analysis: &Analysis<'_>, view: &DocumentView, offset: usize) -> Result<Occurrence, String> {
    let found = analysis.occurrence_at(&view.path, offset);
    found.ok_or_else(|| "there is no name here that a document defines".to_owned())
}

/// Returns the places of imports and of related documents, each with the path of the document.
pub(crate) fn links(view: &DocumentView) -> Vec<(Span, String)> {
    links_with(view, &Analysis::new(view.package.documents()))
}

fn links_with(view: &DocumentView, analysis: &Analysis<'_>) -> Vec<(Span, String)> {
    let document = view.document();
    let examples = document.examples.iter().flat_map(|example| example.program.imports());
    let modules = document.imports().chain(examples).map(|import| &import.module);
    let imports =
        modules.filter_map(|module| Some((module.span, analysis.module(&view.path, module)?.to_owned())));
    let related = document.front_matter.related.iter().filter_map(|field| {
        let reference =
            ailang::syntax::ModuleReference { text: field.value.clone(), quoted: true, span: field.span };
        let known = analysis.module(&view.path, &reference).map(str::to_owned);
        let path = known.or_else(|| import_paths(&view.path, &reference).into_iter().next())?;
        Some((field.span, path))
    });
    imports.chain(related).collect()
}
