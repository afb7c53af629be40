//! The outermost members of a broken JSON-RPC message. They say whether it is a response, and which request it
//! answers.

use crate::brackets::Brackets;

/// The maximum length of a key or id, in bytes.
const LONGEST_TOKEN: usize = 1024;

/// A scanner with constant memory for bytes that may not be JSON or UTF-8.
#[derive(Debug, Default)]
pub struct Envelope {
    brackets: Brackets,
    /// The outermost key or value that is being read.
    token: Vec<u8>,
    key: Vec<u8>,
    id: Option<String>,
    has_method: bool,
    has_outcome: bool,
    /// The number of commas and opening brackets; each value except the first follows one.
    n_values: usize,
}

impl Envelope {
    /// Scans a whole line.
    pub fn scan(line: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.read(line);
        envelope
    }

    /// Returns the id of the message as it is spelled, if it begins like a number or a string. It need not be valid JSON.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns `true` if the message has a method: it is a request or a notification.
    pub fn has_method(&self) -> bool {
        self.has_method
    }

    /// Returns whether it is a response: a result or an error, and no method.
    pub fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }

    /// Returns the number of JSON values, with an error of at most one for each bracket.
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// Scans more bytes.
    pub fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|it| self.take(*it));
    }

    fn take(&mut self, byte: u8) {
        let (depth, is_in_text) = (self.brackets.open(), self.brackets.is_in_text());
        self.brackets.step(byte);
        let is_outermost = depth == 1;
        match byte {
            _ if is_in_text => self.keep(byte),
            b'{' | b'[' => self.n_values += 1,
            b'}' | b']' if is_outermost => self.member(),
            b'}' | b']' => {}
            b':' if is_outermost => {
                self.key = std::mem::take(&mut self.token);
                self.has_method |= self.key == b"\"method\"";
            }
            b',' => {
                self.n_values += 1;
                if is_outermost {
                    self.member();
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        // Keeps one byte more than the maximum: such a token is neither key nor id.
        if self.brackets.open() == 1 && self.token.len() <= LONGEST_TOKEN {
            self.token.push(byte);
        }
    }

    /// Ends a member. A member that the line breaks off in is dropped, since half a number looks like another one.
    fn member(&mut self) {
        let (key, value) = (std::mem::take(&mut self.key), std::mem::take(&mut self.token));
        match key.as_slice() {
            b"\"id\"" => {
                let is_id = matches!(value.first(), Some(b'"' | b'-' | b'0'..=b'9'));
                let is_whole = is_id && value.len() <= LONGEST_TOKEN;
                self.id = String::from_utf8(value).ok().filter(|_| is_whole);
            }
            b"\"result\"" | b"\"error\"" => self.has_outcome = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(line: &[u8]) -> Option<String> {
        Envelope::scan(line).id().map(str::to_owned)
    }

    #[test]
    fn the_id_is_the_outermost_one() {
        let found = |line: &[u8]| id(line).expect("it has one");
        assert_eq!(found(br#"{"params":{"id":1,"x":["}",{"id":2}]},"id":3}"#), "3");
        assert_eq!(found(br#"{"id": "a\"}", "method":"x"}"#), r#""a\"}""#);
        assert_eq!(found(b"{\"id\":4,\"method\":\"x\",\"params\":{\"t\":\"\xff\xfe\"}}"), "4");
        assert_eq!(found(br#"{"id":5,"params":{"t":"\ud83d"#), "5");
    }

    #[test]
    fn half_an_id_is_none() {
        for line in
            [&br#"{"id":5"#[..], b"{\"id\":\"\xff\"}", br#"{"id":null}"#, br#"[{"id":1}]"#, b"", b"}}}"]
        {
            assert_eq!(id(line), None, "{}", String::from_utf8_lossy(line));
        }
        assert_eq!(id(format!(r#"{{"id":"{}"}}"#, "x".repeat(5000)).as_bytes()), None);
    }

    #[test]
    fn a_response_has_an_outcome_and_no_method() {
        let is_response = |line: &str| Envelope::scan(line.as_bytes()).is_response();
        assert!(is_response(r#"{"id":1,"result":{"method":"x"}}"#));
        assert!(is_response(r#"{"id":1,"error":null}"#));
        assert!(!is_response(r#"{"id":1,"method":"x","params":{"result":1}}"#));
        assert!(!is_response(r#"{"id":1,"method":"x","result":1}"#));
        assert!(Envelope::scan(br#"{"id":1,"method":"#).has_method());
    }
}
