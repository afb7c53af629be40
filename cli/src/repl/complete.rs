//! Completion of names: functions and constructors anywhere, parameters within their call.

use dialect::{Registry, Signature};

/// Returns the offset in bytes of the word before the end of `text`, and its completions. Each has a text to show
/// and one to insert.
pub(super) fn complete(registry: &Registry, text: &str) -> (usize, Vec<(String, String)>) {
    let start = text.rfind(|it: char| !is_name_part(it)).map_or(0, |at| at + last_length(&text[at..]));
    let word = text[start..].to_lowercase();
    let begins = |name: &str| name.to_lowercase().starts_with(&word);
    let mut found = Vec::new();
    let callee = called(&text[..start]).and_then(|name| registry.signatures().find(|it| it.name == name));
    for parameter in callee.into_iter().flat_map(|it| &it.parameters).filter(|it| begins(&it.name)) {
        found.push((parameter.to_string(), format!("{}=", parameter.name)));
    }
    for signature in registry.signatures().filter(|it| begins(&it.name)) {
        found.push((signature.to_string(), opened(signature)));
    }
    (start, found)
}

/// Returns the name with its opening bracket, and the closing one where nothing is taken.
fn opened(signature: &Signature) -> String {
    let end = if signature.parameters.is_empty() { "()" } else { "(" };
    format!("{}{end}", signature.name)
}

/// Returns the name of the call whose brackets are open at the end of `text`, where a new argument may start.
fn called(text: &str) -> Option<&str> {
    let mut closed = 0;
    for (at, char) in text.char_indices().rev() {
        match char {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed > 0 => closed -= 1,
            '(' => {
                let start = text[..at].rfind(|it: char| !is_name_part(it));
                return Some(&text[start.map_or(0, |it| it + last_length(&text[it..]))..at]);
            }
            '[' | '{' => return None,
            _ => {}
        }
    }
    None
}

fn is_name_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the length in bytes of the first character.
fn last_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::super::entry::VOCABULARY;
    use super::*;

    fn inserted(text: &str) -> (usize, Vec<String>) {
        let (start, found) = complete(&VOCABULARY, text);
        (start, found.into_iter().map(|(_, inserted)| inserted).collect())
    }

    #[test]
    fn names_are_completed() {
        assert_eq!(inserted("brief(findref"), (6, vec!["findReferences(".to_owned()]));
        assert_eq!(inserted("é.sour"), (3, vec!["source(".to_owned()]));
        assert!(inserted("").1.len() > 6);
        assert!(inserted("nosuch").1.is_empty());
    }

    #[test]
    fn parameters_are_completed_within_their_call() {
        assert_eq!(inserted("search(`a`, patt"), (12, vec!["pattern=".to_owned()]));
        assert_eq!(inserted("search(brief([1]), ext").1, ["extension="]);
        assert_eq!(inserted("search([ext").1, Vec::<String>::new());
    }
}
