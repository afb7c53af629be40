(field_definition property: (_) @name) @definition.property
((field_definition property: (private_property_identifier)) @of (#set! visibility "private"))
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(class_declaration (class_heritage (_) @base)) @of
