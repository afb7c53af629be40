; Definitions

((module (expression_statement (assignment left: (identifier) @name) @definition.variable))
  (#set! value.at "right"))
((module (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable))
  (#set! value.at "right"))
((module (expression_statement (assignment left: (identifier) @name) @definition.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$") (#set! value.at "right"))
((class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
  (#set! value.at "right"))
(type_alias_statement left: (type (identifier) @name)) @definition.type
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base)) @of
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition body: (block (function_definition name: (identifier) @name body: (_) @body) @definition.method))
(class_definition body: (block (decorated_definition
  definition: (function_definition name: (identifier) @name body: (_) @body) @definition.method)))
((class_definition body: (block (decorated_definition (decorator (_) @decorator)
  definition: (function_definition name: (identifier) @name body: (_) @body) @definition.property)))
  (#match? @decorator "^(\\w+\\.)*(property|cached_property|setter|getter)$|\\.setter$"))
((class_definition body: (block (function_definition name: (identifier) @name body: (_) @body) @definition.constructor))
  (#eq? @name "__init__"))
(decorated_definition definition: (_) @wrapped) @wrapper
(expression_statement (assignment) @wrapped) @wrapper

; Visibility

((class_definition name: (identifier) @own) @of (#match? @own "^_") (#set! visibility "private"))
((function_definition name: (identifier) @own) @of
  (#match? @own "^_") (#not-match? @own "^__.*__$") (#set! visibility "private"))
((assignment left: (identifier) @own) @of
  (#match? @own "^_") (#not-match? @own "^__.*__$") (#set! visibility "private"))

; Tests

((class_definition superclasses: (argument_list [(identifier) (attribute)] @parent)) @of
  (#match? @parent "TestCase$") (#set! test))
((decorated_definition (decorator) @decorator definition: (_) @of)
  (#match? @decorator "^@(pytest\\.|unittest\\.|hypothesis\\.|given\\b|parameterized\\b|patch\\b)") (#set! test))
