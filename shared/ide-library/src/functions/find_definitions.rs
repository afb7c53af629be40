//! `findDefinitions`: where a symbol is defined.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::Definition;

use super::{Code, asking, plain};
use crate::given::Given;
use crate::memory::Memory;
use crate::resolve::Resolver;
use crate::spelling::Spelled;
use crate::symbol::Symbol;

pub(crate) fn code(host: &Arc<Memory>) -> Code {
    Implementation::of("findDefinitions(symbol)", asking(host, find_definitions))
}

async fn find_definitions(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let resolver = Resolver::new(&host, &invocation);
    let found = match invocation.arguments.read("symbol")? {
        Given::Text(text) => match Spelled::read(&text) {
            Some(place) => resolver.place(&place.location()).await,
            None => resolver.symbol(&Symbol::named(text)).await,
        },
        Given::Symbol(symbol) => resolver.symbol(&symbol).await,
        Given::Definition(pasted) => resolver.symbol(&Symbol::of(&Definition::from(*pasted))).await,
        Given::Selection(selection) => resolver.selection(&selection).await,
        Given::Range(range) => resolver.range(&range).await,
        Given::Location(place) => resolver.place(&place).await,
    };
    Ok(shown(found?))
}

/// Definitions as a program gets them.
pub(super) fn shown(mut found: Vec<Definition>) -> Value {
    found.iter_mut().for_each(say_text_once);
    plain(&found)
}

/// The definition's first line is mostly the one that has the name.
fn say_text_once(definition: &mut Definition) {
    if definition.name_at.text.is_some() && definition.defined_at.text == definition.name_at.text {
        definition.defined_at.text = None;
    }
}
