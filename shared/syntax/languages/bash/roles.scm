; Calls

(command name: (command_name (word) @call))

; Writes

(variable_assignment name: (variable_name) @write)
(for_statement variable: (variable_name) @write)
(unset_command (variable_name) @write)

; Definitions

(program (variable_assignment name: (variable_name) @definition))
(program (declaration_command (variable_assignment name: (variable_name) @definition)))
(declaration_command "local" (variable_assignment name: (variable_name) @definition))
(function_definition name: (word) @definition)

; Around

((command name: (command_name (word) @command)) @within.import (#any-of? @command "source" "."))
(comment) @within.comment
((comment) @within.documentation . (function_definition))
((comment) @within.documentation . (comment)* . (function_definition))
(string) @within.string
(raw_string) @within.string
(heredoc_body) @within.string
(simple_expansion) @within.code
(expansion) @within.code
(command_substitution) @within.code
