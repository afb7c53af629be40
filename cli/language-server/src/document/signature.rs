//! Signature help: the tool or the error that is being called.

use ailang::syntax::{Definition, DefinitionKind};
use ailang::{Analysis, Document};
use dialect::OpenCall;

use source_text::Span;

use super::context::code_at;
use super::hover::documentation;
use crate::answers::CallHelp;
use crate::workspace::DocumentView;

/// A call that is being written.
pub(super) struct Call<'a> {
    pub(super) home: &'a Document,
    pub(super) definition: &'a Definition,
    argument: usize,
    name: Option<String>,
}

/// Returns the call around a place, whose arguments are being written.
pub(super) fn call_at<'a>(view: &DocumentView, analysis: &Analysis<'a>, offset: usize) -> Option<Call<'a>> {
    let document = view.document();
    let (_, code) = code_at(document, offset)?;
    let OpenCall { name, argument, named, .. } = dialect::open_call(&document.source[code.start..offset])?;
    let before = &document.source[code.start..offset];
    let start = name.as_ptr().addr() - before.as_ptr().addr();
    let module =
        before[..start].strip_suffix('.').map(|it| it.rsplit(|char| !super::context::is_name_part(char)));
    let qualified = match module.and_then(|mut words| words.next()) {
        Some(module) => format!("{module}.{name}"),
        None => name.to_owned(),
    };
    let (home, definition) = analysis.resolve(&view.path, offset, &qualified)?;
    Some(Call { home, definition, argument, name: named.map(str::to_owned) })
}

/// Returns the signature of the call around a place.
pub(crate) fn call_help(view: &DocumentView, offset: usize) -> Option<CallHelp> {
    let analysis = Analysis::new(view.package.documents());
    let Call { home, definition, argument, name } = call_at(view, &analysis, offset)?;
    let list = match &definition.kind {
        DefinitionKind::Tool(tool) => &tool.parameters.list,
        DefinitionKind::Error(error) => &error.parameters.as_ref()?.list,
        _ => return None,
    };
    let named = name.and_then(|name| list.iter().position(|it| it.name.text == name));
    let label = home.declaration(definition);
    let label = label.split(" {\n").next().unwrap_or_default().to_owned();
    let parameters = list.iter().zip(places(&label, list.iter().map(|it| it.name.text.as_str())));
    let parameters = parameters.map(|(it, span)| (span, documentation(&it.documentation))).collect();
    let active = named.or(Some(argument)).filter(|it| *it < list.len());
    Some(CallHelp { label, documentation: documentation(&definition.documentation), parameters, active })
}

/// Returns the places of the names of parameters in a declaration.
fn places<'a>(label: &str, names: impl Iterator<Item = &'a str>) -> Vec<Span> {
    let is_part = super::context::is_name_part;
    let mut at = label.find('(').unwrap_or_default();
    let mut places = Vec::new();
    for name in names {
        let is_whole = |start: &usize| {
            let before = label[..*start].chars().next_back();
            let behind = label[start + name.len()..].chars().next();
            !before.is_some_and(is_part) && behind.is_none_or(|it| matches!(it, ':' | '?' | ',' | ')'))
        };
        let found = label[at..].match_indices(name).map(|(start, _)| at + start).find(is_whole);
        let start = found.unwrap_or(at);
        at = found.map_or(at, |start| start + name.len());
        places.push(Span::new(start, at));
    }
    places
}
