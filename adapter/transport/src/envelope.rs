//! The outermost members of a broken JSON-RPC message. They say whether it is a response, and which request it
//! answers.

use serde_json::Value;

/// The maximum length of a key or id, in bytes.
const LONGEST_TOKEN: usize = 1024;

/// A scanner with constant memory for bytes that may not be JSON or UTF-8.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The outermost key or value that is being read.
    token: Vec<u8>,
    key: Vec<u8>,
    id: Option<Value>,
    has_method: bool,
    has_outcome: bool,
    /// The number of commas and opening brackets; each value except the first follows one.
    n_values: usize,
}

impl Envelope {
    pub(crate) fn scan(line: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.read(line);
        envelope
    }

    /// Returns the id of the message, if it is a number or a text.
    pub(crate) fn id(&self) -> Option<&Value> {
        self.id.as_ref()
    }

    /// Returns whether it is a response: a result or an error, and no method.
    pub(crate) fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }

    /// Returns the number of JSON values, with an error of at most one for each bracket.
    pub(crate) fn n_values(&self) -> usize {
        self.n_values
    }

    /// Scans more bytes.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|it| self.take(*it));
    }

    fn take(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.n_values += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.key = std::mem::take(&mut self.token),
            b',' => {
                self.n_values += 1;
                if self.depth == 1 {
                    self.member();
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        // Keeps one byte more than the maximum: such a token never parses, so it is neither key nor id.
        if self.depth == 1 && self.token.len() <= LONGEST_TOKEN {
            self.token.push(byte);
        }
    }

    /// Ends a member. A member that the line breaks off in is dropped, since half a number looks like another one.
    fn member(&mut self) {
        let (key, value) = (std::mem::take(&mut self.key), std::mem::take(&mut self.token));
        match key.as_slice() {
            b"\"id\"" => {
                let value = serde_json::from_slice(&value).ok();
                self.id = value.filter(|it: &Value| it.is_number() || it.is_string());
            }
            b"\"method\"" => self.has_method = true,
            b"\"result\"" | b"\"error\"" => self.has_outcome = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(line: &[u8]) -> Option<Value> {
        Envelope::scan(line).id().cloned()
    }

    #[test]
    fn the_id_is_the_outermost_one() {
        assert_eq!(id(br#"{"params":{"id":1,"x":["}",{"id":2}]},"id":3}"#), Some(json!(3)));
        assert_eq!(id(br#"{"id": "a\"}", "method":"x"}"#), Some(json!("a\"}")));
        assert_eq!(id(b"{\"id\":4,\"method\":\"x\",\"params\":{\"t\":\"\xff\xfe\"}}"), Some(json!(4)));
        assert_eq!(id(br#"{"id":5,"params":{"t":"\ud83d"#), Some(json!(5)));
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
    }
}
