//! Local variables in Ruby, where a call without arguments looks the same as a variable.

use tree_sitter::Node;

use crate::Parsed;

/// The maximum number of earlier occurrences of a name to check.
const PLACES: usize = 1_000;

/// Nodes that have variables of their own.
const SCOPES: [&str; 6] = ["program", "module", "class", "singleton_class", "method", "singleton_method"];

/// Nodes that have variables of their own and see those around them.
const BLOCKS: [&str; 3] = ["block", "do_block", "lambda"];

/// Nodes that make variables of the names in them.
const BINDING: [&str; 15] = [
    "method_parameters",
    "block_parameters",
    "lambda_parameters",
    "destructured_parameter",
    "splat_parameter",
    "hash_splat_parameter",
    "block_parameter",
    "left_assignment_list",
    "destructured_left_assignment",
    "rest_assignment",
    "exception_variable",
    "array_pattern",
    "find_pattern",
    "keyword_pattern",
    "as_pattern",
];

/// Nodes that make a variable of the name in a field.
const BINDING_FIELDS: [(&str, &str); 6] = [
    ("assignment", "left"),
    ("operator_assignment", "left"),
    ("optional_parameter", "name"),
    ("keyword_parameter", "name"),
    ("for", "pattern"),
    ("in_clause", "pattern"),
];

/// Returns true if a name is assigned, or is a parameter, before it in its scope.
pub(super) fn is_local(parsed: &Parsed<'_>, name: Node<'_>) -> bool {
    let Some(text) = parsed.text.get(name.byte_range()).filter(|it| !it.is_empty()) else { return false };
    let Some(scope) = ScopeAt::new(parsed, name.start_byte()).scope else { return false };
    let before = &parsed.text[scope.start_byte()..name.start_byte()];
    let mut places = before.rmatch_indices(text).map(|(at, _)| scope.start_byte() + at).take(PLACES);
    places.any(|at| {
        let place = ScopeAt::new(parsed, at);
        let sees_it = |block: &Node<'_>| name.end_byte() <= block.end_byte();
        place.leaf.byte_range() == (at..at + text.len())
            && place.is_binding
            && place.scope.is_some_and(|it| it.id() == scope.id())
            && place.blocks.iter().all(sees_it)
    })
}

/// The scope and blocks around an offset.
struct ScopeAt<'tree> {
    leaf: Node<'tree>,
    /// True if the leaf's parent makes a variable of it.
    is_binding: bool,
    scope: Option<Node<'tree>>,
    /// The blocks around it in the scope.
    blocks: Vec<Node<'tree>>,
}

impl<'tree> ScopeAt<'tree> {
    fn new(parsed: &'tree Parsed<'_>, offset: usize) -> Self {
        let mut cursor = parsed.tree.walk();
        let root = cursor.node();
        let mut place = Self { leaf: root, is_binding: false, scope: Some(root), blocks: Vec::new() };
        while cursor.goto_first_child_for_byte(offset).is_some() && cursor.node().start_byte() <= offset {
            let (around, node) = (place.leaf.kind(), cursor.node());
            let is_field =
                |(kind, field): &(&str, &str)| *kind == around && cursor.field_name() == Some(*field);
            place.is_binding = BINDING.contains(&around) || BINDING_FIELDS.iter().any(is_field);
            place.leaf = node;
            if SCOPES.contains(&node.kind()) && node.child_count() > 0 {
                (place.scope, place.blocks) = (Some(node), Vec::new());
            } else if BLOCKS.contains(&node.kind()) {
                place.blocks.push(node);
            }
        }
        place
    }
}
