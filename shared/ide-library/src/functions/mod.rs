//! The implementations of the functions that `interface/ide.md` declares, one file for each theme.

use std::sync::Arc;

use dialect::{Flow, Function};

use crate::cached_host::CachedHost;
use crate::row::Code;

pub(crate) mod apply_edits;
mod brief;
mod call_path;
pub(crate) mod calls;
pub(crate) mod code_actions;
mod contents;
mod describe;
pub(crate) mod diagnostics;
mod file_part;
mod files;
mod find_code;
mod find_definitions;
pub(crate) mod find_references;
mod find_symbols;
mod get_selection;
mod layout;
mod lines;
mod members;
mod navigate;
mod outline;
mod place_lines;
mod rename;
mod search;
mod source;
mod types;

/// Adds the way in which the result depends on what the arguments lack. All that ask about a symbol or write decide on
/// it: a part of a text is another name, and edits that are missing are not made.
pub(crate) fn with_flow(row: Function) -> Function {
    match row.signature.split('(').next() {
        // Fewer places, a shorter text.
        Some("brief" | "source") => row.flow(Flow::Text),
        // Fewer lines, fewer places.
        Some("rangeLines" | "definitionLines" | "callLines" | "diagnosticLines") => row.flow(Flow::Part),
        _ => row,
    }
}

/// Returns the implementation of each function.
pub(crate) fn code(host: &Arc<CachedHost>) -> Vec<Code> {
    let each = [
        find_definitions::code(host),
        find_references::code(host),
        describe::code(host),
        outline::code(host),
        members::code(host),
        call_path::code(host),
        find_symbols::code(host),
        files::code(host),
        diagnostics::code(host),
        search::code(host),
        find_code::code(host),
        source::code(host),
        brief::code(host),
        lines::code(host),
        get_selection::code(host),
        rename::code(host),
        apply_edits::code(host),
    ];
    each.into_iter()
        .chain(navigate::codes(host))
        .chain(calls::codes(host))
        .chain(types::codes(host))
        .chain(contents::codes(host))
        .chain(code_actions::codes(host))
        .chain(layout::codes(host))
        .chain(place_lines::codes())
        .collect()
}
