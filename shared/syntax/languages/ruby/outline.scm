; Definitions

((assignment) @definition.constant
  (#at? @definition.constant "left" "constant") (#at? @definition.constant "parent" "program" "body_statement")
  (#set! name.at "left"))
((assignment) @definition.variable
  (#at? @definition.variable "left" "global_variable") (#at? @definition.variable "parent" "program")
  (#set! name.at "left"))
((module) @definition.module (#at? @definition.module "name" "constant") (#set! name.at "name") (#set! body.at "body"))
((module) @definition.module (#at? @definition.module "name" "scope_resolution")
  (#at? @definition.module "name name" "constant") (#set! name.at "name name") (#set! body.at "body"))
((class) @definition.class (#at? @definition.class "name" "constant") (#set! name.at "name") (#set! body.at "body"))
((class) @definition.class (#at? @definition.class "name" "scope_resolution")
  (#at? @definition.class "name name" "constant") (#set! name.at "name name") (#set! body.at "body"))
((superclass (_) @base) @bases (#set! of.at "parent"))
((method) @definition.method (#set! name.at "name") (#set! body.at "body"))
((singleton_method) @definition.method (#set! name.at "name") (#set! body.at "body"))
((method) @definition.function (#at? @definition.function "parent" "program")
  (#set! name.at "name") (#set! body.at "body"))
((simple_symbol) @definition.property @name
  (#says? @name "parent parent method" "attr_accessor" "attr_reader" "attr_writer")
  (#at? @name "parent" "argument_list") (#set! definition.at "parent parent"))
(alias name: (_) @name) @definition.method
([(constant) (scope_resolution)] @base
  (#says? @base "parent parent method" "include" "extend" "prepend") (#at? @base "parent" "argument_list")
  (#at? @base "parent parent parent" "body_statement") (#at? @base "parent parent parent parent" "class")
  (#set! of.at "parent parent parent parent"))
((method) @definition.constructor (#says? @definition.constructor "name" "initialize")
  (#set! name.at "name") (#set! body.at "body"))
(comment) @lead

; Visibility

((identifier) @section (#eq? @section "private") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "private"))
((identifier) @section (#eq? @section "protected") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "protected"))
((identifier) @section (#eq? @section "public") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "public"))
((method) @of (#says? @of "parent parent method" "private" "private_class_method") (#at? @of "parent" "argument_list")
  (#set! visibility "private"))
((method) @of (#says? @of "parent parent method" "protected") (#at? @of "parent" "argument_list")
  (#set! visibility "protected"))

; Tests

((call) @definition.function
  (#says? @definition.function "method" "it" "specify" "scenario" "test" "should") (#at? @definition.function "block")
  (#set! name.at "arguments (_)") (#set! body.at "block") (#set! test))
((call) @definition.module
  (#says? @definition.module "method" "describe" "context" "feature" "shared_examples") (#at? @definition.module "block")
  (#set! name.at "arguments (_)") (#set! body.at "block") (#set! test))
((superclass (_) @parent) @bases
  (#match? @parent "(^|::)(Minitest::Test|Test::Unit::TestCase|TestCase|IntegrationTest)$") (#set! of.at "parent") (#set! test))
