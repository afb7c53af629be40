//! Documents in which words of the languages are names, at each position where a name may stand.

/// Keywords, built-in names, and names of helpers of the languages.
const WORDS: &[&str] = &[
    "list",
    "int",
    "str",
    "dict",
    "len",
    "float",
    "bool",
    "type",
    "object",
    "set",
    "map",
    "range",
    "id",
    "super",
    "self",
    "none",
    "string",
    "error",
    "nil",
    "append",
    "make",
    "new",
    "copy",
    "delete",
    "func",
    "chan",
    "any",
    "float64",
    "int64",
    "byte",
    "json",
    "fmt",
    "math",
    "re",
    "time",
    "decode",
    "optional",
    "required",
    "value",
    "vec",
    "option",
    "some",
    "box",
    "result",
    "ok",
    "err",
    "crate",
    "fields",
    "text",
    "number",
    "array",
    "promise",
    "record",
    "undefined",
    "this",
    "constructor",
    "z",
    "schemas",
    "function",
    "struct",
    "member",
    "decoder",
    "reader",
    "check",
    "problem",
    "valid",
    "context",
    "runtime",
    "params",
    "model_fields",
    "validate",
    "capability",
    "arguments",
    "date",
    "field",
    "union",
    "literal",
    "data",
];

/// A position of names, with the text for each of them and the text around all.
struct Position {
    name: &'static str,
    start: &'static str,
    one: &'static str,
    between: &'static str,
    end: &'static str,
}

/// In `one`, `_` stands for the name and `^` for the name with a capital.
const POSITIONS: &[Position] = &[
    Position {
        name: "fields",
        start: "type All = { ",
        one: "\"_\"?: List<int>, \"^\"?: Dict<string, string.nonEmpty()>",
        between: ", ",
        end: " }\n",
    },
    Position {
        name: "types",
        start: "",
        one: "type ^ = { a: int, next?: ^, many: List<^> }\n",
        between: "",
        end: "",
    },
    Position { name: "tools", start: "", one: "tool _(a: int) -> List<int>\n", between: "", end: "" },
    Position {
        name: "parameters",
        start: "tool all(",
        one: "_?: List<int>",
        between: ", ",
        end: ") -> Dict<string, List<int>>\n",
    },
    Position { name: "variants", start: "type All = ", one: "^(a: int)", between: " | ", end: "\n" },
    Position {
        name: "payloads",
        start: "type All = Only(",
        one: "_?: List<int>",
        between: ", ",
        end: ") | Other(a: int)\n",
    },
    Position { name: "constants", start: "enum All { ", one: "^", between: ", ", end: " }\n" },
    Position { name: "errors", start: "tool fail() -> int throws ", one: "^", between: ", ", end: "\n" },
];

/// Names that are types of documents themselves, or that others of the words are already.
const NOT_TYPES: &[&str] =
    &["list", "dict", "map", "option", "result", "int", "string", "bool", "number", "any", "error"];

/// Returns a document for each position, with its name.
pub(crate) fn documents() -> Vec<(String, String)> {
    POSITIONS.iter().map(|position| (position.name.to_owned(), document(position))).collect()
}

fn document(position: &Position) -> String {
    let is_type = ["types", "errors", "variants"].contains(&position.name);
    let words: Vec<&str> = WORDS.iter().copied().filter(|it| !is_type || !NOT_TYPES.contains(it)).collect();
    let each = |pattern: &str, between: &str| -> String {
        let one =
            |word: &&str| pattern.replace('_', "\u{0}").replace('^', &capital(word)).replace('\u{0}', word);
        words.iter().map(one).collect::<Vec<_>>().join(between)
    };
    let errors = if position.name == "errors" {
        each(
            "error ^(_: List<int>, a: int) { message = \"${_} ${a - 1}\", recovery = \"Wait.\", retryable = true }\n",
            "",
        )
    } else {
        String::new()
    };
    format!(
        "---\nid: names-{}\ntitle: Names\nsummary: Words of the languages as names.\n---\n\n<define>\n\n```typescript\n{errors}{}{}{}```\n\n</define>\n",
        position.name,
        position.start,
        each(position.one, position.between),
        position.end,
    )
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}
