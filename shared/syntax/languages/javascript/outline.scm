((field_definition property: (_) @name) @definition.property (#set! value.at "value"))
((field_definition property: (_) @name) @definition.method
  (#at? @definition.method "value" "arrow_function" "function_expression") (#set! body.at "value body"))
(class_declaration (class_heritage (_) @base)) @of
((class (class_heritage (_) @base)) @class (#set! of.at "parent"))
