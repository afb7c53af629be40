//! Portable names of character properties. The crate `regex` knows more spellings, which are mistakes
//! elsewhere.

const CATEGORIES: &[&str] = &[
    "C",
    "Cc",
    "Cf",
    "Cn",
    "Co",
    "L",
    "Ll",
    "Lm",
    "Lo",
    "Lt",
    "Lu",
    "M",
    "Mc",
    "Me",
    "Mn",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Pe",
    "Pf",
    "Pi",
    "Po",
    "Ps",
    "S",
    "Sc",
    "Sk",
    "Sm",
    "So",
    "Z",
    "Zl",
    "Zp",
    "Zs",
    "Letter",
    "Lowercase_Letter",
    "Uppercase_Letter",
    "Titlecase_Letter",
    "Modifier_Letter",
    "Other_Letter",
    "Mark",
    "Number",
    "Decimal_Number",
    "Punctuation",
    "Symbol",
    "Currency_Symbol",
    "Math_Symbol",
    "Separator",
    "Space_Separator",
    "Other",
    "Control",
];

const BINARY: &[&str] = &[
    "ASCII",
    "ASCII_Hex_Digit",
    "Alphabetic",
    "Any",
    "Assigned",
    "Cased",
    "Emoji",
    "Emoji_Presentation",
    "Extended_Pictographic",
    "Hex_Digit",
    "ID_Continue",
    "ID_Start",
    "Ideographic",
    "Lowercase",
    "Math",
    "Uppercase",
    "White_Space",
    "XID_Continue",
    "XID_Start",
];

/// Returns `true` for a portable name between the braces of `\p{…}`: `L`, `Alphabetic`, `Script=Greek`.
pub(super) fn is_portable(name: &str) -> bool {
    match name.split_once('=') {
        Some(("General_Category" | "gc", category)) => CATEGORIES.contains(&category),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", script)) => {
            script.split('_').all(is_capitalized)
        }
        Some(_) => false,
        None => CATEGORIES.contains(&name) || BINARY.contains(&name),
    }
}

fn is_capitalized(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_uppercase())
        && word.chars().all(|char| char.is_ascii_alphabetic())
}
