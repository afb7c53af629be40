//! Conversions between names, symbols and places. A conversion that needs the code asks the host. Several results
//! become an ambiguity.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Failure, Handler, Interrupt, Invocation, Value};
use ide_protocol::{Definition, Diagnostic, FileRange, Location};
use serde::Serialize;
use serde::de::DeserializeOwned;
use source_text::{from_visible_line, is_hidden};

use crate::ambiguity::{which, which_named};
use crate::cached_host::CachedHost;
use crate::excerpt::whole_file;
use crate::failure::{self, invalid};
use crate::functions::calls::Called;
use crate::functions::code_actions::preview;
use crate::functions::diagnostics::place_with_message;
use crate::functions::find_references;
use crate::resolve::Resolver;
use crate::row::{Code, plain, with_host};
use crate::selection::Selection;
use crate::spelling::{ParsedPlace, bare_name, is_path, symbol_of};
use crate::symbol::{PastedDefinition, PlaceWithText, Symbol, whole_lines};

/// Returns the implementation of each conversion.
pub(crate) fn code(host: &Arc<CachedHost>) -> Vec<Code> {
    vec![
        Implementation::of("textToSymbol(text)", with_host(host, text_to_symbol)),
        Implementation::of(
            "definitionToSymbol(definition)",
            pure("definition", |it: PastedDefinition| Symbol::from_definition(&it.into())),
        ),
        Implementation::of("rangeToSymbol(range)", with_host(host, range_to_symbol)),
        Implementation::of("locationToSymbol(location)", with_host(host, location_to_symbol)),
        Implementation::of("selectionToSymbol(selection)", with_host(host, selection_to_symbol)),
        Implementation::of(
            "definitionToRange(definition)",
            pure("definition", |it: PastedDefinition| Definition::from(it).defined_at),
        ),
        Implementation::of("symbolToRange(symbol)", with_host(host, symbol_to_range)),
        Implementation::of(
            "locationToRange(location)",
            pure("location", |it: Location| whole_lines(&it.path, it.line, it.line)),
        ),
        Implementation::of("textToRange(text)", with_host(host, text_to_range)),
        Implementation::of("selectionToRange(selection)", pure("selection", |it: Selection| it.range())),
        Implementation::of("rangeToLocation(range)", pure("range", |it: FileRange| PlaceWithText::from(it))),
        Implementation::of(
            "definitionToLocation(definition)",
            pure("definition", |it: PastedDefinition| PlaceWithText::from(Definition::from(it).name_at)),
        ),
        Implementation::of("callToSymbol(call)", pure("call", |it: Called| it.caller)),
        Implementation::of(
            "callToRange(call)",
            pure("call", |it: Called| whole_lines(&it.path, it.line, it.line)),
        ),
        Implementation::of("callToLocation(call)", pure("call", |it: Called| PlaceWithText::from(it))),
        Implementation::of("diagnosticToRange(diagnostic)", pure("diagnostic", range_of_diagnostic)),
        Implementation::of("diagnosticToLocation(diagnostic)", pure("diagnostic", place_with_message)),
        Implementation::of("symbolToLocation(symbol)", with_host(host, symbol_to_location)),
        Implementation::of("textToLocation(text)", with_host(host, text_to_location)),
        Implementation::of(
            "selectionToLocation(selection)",
            pure("selection", |it: Selection| PlaceWithText::from(it.range())),
        ),
        Implementation::of("textToEdit(text)", pure("text", named)),
        Implementation::of("textToCodeAction(text)", pure("text", named)),
        Implementation::of("actionToEdit(action)", with_host(host, preview)),
    ]
}

/// Returns an object with that id.
fn named(id: String) -> serde_json::Value {
    serde_json::json!({ "id": id.trim() })
}

/// Wraps a conversion that does not ask the host.
fn pure<T, R>(parameter: &'static str, make: fn(T) -> R) -> impl Handler + 'static
where
    T: DeserializeOwned + 'static,
    R: Serialize + 'static,
{
    move |invocation: Invocation| {
        let made = invocation.arguments.read(parameter).map(make);
        std::future::ready(made.map(|it| plain(&it)).map_err(Interrupt::from))
    }
}

fn range_of_diagnostic(diagnostic: Diagnostic) -> FileRange {
    let Diagnostic { path, start, end, .. } = diagnostic;
    FileRange::new(path, start, end)
}

/// Returns the only definition, or the question which is meant.
fn only(name: &str, mut found: Vec<Definition>) -> Result<Definition, Interrupt> {
    if found.len() > 1 { Err(which(name, &found, None)) } else { Ok(found.remove(0)) }
}

/// Returns the only definition as a symbol, or the question which is meant. With its column, the function that gets it
/// need not look it up again.
fn only_symbol(found: Vec<Definition>) -> Result<Value, Interrupt> {
    let name = found[0].name.clone();
    Ok(plain(&Symbol::with_column_of(&only(&name, found)?)))
}

/// Returns the resolver of a place for the function that gets its symbol.
fn resolver<'call>(host: &'call CachedHost, invocation: &'call Invocation) -> Resolver<'call> {
    let is_for_references = invocation.consumer.as_ref().is_some_and(|it| it.name == find_references::NAME);
    Resolver::new(host, invocation).references_next(is_for_references)
}

async fn text_to_symbol(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let text = one_line(invocation.arguments.text("text")?)?;
    match ParsedPlace::read(text) {
        Some(place) => only_symbol(resolver(&host, &invocation).place(&place.location()).await?),
        None => Ok(plain(&symbol_of(text))),
    }
}

async fn location_to_symbol(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let location: Location = invocation.arguments.read("location")?;
    only_symbol(resolver(&host, &invocation).place(&location).await?)
}

async fn range_to_symbol(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let range: FileRange = invocation.arguments.read("range")?;
    only_symbol(Resolver::new(&host, &invocation).range(&range).await?)
}

async fn selection_to_symbol(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let selection: Selection = invocation.arguments.read("selection")?;
    let found = Resolver::new(&host, &invocation).selection(&selection).await?;
    match found.as_slice() {
        [only] => Ok(plain(&Symbol::with_column_of(only))),
        _ => Err(which_named(&selection, &found)),
    }
}

async fn symbol_to_definition(
    host: Arc<CachedHost>,
    invocation: Invocation,
) -> Result<Definition, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    only(&symbol.name, Resolver::new(&host, &invocation).symbol(&symbol).await?)
}

async fn symbol_to_range(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(plain(&symbol_to_definition(host, invocation).await?.defined_at))
}

async fn symbol_to_location(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    Ok(plain(&PlaceWithText::from(symbol_to_definition(host, invocation).await?.name_at)))
}

async fn text_to_range(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let text = invocation.arguments.text("text")?;
    // A name of a file may hold line breaks and numbers; answers show it so, or escaped.
    if (text.contains(is_hidden) || from_visible_line(text).is_some())
        && text.len() <= LONGEST_PATH
        && let Ok(whole) = whole_file(&host, text).await
    {
        return Ok(plain(&whole));
    }
    let text = one_line(text)?;
    if let Some(place) = ParsedPlace::read(text) {
        return Ok(plain(&place.range()));
    }
    if is_path(text) {
        return Ok(plain(&whole_file(&host, text).await?));
    }
    let found = Resolver::new(&host, &invocation).symbol(&symbol_of(text)).await;
    match found {
        Ok(found) => Ok(plain(&only(bare_name(text), found)?.defined_at)),
        Err(unknown) if failure::is_unknown(&unknown) => {
            whole_file(&host, text).await.map(|it| plain(&it)).map_err(|_| unknown.into())
        }
        Err(failure) => Err(failure.into()),
    }
}

async fn text_to_location(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let text = one_line(invocation.arguments.text("text")?)?;
    if let Some(place) = ParsedPlace::read(text) {
        return Ok(plain(&PlaceWithText::from(place.location())));
    }
    let found = match is_path(text) {
        true => Err(unknown_place(&host, text).await),
        false => Resolver::new(&host, &invocation).symbol(&symbol_of(text)).await,
    };
    match found {
        Ok(found) => Ok(plain(&PlaceWithText::from(only(bare_name(text), found)?.name_at))),
        Err(unknown) if failure::is_unknown(&unknown) && whole_file(&host, text).await.is_ok() => {
            Err(without_line(text).into())
        }
        Err(failure) => Err(failure.into()),
    }
}

/// The most bytes of a path that a system takes.
const LONGEST_PATH: usize = 4096;

/// Checks that a text is a name or a place in one line, and not the output of another function.
fn one_line(text: &str) -> Result<&str, Failure> {
    let text = text.trim();
    match text.lines().count() {
        0 | 1 => Ok(text),
        count => Err(invalid(
            format!("a text of {count} lines is neither a name nor a place"),
            "An answer that is text is read as it is: leave out the function around it. Else give one name.",
        )),
    }
}

/// Returns the failure for a path that is no place in a file.
async fn unknown_place(host: &CachedHost, path: &str) -> Failure {
    whole_file(host, path).await.map_or_else(|failure| failure, |_| without_line(path))
}

fn without_line(path: &str) -> Failure {
    let advice = format!("Write `{path}:LINE`; all of the file is shown by source(`{path}`).");
    invalid(format!("expected a place, got the file `{path}`"), advice)
}
