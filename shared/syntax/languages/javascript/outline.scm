(field_definition property: (_) @name) @definition.property
((field_definition property: (_) @name) @definition.method
  (#at? @definition.method "value" "arrow_function" "function_expression") (#set! body.at "value body"))
(class_declaration (class_heritage (_) @base)) @of
