; Macros whose arguments read as items

((token_tree "fn" @definition.function . (identifier) @name . (token_tree) @body) (#set! visibility "private"))
((token_tree "fn" @definition.function . (identifier) @name . (token_tree) . (_)? . (_)? . (_)? . (token_tree) @body @end)
  (#match? @end "^\\{"))
((token_tree "#" . (token_tree) @attribute . "fn" @definition.function . (identifier) @name)
  (#match? @attribute "^\\[\\s*(\\w+\\s*::\\s*)*test\\b") (#set! test))
((token_tree "pub" . "fn" @definition.function . (identifier) @name) (#set! visibility "public"))
(token_tree "struct" @definition.struct . (identifier) @name . (_)? . (token_tree)? @end)
(token_tree "enum" @definition.enum . (identifier) @name . (token_tree)? @end)

; Macros that make a test of the name that they are given

((source_file (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function)
  (#match? @macro "test") (#set! test))
((source_file (expression_statement (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function))
  (#match? @macro "test") (#set! test))
((declaration_list (macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function)
  (#match? @macro "test") (#set! test))
