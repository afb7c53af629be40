; Types

(named_type) @inside.type
((name) @type (#says? @type "parent operator" "instanceof") (#same? @type "parent right"))
((name) @type (#at? @type "parent" "qualified_name") (#says? @type "parent parent operator" "instanceof") (#not-at? @type "parent next"))

; Calls

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call .))
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @construct)
(object_creation_expression (qualified_name (name) @construct .))
(attribute (name) @call)

; Writes

(assignment_expression left: (variable_name (name) @write))
(assignment_expression left: (member_access_expression name: (name) @write))
(assignment_expression left: (scoped_property_access_expression name: (variable_name (name) @write)))
(augmented_assignment_expression left: (variable_name (name) @write))
(augmented_assignment_expression left: (member_access_expression name: (name) @write))
((name) @write
  (#at? @write "parent parent parent" "augmented_assignment_expression") (#same? @write "parent parent parent left name (name)"))
((name) @write
  (#at? @write "parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent left (_) (name)"))
((name) @write
  (#at? @write "parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent left (_) name"))
((name) @write
  (#at? @write "parent parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent parent left (_) name (name)"))
((name) @write
  (#at? @write "parent parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent parent left (_) (_) (name)"))
((name) @write
  (#at? @write "parent parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent parent left (_) (_) name"))
((name) @write
  (#at? @write "parent parent parent parent parent" "assignment_expression" "augmented_assignment_expression")
  (#same? @write "parent parent parent parent parent left (_) (_) name (name)"))
((name) @write (#at? @write "parent" "variable_name" "member_access_expression") (#at? @write "parent parent" "list_literal"))
((name) @write
  (#at? @write "parent" "variable_name") (#at? @write "parent parent" "pair")
  (#at? @write "parent parent parent" "foreach_statement"))
((name) @write
  (#at? @write "parent" "variable_name") (#at? @write "parent parent" "foreach_statement")
  (#not-same? @write "parent parent (_) (name)") (#at? @write "parent next"))
(update_expression argument: (variable_name (name) @write))
(update_expression argument: (member_access_expression name: (name) @write))
((name) @write
  (#at? @write "parent parent parent" "update_expression") (#same? @write "parent parent parent argument name (name)"))
((name) @write
  (#at? @write "parent parent parent" "update_expression") (#same? @write "parent parent parent argument (_) name"))
((name) @write
  (#at? @write "parent parent parent" "update_expression") (#same? @write "parent parent parent argument (_) (name)"))

; Implementations

(base_clause (name) @implementation)
(base_clause (qualified_name (name) @implementation .))
(class_interface_clause (name) @implementation)
(class_interface_clause (qualified_name (name) @implementation .))
(use_declaration (name) @implementation)
(use_declaration (qualified_name (name) @implementation .))

; Definitions

(class_declaration name: (name) @definition)
(interface_declaration name: (name) @definition)
(trait_declaration name: (name) @definition)
(enum_declaration name: (name) @definition)
(enum_case name: (name) @definition)
(property_element name: (variable_name (name) @definition))
(property_promotion_parameter name: (variable_name (name) @definition))
(const_element . (name) @definition)
(method_declaration name: (name) @definition)
(function_definition name: (name) @definition)
(simple_parameter name: (variable_name (name) @definition))

; Around

(namespace_use_declaration) @within.import
(comment) @within.comment
((comment) @within.documentation (#match? @within.documentation "^/\\*\\*"))
(string) @within.string
(string_content) @within.string
(heredoc_body) @within.string
((member_call_expression) @within.code (#at? @within.code "parent" "heredoc_body"))
((member_access_expression) @within.code (#at? @within.code "parent" "heredoc_body"))
((subscript_expression) @within.code (#at? @within.code "parent" "heredoc_body"))
