//! The parts of code that a pattern may leave out: where the grammar has an optional field or modifier, code that the
//! pattern does not write there does not decide. What a pattern writes has to be there.
//!
//! Only parts that a reader calls additions are meant. The content of a node decides although the grammar has it
//! optional: an `else`, the value of a variable, the body of a function, the trait of an `impl`.

use tree_sitter::Node;

use crate::Language;

/// Returns true if a child of a node, in a field or not, may be left out by a pattern.
pub(super) fn is_optional(parent: Node<'_>, child: Node<'_>, field: Option<&str>) -> bool {
    let around = parent.kind();
    if field.is_some_and(|it| is_optional_field(around, it)) {
        return true;
    }
    let kind = child.kind();
    // All that these consist of are modifiers.
    matches!(around, "modifiers" | "function_modifiers")
        || if child.is_named() { is_optional_kind(around, kind) } else { is_optional_word(around, kind) }
}

/// Returns true for the token that begins an optional field.
pub(super) fn announces(token: Node<'_>) -> bool {
    matches!(token.kind(), ":" | "->" | "from")
}

/// Returns all kinds of nodes that differ from a kind only by what a pattern may leave out, itself included.
pub(super) fn same_kinds(kind: &str, id: u16, language: Language) -> Vec<u16> {
    const SAME: [[&str; 2]; 6] = [
        ["function_declaration", "generator_function_declaration"],
        ["function_expression", "generator_function"],
        ["class_declaration", "abstract_class_declaration"],
        // In Go, with a receiver; in Ruby, with the object that has the method.
        ["function_declaration", "method_declaration"],
        ["method", "singleton_method"],
        ["annotation", "marker_annotation"],
    ];
    let grammar = language.grammar();
    let others = SAME.iter().filter(|it| it.contains(&kind)).flatten().filter(|it| **it != kind);
    let others = others.map(|it| grammar.id_for_node_kind(it, true)).filter(|it| *it != 0);
    std::iter::once(id).chain(others).collect()
}

/// Returns true if brackets with a hole for any number of things also stand for brackets that are not there.
pub(super) fn may_lack_brackets(field: Option<&str>) -> bool {
    matches!(field, Some("superclasses" | "parameters" | "arguments"))
}

fn is_optional_field(parent: &str, field: &str) -> bool {
    match field {
        "return_type" | "type_parameters" | "type_arguments" | "template_parameters" => true,
        "superclass" | "superclasses" | "interfaces" | "permits" | "bounds" | "constraint" => true,
        "attributes" | "decorator" | "tag" | "static_modifier" | "readonly" | "final" | "cause" => true,
        "result" => {
            matches!(
                parent,
                "function_declaration"
                    | "method_declaration"
                    | "func_literal"
                    | "function_type"
                    | "method_elem"
            )
        }
        "receiver" => parent == "method_declaration",
        "object" => parent == "singleton_method",
        // Ruby's methods without parameters have no brackets.
        "parameters" => matches!(parent, "method" | "singleton_method"),
        "source" => parent == "export_statement",
        "reference_modifier" => matches!(parent, "anonymous_function" | "arrow_function" | "property_hook"),
        "base" | "underlying_type" => parent == "enum_specifier",
        // A type next to a name.
        "type" => matches!(
            parent,
            "let_declaration"
                | "const_item"
                | "static_item"
                | "assignment"
                | "variable_declarator"
                | "required_parameter"
                | "optional_parameter"
                | "public_field_definition"
                | "property_signature"
                | "construct_signature"
                | "catch_clause"
                | "var_spec"
                | "const_spec"
                | "property_declaration"
                | "const_declaration"
                | "simple_parameter"
                | "variadic_parameter"
                | "property_promotion_parameter"
        ),
        _ => false,
    }
}

/// Visibility, storage, attributes, heritage, clauses of a header.
fn is_optional_kind(parent: &str, kind: &str) -> bool {
    match kind {
        // In C#, the one of a query is content.
        "where_clause" => parent != "query_expression",
        // In C#, those of the constructor that the class itself declares.
        "parameter_list" => {
            matches!(parent, "class_declaration" | "struct_declaration" | "record_declaration")
        }
        "label" => has_label(parent),
        "lifetime" => matches!(parent, "reference_type" | "self_parameter"),
        "reference_modifier" => matches!(parent, "function_definition" | "method_declaration"),
        "field_initializer_list" => parent == "function_definition",
        _ => KINDS.contains(&kind),
    }
}

const KINDS: [&str; 50] = [
    // Modifiers.
    "visibility_modifier",
    "function_modifiers",
    "mutable_specifier",
    "modifiers",
    "modifier",
    "accessibility_modifier",
    "override_modifier",
    "readonly_modifier",
    "static_modifier",
    "final_modifier",
    "abstract_modifier",
    "var_modifier",
    "storage_class_specifier",
    "type_qualifier",
    "virtual",
    "virtual_specifier",
    "explicit_function_specifier",
    "explicit_interface_specifier",
    "alignas_qualifier",
    "ref_qualifier",
    "ms_declspec_modifier",
    "ms_call_modifier",
    // Attributes.
    "attribute_item",
    "attribute_list",
    "attribute_declaration",
    "attribute_specifier",
    "decorator",
    "annotation",
    "marker_annotation",
    "import_attribute",
    // Types.
    "type_parameters",
    "type_parameter_list",
    "type_parameter_constraints_clause",
    "type_arguments",
    "requires_clause",
    "trailing_return_type",
    // Heritage.
    "class_heritage",
    "extends_clause",
    "implements_clause",
    "extends_type_clause",
    "extends_interfaces",
    "base_list",
    "base_class_clause",
    "base_clause",
    "class_interface_clause",
    // What a function throws, captures, and initializes before its body.
    "throws",
    "throw_specifier",
    "noexcept",
    "anonymous_function_use_clause",
    "constructor_initializer",
];

fn is_optional_word(parent: &str, word: &str) -> bool {
    match word {
        "*" => {
            matches!(parent, "generator_function_declaration" | "generator_function" | "method_definition")
        }
        "get" | "set" => parent == "method_definition",
        "default" => matches!(parent, "export_statement" | "impl_item"),
        "type" => {
            matches!(
                parent,
                "export_statement" | "import_statement" | "import_specifier" | "export_specifier"
            )
        }
        "const" => parent == "enum_declaration",
        "unsafe" => matches!(parent, "impl_item" | "trait_item" | "foreign_mod_item"),
        "move" => matches!(parent, "closure_expression" | "async_block"),
        "await" => matches!(parent, "for_in_statement" | "foreach_statement" | "using_statement"),
        "global" => parent == "using_directive",
        "." => parent == "singleton_method",
        ":" => has_label(parent),
        // Bash has two ways to write the head of a function.
        "function" | "(" | ")" => parent == "function_definition",
        _ => WORDS.contains(&word),
    }
}

const WORDS: [&str; 19] = [
    "async",
    "static",
    "readonly",
    "declare",
    "abstract",
    "override",
    "accessor",
    "inline",
    "virtual",
    "final",
    "public",
    "private",
    "protected",
    "internal",
    "sealed",
    "partial",
    "synchronized",
    "volatile",
    "transient",
];

/// Returns true for what a label can stand before, as a part of it.
fn has_label(parent: &str) -> bool {
    matches!(parent, "loop_expression" | "while_expression" | "for_expression" | "block")
}
