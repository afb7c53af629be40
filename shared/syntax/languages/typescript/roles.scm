; Types

(type_identifier) @type
(type_query (identifier) @type)
(type_query (member_expression property: (_) @type))

; Implementations

(extends_clause value: (identifier) @implementation)
(extends_clause value: (member_expression property: (_) @implementation))
(implements_clause (type_identifier) @implementation)
(implements_clause (generic_type name: (type_identifier) @implementation))
(implements_clause (nested_type_identifier name: (type_identifier) @implementation))
(extends_type_clause type: (type_identifier) @implementation)
(extends_type_clause type: (generic_type name: (type_identifier) @implementation))
(extends_type_clause type: (nested_type_identifier name: (type_identifier) @implementation))

; Definitions

(class_declaration name: (type_identifier) @definition)
(abstract_class_declaration name: (_) @definition)
(interface_declaration name: (_) @definition)
(type_alias_declaration name: (_) @definition)
(enum_declaration name: (_) @definition)
(enum_body (property_identifier) @definition)
(enum_assignment name: (_) @definition)
(function_signature name: (_) @definition)
(abstract_method_signature name: (_) @definition)
(method_signature name: (_) @definition)
(property_signature name: (_) @definition)
(public_field_definition name: (_) @definition)
(required_parameter pattern: (identifier) @definition)
(optional_parameter pattern: (identifier) @definition)
(required_parameter pattern: (rest_pattern (identifier) @definition))
(type_parameter name: (type_identifier) @definition)
(internal_module name: (_) @definition)
