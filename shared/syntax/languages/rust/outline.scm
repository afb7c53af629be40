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
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name (macro_rule) @body) @definition.macro
(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function

; Members

((impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
    (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
  ]
  body: (_) @body) @definition.impl (#set! visibility "public"))
(impl_item trait: (_) @base) @of
(impl_item body: (declaration_list (function_item name: (identifier) @name body: (_) @body) @definition.method))
((trait_item body: (declaration_list (function_item name: (identifier) @name body: (_) @body) @definition.method))
  (#set! visibility "inherited"))
((trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @definition.method))
  (#set! visibility "inherited"))
((trait_item body: (declaration_list (_) @of)) (#set! visibility "inherited"))
((impl_item trait: (_) body: (declaration_list (_) @of)) (#set! visibility "public"))

; Visibility

((_ (visibility_modifier) @visibility) @of (#eq? @visibility "pub") (#set! visibility "public"))
((_ (visibility_modifier) @visibility) @of (#match? @visibility "^pub\\s*\\(") (#set! visibility "package"))
((_ (visibility_modifier) @visibility) @of (#match? @visibility "^pub\\s*\\(\\s*self") (#set! visibility "private"))
((attribute_item) @attribute . (macro_definition) @of
  (#match? @attribute "macro_export") (#set! visibility "public"))

; What stands before definitions

(line_comment outer: (_)) @lead
(block_comment outer: (_)) @lead
(attribute_item) @lead

; Tests

((attribute_item) @lead
  (#match? @lead "^#\\[\\s*(cfg\\s*\\(\\s*(all\\s*\\([^)\"]*)?\\btest\\b|(\\w+\\s*::\\s*)*(test|bench|rstest|fixture|quickcheck|test_case|test_matrix|proptest|test_log|wasm_bindgen_test|googletest|gtest|parameterized)\\b)")
  (#set! test))
((source_file (inner_attribute_item) @attribute) @test
  (#match? @attribute "^#!\\[\\s*cfg\\s*\\(\\s*test\\b"))
((mod_item body: (declaration_list (inner_attribute_item) @attribute)) @test
  (#match? @attribute "^#!\\[\\s*cfg\\s*\\(\\s*test\\b"))
((macro_invocation macro: (_) @macro) @test (#match? @macro "(^|::)(proptest|quickcheck|speculate|rusty_fork_test)$"))

; Macros whose arguments read as items

((token_tree "fn" @definition.function . (identifier) @name . (token_tree) @body) (#set! visibility "private"))
((token_tree "fn" @definition.function . (identifier) @name . (token_tree) . (_)? . (_)? . (_)? . (token_tree) @body @end)
  (#match? @end "^\\{"))
((token_tree "#" . (token_tree) @attribute . "fn" @definition.function . (identifier) @name)
  (#match? @attribute "^\\[\\s*(\\w+\\s*::\\s*)*test\\b") (#set! test))
((token_tree "pub" . "fn" @definition.function . (identifier) @name) (#set! visibility "public"))
(token_tree "struct" @definition.struct . (identifier) @name . (_)? . (token_tree)? @end)
(token_tree "enum" @definition.enum . (identifier) @name . (token_tree)? @end)

; Macros that make a test of the name that they are given

((source_file (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function)
  (#match? @macro "test") (#set! test))
((source_file (expression_statement (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function))
  (#match? @macro "test") (#set! test))
((declaration_list (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function)
  (#match? @macro "test") (#set! test))
