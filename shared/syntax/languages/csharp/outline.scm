; Definitions

(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.struct
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
((enum_member_declaration name: (identifier) @name) @definition.enumMember (#set! visibility "inherited"))
(delegate_declaration name: (identifier) @name) @definition.type
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
((field_declaration (modifier) @modifier (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @modifier "const"))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
(event_declaration name: (identifier) @name) @definition.event
(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.constructor
(local_function_statement name: (identifier) @name body: (_) @body) @definition.function
((record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property)) (#set! visibility "public"))
(class_declaration (base_list (_) @base)) @of
(struct_declaration (base_list (_) @base)) @of
(record_declaration (base_list (_) @base)) @of
(interface_declaration (base_list (_) @base)) @of
((comment) @lead (#match? @lead "^(///|/\\*\\*)"))
(attribute_list) @lead

; Visibility

((compilation_unit (_) @of) (#set! visibility "package"))
((namespace_declaration body: (declaration_list (_) @of)) (#set! visibility "package"))
((interface_declaration body: (declaration_list (_) @of)) (#set! visibility "public"))
((namespace_declaration) @of (#set! visibility "public"))
((_ (modifier) @modifier) @of (#eq? @modifier "private") (#set! visibility "private"))
((_ (modifier) @modifier) @of (#eq? @modifier "protected") (#set! visibility "protected"))
((_ (modifier) @modifier) @of (#eq? @modifier "internal") (#set! visibility "package"))
((_ (modifier) @modifier) @of (#eq? @modifier "public") (#set! visibility "public"))

; Tests

((method_declaration (attribute_list (attribute name: (_) @attribute))) @of
  (#match? @attribute "(^|\\.)(Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|SetUp|TearDown|OneTimeSetUp|OneTimeTearDown|TestInitialize|TestCleanup|Property)(Attribute)?$")
  (#set! test))
((class_declaration (attribute_list (attribute name: (_) @attribute))) @of
  (#match? @attribute "(^|\\.)(TestFixture|TestClass)(Attribute)?$") (#set! test))
