(comment) @comment
(text) @string
(number) @number
[(null) (boolean)] @constant.builtin
(name) @variable
(lambda parameters: (name) @variable.parameter)
(lambda_parameters (name) @variable.parameter)
(named_argument name: (name) @variable.parameter)
(member name: (name) @property)
(field key: (name) @property)
(method_call name: (name) @function.method)
(call function: (name) @function)
["let" "const" "var" "return" "await"] @keyword
(binary operator: _ @operator)
(unary operator: _ @operator)
["=" "=>" "?" "..." "." "?."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
