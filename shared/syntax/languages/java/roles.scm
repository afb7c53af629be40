; Types

(type_identifier) @type
(method_reference . (identifier) @read)
((method_invocation object: (identifier) @read))

; Calls

(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @construct)
(object_creation_expression type: (generic_type (type_identifier) @construct))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @construct .))
(method_reference (identifier) @construct "new")
(method_reference (field_access field: (identifier) @construct) "new")
((type_identifier) @construct
  (#at? @construct "parent" "scoped_type_identifier") (#at? @construct "parent parent" "generic_type")
  (#at? @construct "parent parent parent" "object_creation_expression") (#not-at? @construct "next"))
(marker_annotation name: (identifier) @call)
((identifier) @call
  (#at? @call "parent" "scoped_identifier") (#at? @call "parent parent" "marker_annotation" "annotation") (#not-at? @call "next"))
(annotation name: (identifier) @call)

; Writes

(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_access field: (identifier) @write))
(assignment_expression left: (array_access array: (identifier) @write))
((identifier) @write
  (#at? @write "parent parent parent" "assignment_expression") (#same? @write "parent parent parent left array field"))
((identifier) @write
  (#at? @write "parent parent parent" "assignment_expression") (#same? @write "parent parent parent left array array"))
((identifier) @write
  (#at? @write "parent parent parent parent" "assignment_expression")
  (#same? @write "parent parent parent parent left array array field"))
((identifier) @write (#at? @write "parent parent" "update_expression") (#same? @write "parent parent (_) array"))
((identifier) @write
  (#at? @write "parent parent parent" "update_expression") (#same? @write "parent parent parent (_) array field"))
(update_expression (identifier) @write)
(update_expression (field_access field: (identifier) @write))

; Implementations

(superclass (type_identifier) @implementation)
(superclass (generic_type (type_identifier) @implementation))
(superclass (scoped_type_identifier (type_identifier) @implementation .))
(super_interfaces (type_list (type_identifier) @implementation))
(super_interfaces (type_list (generic_type (type_identifier) @implementation)))
(super_interfaces (type_list (scoped_type_identifier (type_identifier) @implementation .)))
(extends_interfaces (type_list (type_identifier) @implementation))
(extends_interfaces (type_list (generic_type (type_identifier) @implementation)))
((type_identifier) @implementation
  (#at? @implementation "parent" "scoped_type_identifier") (#at? @implementation "parent parent" "type_list")
  (#at? @implementation "parent parent parent" "extends_interfaces") (#not-at? @implementation "next"))
((type_identifier) @implementation
  (#at? @implementation "parent" "scoped_type_identifier") (#at? @implementation "parent parent" "generic_type")
  (#at? @implementation "parent parent parent" "superclass") (#not-at? @implementation "next"))
((type_identifier) @implementation
  (#at? @implementation "parent" "scoped_type_identifier") (#at? @implementation "parent parent" "generic_type")
  (#at? @implementation "parent parent parent parent" "super_interfaces" "extends_interfaces") (#not-at? @implementation "next"))

; Definitions

(class_declaration name: (identifier) @definition)
(record_declaration name: (identifier) @definition)
(interface_declaration name: (identifier) @definition)
(annotation_type_declaration name: (identifier) @definition)
(enum_declaration name: (identifier) @definition)
(enum_constant name: (identifier) @definition)
(method_declaration name: (identifier) @definition)
(annotation_type_element_declaration name: (identifier) @definition)
(constructor_declaration name: (identifier) @definition)
(compact_constructor_declaration name: (identifier) @definition)
(variable_declarator name: (identifier) @definition)
(formal_parameter name: (identifier) @definition)
(catch_formal_parameter name: (identifier) @definition)
(enhanced_for_statement name: (identifier) @definition)
(resource name: (identifier) @definition)
(inferred_parameters (identifier) @definition)
(lambda_expression parameters: (identifier) @definition)
(type_parameter (type_identifier) @definition)

; Around

(import_declaration) @within.import
(package_declaration) @within.import
(line_comment) @within.comment
(block_comment) @within.comment
((block_comment) @within.documentation (#match? @within.documentation "^/\\*\\*"))
(string_literal) @within.string
(string_interpolation) @within.code
