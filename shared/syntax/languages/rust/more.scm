; Macros whose arguments read as items

((token_tree "fn" @definition.function . (identifier) @name . (token_tree) @body) (#set! visibility "private"))
((token_tree "fn" @definition.function . (identifier) @name . (token_tree) . (_)? . (_)? . (_)? . (token_tree) @body @end)
  (#match? @end "^\\{"))
((token_tree "#" . (token_tree) @attribute . "fn" @definition.function . (identifier) @name)
  (#match? @attribute "^\\[\\s*(\\w+\\s*::\\s*)*test\\b") (#set! test))
((token_tree "pub" . "fn" @definition.function . (identifier) @name) (#set! visibility "public"))
(token_tree "struct" @definition.struct . (identifier) @name . (_)? . (token_tree)? @end)
(token_tree "enum" @definition.enum . (identifier) @name . (token_tree)? @end)

; Macros that make a test of the name that they are given, or of each name

((macro_invocation macro: (_) @macro (token_tree . (identifier) @name) @body) @definition.function
  (#match? @macro "test") (#says? @name "before" "(" "{" "[") (#not-says? @name "after" ":" "=>")
  (#at? @definition.function "parent" "source_file" "declaration_list" "expression_statement")
  (#not-at? @definition.function "parent parent" "block") (#set! test))
((macro_invocation macro: (_) @macro (token_tree) @entries) @definition.function
  (#match? @macro "test")
  (#at? @definition.function "parent" "source_file" "declaration_list" "expression_statement")
  (#not-at? @definition.function "parent parent" "block") (#set! test) (#set! entries "blocks"))
((macro_invocation macro: (_) @macro (token_tree) @entries) @definition.function
  (#match? @macro "tests|test_cases")
  (#at? @definition.function "parent" "source_file" "declaration_list" "expression_statement")
  (#not-at? @definition.function "parent parent" "block") (#set! test))
((macro_invocation macro: (_) @macro) @test
  (#match? @macro "(^|_)tests?(_|$)") (#at? @test "parent" "source_file" "declaration_list" "expression_statement")
  (#not-at? @test "parent parent" "block"))
