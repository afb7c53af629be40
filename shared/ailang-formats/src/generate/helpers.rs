//! Helpers of generated code, of which a file has those that it uses.

/// The start of the line before each helper. The rest of the line has the texts that call it.
const MARK: &str = "==> ";

/// Returns the helpers that code needs, and those that these need, in their order.
pub(super) fn needed(all: &str, code: &str) -> String {
    let helpers: Vec<(Vec<&str>, &str)> = all
        .split(MARK)
        .filter_map(|it| it.split_once('\n'))
        .map(|(calls, helper)| (calls.split(' ').collect(), helper))
        .collect();
    let mut is_needed = vec![false; helpers.len()];
    let mut texts = vec![without_texts(code)];
    while let Some(text) = texts.pop() {
        for (at, (calls, helper)) in helpers.iter().enumerate() {
            if !is_needed[at] && calls.iter().any(|call| mentions(&text, call)) {
                is_needed[at] = true;
                texts.push(without_texts(helper));
            }
        }
    }
    let needed = helpers.iter().zip(&is_needed).filter(|(_, is_needed)| **is_needed);
    needed.map(|((_, helper), _)| *helper).collect::<Vec<_>>().join("\n")
}

/// Returns `true` if a text has a call, or a name as a whole word, that is no member of something.
pub(super) fn mentions(text: &str, call: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let ends_word = call.ends_with(is_part);
    text.match_indices(call).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + call.len()..]);
        let is_inside = before.ends_with(is_part) || before.ends_with('.') && !call.contains('.');
        (call.starts_with('.') || !is_inside) && !(ends_word && after.starts_with(is_part))
    })
}

/// Returns code without its comments and texts, whose words call nothing.
pub(super) fn without_texts(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    for line in code.lines() {
        let (mut rest, mut quote) = (line, None);
        while let Some(char) = rest.chars().next() {
            let mut length = char.len_utf8();
            match (char, quote) {
                ('\\', Some('"')) => length += rest[length..].chars().next().map_or(0, char::len_utf8),
                (char, Some(open)) if char == open => quote = None,
                (_, Some(_)) => {}
                ('"' | '`', None) => quote = Some(char),
                ('/', None) if rest.starts_with("//") => break,
                (char, None) => kept.push(char),
            }
            rest = &rest[length..];
        }
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_called_is_needed() {
        let all = "==> one(\nfn one() { two() }\n==> two( Two\nfn two() {}\n==> three(\nfn three() {}\n";
        assert_eq!(needed(all, "one()"), "fn one() { two() }\n\nfn two() {}\n");
        assert_eq!(needed(all, "Two"), "fn two() {}\n");
        for code in ["done() it.one() Twofold", "// one()", "\"one(\\\"two(\" `three(`"] {
            assert_eq!(needed(all, code), "", "{code}");
        }
    }
}
