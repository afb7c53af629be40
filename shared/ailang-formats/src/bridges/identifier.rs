//! Names of other formats → identifiers.

use std::collections::{HashMap, HashSet};

use ailang::names::arity_of_primitive;
use ailang::{LONGEST_NAME, plain};

/// Names that are taken, so that each gets another one.
#[derive(Clone, Debug, Default)]
pub(super) struct TakenNames {
    taken: HashSet<String>,
    /// The number for the next name of that spelling.
    next: HashMap<String, usize>,
}

impl TakenNames {
    /// Returns a free name: that one, or one with a number behind it.
    pub(super) fn free(&mut self, name: String) -> String {
        let number = self.next.entry(name.clone()).or_insert(1);
        loop {
            let free = if *number == 1 { name.clone() } else { format!("{name}{number}") };
            *number += 1;
            if self.taken.insert(free.clone()) {
                return free;
            }
        }
    }
}

/// Returns the name of a type: itself if it is one, and otherwise its words, each with a capital.
pub(super) fn type_name(name: &str) -> String {
    let is_one = is_word(name) && name.starts_with(|char: char| char.is_ascii_uppercase());
    let name = if is_one { name.to_owned() } else { joined(name, true) };
    match name.as_str() {
        "" => "Type".to_owned(),
        name if name.starts_with(|char: char| char.is_ascii_digit()) => format!("Type{name}"),
        // A type of the language's own name would not be found.
        name if arity_of_primitive(name).is_some() || name == "Option" => format!("{name}Type"),
        name => name.to_owned(),
    }
}

/// Returns the name of a tool or a parameter: itself if it is one, and otherwise its words, from the second
/// on each with a capital.
pub(super) fn small_name(name: &str, otherwise: &str) -> String {
    let is_one = is_word(name) && name.starts_with(|char: char| char.is_ascii_lowercase());
    let name = if is_one { name.to_owned() } else { joined(name, false) };
    match name.as_str() {
        "" => otherwise.to_owned(),
        "true" | "false" | "null" => format!("{name}Value"),
        name if name.starts_with(|char: char| char.is_ascii_digit()) => format!("{otherwise}{name}"),
        name => name.to_owned(),
    }
}

/// Returns the id of a document.
pub(super) fn document_id(name: &str) -> String {
    let words: Vec<String> = words(name).into_iter().map(|it| it.to_ascii_lowercase()).collect();
    let id = words.join("-");
    match id.chars().next() {
        None => "imported".to_owned(),
        Some('0'..='9') => format!("imported-{id}"),
        Some(_) => id,
    }
}

fn is_word(name: &str) -> bool {
    name.len() <= LONGEST_NAME && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

fn joined(name: &str, capital: bool) -> String {
    let each = words(name).into_iter().enumerate().map(|(index, word)| match index > 0 || capital {
        true => word[..1].to_ascii_uppercase() + &word[1..],
        false => small_initial(&word),
    });
    each.collect()
}

/// Writes the capitals at the start of a word small, except the one that starts the next: `httpServer`.
fn small_initial(word: &str) -> String {
    let capitals = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let has_more = word[capitals..].starts_with(|char: char| char.is_ascii_lowercase());
    let end = if capitals > 1 && has_more { capitals - 1 } else { capitals };
    word[..end].to_ascii_lowercase() + &word[end..]
}

/// Returns the runs of ASCII letters and digits.
fn words(name: &str) -> Vec<String> {
    let name = plain(name, LONGEST_NAME);
    let parts = name.split(|char: char| !char.is_ascii_alphanumeric());
    parts.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, small, capital, id) in [
            ("list_issues", "list_issues", "ListIssues", "list-issues"),
            ("github.search-code", "githubSearchCode", "GithubSearchCode", "github-search-code"),
            ("X-Api-Key", "xApiKey", "XApiKey", "x-api-key"),
            ("HTTPServer", "httpServer", "HTTPServer", "httpserver"),
            ("3d", "it3d", "Type3d", "imported-3d"),
            ("日本", "it", "Type", "imported"),
            ("null", "nullValue", "Null", "null"),
            ("List", "list", "ListType", "list"),
            ("a\u{202e}b", "ab", "Ab", "ab"),
        ] {
            assert_eq!(
                (small_name(name, "it"), type_name(name), document_id(name)),
                (small.to_owned(), capital.to_owned(), id.to_owned()),
                "{name}"
            );
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let mut taken = TakenNames::default();
        let names: Vec<String> = ["A", "A", "A2", "A"].map(|it| taken.free(it.to_owned())).to_vec();
        assert_eq!(names, ["A", "A2", "A22", "A3"]);
    }
}
