//! Comments of documentation.

use std::fmt::Write as _;

/// Returns a comment with tags such as `@throws`; `None` without words.
pub(super) fn documentation(words: &str, tags: &[String]) -> Option<String> {
    let mut text = String::new();
    comment(&mut text, "", words, tags);
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

/// Writes a comment of documentation.
pub(super) fn comment(text: &mut String, indent: &str, words: &str, tags: &[String]) {
    let clean = |it: &str| it.replace("*/", "*\\/");
    let lines: Vec<String> = words.lines().chain(tags.iter().map(String::as_str)).map(clean).collect();
    match &lines[..] {
        [] => {}
        [line] => {
            let _ = writeln!(text, "{indent}/** {line} */");
        }
        lines => {
            let _ = writeln!(text, "{indent}/**");
            for line in lines {
                let _ = writeln!(text, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(text, "{indent} */");
        }
    }
}
