; Types

(parameter type: (_) @inside.type)
(variable_declaration type: (_) @inside.type)
(property_declaration type: (_) @inside.type)
(method_declaration returns: (_) @inside.type)
(local_function_statement type: (_) @inside.type)
(delegate_declaration type: (_) @inside.type)
(operator_declaration type: (_) @inside.type)
(indexer_declaration type: (_) @inside.type)
(cast_expression type: (_) @inside.type)
(typeof_expression type: (_) @inside.type)
(declaration_pattern type: (_) @inside.type)
(foreach_statement type: (_) @inside.type)
(catch_declaration type: (_) @inside.type)
(as_expression right: (_) @inside.type)
(type_argument_list) @inside.type
(type_parameter_constraint type: (_) @inside.type)
(array_type type: (_) @inside.type)
(nullable_type type: (_) @inside.type)

; Calls

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(object_creation_expression type: (qualified_name name: (identifier) @call))
(attribute name: (identifier) @call)

; Writes

(assignment_expression left: (identifier) @write)
(assignment_expression left: (member_access_expression name: (identifier) @write))
(assignment_expression left: (element_access_expression expression: (identifier) @write))
(postfix_unary_expression (identifier) @write "++")
(postfix_unary_expression (identifier) @write "--")
(prefix_unary_expression "++" (identifier) @write)
(prefix_unary_expression "--" (identifier) @write)
(postfix_unary_expression (member_access_expression name: (identifier) @write) "++")

; Implementations

(base_list (identifier) @implementation)
(base_list (generic_name (identifier) @implementation))
(base_list (qualified_name name: (identifier) @implementation))

; Definitions

(class_declaration name: (identifier) @definition)
(struct_declaration name: (identifier) @definition)
(record_declaration name: (identifier) @definition)
(interface_declaration name: (identifier) @definition)
(enum_declaration name: (identifier) @definition)
(enum_member_declaration name: (identifier) @definition)
(delegate_declaration name: (identifier) @definition)
(event_declaration name: (identifier) @definition)
(property_declaration name: (identifier) @definition)
(method_declaration name: (identifier) @definition)
(constructor_declaration name: (identifier) @definition)
(local_function_statement name: (identifier) @definition)
(variable_declarator name: (identifier) @definition)
(parameter name: (identifier) @definition)
(declaration_pattern name: (identifier) @definition)
(foreach_statement left: (identifier) @definition)
(catch_declaration name: (identifier) @definition)
(type_parameter name: (identifier) @definition)

; Around

(using_directive) @within.import
(comment) @within.comment
((comment) @within.documentation (#match? @within.documentation "^(///|/\\*\\*)"))
(string_literal) @within.string
(verbatim_string_literal) @within.string
(raw_string_literal) @within.string
(interpolated_string_expression) @within.string
(interpolation) @within.code
