//! `describe`: the signature and documentation of a symbol.

use std::sync::Arc;

use ailang::Implementation;
use dialect::{Interrupt, Invocation, Value};
use ide_protocol::{Definition, DescriptionQuestion, Operation, Target};
use source_text::visible;

use crate::cached_host::CachedHost;
use crate::completeness_notes::note_completeness;
use crate::failure::from_wire;
use crate::resolve::Resolver;
use crate::row::{Code, with_host};
use crate::spelling::{display_location, display_path};
use crate::symbol::Symbol;

/// The maximum number of bytes of documentation. A summary comes first, examples and details follow.
const DOCS: usize = 1_200;

/// The maximum number of parts of one type to describe.
const PARTS: usize = 4;

pub(crate) fn code(host: &Arc<CachedHost>) -> Code {
    Implementation::of("describe(symbol)", with_host(host, describe))
}

async fn describe(host: Arc<CachedHost>, invocation: Invocation) -> Result<Value, Interrupt> {
    let symbol: Symbol = invocation.arguments.read("symbol")?;
    let resolver = Resolver::new(&host, &invocation);
    let parts = resolver.whole(&symbol).await?;
    let mut described = Vec::new();
    for definition in parts.iter().take(PARTS) {
        let target: Target = Target::of(definition);
        let answer =
            host.ask(Operation::Description, &DescriptionQuestion { target }).await.map_err(from_wire)?;
        if described.is_empty() {
            resolver.settle(&symbol, &parts, &answer.completeness.source)?;
            note_completeness(Operation::Description, &invocation.notes, &answer.completeness);
        }
        let docs = answer.docs.map(|it| format!("\n\n{}", abridged(&it, definition))).unwrap_or_default();
        described.push(format!("{}\n{}", heading(definition), visible(&(answer.signature + &docs))));
    }
    if let Some(left) = parts.len().checked_sub(PARTS).filter(|it| *it > 0) {
        described.push(format!("… {left} more parts: brief(findDefinitions(`{}`))", symbol.name));
    }
    Ok(described.join("\n\n").into())
}

/// Cuts documentation at the end of a line, and adds the program that shows the rest.
fn abridged(docs: &str, definition: &Definition) -> String {
    if docs.len() <= DOCS {
        return docs.to_owned();
    }
    let fits = (0..=DOCS).rfind(|it| docs.is_char_boundary(*it)).expect("0 is a boundary");
    let end = docs[..fits].rfind('\n').unwrap_or(fits);
    let left = docs[end..].lines().filter(|it| !it.trim().is_empty()).count();
    let (name, at) = (&definition.name, definition.name_at.location());
    format!(
        "{}\n… {left} more lines of this: source(symbol(`{name}`, path=`{}`, line={}))",
        docs[..end].trim_end(),
        at.path,
        at.line
    )
}

/// Returns the heading: `method area of Square, src/lib.rs:22:8`.
fn heading(definition: &Definition) -> String {
    let Definition { name, kind, container, name_at, .. } = definition;
    let container = container.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
    let external = if name_at.external { " (external)" } else { "" };
    let called = display_path(&format!("{kind} {name}{container}"));
    format!("{called}, {}{external}", display_location(&name_at.location()))
}

#[cfg(test)]
mod tests {
    use ide_protocol::{FileRange, Point};

    use super::*;

    fn definition() -> Definition {
        let point = |line, column| Point {
            line: ide_protocol::Line::from_index(line),
            column: ide_protocol::Column::from_index(column),
        };
        let range = |line| FileRange::new("src/a.rs".to_owned(), point(line, 3), point(line, 7));
        Definition::new("draw", "function", range(0), range(4))
    }

    #[test]
    fn long_documentation_ends_at_a_line_and_says_how_to_see_the_rest() {
        assert_eq!(abridged("Draws.", &definition()), "Draws.");
        let line = "é".repeat(99);
        let docs = [line.as_str(); 20].join("\n");
        let shown = abridged(&docs, &definition());
        let (kept, rest) = shown.rsplit_once('\n').expect("there are several lines");
        assert_eq!(kept, [line.as_str(); 6].join("\n"));
        assert_eq!(rest, "… 14 more lines of this: source(symbol(`draw`, path=`src/a.rs`, line=5))");
        assert!(abridged(&"x".repeat(5_000), &definition()).len() < 1_400);
    }
}
