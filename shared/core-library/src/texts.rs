//! Texts.

use dialect::{Failure, Function, Invocation, Limit, Value, show};

use crate::failure::{name, too_big, wrong_argument, wrong_element};
use crate::given::value;
use crate::pattern;
use crate::row::{Computed, pure};

pub(crate) fn rows() -> Vec<Function> {
    vec![
        pure(
            "join(list: List<any>, separator: string) -> string",
            "One string of strings, numbers and booleans, the separator between them.",
            join,
        )
        .foreign(["implode", "concatWith"])
        .example("[`a`, `b`].join(`, `)"),
        pure(
            "split(text: string, separator?: string) -> List<string>",
            "What stands between the separators; without one, the words between blanks.",
            split,
        )
        .foreign(["explode"])
        .docs("An empty separator gives each character.")
        .example("split(`src/auth/token.rs`, `/`)"),
        pure(
            "replace(text: string, part: string, by: string) -> string",
            "The text with each occurrence of the part replaced. The part is literal.",
            replace,
        )
        .foreign(["replaceAll", "gsub"])
        .example("replace(`a-b-c`, `-`, `_`)"),
        pure(
            "startsWith(text: string, part: string) -> boolean",
            "Whether the text starts with the part.",
            |it| Ok(it.arguments.text("text")?.starts_with(it.arguments.text("part")?).into()),
        )
        .foreign(["hasPrefix", "beginsWith"])
        .example("startsWith(`src/main.rs`, `src/`)"),
        pure(
            "endsWith(text: string, part: string) -> boolean",
            "Whether the text ends with the part.",
            |it| Ok(it.arguments.text("text")?.ends_with(it.arguments.text("part")?).into()),
        )
        .foreign(["hasSuffix"])
        .example("endsWith(`src/main.rs`, `.rs`)"),
        pure("lower(text: string) -> string", "The text in small letters.", |it| {
            Ok(it.arguments.text("text")?.to_lowercase().into())
        })
        .foreign([
            "lowercase",
            "toLowerCase",
            "toLower",
            "downcase",
            "lcase",
            "casefold",
            "toLocaleLowerCase",
        ])
        .example("lower(`User`)"),
        pure("upper(text: string) -> string", "The text in capitals.", |it| {
            Ok(it.arguments.text("text")?.to_uppercase().into())
        })
        .foreign(["uppercase", "toUpperCase", "toUpper", "upcase", "ucase", "toLocaleUpperCase"])
        .example("upper(`User`)"),
        pure("trim(text: string) -> string", "The text without blanks at its ends.", |it| {
            Ok(it.arguments.text("text")?.trim().into())
        })
        .foreign(["strip"])
        .example("trim(` User `)"),
        pure("toText(value: any) -> string", "A string as it is, anything else as JSON.", to_text)
            .foreign([
                "str",
                "string",
                "toString",
                "stringify",
                "JSON.stringify",
                "json.dumps",
                "repr",
                "toJson",
            ])
            .example("toText([1, 2])"),
    ]
}

fn join(invocation: &Invocation) -> Computed {
    let (list, separator) = (invocation.arguments.list("list")?, invocation.arguments.text("separator")?);
    let mut parts = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        parts.push(match item {
            Value::Text(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => show(item),
            found => {
                let failure = wrong_element("join", "strings, numbers and booleans", index, found);
                return Err(
                    failure.recovery("Make strings of them: list.map(x => toText(x)).join(…), or x.name")
                );
            }
        });
    }
    let length = parts.iter().map(|it| it.len() + separator.len()).sum::<usize>();
    check_length(invocation, length)?;
    Ok(parts.join(separator).into())
}

fn split(invocation: &Invocation) -> Computed {
    let text = invocation.arguments.text("text")?;
    let parts: Vec<Value> = match value(invocation, "separator") {
        Value::Text(separator) if separator.is_empty() => {
            text.chars().map(|it| it.to_string().into()).collect()
        }
        Value::Text(separator) => text.split(separator.as_str()).map(Value::from).collect(),
        _ => text.split_whitespace().map(Value::from).collect(),
    };
    Ok(parts.into())
}

fn replace(invocation: &Invocation) -> Computed {
    let arguments = &invocation.arguments;
    let (text, part, by) = (arguments.text("text")?, arguments.text("part")?, arguments.text("by")?);
    if part.is_empty() {
        let failure =
            Failure::raised(name::WRONG_ARGUMENT, "`part` of `replace` is empty, and that is everywhere");
        return Err(failure.argument("part").recovery("To put something in front: `…` + text"));
    }
    let count = text.matches(part).count();
    if count == 0 && pattern::would_match(text, part) {
        invocation.notes.add(format!(
            "`replace` takes its part literally, and there is no `{part}`; as a pattern it would match."
        ));
    }
    check_length(invocation, text.len().saturating_add(count.saturating_mul(by.len())))?;
    Ok(text.replace(part, by).into())
}

fn check_length(invocation: &Invocation, length: usize) -> Result<(), Failure> {
    let at_most = invocation.limits.value_bytes;
    if length <= at_most { Ok(()) } else { Err(too_big(Limit::ValueBytes, at_most)) }
}

fn to_text(invocation: &Invocation) -> Computed {
    match value(invocation, "value") {
        Value::Text(text) => Ok(text.as_str().into()),
        found @ Value::Function(_) => Err(wrong_argument("toText", "value", "data", found)),
        other => Ok(show(other).into()),
    }
}
