; Elements

(jsx_opening_element name: (identifier) @call)
(jsx_opening_element name: (member_expression property: (_) @call))
(jsx_self_closing_element name: (identifier) @call)
(jsx_self_closing_element name: (member_expression property: (_) @call))
(jsx_text) @within.string
