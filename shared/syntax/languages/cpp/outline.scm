; Definitions

(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_) @body) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_) @body) @definition.struct
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface
(declaration_list (declaration declarator: [(identifier) @name (init_declarator declarator: (identifier) @name)]) @definition.variable)
(class_specifier (base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)) @of
(struct_specifier (base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)) @of
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(field_declaration_list (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (declaration declarator: (function_declarator declarator: (destructor_name) @name)) @definition.method)
(field_declaration_list (function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_)? @body) @definition.constructor)
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(function_definition declarator: [
  (function_declarator declarator: [
    (field_identifier) @name
    (operator_name) @name
    (destructor_name) @name
    (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name) (destructor_name)] @name)
    (qualified_identifier name: (qualified_identifier
      scope: (_) @owner name: [(identifier) (operator_name) (destructor_name)] @name))
  ])
  (pointer_declarator declarator: (function_declarator declarator: [
    (field_identifier) @name
    (operator_name) @name
    (qualified_identifier scope: (_) @owner name: (identifier) @name)
  ]))
  (reference_declarator (function_declarator declarator: [
    (field_identifier) @name
    (operator_name) @name
    (qualified_identifier scope: (_) @owner name: [(identifier) (operator_name)] @name)
  ]))
] body: (_)? @body) @definition.method

(template_declaration [(class_specifier) (struct_specifier) (function_definition) (declaration) (alias_declaration) (concept_definition)] @wrapped) @wrapper

; Visibility

((class_specifier body: (_) @scope) (#set! visibility "private"))
((field_declaration_list (access_specifier) @section) @scope (#match? @section "^public") (#set! visibility "public"))
((field_declaration_list (access_specifier) @section) @scope (#match? @section "^protected") (#set! visibility "protected"))
((field_declaration_list (access_specifier) @section) @scope (#match? @section "^private") (#set! visibility "private"))
((field_declaration_list (function_definition (storage_class_specifier)) @of) (#set! visibility "default"))
((field_declaration_list (declaration (storage_class_specifier)) @of) (#set! visibility "default"))
((namespace_definition !name body: (declaration_list) @scope) (#set! visibility "private"))

; Tests

((function_definition declarator: (function_declarator declarator: (identifier) @macro
  parameters: (parameter_list . (parameter_declaration) . (parameter_declaration type: (type_identifier) @name))) body: (_) @body) @definition.function
  (#match? @macro "^(TYPED_)?TEST(_[FP])?$") (#set! test))
((expression_statement (call_expression function: (identifier) @macro arguments: (argument_list . (string_literal) @name))) @definition.function
  . (compound_statement) @body @end
  (#any-of? @macro "TEST_CASE" "SCENARIO" "TEST_CASE_METHOD") (#set! test))
