//! Portable patterns for the named forms of text, equal to `Refinement::holds`.

/// Digits in groups of 8, 4, 4, 4 and 12.
pub const UUID: &str = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";

/// A URL without a host, of a scheme that requires one.
pub const WITHOUT_HOST: &str = "^(https?|wss?|ftp):(/?$|/?[^/])";

/// Blanks and control characters, in a class.
const BLANK: &str = "\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/// Returns the pattern of `local@label.label`; another keyword limits the length.
pub fn email() -> String {
    let local = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+";
    let label = "[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?";
    format!("^{local}(\\.{local})*@{label}(\\.{label})+$")
}

/// Returns the pattern of `scheme:rest`. A host follows `//`, except for files.
pub fn url() -> String {
    let scheme = "[a-z][a-z0-9+.-]*";
    let rest = format!("[^{BLANK}]");
    let host = format!("//[^/?#:{BLANK}]{rest}*");
    let path = format!("(/?[^/{BLANK}]{rest}*|/)");
    format!("^(file://{rest}+|{scheme}:({host}|{path}))$")
}

/// Escapes a text for use in a pattern.
pub fn escaped(text: &str) -> String {
    let is_syntax = |char: &char| "^$\\.*+?()[]{}|".contains(*char);
    text.chars().flat_map(|char| is_syntax(&char).then_some('\\').into_iter().chain([char])).collect()
}

/// Removes the names of groups: they mean nothing in a schema, and some readers have another syntax for them.
pub(super) fn without_group_names(pattern: &str) -> String {
    let (mut out, mut rest, mut in_class) = (String::new(), pattern, false);
    while let Some(char) = rest.chars().next() {
        let mut length = char.len_utf8();
        match char {
            '\\' => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        if rest.starts_with("\\0") {
            // Not every reader of schemas takes the short form.
            out.push_str("\\x00");
            rest = &rest[length..];
            continue;
        }
        let name = rest.strip_prefix("(?<").filter(|it| !in_class && !it.starts_with(['=', '!']));
        if let Some((_, behind)) = name.and_then(|it| it.split_once('>')) {
            out.push('(');
            rest = behind;
        } else {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lose_their_names() {
        for (pattern, expected) in [
            ("^(?<year>\\d{4})-(?<m>\\d)$", "^(\\d{4})-(\\d)$"),
            ("[(?<a>]\\(?<b>", "[(?<a>]\\(?<b>"),
            ("(?:é)(a)", "(?:é)(a)"),
        ] {
            assert_eq!(without_group_names(pattern), expected);
        }
    }
}
