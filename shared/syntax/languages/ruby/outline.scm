; Definitions

((assignment) @definition.constant
  (#at? @definition.constant "left" "constant") (#at? @definition.constant "parent" "program" "body_statement")
  (#set! name.at "left") (#set! value.at "right") (#set! visibility "public"))
((assignment) @definition.class
  (#at? @definition.class "left" "constant") (#at? @definition.class "parent" "program" "body_statement")
  (#says? @definition.class "right receiver" "Class" "Struct" "Data")
  (#says? @definition.class "right method" "new" "define")
  (#set! name.at "left") (#set! body.at "right block") (#set! visibility "public"))
([(constant) (scope_resolution)] @base
  (#at? @base "parent" "argument_list") (#says? @base "parent parent receiver" "Class")
  (#says? @base "parent parent method" "new") (#set! of.at "parent parent parent"))
((left_assignment_list (constant) @name) @definition.constant
  (#at? @definition.constant "parent parent" "program" "body_statement")
  (#set! definition.at "parent") (#set! value.at "parent right") (#set! visibility "public"))
((assignment) @definition.variable
  (#at? @definition.variable "left" "global_variable") (#at? @definition.variable "parent" "program")
  (#set! name.at "left") (#set! value.at "right"))
((module) @definition.module (#at? @definition.module "name" "constant")
  (#set! name.at "name") (#set! body.at "body") (#set! visibility "public"))
((module) @definition.module (#at? @definition.module "name" "scope_resolution")
  (#at? @definition.module "name name" "constant")
  (#set! name.at "name name") (#set! owner.at "name scope") (#set! body.at "body") (#set! visibility "public"))
((class) @definition.class (#at? @definition.class "name" "constant")
  (#set! name.at "name") (#set! body.at "body") (#set! visibility "public"))
((class) @definition.class (#at? @definition.class "name" "scope_resolution")
  (#at? @definition.class "name name" "constant")
  (#set! name.at "name name") (#set! owner.at "name scope") (#set! body.at "body") (#set! visibility "public"))
((superclass (_) @base) @bases (#set! of.at "parent"))
((method) @definition.method (#set! name.at "name") (#set! body.at "body"))
((singleton_method) @definition.method
  (#set! name.at "name") (#set! body.at "body") (#set! visibility "public"))
((method) @definition.function (#at? @definition.function "parent" "program")
  (#set! name.at "name") (#set! body.at "body"))
((simple_symbol) @definition.property @name
  (#says? @name "parent parent method" "attr_accessor" "attr_reader" "attr_writer" "attr" "class_attribute" "cattr_accessor" "mattr_accessor")
  (#at? @name "parent" "argument_list") (#set! definition.at "parent parent"))
((alias name: (_) @name) @definition.method (#set! visibility "public"))
((call) @definition.method
  (#says? @definition.method "method" "alias_method")
  (#at? @definition.method "arguments (_)" "simple_symbol" "string")
  (#not-at? @definition.method "arguments (_) (interpolation)")
  (#set! name.at "arguments (_)") (#set! visibility "public"))
((call) @definition.method
  (#says? @definition.method "method" "define_method" "define_singleton_method")
  (#at? @definition.method "arguments (_)" "simple_symbol" "string")
  (#not-at? @definition.method "arguments (_) (interpolation)")
  (#set! name.at "arguments (_)") (#set! body.at "block"))
((simple_symbol) @definition.method @name
  (#says? @name "parent parent method" "delegate") (#at? @name "parent (pair)") (#at? @name "parent" "argument_list")
  (#set! definition.at "parent parent") (#set! visibility "public"))
((simple_symbol) @definition.method @name
  (#says? @name "parent parent method" "def_delegators") (#says? @name "before" ",") (#at? @name "parent" "argument_list")
  (#set! definition.at "parent parent") (#set! visibility "public"))
((simple_symbol) @definition.method @name
  (#says? @name "parent parent method" "def_delegator") (#says? @name "before" ",") (#not-at? @name "next")
  (#at? @name "parent" "argument_list")
  (#set! definition.at "parent parent") (#set! visibility "public"))
([(constant) (scope_resolution)] @base
  (#says? @base "parent parent method" "include" "extend" "prepend") (#at? @base "parent" "argument_list")
  (#at? @base "parent parent parent" "body_statement") (#at? @base "parent parent parent parent" "class")
  (#set! of.at "parent parent parent parent"))
((method) @definition.constructor (#says? @definition.constructor "name" "initialize")
  (#set! name.at "name") (#set! body.at "body"))
(comment) @lead

; Visibility: a section is for the methods of its own body, lists are for those that they name

((identifier) @section (#eq? @section "private") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "private"))
((identifier) @section (#eq? @section "protected") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "protected"))
((identifier) @section (#any-of? @section "public" "module_function") (#at? @section "parent" "body_statement")
  (#set! scope.at "parent") (#set! visibility "public"))
([(singleton_class) (do_block)] @scope (#set! visibility "public"))
((method) @of (#says? @of "parent parent method" "private") (#at? @of "parent" "argument_list")
  (#set! visibility "private"))
((method) @of (#says? @of "parent parent method" "protected") (#at? @of "parent" "argument_list")
  (#set! visibility "protected"))
((method) @of (#says? @of "parent parent method" "public") (#at? @of "parent" "argument_list")
  (#set! visibility "public"))
((singleton_method) @of (#says? @of "parent parent method" "private_class_method") (#at? @of "parent" "argument_list")
  (#set! visibility "private"))
((call) @of (#says? @of "method" "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "delegate")
  (#at? @of "parent" "argument_list") (#says? @of "parent parent method" "private")
  (#set! visibility "private"))
((call) @of (#says? @of "method" "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "delegate")
  (#at? @of "parent" "argument_list") (#says? @of "parent parent method" "protected")
  (#set! visibility "protected"))
((call) @of (#says? @of "method" "attr_accessor" "attr_reader" "attr_writer" "attr" "define_method" "delegate")
  (#at? @of "parent" "argument_list") (#says? @of "parent parent method" "public")
  (#set! visibility "public"))
((call) @listed (#says? @listed "method" "private") (#set! names.at "arguments") (#set! in.at "parent")
  (#set! listed "method call alias") (#set! visibility "private"))
((call) @listed (#says? @listed "method" "protected") (#set! names.at "arguments") (#set! in.at "parent")
  (#set! listed "method call alias") (#set! visibility "protected"))
((call) @listed (#says? @listed "method" "public") (#set! names.at "arguments") (#set! in.at "parent")
  (#set! listed "method call alias") (#set! visibility "public"))
((call) @listed (#says? @listed "method" "private_class_method") (#set! names.at "arguments") (#set! in.at "parent")
  (#set! listed "singleton_method") (#set! visibility "private"))
((call) @listed (#says? @listed "method" "private_constant") (#set! names.at "arguments") (#set! in.at "parent")
  (#set! listed "assignment class module") (#set! visibility "private"))

; Tests

((call) @definition.function
  (#says? @definition.function "method" "it" "specify" "scenario" "test" "should") (#at? @definition.function "block")
  (#set! name.at "arguments (_)") (#set! body.at "block") (#set! test))
((call) @definition.module
  (#says? @definition.module "method" "describe" "context" "feature" "shared_examples") (#at? @definition.module "block")
  (#set! name.at "arguments (_)") (#set! body.at "block") (#set! test))
((superclass (_) @parent) @bases
  (#match? @parent "(^|::)(Minitest::Test|Test::Unit::TestCase|TestCase|IntegrationTest)$") (#set! of.at "parent") (#set! test))
