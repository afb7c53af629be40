//! Brackets and strings, a byte at a time.

/// A count of the open brackets outside of strings. It does not check the grammar, and takes any bytes.
#[derive(Clone, Debug, Default)]
pub struct Brackets {
    open: usize,
    in_text: bool,
    escaped: bool,
}

impl Brackets {
    /// Returns the number of open brackets. A closing bracket too many counts for nothing.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Returns `true` inside of a string, from its opening quote up to the one that ends it.
    pub fn is_in_text(&self) -> bool {
        self.in_text
    }

    /// Takes one byte.
    pub fn step(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_text => self.escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.open += 1,
            b'}' | b']' if !self.in_text => self.open = self.open.saturating_sub(1),
            _ => {}
        }
    }

    /// Takes bytes up to the first line feed or the bracket that closes the last one, and that byte. Returns their
    /// number, and whether there was such a byte.
    pub fn step_to_end(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        loop {
            at += self.plain(&bytes[at..]);
            let Some(byte) = bytes.get(at) else { return (at, false) };
            at += 1;
            self.step(*byte);
            if self.open == 0 || *byte == b'\n' {
                return (at, true);
            }
        }
    }

    /// Returns the number of bytes at the start that only go on with a string.
    fn plain(&self, bytes: &[u8]) -> usize {
        if !self.in_text || self.escaped {
            return 0;
        }
        bytes.iter().position(|it| matches!(it, b'"' | b'\\' | b'\n')).unwrap_or(bytes.len())
    }
}

/// Returns the length in bytes of the string at the start of a JSON text, with its quotes. Returns `None` if it is
/// never closed.
pub fn text_length(json: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += json.get(at..)?.iter().position(|it| matches!(it, b'"' | b'\\'))?;
        if json[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count() {
        let open = |text: &str| {
            let mut brackets = Brackets::default();
            text.bytes().for_each(|it| brackets.step(it));
            (brackets.open(), brackets.is_in_text())
        };
        assert_eq!(open(r#"{"a":["}\"]",{"#), (3, false));
        assert_eq!(open(r#"}}{"a\"#), (1, true));
        let mut brackets = Brackets::default();
        brackets.step(b'{');
        assert_eq!(brackets.step_to_end(br#""}\"":[1]} {"#), (10, true));
        assert_eq!(brackets.step_to_end(b"{\"a"), (3, false));
        assert_eq!(brackets.step_to_end(b"b\n}"), (2, true));
    }

    #[test]
    fn a_string_ends_at_its_own_quote() {
        assert_eq!(text_length(br#""a\"\\"b"#), Some(7));
        assert_eq!(text_length(br#""a\""#), None);
        assert_eq!(text_length(br#""\"#), None);
    }
}
