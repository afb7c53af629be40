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
(declaration_expression type: (_) @inside.type)
(default_expression type: (_) @inside.type)
(sizeof_expression type: (_) @inside.type)
(tuple_element type: (_) @inside.type)
(conversion_operator_declaration type: (_) @inside.type)
(recursive_pattern type: (_) @inside.type)
((identifier) @type (#at? @type "parent" "constant_pattern") (#not-at? @type "parent parent" "switch_section" "subpattern"))
((identifier) @type
  (#at? @type "parent parent" "constant_pattern") (#says? @type "parent operator" "&&" "||") (#at? @type "next"))
((identifier) @type
  (#at? @type "parent parent parent" "constant_pattern") (#at? @type "parent parent" "binary_expression")
  (#says? @type "parent operator" "&&" "||") (#at? @type "next") (#at? @type "parent next"))

; Calls

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call)))
(object_creation_expression type: (identifier) @construct)
(object_creation_expression type: (generic_name (identifier) @construct))
(object_creation_expression type: (qualified_name name: (identifier) @construct))
((identifier) @construct
  (#at? @construct "parent parent" "qualified_name") (#at? @construct "parent" "generic_name")
  (#at? @construct "parent parent parent" "object_creation_expression") (#not-at? @construct "parent next"))
((identifier) @call
  (#at? @call "parent" "member_binding_expression")
  (#at? @call "parent parent parent function" "conditional_access_expression"))
((identifier) @call
  (#at? @call "parent" "generic_name") (#at? @call "parent parent" "member_binding_expression")
  (#at? @call "parent parent parent parent function" "conditional_access_expression"))
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
(postfix_unary_expression (member_access_expression name: (identifier) @write) "--")
(prefix_unary_expression "++" (member_access_expression name: (identifier) @write))
(prefix_unary_expression "--" (member_access_expression name: (identifier) @write))
(assignment_expression left: (element_access_expression expression: (member_access_expression name: (identifier) @write)))
(assignment_expression left: (tuple_expression (argument (identifier) @write)))
(assignment_expression left: (tuple_expression (argument (member_access_expression name: (identifier) @write))))
(with_initializer . (identifier) @write)
(argument "ref" (identifier) @write)
(argument "out" (identifier) @write)
(argument "ref" (member_access_expression name: (identifier) @write))
(argument "out" (member_access_expression name: (identifier) @write))

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
(destructor_declaration name: (identifier) @definition)
(declaration_expression name: (identifier) @definition)
(recursive_pattern name: (identifier) @definition)
(tuple_pattern name: (identifier) @definition)
(tuple_element name: (identifier) @definition)
(from_clause name: (identifier) @definition)
(implicit_parameter) @definition
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
