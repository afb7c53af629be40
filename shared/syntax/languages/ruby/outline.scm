; Definitions

(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)
(program (assignment left: (global_variable) @name) @definition.variable)
(module name: (constant) @name body: (_)? @body) @definition.module
(module name: (scope_resolution name: (constant) @name) body: (_)? @body) @definition.module
(class name: (constant) @name body: (_)? @body) @definition.class
(class name: (scope_resolution name: (constant) @name) body: (_)? @body) @definition.class
(class superclass: (superclass (_) @base)) @of
(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(program (method name: (_) @name body: (_)? @body) @definition.function)
((call method: (identifier) @macro arguments: (argument_list (simple_symbol) @name)) @definition.property
  (#any-of? @macro "attr_accessor" "attr_reader" "attr_writer"))
(alias name: (_) @name) @definition.method
(class body: (body_statement (call method: (identifier) @macro arguments: (argument_list [(constant) (scope_resolution)] @base)))
  (#any-of? @macro "include" "extend" "prepend")) @of
((method name: (identifier) @name body: (_)? @body) @definition.constructor (#eq? @name "initialize"))
(comment) @lead

; Visibility

((body_statement (identifier) @section) @scope (#eq? @section "private") (#set! visibility "private"))
((body_statement (identifier) @section) @scope (#eq? @section "protected") (#set! visibility "protected"))
((body_statement (identifier) @section) @scope (#eq? @section "public") (#set! visibility "public"))
((call method: (identifier) @word arguments: (argument_list (method) @of))
  (#any-of? @word "private" "private_class_method") (#set! visibility "private"))
((call method: (identifier) @word arguments: (argument_list (method) @of))
  (#eq? @word "protected") (#set! visibility "protected"))

; Tests

((call method: (identifier) @method arguments: (argument_list . (_) @name) block: (_) @body) @definition.function
  (#any-of? @method "it" "specify" "scenario" "test" "should") (#set! test))
((call method: (identifier) @method arguments: (argument_list . (_) @name) block: (_) @body) @definition.module
  (#any-of? @method "describe" "context" "feature" "shared_examples") (#set! test))
((class superclass: (superclass (_) @parent)) @of
  (#match? @parent "(^|::)(Minitest::Test|Test::Unit::TestCase|TestCase|IntegrationTest)$") (#set! test))
