// Dialect programs. `(` and `[` continue an expression only directly behind it, so that a line can start with them.

const list = (rule) => optional(seq(rule, repeat(seq(",", rule)), optional(",")));

module.exports = grammar({
  name: "dialect",
  extras: ($) => [/[\s\uFEFF]/, $.comment],
  word: ($) => $.name,
  conflicts: ($) => [[$._primary, $.lambda_parameters]],

  rules: {
    program: ($) => seq(repeat(seq($.binding, optional(";"))), optional("return"), optional(seq($._expression, optional(";")))),
    binding: ($) => seq(optional(choice("let", "const", "var")), field("name", $.name), "=", field("value", $._expression)),

    _expression: ($) => choice($.lambda, $.conditional, $._operand),
    _operand: ($) => choice($.binary, $.unary, $._postfix),

    lambda: ($) => prec.right(seq(
      field("parameters", choice($.name, $.lambda_parameters)), "=>",
      field("body", choice($._expression, $.lambda_block)))),
    lambda_parameters: ($) => seq("(", list($.name), ")"),
    lambda_block: ($) => seq("{", "return", $._expression, optional(";"), "}"),
    conditional: ($) => prec.right(seq($._operand, "?", $._expression, ":", $._expression)),

    binary: ($) => choice(...[
      ["??"], ["||"], ["&&"], ["==", "!=", "===", "!=="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/", "%"],
    ].map((operators, level) => prec.left(level + 1, seq(
      $._operand, field("operator", choice(...operators)), $._operand)))),
    unary: ($) => prec(9, seq(field("operator", choice("!", "-", "await")), $._operand)),

    _postfix: ($) => choice($.member, $.method_call, $.index, $._primary),
    member: ($) => prec.left(10, seq($._postfix, choice(".", "?."), field("name", $.name))),
    method_call: ($) => prec.left(11, seq(
      $._postfix, choice(".", "?."), field("name", $.name), field("arguments", $.arguments))),
    index: ($) => prec.left(10, seq($._postfix, choice(token.immediate("["), seq("?.", "[")), $._expression, "]")),

    _primary: ($) => choice(
      $.call, $.name, $.number, $.text, $.list, $.object, $.parenthesized, $.null, $.boolean),
    call: ($) => prec(11, seq(field("function", $.name), field("arguments", $.arguments))),
    parenthesized: ($) => seq("(", $._expression, ")"),
    arguments: ($) => seq(token.immediate("("), list(choice($.named_argument, $._expression)), ")"),
    named_argument: ($) => seq(field("name", $.name), choice("=", ":"), field("value", $._expression)),
    list: ($) => seq("[", list(choice($.spread, $._expression)), "]"),
    spread: ($) => seq("...", $._expression),
    object: ($) => seq("{", list(choice($.field, $.name)), "}"),
    field: ($) => seq(field("key", choice($.name, $.text, $.number)), ":", field("value", $._expression)),

    null: (_) => "null",
    boolean: (_) => choice("true", "false", "True", "False"),
    name: (_) => /[\p{Alphabetic}_$][\p{Alphabetic}\p{Nd}_$]*/,
    number: (_) => /\d+(\.\d+)?([eE][+-]?\d+)?/,
    text: (_) => token(choice(/`[^`]*`/, /"([^"\\\n]|\\.)*"/, /'([^'\\\n]|\\.)*'/)),
    comment: (_) => token(choice(/\/\/[^\n]*/, /\/\*([^*]|\*+[^*/])*\*+\//)),
  },
});
