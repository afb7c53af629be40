; Calls

(identifier) @free.call
(call method: (identifier) @call)
(call method: (constant) @call)
(call receiver: (constant) @construct method: (identifier) @new (#eq? @new "new"))
(call receiver: (scope_resolution name: (constant) @construct) method: (identifier) @new (#eq? @new "new"))

; Writes

(assignment left: (_) @write)
(assignment left: (call method: (identifier) @write))
(assignment left: (element_reference object: (_) @write))
(left_assignment_list (_) @write)
(operator_assignment left: (_) @write)
(operator_assignment left: (call method: (identifier) @write))
(destructured_left_assignment (_) @write)
(rest_assignment (_) @write)
(exception_variable (_) @write)
(for pattern: (_) @write)

; Implementations

(superclass (constant) @implementation)
(superclass (scope_resolution name: (constant) @implementation))
((call method: (identifier) @macro arguments: (argument_list (constant) @implementation))
  (#any-of? @macro "include" "extend" "prepend"))
((call method: (identifier) @macro arguments: (argument_list (scope_resolution name: (constant) @implementation)))
  (#any-of? @macro "include" "extend" "prepend"))

; Definitions

(program (assignment left: (constant) @definition))
(body_statement (assignment left: (constant) @definition))
(module name: (constant) @definition)
(module name: (scope_resolution name: (constant) @definition))
(class name: (constant) @definition)
(class name: (scope_resolution name: (constant) @definition))
(method name: (_) @definition)
(singleton_method name: (_) @definition)
(alias name: (_) @definition)
(method_parameters (identifier) @definition)
(optional_parameter name: (identifier) @definition)
(keyword_parameter name: (identifier) @definition)
(block_parameters (identifier) @definition)
(lambda_parameters (identifier) @definition)
(destructured_parameter (identifier) @definition)
(splat_parameter name: (identifier) @definition)
(hash_splat_parameter name: (identifier) @definition)
(block_parameter name: (identifier) @definition)
(keyword_pattern value: (identifier) @definition)
(array_pattern (identifier) @definition)
(as_pattern name: (identifier) @definition)
(in_clause pattern: (identifier) @definition)
(left_assignment_list (constant) @definition)
((call method: (identifier) @macro arguments: (argument_list (simple_symbol) @definition))
  (#any-of? @macro "attr_accessor" "attr_reader" "attr_writer"))
((call method: (identifier) @macro arguments: (argument_list . (simple_symbol) @definition))
  (#any-of? @macro "alias_method" "define_method" "define_singleton_method"))

; Around

((call method: (identifier) @method) @within.import
  (#any-of? @method "require" "require_relative" "autoload" "load"))
(comment) @within.comment
((comment) @within.documentation . [(method) (singleton_method) (class) (module)])
((comment) @within.documentation . (comment)* . [(method) (singleton_method) (class) (module)])
((comment) @within.documentation . (body_statement . [(method) (singleton_method) (class) (module)]))
(string) @within.string
(heredoc_body) @within.string
((call method: (identifier) @method arguments: (argument_list (string) @within.import))
  (#any-of? @method "require" "require_relative" "autoload" "load"))
(interpolation) @within.code
