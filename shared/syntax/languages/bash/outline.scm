; Definitions

(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))
((program (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @definition.constant)))
(function_definition name: (word) @name body: (_) @body) @definition.function
(declaration_command (variable_assignment) @wrapped) @wrapper
(comment) @lead

; Tests: those of bats read as a command before a block

((command name: (command_name) @word argument: (string) @name . argument: (word) @body) @definition.function
  (#eq? @word "@test") (#set! test))
