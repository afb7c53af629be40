//! Comments of documentation in the form that `gofmt` gives them.

/// Returns the lines of a comment, without `//`. `gofmt` changes none of them.
pub(super) fn lines(docs: &str) -> Vec<String> {
    let lines: Vec<&str> = docs.lines().map(str::trim).collect();
    let mut kept: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_alone = kept.last().is_some_and(String::is_empty)
            && lines.get(at + 1).is_some_and(|next| next.is_empty())
            && lines[at + 1..].iter().any(|it| !it.is_empty());
        match *line {
            "" if kept.last().is_none_or(String::is_empty) => {}
            line if is_meant_for_tools(line) => kept.push(format!("> {}", with_quotation_marks(line))),
            // A line that stands alone would become a heading.
            line if is_alone && line.ends_with(char::is_alphanumeric) && !line.starts_with("# ") => {
                kept.push(format!("{}.", with_quotation_marks(line)));
            }
            line => kept.push(with_quotation_marks(line)),
        }
    }
    if kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
}

/// Returns `true` for constraints of builds, and for definitions of links, which `gofmt` moves.
fn is_meant_for_tools(line: &str) -> bool {
    line.starts_with("+build") || line.starts_with('[') && line.contains("]:")
}

fn with_quotation_marks(line: &str) -> String {
    line.replace("``", "“").replace("''", "”")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_the_form_of_gofmt() {
        let docs = "\nFirst\n\n\n  code ''\n\nHeading\n\n+build x\n[a]: b\n# Title\n\nEnd\n\n";
        let expected =
            ["First", "", "code ”", "", "Heading.", "", "> +build x", "> [a]: b", "# Title", "", "End"];
        assert_eq!(lines(docs), expected);
    }
}
