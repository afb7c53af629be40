; Definitions

(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
((compilation_unit (file_scoped_namespace_declaration name: (_) @name) @definition.namespace)
  (#set! body.at "next") (#set! end.at "parent"))
((class_declaration) @definition.class (#set! name.at "name") (#set! body.at "body"))
((struct_declaration) @definition.struct (#set! name.at "name") (#set! body.at "body"))
((record_declaration) @definition.class (#set! name.at "name") (#set! body.at "body"))
((record_declaration) @definition.struct
  (#at? @definition.struct "(struct)") (#set! name.at "name") (#set! body.at "body"))
((interface_declaration) @definition.interface (#set! name.at "name") (#set! body.at "body"))
((enum_declaration) @definition.enum (#at? @definition.enum "body") (#set! name.at "name") (#set! body.at "body"))
((enum_member_declaration name: (identifier) @name) @definition.enumMember (#set! visibility "inherited"))
((delegate_declaration) @definition.type (#set! name.at "name"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
((field_declaration (modifier) @modifier (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @modifier "const"))
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
((event_declaration) @definition.event (#set! name.at "name") (#set! body.at "accessors"))
((property_declaration) @definition.property (#set! name.at "name") (#set! body.at "accessors"))
((property_declaration) @definition.property
  (#at? @definition.property "value" "arrow_expression_clause") (#set! name.at "name") (#set! body.at "value"))
((indexer_declaration) @definition.property (#set! name.at "(this)") (#set! name "this[]") (#set! body.at "accessors"))
((indexer_declaration) @definition.property
  (#at? @definition.property "value") (#set! name.at "(this)") (#set! name "this[]") (#set! body.at "value"))
((operator_declaration) @definition.method
  (#set! name.at "(operator)") (#set! name.to.at "operator") (#set! body.at "body"))
((conversion_operator_declaration) @definition.method
  (#set! name.at "(operator)") (#set! name.to.at "type") (#set! body.at "body"))
((destructor_declaration) @definition.method
  (#set! name.at "(~)") (#set! name.to.at "name") (#set! body.at "body"))
((method_declaration) @definition.method (#set! name.at "name") (#set! body.at "body"))
((constructor_declaration) @definition.constructor (#set! name.at "name") (#set! body.at "body"))
((local_function_statement) @definition.function
  (#at? @definition.function "body") (#set! name.at "name") (#set! body.at "body"))
((parameter) @definition.property (#at? @definition.property "parent parent" "record_declaration")
  (#set! name.at "name") (#set! visibility "public"))
((base_list (_) @base) @bases
  (#not-at? @base "" "argument_list")
  (#at? @bases "parent" "class_declaration" "struct_declaration" "record_declaration" "interface_declaration") (#set! of.at "parent"))
((comment) @lead (#match? @lead "^(///|/\\*\\*)"))
(attribute_list) @lead

; Visibility

((compilation_unit (_) @of) (#set! visibility "package"))
((namespace_declaration body: (declaration_list (_) @of)) (#set! visibility "package"))
((declaration_list (_) @of) @members (#at? @members "parent" "interface_declaration") (#set! visibility "public"))
((namespace_declaration) @of (#set! visibility "public"))
((file_scoped_namespace_declaration) @of (#set! visibility "public"))
((modifier) @modifier (#eq? @modifier "private") (#set! of.at "parent") (#set! visibility "private"))
((modifier) @modifier (#eq? @modifier "protected") (#set! of.at "parent") (#set! visibility "protected"))
((modifier) @modifier (#eq? @modifier "internal") (#set! of.at "parent") (#set! visibility "package"))
((modifier) @modifier (#eq? @modifier "public") (#set! of.at "parent") (#set! visibility "public"))

; Tests

((attribute name: (_) @attribute) @mark (#at? @mark "parent parent" "method_declaration")
  (#match? @attribute "(^|\\.)(Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|SetUp|TearDown|OneTimeSetUp|OneTimeTearDown|TestInitialize|TestCleanup|Property)(Attribute)?$")
  (#set! of.at "parent parent") (#set! test))
((attribute name: (_) @attribute) @mark (#at? @mark "parent parent" "class_declaration")
  (#match? @attribute "(^|\\.)(TestFixture|TestClass)(Attribute)?$") (#set! of.at "parent parent") (#set! test))
