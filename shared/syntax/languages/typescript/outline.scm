; Definitions

(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name value: (_) @body) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
((enum_body (property_identifier) @name @definition.enumMember) (#set! visibility "inherited"))
((enum_body (enum_assignment name: (_) @name) @definition.enumMember) (#set! visibility "inherited"))
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
((method_signature) @definition.method (#at? @definition.method "parent" "class_body") (#set! name.at "name"))
((method_signature) @definition.method (#at? @definition.method "parent" "interface_body")
  (#set! name.at "name") (#set! visibility "inherited"))
((property_signature) @definition.property (#at? @definition.property "parent" "interface_body")
  (#set! name.at "name") (#set! visibility "inherited"))
((public_field_definition) @definition.property (#set! name.at "name") (#set! value.at "value"))
[(call_signature) (construct_signature)] @signature
((method_signature) @signature (#at? @signature "parent" "object_type"))
((function_type) @signature (#at? @signature "parent" "type_alias_declaration"))
((public_field_definition) @definition.method
  (#at? @definition.method "value" "arrow_function" "function_expression")
  (#set! name.at "name") (#set! body.at "value body"))
((required_parameter) @definition.property
  (#at? @definition.property "(accessibility_modifier)") (#at? @definition.property "pattern" "identifier")
  (#set! name.at "pattern"))
((internal_module) @definition.namespace (#set! name.at "name") (#set! body.at "body"))
(module name: (_) @name body: (_) @body) @definition.module
((lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @definition.constant) @declaration
  (#at? @declaration "parent" "statement_block") (#at? @declaration "parent parent" "internal_module"))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(class_declaration (class_heritage [(extends_clause value: (_) @base) (implements_clause (_) @base)])) @of
((class (class_heritage [(extends_clause value: (_) @base) (implements_clause (_) @base)])) @class (#set! of.at "parent"))
(abstract_class_declaration (class_heritage [(extends_clause value: (_) @base) (implements_clause (_) @base)])) @of
(interface_declaration (extends_type_clause type: (_) @base)) @of

(ambient_declaration [(function_signature) (class_declaration) (abstract_class_declaration) (enum_declaration) (module) (internal_module) (interface_declaration) (type_alias_declaration)] @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper
(decorator) @lead

; Visibility

((ambient_declaration (_ (variable_declarator) @of)) (#set! visibility "public"))
((ambient_declaration (_) @of) (#set! visibility "public"))
((accessibility_modifier) @modifier (#eq? @modifier "private") (#set! of.at "parent") (#set! visibility "private"))
((accessibility_modifier) @modifier (#eq? @modifier "protected") (#set! of.at "parent") (#set! visibility "protected"))
((accessibility_modifier) @modifier (#eq? @modifier "public") (#set! of.at "parent") (#set! visibility "public"))
