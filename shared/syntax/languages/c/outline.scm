; Definitions: what is declared is what stands next to its name

((declaration declarator: (_) @name.in) @definition.variable
  (#at? @definition.variable "parent" "translation_unit" "preproc_if" "preproc_ifdef" "preproc_elif" "preproc_elifdef"
    "preproc_else" "declaration_list")
  (#not-at? @definition.variable "parent parent" "compound_statement")
  (#not-at? @definition.variable "parent parent parent" "compound_statement")
  (#not-at? @definition.variable "parent parent parent parent" "compound_statement")
  (#not-at? @definition.variable "parent parent parent parent parent parent" "compound_statement")
  (#name? "identifier")
  (#name-in? "declaration" "init_declarator" "pointer_declarator" "array_declarator"))
((struct_specifier) @definition.struct
  (#at? @definition.struct "name" "type_identifier") (#at? @definition.struct "body")
  (#not-at? @definition.struct "parent" "type_definition")
  (#set! name.at "name") (#set! body.at "body"))
((struct_specifier) @definition.struct
  (#at? @definition.struct "name" "type_identifier") (#at? @definition.struct "body")
  (#at? @definition.struct "parent" "type_definition")
  (#set! definition.at "parent") (#set! name.at "name") (#set! body.at "body"))
((union_specifier) @definition.struct
  (#at? @definition.struct "name" "type_identifier") (#at? @definition.struct "body")
  (#not-at? @definition.struct "parent" "type_definition")
  (#set! name.at "name") (#set! body.at "body"))
((union_specifier) @definition.struct
  (#at? @definition.struct "name" "type_identifier") (#at? @definition.struct "body")
  (#at? @definition.struct "parent" "type_definition")
  (#set! definition.at "parent") (#set! name.at "name") (#set! body.at "body"))
((enum_specifier) @definition.enum
  (#at? @definition.enum "name" "type_identifier") (#at? @definition.enum "body")
  (#not-at? @definition.enum "parent" "type_definition")
  (#set! name.at "name") (#set! body.at "body"))
((enum_specifier) @definition.enum
  (#at? @definition.enum "name" "type_identifier") (#at? @definition.enum "body")
  (#at? @definition.enum "parent" "type_definition")
  (#set! definition.at "parent") (#set! name.at "name") (#set! body.at "body"))
((enumerator name: (identifier) @name) @definition.enumMember (#set! visibility "inherited"))
((field_declaration declarator: (_) @name.in) @definition.field
  (#name? "field_identifier")
  (#name-in? "field_declaration" "pointer_declarator" "array_declarator" "reference_declarator"))
((type_definition declarator: (_) @name.in) @definition.type
  (#name? "type_identifier")
  (#name-in? "type_definition" "pointer_declarator" "array_declarator" "function_declarator"
    "parenthesized_declarator function_declarator")
  (#not-named? "type body parent name"))
((type_definition declarator: (_) @name.in) @definition.struct
  (#at? @definition.struct "type" "struct_specifier" "union_specifier") (#at? @definition.struct "type body")
  (#not-at? @definition.struct "type name")
  (#name? "type_identifier") (#name-in? "type_definition") (#set! body.at "type body"))
((type_definition declarator: (_) @name.in) @definition.enum
  (#at? @definition.enum "type" "enum_specifier") (#at? @definition.enum "type body")
  (#not-at? @definition.enum "type name")
  (#name? "type_identifier") (#name-in? "type_definition") (#set! body.at "type body"))
((declaration declarator: (_) @name.in) @definition.function
  (#not-at? @definition.function "parent" "compound_statement" "labeled_statement")
  (#name? "identifier") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator" "function_declarator init_declarator"
    "function_declarator array_declarator" "function_declarator parenthesized_declarator"))
((declaration declarator: (_) @name.in) @definition.function
  (#at? @definition.function "parent" "compound_statement")
  (#not-at? @definition.function "declarator parameters (parameter_declaration) (type_identifier)")
  (#name? "identifier") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator" "function_declarator init_declarator"
    "function_declarator array_declarator" "function_declarator parenthesized_declarator"))
((declaration declarator: (_) @name.in) @definition.function
  (#at? @definition.function "parent" "compound_statement")
  (#at? @definition.function "declarator parameters (parameter_declaration) declarator")
  (#name? "identifier") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator" "function_declarator init_declarator"
    "function_declarator array_declarator" "function_declarator parenthesized_declarator"))
((function_definition) @definition.function @name.in
  (#at? @definition.function "body")
  (#not-says? @definition.function "declarator declarator"
    "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_F" "TYPED_TEST_P")
  (#name? "identifier") (#name-in? "function_declarator" "parenthesized_declarator function_declarator")
  (#not-name-in? "function_declarator function_declarator")
  (#set! body.at "body"))
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(comment) @lead

; Visibility

((storage_class_specifier) @modifier
  (#eq? @modifier "static") (#at? @modifier "parent" "function_definition" "declaration") (#set! of.at "parent") (#set! visibility "private"))
