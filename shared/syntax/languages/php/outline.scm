; Definitions

(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
((program (namespace_definition name: (_) @name) @definition.namespace)
  (#not-at? @definition.namespace "body")
  (#set! body.at "next") (#set! end.at "parent") (#set! before.at "next(namespace_definition)"))
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.enumMember
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
((property_promotion_parameter) @definition.property (#set! name.at "name (name)") (#set! member))
((anonymous_class) @definition.class
  (#set! name.at "(class)") (#set! body.at "body") (#set! visibility "private") (#set! expression))
(const_declaration (const_element . (name) @name)) @definition.constant
(method_declaration name: (name) @name body: (_)? @body) @definition.method
((use_as_clause) @definition.method
  (#at? @definition.method "(class_constant_access_expression)") (#set! name.at "(name)"))
((use_as_clause) @definition.method
  (#not-at? @definition.method "(class_constant_access_expression)") (#set! name.at "(name) next(name)"))
((method_declaration name: (name) @name body: (_)? @body) @definition.constructor (#eq? @name "__construct"))
(function_definition name: (name) @name body: (_) @body) @definition.function
((function_call_expression) @definition.constant
  (#says? @definition.constant "function" "define") (#at? @definition.constant "parent parent" "program")
  (#set! name.at "arguments (_) (string) (string_content)"))
((base_clause (_) @base) @bases
  (#at? @bases "parent" "class_declaration" "interface_declaration" "anonymous_class") (#set! of.at "parent"))
((class_interface_clause (_) @base) @bases
  (#at? @bases "parent" "class_declaration" "enum_declaration" "anonymous_class") (#set! of.at "parent"))
((use_declaration (_) @base) @bases
  (#at? @base "" "name" "qualified_name")
  (#at? @bases "parent parent" "class_declaration" "trait_declaration" "enum_declaration" "anonymous_class")
  (#set! of.at "parent parent"))
((comment) @lead (#match? @lead "^/\\*\\*"))
((comment) @lead (#match? @lead "@test\\b") (#set! test))
(attribute_list) @lead

; Visibility

((visibility_modifier) @modifier (#eq? @modifier "private") (#set! of.at "parent") (#set! visibility "private"))
((visibility_modifier) @modifier (#eq? @modifier "protected") (#set! of.at "parent") (#set! visibility "protected"))
((property_promotion_parameter) @of (#set! visibility "public"))
((property_promotion_parameter visibility: (_) @modifier) @of (#eq? @modifier "private") (#set! visibility "private"))
((property_promotion_parameter visibility: (_) @modifier) @of (#eq? @modifier "protected") (#set! visibility "protected"))

; Tests

((attribute (_) @attribute) @mark (#at? @mark "parent parent parent" "method_declaration")
  (#match? @attribute "(^|\\\\)(Test|DataProvider|Before|After)$") (#set! of.at "parent parent parent") (#set! test))
((base_clause (_) @parent) @bases (#at? @bases "parent" "class_declaration")
  (#match? @parent "TestCase$") (#set! of.at "parent") (#set! test))
((function_call_expression) @definition.function
  (#says? @definition.function "function" "it" "test") (#at? @definition.function "arguments (_) next (anonymous_function)")
  (#set! name.at "arguments (_) (string) (string_content)") (#set! body.at "arguments (_) next (anonymous_function) body") (#set! test))
((function_call_expression) @definition.function
  (#says? @definition.function "function" "it" "test") (#at? @definition.function "arguments (_) next (arrow_function)")
  (#set! name.at "arguments (_) (string) (string_content)") (#set! body.at "arguments (_) next (arrow_function) body") (#set! test))
((function_call_expression) @definition.module
  (#says? @definition.module "function" "describe") (#at? @definition.module "arguments (_) next (anonymous_function)")
  (#set! name.at "arguments (_) (string) (string_content)") (#set! body.at "arguments (_) next (anonymous_function) body") (#set! test))
((function_call_expression) @definition.module
  (#says? @definition.module "function" "describe") (#at? @definition.module "arguments (_) next (arrow_function)")
  (#set! name.at "arguments (_) (string) (string_content)") (#set! body.at "arguments (_) next (arrow_function) body") (#set! test))
