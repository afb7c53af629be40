; Types

(namespace_identifier) @read

; Calls

(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @call)))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @call)))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (template_function name: (identifier) @call))))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (identifier) @call))))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (template_function name: (identifier) @call)))))
(call_expression function: (field_expression field: (dependent_name (template_method name: (field_identifier) @call))))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @call)))
(new_expression type: (type_identifier) @construct)
(new_expression type: (qualified_identifier name: (type_identifier) @construct))
(new_expression type: (template_type name: (type_identifier) @construct))
(new_expression type: (qualified_identifier name: (template_type name: (type_identifier) @construct)))
(new_expression type: (qualified_identifier name: (qualified_identifier name: (type_identifier) @construct)))
(new_expression type: (qualified_identifier name: (qualified_identifier name: (template_type name: (type_identifier) @construct))))
(compound_literal_expression type: (type_identifier) @construct)
(compound_literal_expression type: (template_type name: (type_identifier) @construct))
(compound_literal_expression type: (qualified_identifier name: (type_identifier) @construct))
(compound_literal_expression type: (qualified_identifier name: (template_type name: (type_identifier) @construct)))
(compound_literal_expression type: (qualified_identifier name: (qualified_identifier name: (type_identifier) @construct)))

; Writes

(field_initializer (field_identifier) @write)

; Implementations

(base_class_clause (type_identifier) @implementation)
(base_class_clause (template_type name: (type_identifier) @implementation))
(base_class_clause (qualified_identifier name: (type_identifier) @implementation))
(base_class_clause (qualified_identifier name: (template_type name: (type_identifier) @implementation)))
(base_class_clause (qualified_identifier name: (qualified_identifier name: (type_identifier) @implementation)))
(base_class_clause (qualified_identifier name: (qualified_identifier name: (template_type name: (type_identifier) @implementation))))
(base_class_clause (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: (type_identifier) @implementation))))

; Definitions

(class_specifier name: (type_identifier) @definition body: (_))
(alias_declaration name: (type_identifier) @definition)
(concept_definition name: (identifier) @definition)
(namespace_definition name: (namespace_identifier) @definition)
(function_declarator declarator: (qualified_identifier name: (identifier) @definition))
(function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @definition)))
(function_declarator declarator: (qualified_identifier scope: (namespace_identifier) @implementation))
(reference_declarator (identifier) @definition)
(type_parameter_declaration (type_identifier) @definition)
(for_range_loop declarator: (identifier) @definition)

; Around

(using_declaration) @within.import
(raw_string_literal) @within.string
