; Definitions

(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.enumMember
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(const_declaration (const_element . (name) @name)) @definition.constant
(method_declaration name: (name) @name body: (_)? @body) @definition.method
((method_declaration name: (name) @name body: (_)? @body) @definition.constructor (#eq? @name "__construct"))
(function_definition name: (name) @name body: (_) @body) @definition.function
((program (expression_statement (function_call_expression function: (name) @function
  arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant)) (#eq? @function "define"))
(class_declaration (base_clause (_) @base)) @of
(class_declaration (class_interface_clause (_) @base)) @of
(class_declaration body: (declaration_list (use_declaration (_) @base))) @of
(interface_declaration (base_clause (_) @base)) @of
(enum_declaration (class_interface_clause (_) @base)) @of
((comment) @lead (#match? @lead "^/\\*\\*"))
((comment) @lead (#match? @lead "@test\\b") (#set! test))
(attribute_list) @lead

; Visibility

((_ (visibility_modifier) @modifier) @of (#eq? @modifier "private") (#set! visibility "private"))
((_ (visibility_modifier) @modifier) @of (#eq? @modifier "protected") (#set! visibility "protected"))
((property_promotion_parameter) @of (#set! visibility "public"))
((property_promotion_parameter visibility: (_) @modifier) @of (#eq? @modifier "private") (#set! visibility "private"))
((property_promotion_parameter visibility: (_) @modifier) @of (#eq? @modifier "protected") (#set! visibility "protected"))

; Tests

((method_declaration attributes: (attribute_list (attribute_group (attribute (_) @attribute)))) @of
  (#match? @attribute "(^|\\\\)(Test|DataProvider|Before|After)$") (#set! test))
((class_declaration (base_clause (_) @parent)) @of (#match? @parent "TestCase$") (#set! test))
((function_call_expression function: (name) @function arguments: (arguments . (argument (string (string_content) @name))
  . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))) @definition.function
  (#any-of? @function "it" "test") (#set! test))
((function_call_expression function: (name) @function arguments: (arguments . (argument (string (string_content) @name))
  . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))) @definition.module
  (#eq? @function "describe") (#set! test))
