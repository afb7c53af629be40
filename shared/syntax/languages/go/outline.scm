; Definitions

((source_file (const_declaration (const_spec (identifier) @name) @definition.constant)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable))) (#not-eq? @name "_"))
(type_spec name: (type_identifier) @name type: (_)) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(type_spec name: (type_identifier) @name type: (struct_type (_) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base)))) @of
(type_spec type: (interface_type (type_elem . (_) @base .))) @of
((field_declaration name: (field_identifier) @name) @definition.field (#not-eq? @name "_"))
((field_declaration !name type: (_) @name.in) @definition.field (#name? "type_identifier"))
(method_elem name: (field_identifier) @name) @definition.method
(function_declaration name: (identifier) @name body: (_)? @body) @definition.function
(method_declaration name: (field_identifier) @name body: (_)? @body) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @owner))
  name: (field_identifier) @name) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @owner)))
  name: (field_identifier) @name) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (type_identifier) @owner)))
  name: (field_identifier) @name) @definition.method
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (type_identifier) @owner))))
  name: (field_identifier) @name) @definition.method

(type_declaration (type_spec) @wrapped) @wrapper
(type_declaration (type_alias) @wrapped) @wrapper
(const_declaration (const_spec) @wrapped) @wrapper
(var_declaration (var_spec) @wrapped) @wrapper
(comment) @lead

; Visibility: a capital letter

((_ name: (_) @own) @of (#match? @own "^\\p{Lu}") (#set! visibility "public"))
((field_declaration !name type: (_) @own) @of (#match? @own "^(\\w+\\.)?\\p{Lu}") (#set! visibility "public"))

; Tests

((function_declaration name: (identifier) @own parameters: (parameter_list (parameter_declaration
  type: (pointer_type (qualified_type package: (package_identifier) @package))))) @of
  (#eq? @package "testing") (#set! test))
((call_expression function: (selector_expression field: (field_identifier) @run)
  arguments: (argument_list . (interpreted_string_literal) @name . (func_literal body: (_) @body))) @definition.function
  (#eq? @run "Run") (#set! test))
