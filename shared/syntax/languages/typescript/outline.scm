; Definitions

(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @body) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
((enum_body (property_identifier) @name @definition.enumMember) (#set! visibility "inherited"))
((enum_body (enum_assignment name: (_) @name) @definition.enumMember) (#set! visibility "inherited"))
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(class_body (method_signature name: (_) @name) @definition.method)
((interface_body (method_signature name: (_) @name) @definition.method) (#set! visibility "inherited"))
((interface_body (property_signature name: (_) @name) @definition.property) (#set! visibility "inherited"))
(public_field_definition name: (_) @name) @definition.property
(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.property
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_) @body) @definition.module
(internal_module body: (statement_block (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(class_declaration (class_heritage [(extends_clause value: (_) @base) (implements_clause (_) @base)])) @of
(abstract_class_declaration (class_heritage [(extends_clause value: (_) @base) (implements_clause (_) @base)])) @of
(interface_declaration (extends_type_clause type: (_) @base)) @of

(ambient_declaration [(function_signature) (class_declaration) (abstract_class_declaration) (enum_declaration) (module) (internal_module) (interface_declaration) (type_alias_declaration)] @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper
(decorator) @lead

; Visibility

((ambient_declaration (_ (variable_declarator) @of)) (#set! visibility "public"))
((ambient_declaration (_) @of) (#set! visibility "public"))
((_ (accessibility_modifier) @modifier) @of (#eq? @modifier "private") (#set! visibility "private"))
((_ (accessibility_modifier) @modifier) @of (#eq? @modifier "protected") (#set! visibility "protected"))
((_ (accessibility_modifier) @modifier) @of (#eq? @modifier "public") (#set! visibility "public"))
((public_field_definition name: (private_property_identifier)) @of (#set! visibility "private"))
