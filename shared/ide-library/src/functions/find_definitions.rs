//! `findDefinitions`: the definitions of a symbol.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::Definition;

use crate::cached_host::CachedHost;
use crate::place_argument::PlaceArgument;
use crate::resolve::Resolver;
use crate::row::{Code, plain, with_host};
use crate::spelling::{ParsedPlace, symbol_of};
use crate::symbol::Symbol;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("findDefinitions(symbol)", with_host(host, find_definitions))
}

async fn find_definitions(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let resolver = Resolver::new(&host, &invocation);
    let found = match invocation.arguments.read("symbol")? {
        PlaceArgument::Text(text) => match ParsedPlace::read(&text) {
            Some(place) => resolver.place(&place.location()).await,
            None => resolver.symbol(&symbol_of(&text)).await,
        },
        PlaceArgument::Symbol(symbol) => resolver.symbol(&symbol).await,
        PlaceArgument::Definition(pasted) => {
            resolver.symbol(&Symbol::from_definition(&Definition::from(*pasted))).await
        }
        PlaceArgument::Selection(selection) => resolver.selection(&selection).await,
        PlaceArgument::Range(range) => resolver.range(&range).await,
        PlaceArgument::Location(place) => resolver.place(&place).await,
    };
    Ok(shown(found?))
}

/// Returns definitions as a program gets them.
pub(super) fn shown(mut found: Vec<Definition>) -> Value {
    found.iter_mut().for_each(drop_repeated_text);
    plain(&found)
}

/// Removes the text of the definition's first line if it is also that of the name.
fn drop_repeated_text(definition: &mut Definition) {
    if definition.name_at.text.is_some() && definition.defined_at.text == definition.name_at.text {
        definition.defined_at.text = None;
    }
}
