; Types

(type_identifier) @type
((identifier) @type
  (#says? @type "parent operator" "*") (#at? @type "parent parent" "parenthesized_expression")
  (#same? @type "parent parent parent function (_) operand"))
((field_identifier) @type
  (#says? @type "parent parent operator" "*") (#at? @type "parent parent parent" "parenthesized_expression")
  (#same? @type "parent parent parent parent function (_) operand field"))

; Calls

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(call_expression function: (parenthesized_expression (identifier) @call))
((type_identifier) @call
  (#at? @call "parent parent" "type_conversion_expression") (#same? @call "parent parent type type"))
((type_identifier) @call
  (#at? @call "parent parent parent" "type_conversion_expression") (#same? @call "parent parent parent type type name"))
(composite_literal type: (type_identifier) @construct)
(composite_literal type: (qualified_type name: (type_identifier) @construct))
(composite_literal type: (generic_type type: (type_identifier) @construct))
(composite_literal type: (generic_type type: (qualified_type name: (type_identifier) @construct)))

; Writes

(assignment_statement left: (expression_list (identifier) @write))
(assignment_statement left: (expression_list (selector_expression field: (field_identifier) @write)))
(assignment_statement left: (expression_list (index_expression operand: (identifier) @write)))
(assignment_statement left: (expression_list (index_expression operand: (selector_expression field: (field_identifier) @write))))
(assignment_statement left: (expression_list (unary_expression operand: (identifier) @write)))
(inc_statement (identifier) @write)
(inc_statement (selector_expression field: (field_identifier) @write))
(dec_statement (identifier) @write)
(dec_statement (selector_expression field: (field_identifier) @write))
((identifier) @write
  (#at? @write "parent parent" "inc_statement" "dec_statement") (#same? @write "parent parent (_) operand"))
((field_identifier) @write
  (#at? @write "parent parent parent" "inc_statement" "dec_statement") (#same? @write "parent parent parent (_) operand field"))
((identifier) @write
  (#at? @write "parent parent parent parent" "assignment_statement") (#at? @write "parent parent parent next")
  (#same? @write "parent parent operand operand"))
(keyed_element key: (literal_element (identifier) @write))
((identifier) @read
  (#same? @read "parent parent key (_)")
  (#at? @read "parent parent parent parent type" "map_type" "slice_type" "array_type" "implicit_length_array_type"))
((identifier) @read
  (#same? @read "parent parent key (_)")
  (#at? @read "parent parent parent parent parent parent type element" "map_type" "slice_type" "array_type"))
((identifier) @read
  (#same? @read "parent parent key (_)")
  (#at? @read "parent parent parent parent parent parent parent type value" "map_type" "slice_type" "array_type"))

; Implementations

(field_declaration !name type: (type_identifier) @implementation)
(field_declaration !name type: (qualified_type name: (type_identifier) @implementation))
(interface_type (type_elem . (type_identifier) @implementation .))
(interface_type (type_elem . (qualified_type name: (type_identifier) @implementation) .))
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @implementation)))
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @implementation))))
(method_declaration receiver: (parameter_list (parameter_declaration type: (generic_type type: (type_identifier) @implementation))))
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (generic_type type: (type_identifier) @implementation)))))

; Definitions

(type_spec name: (type_identifier) @definition)
(type_alias name: (type_identifier) @definition)
(field_declaration name: (field_identifier) @definition)
(method_elem name: (field_identifier) @definition)
(function_declaration name: (identifier) @definition)
(method_declaration name: (field_identifier) @definition)
(const_spec name: (identifier) @definition)
(var_spec name: (identifier) @definition)
(short_var_declaration left: (expression_list (identifier) @definition))
(range_clause left: (expression_list (identifier) @definition))
(parameter_declaration name: (identifier) @definition)
(variadic_parameter_declaration name: (identifier) @definition)
(type_parameter_declaration name: (identifier) @definition)

; Around

(import_declaration) @within.import
(comment) @within.comment
(interpreted_string_literal) @within.string
(raw_string_literal) @within.string
((comment) @within.documentation . [(function_declaration) (method_declaration) (type_declaration) (const_declaration) (var_declaration) (package_clause)])
((comment) @within.documentation . (comment)* . [(function_declaration) (method_declaration) (type_declaration) (const_declaration) (var_declaration) (package_clause)])
((comment) @within.documentation . [(field_declaration) (method_elem) (const_spec) (var_spec) (type_spec)])
