//! `findDefinitions`: where a symbol is defined.

use std::sync::Arc;

use dialect::{Effect, Function, Interrupt, Invocation, Value};
use ide_protocol::Definition;

use super::{asking, plain};
use crate::given::Given;
use crate::memory::Memory;
use crate::resolve::Resolver;
use crate::spelling::Spelled;
use crate::symbol::Symbol;

pub(crate) fn row(host: &Arc<Memory>) -> Function {
    Function::new(
        "findDefinitions(symbol: string | Symbol | Definition | Location | FileRange | Selection) -> List<Definition>",
        "Where a symbol is defined: always a list, the likeliest first.",
        asking(host, find_definitions),
    )
    .alias("findDefinition")
    .parameter_alias("target", "symbol")
    .foreign(["goToDefinition", "goTo", "jumpTo", "getDefinition", "definitions", "findSymbol", "findSymbols"])
    .foreign(["workspaceSymbols", "workspaceSymbol", "symbolSearch", "whereIs", "locate", "lookup"])
    .effect(Effect::Reads)
    .docs(
        "`symbol` is a name (`User`, `auth::User`, `User.name`), a place that names it (`src/auth.rs:12:5`, a hit, a \
         reference) or a symbol pinned to a file and line. A name that nothing has is a failure with the nearest \
         ones.",
    )
    .example("findDefinitions(`User`)")
    .example("findDefinition(`src/main.rs:9:16`)")
    .example("findDefinitions(symbol(`User`, path=`src/auth.rs`))")
}

async fn find_definitions(host: Arc<Memory>, invocation: Invocation) -> Result<Value, Interrupt> {
    let resolver = Resolver::new(&host, &invocation);
    let found = match invocation.arguments.read("symbol")? {
        Given::Text(text) => match Spelled::read(&text) {
            Some(place) => resolver.place(&place.location()).await,
            None => resolver.symbol(&Symbol::named(text)).await,
        },
        Given::Symbol(symbol) => resolver.symbol(&symbol).await,
        Given::Definition(pasted) => resolver.symbol(&Symbol::of(&Definition::from(pasted))).await,
        Given::Selection(selection) => resolver.selection(&selection).await,
        Given::Range(range) => resolver.range(&range).await,
        Given::Location(place) => resolver.place(&place).await,
    };
    let mut found = found?;
    found.iter_mut().for_each(say_text_once);
    Ok(plain(&found))
}

/// The definition's first line is mostly the one that has the name.
fn say_text_once(definition: &mut Definition) {
    if definition.name_at.text.is_some() && definition.defined_at.text == definition.name_at.text {
        definition.defined_at.text = None;
    }
}
