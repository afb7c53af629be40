; Types

(type_identifier) @type
(sizeof_expression value: (parenthesized_expression (identifier) @read))

; Calls

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (parenthesized_expression (pointer_expression argument: (identifier) @call)))
((preproc_arg) @unread (#at? @unread "parent" "preproc_def" "preproc_function_def"))

; Writes

(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_expression field: (field_identifier) @write))
(assignment_expression left: (pointer_expression argument: (identifier) @write))
(assignment_expression left: (subscript_expression argument: (identifier) @write))
(assignment_expression left: (subscript_expression argument: (field_expression field: (field_identifier) @write)))
(update_expression argument: (identifier) @write)
(update_expression argument: (field_expression field: (field_identifier) @write))
(initializer_pair designator: (field_designator (field_identifier) @write))

; Definitions

(struct_specifier name: (type_identifier) @definition body: (_))
(union_specifier name: (type_identifier) @definition body: (_))
(enum_specifier name: (type_identifier) @definition body: (_))
(enumerator name: (identifier) @definition)
(field_declaration declarator: (field_identifier) @definition)
(type_definition declarator: (type_identifier) @definition)
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @definition))
(function_declarator declarator: (identifier) @definition)
(function_declarator declarator: (type_identifier) @definition)
(function_declarator declarator: (field_identifier) @definition)
(function_declarator declarator: (parenthesized_declarator (identifier) @definition))
(function_declarator declarator: (parenthesized_declarator (type_identifier) @definition))
((identifier) @call (#at? @call "parent" "function_declarator") (#at? @call "parent parent parent" "labeled_statement"))
((type_identifier) @read (#at? @read "parent parent parent parent parent" "labeled_statement"))
(compound_literal_expression type: (type_descriptor type: (type_identifier) @construct))
(compound_literal_expression type: (type_descriptor type: (struct_specifier name: (type_identifier) @construct)))
(compound_literal_expression type: (type_descriptor type: (union_specifier name: (type_identifier) @construct)))
(pointer_declarator declarator: (identifier) @definition)
(pointer_declarator declarator: (field_identifier) @definition)
(pointer_declarator declarator: (type_identifier) @definition)
(array_declarator declarator: (identifier) @definition)
(array_declarator declarator: (field_identifier) @definition)
(init_declarator declarator: (identifier) @definition)
(declaration declarator: (identifier) @definition)
(parameter_declaration declarator: (identifier) @definition)
((identifier) @definition (#at? @definition "parent" "parameter_list"))
(preproc_def name: (identifier) @definition)
(preproc_function_def name: (identifier) @definition)
(preproc_params (identifier) @definition)

; Around

(comment) @within.comment
((comment) @within.documentation (#match? @within.documentation "^(/\\*[*!]|//[/!])"))
(string_literal) @within.string
(preproc_include path: (_) @within.import)
