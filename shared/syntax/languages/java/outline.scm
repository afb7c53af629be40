; Definitions

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
((enum_constant name: (identifier) @name body: (_)? @body) @definition.enumMember (#set! visibility "inherited"))
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
((record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
  (#set! visibility "public"))
((field_declaration (modifiers) @modifiers declarator: (variable_declarator name: (identifier) @name)) @definition.constant
  (#match? @modifiers "static[\\s\\S]*final|final[\\s\\S]*static"))
((object_creation_expression) @definition.class
  (#at? @definition.class "(class_body)")
  (#set! name.at "(new)") (#set! name.to.at "type") (#set! body.at "(class_body)")
  (#set! visibility "private") (#set! expression))

((object_creation_expression type: (_) @base) @of (#at? @of "(class_body)"))
(class_declaration superclass: (superclass (_) @base)) @of
(class_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(enum_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(record_declaration interfaces: (super_interfaces (type_list (_) @base))) @of
(interface_declaration (extends_interfaces (type_list (_) @base))) @of
(block_comment) @lead
(marker_annotation) @lead
(annotation) @lead

; Visibility

((interface_body (_) @of) (#set! visibility "public"))
((annotation_type_body (_) @of) (#set! visibility "public"))
((_ (modifiers "public")) @of (#set! visibility "public"))
((_ (modifiers "protected")) @of (#set! visibility "protected"))
((_ (modifiers "private")) @of (#set! visibility "private"))

; Tests

((method_declaration (modifiers [(marker_annotation name: (_) @annotation) (annotation name: (_) @annotation)])) @of
  (#match? @annotation "(^|\\.)(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|BeforeEach|AfterEach|BeforeAll|AfterAll|Before|After|Given|When|Then)$")
  (#set! test))
((class_declaration superclass: (superclass (_) @parent)) @of (#match? @parent "TestCase$") (#set! test))
