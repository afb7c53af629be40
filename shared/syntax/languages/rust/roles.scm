; Types

(type_identifier) @type
(struct_pattern type: (type_identifier) @read)
(struct_pattern type: (scoped_type_identifier name: (type_identifier) @read))
(qualified_type alias: (type_identifier) @type)

; Calls

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @call)))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @call)))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier name: (identifier) @call))
(struct_expression name: (type_identifier) @construct)
(struct_expression name: (scoped_type_identifier name: (type_identifier) @construct))
(struct_expression name: (generic_type_with_turbofish type: (type_identifier) @construct))
(struct_expression name: (generic_type_with_turbofish type: (scoped_identifier name: (identifier) @construct)))
(attribute_item (attribute (identifier) @call))
(attribute_item (attribute (scoped_identifier name: (identifier) @call)))
((attribute_item (attribute (identifier) @derive arguments: (token_tree (identifier) @implementation)))
  (#eq? @derive "derive"))

; In arguments of macros there are only tokens

((token_tree (identifier) @call . (token_tree) @arguments) (#match? @arguments "^\\("))
(token_tree (identifier) @call . "!")
(token_tree "->" . (identifier) @type)
(token_tree "fn" . (identifier) @definition)
(token_tree "struct" . (identifier) @definition)
(token_tree "enum" . (identifier) @definition)
(token_tree "let" . (identifier) @definition)

; Writes

(assignment_expression left: (identifier) @write)
(assignment_expression left: (scoped_identifier name: (identifier) @write))
(assignment_expression left: (field_expression field: (field_identifier) @write))
(assignment_expression left: (unary_expression (identifier) @write))
(assignment_expression left: (unary_expression (field_expression field: (field_identifier) @write)))
(assignment_expression left: (index_expression . (identifier) @write))
(assignment_expression left: (index_expression . (field_expression field: (field_identifier) @write)))
(assignment_expression left: (tuple_expression (identifier) @write))
(compound_assignment_expr left: (identifier) @write)
(compound_assignment_expr left: (scoped_identifier name: (identifier) @write))
(compound_assignment_expr left: (field_expression field: (field_identifier) @write))
(compound_assignment_expr left: (unary_expression (identifier) @write))
(compound_assignment_expr left: (unary_expression (field_expression field: (field_identifier) @write)))
(compound_assignment_expr left: (index_expression . (identifier) @write))
(compound_assignment_expr left: (index_expression . (field_expression field: (field_identifier) @write)))
(field_initializer field: (field_identifier) @write)
(shorthand_field_initializer (identifier) @write)

; Implementations

(impl_item trait: (type_identifier) @implementation)
(impl_item trait: (scoped_type_identifier name: (type_identifier) @implementation))
(impl_item trait: (generic_type type: (type_identifier) @implementation))
(impl_item trait: (generic_type type: (scoped_type_identifier name: (type_identifier) @implementation)))
(impl_item type: (type_identifier) @implementation)
(impl_item type: (scoped_type_identifier name: (type_identifier) @implementation))
(impl_item type: (generic_type type: (type_identifier) @implementation))
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @implementation)))
(trait_item bounds: (trait_bounds (type_identifier) @implementation))
(trait_item bounds: (trait_bounds (scoped_type_identifier name: (type_identifier) @implementation)))
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @implementation)))

; Definitions

(mod_item name: (identifier) @definition)
(struct_item name: (type_identifier) @definition)
(union_item name: (type_identifier) @definition)
(enum_item name: (type_identifier) @definition)
(enum_variant name: (identifier) @definition)
(field_declaration name: (field_identifier) @definition)
(trait_item name: (type_identifier) @definition)
(type_item name: (type_identifier) @definition)
(associated_type name: (type_identifier) @definition)
(const_item name: (identifier) @definition)
(static_item name: (identifier) @definition)
(macro_definition name: (identifier) @definition)
(function_item name: (identifier) @definition)
(function_signature_item name: (identifier) @definition)
(type_parameter name: (type_identifier) @definition)
(const_parameter name: (identifier) @definition)
(parameter pattern: (identifier) @definition)
(let_declaration pattern: (identifier) @definition)
(closure_parameters (identifier) @definition)
(for_expression pattern: (identifier) @definition)
(tuple_pattern (identifier) @definition)
(tuple_struct_pattern (identifier) @definition)
(tuple_struct_pattern type: (identifier) @read)
(field_pattern pattern: (identifier) @definition)

; Around

(use_declaration) @within.import
(extern_crate_declaration) @within.import
(line_comment) @within.comment
(block_comment) @within.comment
(line_comment doc: (_)) @within.documentation
(block_comment doc: (_)) @within.documentation
(string_literal) @within.string
(raw_string_literal) @within.string
