; Items

(mod_item name: (identifier) @name body: (_)? @body) @definition.module
(struct_item name: (type_identifier) @name body: (_)? @body) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
((enum_variant name: (identifier) @name) @definition.enumMember (#set! visibility "inherited"))
(field_declaration name: (field_identifier) @name) @definition.field
((enum_variant body: (field_declaration_list (field_declaration) @of)) (#set! visibility "inherited"))
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(trait_item bounds: (trait_bounds (_) @base)) @of
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
((const_item name: (identifier) @name) @definition.constant (#set! value.at "value"))
((static_item name: (identifier) @name) @definition.variable (#set! value.at "value"))
(macro_definition name: (identifier) @name (macro_rule) @body) @definition.macro
(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function

; Members

((impl_item type: (_) @name.in body: (_) @body) @definition.impl (#set! visibility "public"))
(impl_item trait: (_) @base) @of
; Without a receiver, a member is a function: `Vec::new`.
(impl_item body: (declaration_list (function_item
  name: (identifier) @name
  parameters: (parameters . [(self_parameter) (parameter pattern: (self))])
  body: (_) @body) @definition.method))
(trait_item body: (declaration_list (function_item
  name: (identifier) @name
  parameters: (parameters . [(self_parameter) (parameter pattern: (self))])
  body: (_) @body) @definition.method))
(trait_item body: (declaration_list (function_signature_item
  name: (identifier) @name
  parameters: (parameters . [(self_parameter) (parameter pattern: (self))])) @definition.method))
((trait_item body: (declaration_list (_) @of)) (#set! visibility "inherited"))
((impl_item trait: (_) body: (declaration_list (_) @of)) (#set! visibility "public"))

; Visibility

((visibility_modifier) @modifier (#eq? @modifier "pub") (#set! of.at "parent") (#set! visibility "public"))
((visibility_modifier) @modifier (#match? @modifier "^pub\\s*\\(") (#set! of.at "parent") (#set! visibility "package"))
((visibility_modifier) @modifier (#match? @modifier "^pub\\s*\\(\\s*self") (#set! of.at "parent") (#set! visibility "private"))
((attribute_item) @attribute (#match? @attribute "macro_export") (#set! of.at "behind") (#set! visibility "public"))

((attribute arguments: (token_tree (identifier) @base)) @attribute
  (#says? @attribute "(identifier)" "derive") (#not-says? @base "after" "::") (#set! of.at "parent behind"))

; What stands before definitions

((line_comment) @lead (#match? @lead "^///([^/]|$)"))
((block_comment) @lead (#match? @lead "^/\\*\\*[^*/]"))
(attribute_item) @lead

; Tests

((attribute_item) @lead
  (#match? @lead "^#\\[\\s*(cfg\\s*\\(\\s*(all\\s*\\([^)\"]*)?\\btest\\b|(\\w+\\s*::\\s*)*(test|bench|rstest|fixture|quickcheck|test_case|test_matrix|proptest|test_log|wasm_bindgen_test|googletest|gtest|parameterized)\\b)")
  (#set! test))
((source_file (inner_attribute_item) @attribute) @test
  (#match? @attribute "^#!\\[\\s*cfg\\s*\\(\\s*test\\b"))
((mod_item body: (declaration_list (inner_attribute_item) @attribute)) @test
  (#match? @attribute "^#!\\[\\s*cfg\\s*\\(\\s*test\\b"))
((macro_invocation) @test (#match? @test "^(\\w+\\s*::\\s*)*(proptest|quickcheck|speculate|rusty_fork_test)\\s*!"))

; Macros whose arguments `more.scm` may read as items

([(macro_invocation) (macro_definition)] @more (#match? @more "\\b(fn|struct|enum)\\s|^[\\w\\s:]*test"))
