; Types

(type) @inside.type

; Calls

(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute attribute: (identifier) @call))

; Writes

(assignment left: (identifier) @write)
(assignment left: (attribute attribute: (identifier) @write))
(assignment left: (subscript value: (identifier) @write))
(assignment left: (subscript value: (attribute attribute: (identifier) @write)))
(assignment left: (pattern_list (identifier) @write))
(assignment left: (pattern_list (attribute attribute: (identifier) @write)))
(augmented_assignment left: (identifier) @write)
(augmented_assignment left: (attribute attribute: (identifier) @write))
(named_expression name: (identifier) @write)
(for_statement left: (identifier) @write)
(for_statement left: (pattern_list (identifier) @write))
(for_in_clause left: (identifier) @write)
(as_pattern_target (identifier) @write)
(delete_statement (identifier) @write)
(delete_statement (attribute attribute: (identifier) @write))

; Implementations

(class_definition superclasses: (argument_list (identifier) @implementation))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @implementation)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @implementation)))
(class_definition superclasses: (argument_list (subscript value: (attribute attribute: (identifier) @implementation))))
(class_definition superclasses: (argument_list (subscript subscript: (_) @inside.type)))

; Definitions

(module (expression_statement (assignment left: (identifier) @definition)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @definition))))
(class_definition name: (identifier) @definition)
(function_definition name: (identifier) @definition)
(type_alias_statement left: (type (identifier) @definition))
(parameters (identifier) @definition)
(parameters (typed_parameter (identifier) @definition))
(default_parameter name: (identifier) @definition)
(typed_default_parameter name: (identifier) @definition)
(lambda_parameters (identifier) @definition)
(list_splat_pattern (identifier) @definition)
(dictionary_splat_pattern (identifier) @definition)

; Around

(import_statement) @within.import
(import_from_statement) @within.import
(comment) @within.comment
(string) @within.string
(interpolation) @within.code
(type (string) @within.type)
(module . (expression_statement (string) @within.documentation))
(module . (comment)* . (expression_statement (string) @within.documentation))
(class_definition body: (block . (expression_statement (string) @within.documentation)))
(function_definition body: (block . (expression_statement (string) @within.documentation)))
