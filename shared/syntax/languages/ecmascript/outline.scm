; Definitions; what `require` gives is imported

((lexical_declaration kind: "const" (variable_declarator name: (identifier) @name value: (_)? @value) @definition.constant) @declaration
  (#at? @declaration "parent" "program" "export_statement") (#not-says? @definition.constant "value function" "require")
  (#not-says? @definition.constant "value object function" "require") (#not-at? @definition.constant "value (call_expression) function" "import"))
((lexical_declaration kind: "let" (variable_declarator name: (identifier) @name value: (_)? @value) @definition.variable) @declaration
  (#at? @declaration "parent" "program" "export_statement") (#not-says? @definition.variable "value function" "require")
  (#not-says? @definition.variable "value object function" "require") (#not-at? @definition.variable "value (call_expression) function" "import"))
((variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @definition.variable) @declaration
  (#at? @declaration "parent" "program" "export_statement") (#not-says? @definition.variable "value function" "require")
  (#not-says? @definition.variable "value object function" "require") (#not-at? @definition.variable "value (call_expression) function" "import"))
((variable_declarator name: (identifier) @name) @definition.function
  (#at? @definition.function "value" "arrow_function" "function_expression") (#set! body.at "value body"))
((variable_declarator name: (identifier) @name) @definition.class
  (#at? @definition.class "value" "class") (#set! body.at "value body"))
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
((method_definition) @definition.method (#set! name.at "name") (#set! body.at "body"))
((method_definition) @definition.constructor
  (#says? @definition.constructor "name" "constructor") (#at? @definition.constructor "name" "property_identifier")
  (#at? @definition.constructor "parent" "class_body") (#set! name.at "name") (#set! body.at "body"))
((method_definition) @definition.property
  (#at? @definition.property "(get)") (#at? @definition.property "parent" "class_body")
  (#set! name.at "name") (#set! body.at "body"))
((method_definition) @definition.property
  (#at? @definition.property "(set)") (#at? @definition.property "parent" "class_body")
  (#set! name.at "name") (#set! body.at "body"))
((pair key: (property_identifier) @name) @definition.method
  (#at? @definition.method "value" "arrow_function" "function_expression")
  (#set! body.at "value body") (#set! visibility "inherited"))
((method_definition) @of (#at? @of "parent" "object") (#set! visibility "inherited"))
((assignment_expression) @definition.function
  (#match? @definition.function "^[A-Z]\\w*\\s*\\??\\.")
  (#at? @definition.function "left object" "identifier") (#at? @definition.function "left property" "property_identifier")
  (#at? @definition.function "right" "arrow_function" "function_expression")
  (#set! name.at "left property") (#set! owner.at "left object") (#set! body.at "right body")
  (#set! visibility "public"))
((assignment_expression) @definition.method
  (#at? @definition.method "right" "arrow_function" "function_expression")
  (#says? @definition.method "left object property" "prototype")
  (#at? @definition.method "left property" "property_identifier")
  (#set! name.at "left property") (#set! owner.at "left object object") (#set! body.at "right body")
  (#set! visibility "public"))
((assignment_expression) @definition.function
  (#at? @definition.function "right" "arrow_function" "function_expression")
  (#says? @definition.function "left object" "exports" "module.exports")
  (#at? @definition.function "left property" "property_identifier")
  (#set! name.at "left property") (#set! body.at "right body") (#set! visibility "public"))

((assignment_expression) @definition.function
  (#at? @definition.function "right" "arrow_function" "function_expression")
  (#at? @definition.function "left object" "identifier") (#not-says? @definition.function "left object" "exports" "module")
  (#at? @definition.function "left property" "property_identifier")
  (#at? @definition.function "parent" "expression_statement") (#at? @definition.function "parent parent" "program")
  (#set! name.at "left property") (#set! owner.at "left object") (#set! body.at "right body")
  (#set! visibility "public"))
((assignment_expression) @definition.class
  (#at? @definition.class "right" "class") (#says? @definition.class "left object" "exports" "module.exports")
  (#at? @definition.class "left property" "property_identifier")
  (#set! name.at "left property") (#set! body.at "right body") (#set! visibility "public"))
((assignment_expression) @definition.function
  (#at? @definition.function "right" "function_expression") (#says? @definition.function "left" "exports" "module.exports")
  (#set! name.at "right name") (#set! body.at "right body") (#set! visibility "public"))
((assignment_expression) @definition.class
  (#at? @definition.class "right" "class") (#says? @definition.class "left" "exports" "module.exports")
  (#set! name.at "right name") (#set! body.at "right body") (#set! visibility "public"))

((lexical_declaration (variable_declarator) @wrapped) @wrapper
  (#at? @wrapper "parent" "program" "export_statement" "statement_block")
  (#not-at? @wrapped "before" ",") (#not-at? @wrapped "after" ","))
((variable_declaration (variable_declarator) @wrapped) @wrapper
  (#at? @wrapper "parent" "program") (#not-at? @wrapped "before" ",") (#not-at? @wrapped "after" ","))
(export_statement declaration: (_) @wrapped) @wrapper
((comment) @lead (#match? @lead "^/\\*\\*"))

; Visibility

((export_statement declaration: (_) @of) (#set! visibility "public"))
((lexical_declaration (variable_declarator) @of) @declaration
  (#at? @declaration "parent" "export_statement") (#set! visibility "public"))
((variable_declaration (variable_declarator) @of) @declaration
  (#at? @declaration "parent" "export_statement") (#set! visibility "public"))
((class_body (_) @of) (#set! visibility "public"))
((private_property_identifier) @private (#at? @private "parent parent" "class_body") (#set! of.at "parent") (#set! visibility "private"))
(export_specifier name: (identifier) @exported)
((export_statement) @statement (#at? @statement "value" "identifier") (#set! exported.at "value"))
((assignment_expression) @assignment (#match? @assignment "^(module\\.)?exports\\b")
  (#at? @assignment "left" "member_expression") (#at? @assignment "right" "identifier") (#set! exported.at "right"))
((shorthand_property_identifier) @exported (#says? @exported "parent parent left" "module.exports"))
((shorthand_property_identifier) @exported (#says? @exported "parent parent left object" "exports" "module.exports"))

; Tests

((call_expression) @definition.function
  (#match? @definition.function "^(it|test|specify|bench|Deno\\.test)(\\.\\w+)*\\s*[(<]")
  (#at? @definition.function "arguments (_)" "string" "template_string") (#at? @definition.function "arguments (arrow_function)")
  (#set! name.at "arguments (_)") (#set! body.at "arguments (arrow_function) body") (#set! test))
((call_expression) @definition.function
  (#match? @definition.function "^(it|test|specify|bench|Deno\\.test)(\\.\\w+)*\\s*[(<]")
  (#at? @definition.function "arguments (_)" "string" "template_string") (#at? @definition.function "arguments (function_expression)")
  (#set! name.at "arguments (_)") (#set! body.at "arguments (function_expression) body") (#set! test))
((call_expression) @definition.module
  (#match? @definition.module "^(describe|context|suite)(\\.\\w+)*\\s*[(<]")
  (#at? @definition.module "arguments (_)" "string" "template_string" "identifier") (#at? @definition.module "arguments (arrow_function)")
  (#set! name.at "arguments (_)") (#set! body.at "arguments (arrow_function) body") (#set! test))
((call_expression) @definition.module
  (#match? @definition.module "^(describe|context|suite)(\\.\\w+)*\\s*[(<]")
  (#at? @definition.module "arguments (_)" "string" "template_string" "identifier") (#at? @definition.module "arguments (function_expression)")
  (#set! name.at "arguments (_)") (#set! body.at "arguments (function_expression) body") (#set! test))
((call_expression) @test (#match? @test "^(beforeEach|afterEach|beforeAll|afterAll)\\s*[(<]"))
