// The code of AiLang documents: definitions, and the statements of examples and bodies. Markdown around it is Markdown's.
// `(` and `[` continue an expression only directly behind it, so that a line can start with them.

const list = (rule) => optional(seq(rule, repeat(seq(",", rule)), optional(",")));
// Members of bodies stand on lines of their own, or have `,` or `;` between them.
const members = (rule) => repeat(seq(rule, optional(choice(",", ";"))));

module.exports = grammar({
  name: "ailang",
  extras: ($) => [/\s/, $.comment],
  word: ($) => $.name,
  conflicts: ($) => [
    [$._primary, $.lambda_parameter],
    [$._primary, $.field],
    [$._primary, $.shorthand],
    [$.block, $.object],
    [$._primary, $.field, $.shorthand],
  ],

  rules: {
    source: ($) => repeat($._item),
    _item: ($) => choice($.import, $._definition, $._statement),

    import: ($) => choice(
      seq("from", field("module", choice($.text, $.path)), "import", $.import_name, repeat(seq(",", $.import_name))),
      seq("import", choice(
        field("alias", $.name),
        seq("*", "as", field("alias", $.name)),
        seq("{", list($.import_name), "}")), "from", field("module", choice($.text, $.path)))),
    import_name: ($) => seq(field("name", $.name), optional(seq("as", field("alias", $.name)))),
    path: ($) => prec.left(seq($.name, repeat(seq(".", $.name)))),

    _definition: ($) => choice(
      $.type_definition, $.enum_definition, $.capability_definition, $.error_definition, $.tool_definition),
    type_definition: ($) => seq("type", field("name", $.name), optional($.type_parameters), "=", field("type", $._type)),
    type_parameters: ($) => seq("<", list($.name), ">"),
    enum_definition: ($) => seq("enum", field("name", $.name), "{", members($.variant), "}"),
    variant: ($) => seq(field("name", $.name), optional(seq("=", choice($.text, $.number)))),
    capability_definition: ($) => seq("capability", field("name", $.name), choice(
      seq("=", $.capabilities),
      seq("{", members(choice($.property, $.member)), "}"))),
    error_definition: ($) => prec.right(seq(
      "error", field("name", $.name), optional($.parameters), optional(seq("{", members($.property), "}")))),
    property: ($) => seq(field("name", $.name), "=", field("value", choice($._expression, $.scopes, $.choice))),
    scopes: ($) => choice(seq($.text, repeat1(seq("|", $.text))), seq("(", $.text, repeat1(seq("|", $.text)), ")")),
    tool_definition: ($) => prec.right(seq(
      "tool", field("name", $.name), $.parameters, optional(seq("->", field("returns", $._type))),
      repeat(choice($.requires, $.throws)), optional(field("body", $.block)))),
    requires: ($) => prec.right(seq("requires", $.capabilities, repeat(seq(",", $.capabilities)))),
    throws: ($) => prec.right(seq("throws", $.path, repeat(seq(",", $.path)))),
    capabilities: ($) => prec.left(seq($.capability, repeat(seq("&", $.capability)))),
    capability: ($) => choice(prec.right(seq($.path, optional($.arguments))), seq("(", $.capabilities, ")")),
    parameters: ($) => seq("(", choice("...", list($.parameter)), ")"),
    parameter: ($) => seq(field("name", $.name), optional("?"), optional(seq(":", field("type", $._type)))),

    _type: ($) => choice($.union, $._single_type),
    union: ($) => prec.left(1, seq($._type, "|", $._type)),
    _single_type: ($) => choice(
      $.type_name, $.list_type, $.struct, $.function_type, $.variant_type, $.choice, $.refined, $.array, $.literal),
    type_name: ($) => prec.right(seq($.path, optional(seq("<", list($._type), ">")))),
    list_type: ($) => seq("[", $._type, "]"),
    array: ($) => prec(3, seq($._single_type, token.immediate("["), "]")),
    struct: ($) => seq("{", members($.member), "}"),
    member: ($) => seq(field("name", choice($.name, $.text)), optional("?"), choice(
      seq(":", field("type", $._type)),
      prec.right(seq($.parameters, optional(seq("->", field("returns", $._type))))))),
    function_type: ($) => prec.right(seq($.parameters, "->", $._type)),
    variant_type: ($) => seq(field("name", $.name), token.immediate("("), list($.payload), ")"),
    payload: ($) => choice(seq(field("name", $.name), optional("?"), ":", $._type), $._type),
    choice: ($) => seq("choice", token.immediate("("), $._type, ")"),
    refined: ($) => prec.left(4, seq($._single_type, ".", field("name", $.name), field("arguments", $.arguments))),
    literal: ($) => choice($.text, $.number, $.boolean, $.null),

    _statement: ($) => choice(
      $.if, $.for, $.while, $.try, $.return, $.throw, $.assignment, $.block, "break", "continue",
      prec.right(seq($._expression, optional(";")))),
    block: ($) => prec(1, seq("{", repeat($._item), "}")),
    if: ($) => prec.right(seq("if", $._expression, $.block, optional(seq("else", choice($.if, $.block))))),
    for: ($) => seq("for", optional("("), optional(choice("const", "let")), $._target, choice("in", "of"), $._expression, optional(")"), $.block),
    _target: ($) => choice($.name, seq("[", list($.name), "]"), seq("{", list($.name), "}")),
    while: ($) => seq("while", $._expression, $.block),
    try: ($) => prec.right(seq("try", $.block, repeat($.catch), optional(seq("finally", $.block)))),
    catch: ($) => seq("catch", optional(seq(field("error", $.path), optional(seq(token.immediate("("), list($.name), ")")))), $.block),
    return: ($) => prec.right(seq("return", optional($._expression), optional(";"))),
    throw: ($) => prec.right(seq("throw", $._expression, optional(";"))),
    assignment: ($) => prec.right(seq(
      optional(choice("const", "let")), field("target", $._operand), choice("=", "+=", "-="), field("value", $._expression), optional(";"))),

    _expression: ($) => choice($.lambda, $.conditional, $._operand),
    _operand: ($) => choice($.binary, $.unary, $._postfix),
    lambda: ($) => prec.right(2, seq(choice($.name, seq("(", list($.lambda_parameter), ")")), "=>", choice($.block, $._expression))),
    lambda_parameter: ($) => seq(field("name", $.name), optional("?"), optional(seq(":", $._type))),
    conditional: ($) => prec.right(seq($._operand, "?", $._expression, ":", $._expression)),
    binary: ($) => choice(...[
      ["??"], ["||"], ["&&"], ["==", "!=", "===", "!=="], ["<", ">", "<=", ">=", "is", "in"], ["+", "-"], ["*", "/", "%"],
    ].map((operators, level) => prec.left(level + 5, seq($._operand, field("operator", choice(...operators)), $._operand)))),
    unary: ($) => prec(13, seq(field("operator", choice("!", "-", "+", "await")), $._operand)),
    _postfix: ($) => choice($.member_access, $.call, $.index, $._primary),
    member_access: ($) => prec.left(15, seq($._postfix, choice(".", "?."), field("name", $.name))),
    call: ($) => prec.left(16, seq(field("function", $._postfix), field("arguments", $.arguments))),
    index: ($) => prec.left(15, seq($._postfix, token.immediate("["), $._expression, "]")),
    _primary: ($) => choice(
      $.name, $.number, $.text, $.pattern, $.boolean, $.null, $.list, $.object, $.parenthesized),
    parenthesized: ($) => seq("(", $._expression, ")"),
    arguments: ($) => seq(token.immediate("("), list(choice($.named_argument, $.spread, $.declared, $._expression)), ")"),
    named_argument: ($) => seq(field("name", $.name), "=", field("value", $._expression)),
    declared: ($) => seq(field("name", $.name), ":", $._type),
    spread: ($) => prec.right(seq("...", optional($._expression))),
    list: ($) => seq("[", list(choice($.spread, $._expression)), "]"),
    object: ($) => seq("{", list(choice($.field, $.shorthand, $.spread)), "}"),
    field: ($) => seq(field("key", choice($.name, $.text)), ":", field("value", $._expression)),
    shorthand: ($) => $.name,

    null: (_) => "null",
    boolean: (_) => choice("true", "false"),
    name: (_) => /[A-Za-z_$][A-Za-z0-9_$]*/,
    number: (_) => /-?(0x[0-9a-fA-F]+|\d[\d_]*(\.\d+)?([eE][+-]?\d+)?)/,
    text: (_) => token(choice(/"([^"\\\n]|\\.)*"/, /'([^'\\\n]|\\.)*'/, /`([^`\\]|\\[\s\S])*`/)),
    pattern: (_) => token(prec(-1, /\/([^\/\\\n*\[]|\\.|\[([^\]\\\n]|\\.)*\])([^\/\\\n\[]|\\.|\[([^\]\\\n]|\\.)*\])*\/[a-z]*/)),
    comment: (_) => token(choice(/\/\/[^\n]*/, /\/\*([^*]|\*+[^*/])*\*+\//)),
  },
});
