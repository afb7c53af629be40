//! Lines that are no messages, or hardly: drawn, and the same for the same seed.

use crate::random::Random;

/// Below this are the ids of requests that are meant.
const FIRST_ID: u64 = 1 << 40;

/// A line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hostile {
    pub bytes: Vec<u8>,
    pub fate: Fate,
}

/// The required treatment of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is a request under that id, and has to be answered with an error.
    Refused(u64),
    /// It arrives on the other side with the half of a surrogate pair that it has.
    Passes,
    /// Nothing that matters: it may be answered, but nobody waits.
    Anything,
}

/// Draws lines.
#[derive(Debug)]
pub struct Lines {
    random: Random,
    next_id: u64,
}

impl Lines {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), next_id: FIRST_ID }
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// Draws some lines, at times none.
    pub fn some(&mut self) -> Vec<Hostile> {
        (0..self.random.below(4)).map(|_| self.one()).collect()
    }

    /// Draws a line.
    pub fn one(&mut self) -> Hostile {
        self.next_id += 1;
        let id = self.next_id;
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_fuzz/x","params":{{"text":"abcdefgh"}}}}"#);
        match self.random.below(10) {
            0 => anything(self.noise()),
            // Behind the id, which must be found.
            1 => {
                let mut bytes = request.into_bytes();
                let at = bytes.len() - 3 - self.random.below(8);
                bytes[at] = 0x80 + u8::try_from(self.random.below(0x80)).unwrap_or(0);
                Hostile { bytes, fate: Fate::Refused(id) }
            }
            2 => {
                let (open, close) = (self.random.one(&["[", "{\"a\":"]), 200 + self.random.below(2000));
                let nested =
                    format!("{}1{}", open.repeat(close), if *open == "[" { "]" } else { "}" }.repeat(close));
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"_fuzz/x","params":{{"deep":{nested}}}}}"#
                );
                Hostile { bytes: line.into(), fate: Fate::Refused(id) }
            }
            3 => {
                let half = self.random.one(&[r"\ud83d", r"\ude00", r"a\udbffb", r"\ud83d\ud83d"]);
                let line =
                    format!(r#"{{"jsonrpc":"2.0","method":"_fuzz/half","params":{{"text":"{half}"}}}}"#);
                Hostile { bytes: line.into(), fate: Fate::Passes }
            }
            4 => {
                let end = self.random.below(request.len());
                anything(request.as_bytes()[..end].to_vec())
            }
            5 => {
                let line = self.random.one(&[
                    r#"{"jsonrpc":"2.0","id":1099511627000.5,"method":"_fuzz/x"}"#,
                    r#"{"jsonrpc":"2.0","id":"?","method":17}"#,
                    r#"{"jsonrpc":"2.0","id":"?","result":1,"error":{"code":1,"message":"m"}}"#,
                    r#"{"jsonrpc":"2.0","id":"?","result":1}"#,
                    r#"{"jsonrpc":"2.0","id":99999999999999999999,"result":1}"#,
                    r#"{"jsonrpc":"1.0","id":"?","method":"_fuzz/x"}"#,
                    r#"{"jsonrpc":"2.0","id":{"a":[]},"method":"_fuzz/x","method":"_fuzz/y"}"#,
                    r#"[{"jsonrpc":"2.0","id":"?","method":"_fuzz/x"}]"#,
                    "[]",
                    "{}",
                    "null",
                    "\"text\"",
                    "1e999",
                    "-",
                ]);
                anything(line.as_bytes().to_vec())
            }
            6 => anything(vec![*self.random.one(b"x{[\"\\\x00 \xff"); self.random.below(300_000)]),
            7 => anything(self.random.one(&["", "\r", " \t ", "\u{feff}", "\u{2028}"]).as_bytes().to_vec()),
            8 => {
                let mut bytes = request.into_bytes();
                for _ in 0..1 + self.random.below(20) {
                    let at = self.random.below(bytes.len());
                    bytes[at] = self.byte();
                }
                // What is left of the id must be nobody's.
                anything([b"{\"jsonrpc\":", &bytes[..]].concat())
            }
            _ => anything([&self.noise()[..], request.as_bytes(), &self.noise()[..]].concat()),
        }
    }

    fn noise(&mut self) -> Vec<u8> {
        (0..1 + self.random.below(200)).map(|_| self.byte()).collect()
    }

    fn byte(&mut self) -> u8 {
        let byte = u8::try_from(self.random.below(256)).unwrap_or(0);
        if byte == b'\n' { b' ' } else { byte }
    }
}

fn anything(bytes: Vec<u8>) -> Hostile {
    Hostile { bytes, fate: Fate::Anything }
}
