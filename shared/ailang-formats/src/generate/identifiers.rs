//! Names in the styles of the languages.

use std::collections::{HashMap, HashSet};

/// The identifiers of one scope, each used once.
#[derive(Clone, Debug)]
pub(super) struct Identifiers {
    taken: HashSet<String>,
}

impl Identifiers {
    /// Creates a scope in which some words cannot be identifiers.
    pub(super) fn new<'w>(reserved: impl IntoIterator<Item = &'w str>) -> Self {
        Self { taken: reserved.into_iter().map(str::to_owned).collect() }
    }

    /// Takes a name. Appends `_` to one that is reserved or taken.
    pub(super) fn take(&mut self, name: impl Into<String>) -> String {
        let mut name = name.into();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Returns `true` for letters and digits that identifiers of every language can have.
///
/// These are ASCII and the letters of some living scripts, without those that languages normalize to others.
pub(super) fn is_part(char: char) -> bool {
    match char {
        '\u{130}' | '\u{132}' | '\u{133}' | '\u{13f}' | '\u{140}' | '\u{149}' | '\u{d7}' | '\u{f7}' => false,
        // Latin, Greek, Cyrillic, kana, Chinese characters and hangul.
        '\u{c0}'..='\u{17e}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3a9}' | '\u{3b1}'..='\u{3c9}' => true,
        '\u{410}'..='\u{44f}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => true,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        char => char.is_ascii_alphanumeric(),
    }
}

/// Splits a name into words: `sendSMTPMail-now` into `send`, `SMTP`, `Mail` and `now`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut starts = true;
    for (at, &char) in chars.iter().enumerate() {
        if !is_part(char) {
            starts = true;
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let is_after_small = before.is_some_and(|it| it.is_lowercase() || it.is_ascii_digit());
        let is_before_small = chars.get(at + 1).is_some_and(|it| it.is_lowercase());
        let ends_capitals = is_before_small && before.is_some_and(char::is_uppercase);
        if char.is_uppercase() && (is_after_small || ends_capitals) {
            starts = true;
        }
        match words.last_mut() {
            Some(word) if !starts => word.push(char),
            _ => words.push(char.to_string()),
        }
        starts = false;
    }
    words
}

/// Returns `send_mail` for `sendMail`.
pub(super) fn snake(name: &str) -> String {
    started(words(name).join("_").to_lowercase())
}

/// Returns `SEND_MAIL` for `sendMail`.
pub(super) fn screaming(name: &str) -> String {
    started(words(name).join("_").to_uppercase())
}

/// Returns `SendMail` for `sendMail`. Capitals stay.
pub(super) fn pascal(name: &str) -> String {
    started(words(name).iter().map(|word| capitalized(word)).collect())
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Puts `_` before a name that no letter starts.
fn started(name: String) -> String {
    if name.starts_with(|char: char| (is_part(char) && !char.is_ascii_digit()) || char == '_') {
        name
    } else {
        format!("_{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_style_of_a_language() {
        for (name, expected) in [
            ("sendEmail", ["send_email", "SEND_EMAIL", "SendEmail"]),
            ("SMTPError", ["smtp_error", "SMTP_ERROR", "SMTPError"]),
            ("email-sender", ["email_sender", "EMAIL_SENDER", "EmailSender"]),
            ("a1b", ["a1b", "A1B", "A1b"]),
            ("first-value", ["first_value", "FIRST_VALUE", "FirstValue"]),
            ("3d", ["_3d", "_3D", "_3d"]),
            ("", ["_", "_", "_"]),
        ] {
            assert_eq!([snake(name), screaming(name), pascal(name)], expected, "{name}");
        }
        let mut scope = Identifiers::new(["class"]);
        assert_eq!(["class", "a", "a"].map(|it| scope.take(it)), ["class_", "a", "a_"]);
    }
}

/// The identifiers of a generated file, by the names in the document.
#[derive(Debug)]
pub(super) struct Names {
    /// The type of any value, for types without an identifier.
    pub(super) any: &'static str,
    pub(super) types: HashMap<String, String>,
    pub(super) errors: HashMap<String, String>,
    /// The function of each tool, and the type of its parameters.
    pub(super) tools: HashMap<String, (String, String)>,
    pub(super) capabilities: HashMap<String, String>,
    /// The types or constants of variants, by the names of their types; empty where they are inside of the type.
    pub(super) variants: HashMap<String, Vec<String>>,
}

impl Names {
    /// Returns the identifier of a type.
    pub(super) fn ty(&self, name: &str) -> &str {
        self.types.get(name).map_or(self.any, |it| it)
    }

    /// Returns the identifiers of types, of their variants and of parameters.
    pub(super) fn all_types(&self) -> impl Iterator<Item = &str> {
        let params = self.tools.values().map(|(_, params)| params.as_str());
        self.types.values().chain(self.variants.values().flatten()).map(String::as_str).chain(params)
    }

    /// Returns the identifier of an error.
    pub(super) fn error(&self, name: &str) -> &str {
        self.errors.get(name).map_or("ToolError", |it| it)
    }

    /// Returns the identifiers of a tool's function and of the type of its parameters.
    pub(super) fn tool(&self, name: &str) -> (&str, &str) {
        self.tools
            .get(name)
            .map(|(function, params)| (function.as_str(), params.as_str()))
            .expect("every tool was named")
    }

    /// Returns the identifiers of a type's variants in order.
    pub(super) fn variants(&self, ty: &str) -> &[String] {
        self.variants.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Returns the identifier of a capability.
    pub(super) fn capability(&self, id: &str) -> &str {
        self.capabilities.get(id).map_or("", |it| it)
    }
}
