; Calls

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (_) @call))
(call_expression function: (super) @call)
(new_expression constructor: (identifier) @construct)
(new_expression constructor: (member_expression property: (_) @construct))
(decorator (identifier) @call)

; Writes

(assignment_expression left: (identifier) @write)
(assignment_expression left: (member_expression property: (_) @write))
(assignment_expression left: (subscript_expression object: (identifier) @write))
(assignment_expression left: (subscript_expression object: (member_expression property: (_) @write)))
(assignment_expression left: (array_pattern (identifier) @write))
(augmented_assignment_expression left: (identifier) @write)
(augmented_assignment_expression left: (member_expression property: (_) @write))
(update_expression argument: (identifier) @write)
(update_expression argument: (member_expression property: (_) @write))
(unary_expression "delete" argument: (member_expression property: (_) @write))
(pair key: (property_identifier) @write)

; Definitions

(variable_declarator name: (identifier) @definition)
(function_declaration name: (_) @definition)
(function_expression name: (_) @definition)
(generator_function_declaration name: (_) @definition)
(class_declaration name: (_) @definition)
(class name: (_) @definition)
(method_definition name: (_) @definition)
(arrow_function parameter: (identifier) @definition)
(for_in_statement left: (identifier) @definition)
(catch_clause parameter: (identifier) @definition)
(shorthand_property_identifier_pattern) @definition
(pair key: (property_identifier) @definition value: [(arrow_function) (function_expression)])

; Writes of what is taken apart

(for_in_statement !kind left: (identifier) @write)
(for_in_statement !kind left: (object_pattern (shorthand_property_identifier_pattern) @write))
(for_in_statement !kind left: (array_pattern (identifier) @write))
(assignment_expression left: (array_pattern (assignment_pattern left: (identifier) @write)))
(assignment_expression left: (array_pattern (member_expression property: (_) @write)))
(assignment_expression left: (_ (rest_pattern (identifier) @write)))
(assignment_expression left: (object_pattern (shorthand_property_identifier_pattern) @write))
(assignment_expression
  left: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @write)))
(assignment_expression left: (object_pattern (pair_pattern value: (identifier) @write)))
(assignment_expression left: (object_pattern (pair_pattern value: (member_expression property: (_) @write))))
(assignment_expression left: (object_pattern (pair_pattern value: (assignment_pattern left: (identifier) @write))))

; Around

(import_statement) @within.import
(export_statement source: (_)) @within.import
(export_clause) @within.import
((variable_declarator name: (_) @within.import value: (call_expression function: (identifier) @require))
  (#eq? @require "require"))
((variable_declarator
  name: (_) @within.import
  value: (member_expression object: (call_expression function: (identifier) @require) property: (_) @import))
  (#eq? @require "require"))
(variable_declarator name: (_) @within.import value: (await_expression (call_expression function: (import))))
((call_expression
  function: (member_expression object: (call_expression function: (import)) property: (property_identifier) @then)
  arguments: (arguments . (_ parameters: (formal_parameters . (_) @within.import))))
  (#eq? @then "then"))
(comment) @within.comment
((comment) @within.documentation (#match? @within.documentation "^/\\*\\*"))
(string) @within.string
(template_string) @within.string
(template_substitution) @within.code
