; Definitions

(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
((class_specifier) @definition.class
  (#at? @definition.class "name" "type_identifier") (#at? @definition.class "body")
  (#set! name.at "name") (#set! body.at "body"))
((class_specifier) @definition.class
  (#at? @definition.class "name" "template_type") (#at? @definition.class "name name" "type_identifier")
  (#at? @definition.class "body") (#set! name.at "name name") (#set! body.at "body"))
((struct_specifier) @definition.struct
  (#at? @definition.struct "name" "template_type") (#at? @definition.struct "name name" "type_identifier")
  (#at? @definition.struct "body") (#set! name.at "name name") (#set! body.at "body"))
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.interface
((base_class_clause (_) @base) @bases (#at? @base "" "type_identifier" "template_type" "qualified_identifier") (#set! of.at "parent"))
((field_declaration declarator: (_) @name.in) @definition.method
  (#name? "field_identifier" "operator_name") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator"))
((declaration) @definition.constructor @name.in
  (#at? @definition.constructor "parent" "field_declaration_list")
  (#name? "identifier") (#name-in? "function_declarator declaration"))
((declaration) @definition.method @name.in
  (#at? @definition.method "parent" "field_declaration_list")
  (#name? "destructor_name") (#name-in? "function_declarator declaration"))
((function_definition) @definition.constructor @name.in
  (#at? @definition.constructor "parent" "field_declaration_list")
  (#name? "identifier") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator") (#set! body.at "body"))
((function_definition) @definition.method @name.in
  (#name? "field_identifier" "operator_name" "destructor_name") (#name-in? "function_declarator")
  (#not-name-in? "function_declarator function_declarator")
  (#set! body.at "body"))
((function_definition) @definition.method @name.in @owner.in
  (#name? "identifier" "operator_name" "destructor_name")
  (#name-in? "qualified_identifier function_declarator" "qualified_identifier qualified_identifier function_declarator"
    "qualified_identifier qualified_identifier qualified_identifier function_declarator")
  (#set! body.at "body"))
((operator_cast) @definition.method
  (#at? @definition.method "parent" "function_definition") (#set! definition.at "parent")
  (#set! name.at "(operator)") (#set! name.to.at "type") (#set! body.at "parent body"))
((operator_cast) @definition.method
  (#at? @definition.method "parent" "declaration" "field_declaration") (#set! definition.at "parent")
  (#set! name.at "(operator)") (#set! name.to.at "type"))
((operator_cast) @definition.method
  (#at? @definition.method "parent" "qualified_identifier")
  (#at? @definition.method "parent parent" "function_definition") (#set! definition.at "parent parent")
  (#set! name.at "(operator)") (#set! name.to.at "type") (#set! owner.at "parent scope")
  (#set! body.at "parent parent body"))

(template_declaration [(class_specifier) (struct_specifier) (function_definition) (declaration) (alias_declaration) (concept_definition)] @wrapped) @wrapper

; Visibility

((field_declaration_list) @scope (#at? @scope "parent" "class_specifier") (#set! visibility "private"))
((access_specifier) @section (#match? @section "^public") (#at? @section "parent" "field_declaration_list")
  (#set! scope.at "parent") (#set! visibility "public"))
((access_specifier) @section (#match? @section "^protected") (#at? @section "parent" "field_declaration_list")
  (#set! scope.at "parent") (#set! visibility "protected"))
((access_specifier) @section (#match? @section "^private") (#at? @section "parent" "field_declaration_list")
  (#set! scope.at "parent") (#set! visibility "private"))
((storage_class_specifier) @modifier
  (#at? @modifier "parent" "function_definition" "declaration")
  (#at? @modifier "parent parent" "field_declaration_list") (#set! of.at "parent") (#set! visibility "default"))
((storage_class_specifier) @modifier
  (#at? @modifier "parent parent" "template_declaration")
  (#at? @modifier "parent parent parent" "field_declaration_list") (#set! of.at "parent") (#set! visibility "default"))
((namespace_definition !name body: (declaration_list) @scope) (#set! visibility "private"))

; Tests

((function_definition) @definition.function
  (#says? @definition.function "declarator declarator"
    "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_F" "TYPED_TEST_P")
  (#at? @definition.function "declarator parameters (_)" "parameter_declaration")
  (#at? @definition.function "declarator parameters (_) next" "parameter_declaration")
  (#at? @definition.function "declarator parameters (_) next type" "type_identifier")
  (#at? @definition.function "body")
  (#set! name.at "declarator parameters (_) next type") (#set! owner.at "declarator parameters (_) type")
  (#set! body.at "body") (#set! test))
((expression_statement) @definition.function
  (#match? @definition.function "^(TEST_CASE|SCENARIO|TEST_CASE_METHOD)\\s*\\(")
  (#at? @definition.function "(call_expression) arguments (_)" "string_literal")
  (#at? @definition.function "next" "compound_statement")
  (#set! name.at "(call_expression) arguments (_)") (#set! body.at "next") (#set! end.at "next") (#set! test))
