//! Splits a line of code into words.

use std::ops::Range;

/// Returns `true` for a character of names: a letter, a digit, `_`, or one of the language's further `letters`.
pub(crate) fn is_letter(it: char, letters: &str) -> bool {
    it.is_alphanumeric() || it == '_' || letters.contains(it)
}

/// Returns the words of a line with their columns, from 0, in characters.
///
/// `letters` are further characters of names, and `endings` those that only end a name.
pub(crate) fn words(line: &str, letters: &str, endings: &str) -> Vec<(String, Range<usize>)> {
    let mut words: Vec<(String, Range<usize>)> = Vec::new();
    let is_ending = |it: char| endings.contains(it);
    let mut chars = line.chars().enumerate().peekable();
    while let Some((column, char)) = chars.next() {
        // `a != b` is a comparison, and the assignment in `a.b = c` is not part of the name.
        let is_operator = char == '=' || char == '!' && matches!(chars.peek(), Some((_, '=' | '~')));
        if is_ending(char) && !is_operator {
            let before = words.last_mut().filter(|(word, columns)| {
                columns.end == column && !word.ends_with(is_ending) && !word.starts_with(char::is_numeric)
            });
            if let Some((word, columns)) = before {
                word.push(char);
                columns.end += 1;
            }
            continue;
        }
        if !is_letter(char, letters) {
            continue;
        }
        match words.last_mut() {
            Some((word, columns)) if columns.end == column && !word.ends_with(is_ending) => {
                word.push(char);
                columns.end += 1;
            }
            _ => words.push((char.to_string(), column..column + 1)),
        }
    }
    words
}
