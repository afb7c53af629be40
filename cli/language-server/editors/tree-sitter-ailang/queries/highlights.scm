(comment) @comment
(text) @string
(pattern) @string.regexp
(number) @number
[(null) (boolean)] @constant.builtin
(name) @variable
(type_definition name: (name) @type)
(type_parameters (name) @type)
(type_name (path (name) @type))
(enum_definition name: (name) @type)
(variant name: (name) @constant)
(variant_type name: (name) @constructor)
(capability_definition name: (name) @type)
(capability (path (name) @type))
(error_definition name: (name) @type)
(throws (path (name) @type))
(catch error: (path (name) @type))
(tool_definition name: (name) @function)
(parameter name: (name) @variable.parameter)
(lambda_parameter name: (name) @variable.parameter)
(named_argument name: (name) @variable.parameter)
(member name: (name) @property)
(property name: (name) @property)
(field key: (name) @property)
(member_access name: (name) @property)
(refined name: (name) @function.method)
(call function: (name) @function)
(call function: (member_access name: (name) @function.method))
[
  "type" "enum" "capability" "error" "tool" "requires" "throws" "from" "import" "as" "if" "else" "for" "in" "of"
  "while" "try" "catch" "finally" "return" "throw" "break" "continue" "const" "let" "await" "is" "choice"
] @keyword
(binary operator: _ @operator)
(unary operator: _ @operator)
["=" "=>" "->" "?" "..." "|" "&" "+=" "-="] @operator
["(" ")" "[" "]" "{" "}" "<" ">"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
