; Definitions

(program (lexical_declaration "const" (variable_declarator name: (identifier) @name) @definition.constant))
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name) @definition.constant))
(export_statement (lexical_declaration "let" (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method
((class_body (method_definition name: (property_identifier) @name body: (_) @body) @definition.constructor)
  (#eq? @name "constructor"))
(class_body (method_definition ["get" "set"] name: (_) @name body: (_) @body) @definition.property)
((pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
  (#set! visibility "inherited"))
((object (method_definition) @of) (#set! visibility "inherited"))
((assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
  (#match? @owner "^[A-Z]\\w*$") (#set! visibility "public"))
((assignment_expression left: (member_expression object: (member_expression object: (_) @owner property: (_) @prototype) property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
  (#eq? @prototype "prototype") (#set! visibility "public"))
((assignment_expression left: (member_expression object: (_) @exports property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
  (#any-of? @exports "exports" "module.exports") (#set! visibility "public"))

(program [
  (lexical_declaration (variable_declarator) @wrapped)
  (variable_declaration (variable_declarator) @wrapped)
] @wrapper)
(export_statement (lexical_declaration (variable_declarator) @wrapped) @wrapper)
(export_statement declaration: (_) @wrapped) @wrapper
(statement_block (lexical_declaration (variable_declarator) @wrapped) @wrapper)
((comment) @lead (#match? @lead "^/\\*\\*"))

; Visibility

((export_statement declaration: (_) @of) (#set! visibility "public"))
((export_statement declaration: (_ (variable_declarator) @of)) (#set! visibility "public"))
((export_statement declaration: (_ (_ (variable_declarator) @of))) (#set! visibility "public"))
((class_body (_) @of) (#set! visibility "public"))
((class_body (_ [(private_property_identifier)]) @of) (#set! visibility "private"))
(export_statement (export_clause (export_specifier name: (identifier) @exported)))
(export_statement value: (identifier) @exported)
((assignment_expression left: (member_expression) @left right: (identifier) @exported)
  (#match? @left "^(module\\.)?exports\\b"))
((assignment_expression left: (member_expression) @left right: (object (shorthand_property_identifier) @exported))
  (#match? @left "^(module\\.)?exports\\b"))

; Tests

((call_expression function: (_) @function
  arguments: (arguments . [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
  (#match? @function "^(it|test|specify|bench|Deno\\.test)(\\.\\w+)*(\\(|$)") (#set! test))
((call_expression function: (_) @function
  arguments: (arguments . [(string) (template_string) (identifier)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.module
  (#match? @function "^(describe|context|suite)(\\.\\w+)*(\\(|$)") (#set! test))
((call_expression function: (_) @function) @test
  (#match? @function "^(beforeEach|afterEach|beforeAll|afterAll)$"))
