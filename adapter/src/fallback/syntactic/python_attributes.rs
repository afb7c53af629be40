//! The attributes that methods of a Python class assign: `self.name = name`.

use std::collections::BTreeSet;

use ide_protocol::{Counted, Definition, Listing, Reason};
use source_text::Span;
use syntax::{Parsed, Pattern};

use super::found_definition::{FoundDefinition, range};
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The statements that set an attribute, with or without a value.
const PATTERNS: &[&str] = &["self.$NAME = $VALUE", "self.$NAME: $TYPE", "self.$NAME: $TYPE = $VALUE"];

/// The methods that make an object.
const MAKERS: &[&str] = &["__init__", "__post_init__", "__new__"];

/// The maximum number of attributes that a note names.
const NAMED: usize = 8;

/// The maximum width of a signature.
const WIDTH: usize = 100;

/// The attributes of a class.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// The attributes that constructors assign, in order of place.
    pub(super) assigned: Vec<Attribute>,
    /// The names of those that only other methods assign, with their lines.
    elsewhere: Vec<Counted>,
}

/// One attribute, with its first assignment.
#[derive(Debug)]
pub(super) struct Attribute {
    name: String,
    name_at: Span,
    statement: Span,
}

/// Finds the attributes of a class; without those that the class body declares.
pub(super) fn of(class: &FoundDefinition) -> Attributes {
    let (source, whole) = (&class.source, class.definition());
    let Some(parsed) = Parsed::new(source.language, source.text.as_str()) else {
        return Attributes::default();
    };
    let mut found: Vec<(Attribute, bool)> = Vec::new();
    for pattern in PATTERNS.iter().filter_map(|it| Pattern::new(source.language, it).ok()) {
        for it in pattern.matches(&parsed).found {
            let Some(method) = source.outline.enclosing(it.span.start) else { continue };
            let is_own = method.parent.is_some_and(|it| std::ptr::eq(&source.outline.definitions[it], whole));
            let Some(name_at) = it.bindings.first().copied().filter(|_| is_own) else { continue };
            let name = source.text.as_str()[name_at.range()].to_owned();
            let is_made = MAKERS.contains(&method.name.as_str());
            found.push((Attribute { name, name_at, statement: it.span }, is_made));
        }
    }
    found.sort_by_key(|(it, is_made)| (!is_made, it.name_at.start, it.statement.start));
    let all = &source.outline.definitions;
    let members = all.iter().filter(|it| it.parent.is_some_and(|it| std::ptr::eq(&all[it], whole)));
    let mut seen: BTreeSet<String> = members.map(|it| it.name.clone()).collect();
    let mut attributes = Attributes::default();
    for (attribute, is_made) in found {
        if !seen.insert(attribute.name.clone()) {
            continue;
        }
        let line = source.text.point(attribute.name_at.start).line.index() + 1;
        match is_made {
            true => attributes.assigned.push(attribute),
            false => attributes.elsewhere.push(Counted { name: attribute.name, count: line }),
        }
    }
    attributes
}

impl Attributes {
    /// Returns the remark about attributes that only other methods assign.
    pub(super) fn remark(&self) -> Option<Reason> {
        let attributes = Listing::of(self.elsewhere.iter().cloned(), NAMED);
        (!attributes.is_empty()).then_some(Reason::AssignedElsewhere { attributes })
    }
}

impl Attribute {
    /// Converts the attribute for the agent.
    pub(super) fn definition(self, roots: &SessionFolders, class: &FoundDefinition) -> Definition {
        let (path, text) = (&class.source.path, &class.source.text);
        let extent = |span: Span| Extent { start: text.point(span.start), end: text.point(span.end) };
        let without_text =
            |span| ide_protocol::FileRange { text: None, ..range(roots, path, text, extent(span)) };
        let written = text.as_str()[self.statement.range()].split_whitespace().collect::<Vec<_>>().join(" ");
        let signature = match written.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}…", &written[..end]),
            None => written,
        };
        Definition {
            container: Some(class.candidate.name.clone()),
            signature: Some(signature),
            public: !self.name.starts_with('_'),
            ..Definition::new(self.name, "field", without_text(self.statement), without_text(self.name_at))
        }
    }
}
