//! Portable patterns, translated to the syntax of the crate `regex`.
//!
//! Documents have the subset of ECMA's patterns that means the same in all languages. It is parsed here,
//! since the crate's syntax may mean something else.

mod property;

use std::fmt::Write as _;

use regex::Regex;

/// The reason why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// The pattern is not a regex.
    Malformed(String),
    /// The pattern means something else, or nothing, in other languages.
    NotPortable(String),
}

/// Translates a pattern to the crate `regex`, with the meaning that ECMA gives it.
///
/// # Errors
/// If it is malformed, or not portable.
pub(super) fn translate(pattern: &str, flags: &str) -> Result<Regex, PatternError> {
    let mut translator = Translator { rest: pattern, out: String::new(), can_repeat: false, open: 0 };
    if flags.contains('i') {
        translator.out.push_str(FOLDING);
    }
    while !translator.rest.is_empty() {
        translator.step()?;
    }
    if translator.open > 0 {
        return malformed("a `(` is never closed");
    }
    match Regex::new(&translator.out) {
        Ok(regex) => Ok(regex),
        Err(regex::Error::CompiledTooBig(_)) => Err(PatternError::NotPortable("it is too large".to_owned())),
        Err(error) => malformed(error.to_string().lines().last().unwrap_or("it is no regex")),
    }
}

fn malformed<T>(why: &str) -> Result<T, PatternError> {
    Err(PatternError::Malformed(why.to_owned()))
}

fn not_portable<T>(why: &str) -> Result<T, PatternError> {
    Err(PatternError::NotPortable(why.to_owned()))
}

/// ECMA's blanks, inside of a class.
const BLANK: &str =
    r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// All other characters.
const NOT_BLANK: &str =
    r"[^\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}]";

/// The escapes that stand for several characters.
const SEVERAL: [char; 8] = ['d', 'D', 'w', 'W', 's', 'S', 'p', 'P'];

/// The flag `i` of the crate `regex`.
const FOLDING: &str = "(?i)";

struct Translator<'pattern> {
    rest: &'pattern str,
    out: String,
    /// `true` if the pattern so far ends with something that can be repeated.
    can_repeat: bool,
    /// The number of open groups.
    open: usize,
}

impl<'pattern> Translator<'pattern> {
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    fn step(&mut self) -> Result<(), PatternError> {
        let Some(char) = self.next() else { return Ok(()) };
        let repeats = self.can_repeat;
        self.can_repeat = true;
        match char {
            '(' => self.group()?,
            ')' => {
                self.open = match self.open.checked_sub(1) {
                    Some(open) => open,
                    None => return malformed("a `)` closes nothing"),
                };
                self.out.push(')');
            }
            '[' => self.class()?,
            '\\' => self.escape(false)?,
            '.' => self.out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            '^' => self.anchor(r"\A"),
            '$' => self.anchor(r"\z"),
            '|' => self.anchor("|"),
            '*' | '+' | '?' => self.repeat(repeats, char)?,
            '{' => self.count(repeats)?,
            '}' | ']' => return not_portable(&format!("a `{char}` alone has to be written `\\{char}`")),
            char => self.plain(char),
        }
        Ok(())
    }

    fn anchor(&mut self, text: &str) {
        self.out.push_str(text);
        self.can_repeat = false;
    }

    fn plain(&mut self, char: char) {
        self.out.push_str(&regex::escape(char.encode_utf8(&mut [0; 4])));
    }

    fn group(&mut self) -> Result<(), PatternError> {
        self.open += 1;
        self.can_repeat = false;
        if !self.rest.starts_with('?') {
            self.out.push('(');
            return Ok(());
        }
        if self.eat("?:") {
            self.out.push_str("(?:");
            return Ok(());
        }
        for (mark, what) in
            [("?=", "look-ahead"), ("?!", "look-ahead"), ("?<=", "look-behind"), ("?<!", "look-behind")]
        {
            if self.rest.starts_with(mark) {
                return not_portable(&format!("{what} does not exist everywhere"));
            }
        }
        if !self.eat("?<") {
            return not_portable("only `(?:…)` and `(?<name>…)` exist everywhere");
        }
        let Some((name, rest)) = self.rest.split_once('>') else {
            return malformed("a group's name never ends");
        };
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
        if !is_name {
            return not_portable(&format!("`{name}` is no portable name of a group"));
        }
        self.rest = rest;
        let _ = write!(self.out, "(?P<{name}>");
        Ok(())
    }

    fn repeat(&mut self, repeats: bool, char: char) -> Result<(), PatternError> {
        if !repeats {
            return malformed(&format!("nothing stands before `{char}`"));
        }
        self.out.push(char);
        self.lazy()
    }

    fn lazy(&mut self) -> Result<(), PatternError> {
        if self.eat("?") {
            self.out.push('?');
        }
        if self.rest.starts_with(['*', '+', '?', '{']) {
            return not_portable("a repetition cannot be repeated");
        }
        self.can_repeat = false;
        Ok(())
    }

    fn count(&mut self, repeats: bool) -> Result<(), PatternError> {
        let Some((count, rest)) = self.rest.split_once('}') else {
            return not_portable("a `{` alone has to be written `\\{`");
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let well_formed = match count.split_once(',') {
            Some((low, high)) => is_number(low) && (high.is_empty() || is_number(high)),
            None => is_number(count),
        };
        if !well_formed {
            return not_portable("a `{` alone has to be written `\\{`");
        }
        if !repeats {
            return malformed("nothing stands before `{`");
        }
        self.rest = rest;
        let _ = write!(self.out, "{{{count}}}");
        self.lazy()
    }

    /// Translates the escape behind a backslash.
    fn escape(&mut self, in_class: bool) -> Result<(), PatternError> {
        let Some(char) = self.next() else { return malformed("nothing stands behind `\\`") };
        let text = match (char, in_class) {
            ('d', true) => "0-9",
            ('d', false) => "[0-9]",
            ('w', true) => "0-9A-Za-z_",
            ('w', false) => "[0-9A-Za-z_]",
            ('s', true) => BLANK,
            ('s', false) => {
                let _ = write!(self.out, "[{BLANK}]");
                return Ok(());
            }
            ('D', _) => "[^0-9]",
            ('W', _) => "[^0-9A-Za-z_]",
            ('S', _) => NOT_BLANK,
            ('b', false) => {
                self.can_repeat = false;
                r"(?-u:\b)"
            }
            ('B', false) => return not_portable("`\\B` does not exist everywhere"),
            ('b' | 'B', true) => return not_portable("`\\b` in a class does not exist everywhere"),
            ('n', _) => r"\n",
            ('r', _) => r"\r",
            ('t', _) => r"\t",
            ('v', _) => r"\x0B",
            ('f', _) => r"\x0C",
            ('0', _) if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => r"\x00",
            ('0'..='9', _) => return not_portable("references to groups do not exist everywhere"),
            ('k', _) => return not_portable("references to groups do not exist everywhere"),
            ('c', _) => return not_portable("`\\c` does not exist everywhere"),
            ('x', _) => return self.code_point(2),
            ('u', _) => return self.unicode(),
            ('p' | 'P', _) => return self.property(char),
            (char, _) if char.is_ascii_alphanumeric() => {
                return not_portable(&format!("`\\{char}` is no escape everywhere"));
            }
            (char, true) => {
                let _ = write!(self.out, "\\x{{{:X}}}", u32::from(char));
                return Ok(());
            }
            (char, false) => {
                self.plain(char);
                return Ok(());
            }
        };
        self.out.push_str(text);
        Ok(())
    }

    fn code_point(&mut self, digits: usize) -> Result<(), PatternError> {
        let text = self.rest.get(..digits).unwrap_or_default();
        let Some(char) = u32::from_str_radix(text, 16).ok().and_then(char::from_u32) else {
            return not_portable("an escape has to name a character");
        };
        self.rest = &self.rest[digits..];
        let _ = write!(self.out, "\\x{{{:X}}}", u32::from(char));
        Ok(())
    }

    fn unicode(&mut self) -> Result<(), PatternError> {
        if !self.eat("{") {
            return self.code_point(4);
        }
        let Some(length) = self.rest.find('}') else { return malformed("a `\\u{` never ends") };
        self.code_point(length)?;
        self.eat("}");
        Ok(())
    }

    /// Translates `\p{L}`.
    fn property(&mut self, letter: char) -> Result<(), PatternError> {
        let Some(length) = self.rest.find('}').filter(|_| self.rest.starts_with('{')) else {
            return not_portable("a property is written `\\p{…}`");
        };
        if letter == 'P' && self.out.starts_with(FOLDING) {
            return not_portable("`\\P` with the flag `i` means other things elsewhere");
        }
        let name = &self.rest[1..length];
        if !property::is_portable(name) {
            return not_portable(&format!("`{name}` is no property by that name everywhere"));
        }
        let _ = write!(self.out, "\\{letter}{}", &self.rest[..=length]);
        self.rest = &self.rest[length + 1..];
        Ok(())
    }

    fn class(&mut self) -> Result<(), PatternError> {
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        if self.rest.starts_with(']') {
            return not_portable("a `]` at the start of a class has to be written `\\]`");
        }
        // True behind an escape for several characters, with which no range can start.
        let mut follows_several = false;
        loop {
            let may_end_range = !std::mem::take(&mut follows_several);
            for operator in ["&&", "--", "~~"] {
                if self.rest.starts_with(operator) {
                    return not_portable(&format!("`{operator}` in a class means other things elsewhere"));
                }
            }
            match self.next() {
                None => return malformed("a `[` is never closed"),
                Some(']') => break,
                Some('[') if self.rest.starts_with([':', '.', '=']) => {
                    return not_portable("`[:…:]` in a class does not exist everywhere");
                }
                Some('\\') => {
                    follows_several = self.rest.starts_with(SEVERAL);
                    self.escape(true)?;
                }
                Some('-') => {
                    let is_before_several =
                        self.rest.strip_prefix('\\').is_some_and(|it| it.starts_with(SEVERAL));
                    let is_plain = self.rest.starts_with(']') || self.out.ends_with(['[', '^']);
                    if !is_plain && (!may_end_range || is_before_several) {
                        return not_portable("a `-` beside several characters has to be written `\\-`");
                    }
                    self.out.push('-');
                }
                Some(char) if char.is_ascii_alphanumeric() => self.out.push(char),
                Some(char) => {
                    let _ = write!(self.out, "\\x{{{:X}}}", u32::from(char));
                }
            }
        }
        self.out.push(']');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_ecma() {
        let cases = [
            (r"^[a-z]+$", "abc", true),
            (r"^[a-z]+$", "abc\n", false),
            (r"^\d+$", "٣", false),
            (r"^.$", "\r", false),
            (r"^\s$", "\u{feff}", true),
            (r"^\/[^\/?#]*(?:\/[^\/?#]*)*$", "/a/b", true),
            (r"^[/a-z]+$", "a/b", true),
            (r"^(?<year>\d{4})-(?<month>\d{2})$", "2026-11", true),
            (r"^[\da-fA-F]{1,16}$", "c0ffee", true),
            (r"^[\w.+-]+$", "a.b+c-d", true),
            (r"^[^\s]+$", "a b", false),
            (r"^[\S]$", "x", true),
            (r"^\u{1F600}$", "😀", true),
            (r"^[\d-]+[-\d]$", "3-3", true),
            (r"^\p{Script=Greek}$", "γ", true),
            (r"^a{2,3}?$", "aaa", true),
        ];
        for (pattern, text, matches) in cases {
            let translated = translate(pattern, "").unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
            assert_eq!(translated.is_match(text), matches, "{pattern} on {text:?}");
        }
        assert!(translate("^AB$", "i").unwrap().is_match("ab"));
    }

    #[test]
    fn what_is_not_portable_is_refused() {
        for pattern in [
            r"^(?=.*x)",
            r"(?<!a)b",
            r"^(a|b)\1$",
            r"(?<n>a)\k<n>",
            r"[[:alpha:]]",
            r"[]a]",
            r"[^]a]",
            r"[a&&b]",
            r"[a--b]",
            r"\c",
            r"[\b]",
            r"\07",
            r"(?i)a",
            r"a{,2}",
            r"a}",
            r"\A",
            r"\h",
            r"[\w-z]",
            r"[+-\d]",
            r"[a-c\s-\d]",
            r"\p{greek}",
        ] {
            let error = translate(pattern, "").expect_err(pattern);
            assert!(matches!(error, PatternError::NotPortable(_)), "{pattern}: {error:?}");
        }
        for pattern in ["(", "a)", "[a", "*a", "a**", "[z-a]", "a{3,2}", "(?<n"] {
            assert!(translate(pattern, "").is_err(), "{pattern}");
        }
    }
}
