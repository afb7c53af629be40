//! The split of a stream of bytes into JSON values. It is lenient where writers differ: a value may go over
//! several lines, and a line may hold several values. A line that is no JSON costs no other.
//!
//! A value that is never closed is noticed at the next line that cannot go on with it. The lines since its
//! first are then read again, each by itself.

use json_text::Brackets;

use crate::grammar::{Grammar, Step};
use crate::limits::{HEAD_BYTES, Limits};
use crate::text;

/// A part of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A JSON object or array.
    Message(String),
    /// Bytes that are none.
    Skipped(Skipped),
}

/// Bytes that were passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The reason why the bytes are no frame, as a part of a sentence.
    pub reason: String,
    /// The start of the bytes.
    head: Vec<u8>,
    /// The extent of the loss.
    pub loss: Loss,
}

/// The extent of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A line that was no message.
    Line,
    /// A message over a limit. Whoever waits for it has to be told.
    Message,
    /// Everything from here on. A message over a limit goes over several lines, so that its end cannot be
    /// told from the start of another.
    Stream,
}

#[derive(Debug)]
enum State {
    /// Between two values.
    Between,
    Inside(Grammar),
    /// In a line that is no JSON. True behind a carriage return, with which a writer begins the line anew.
    Broken(Skipped, bool),
    /// In a value over a limit, of which only the start is kept.
    Excess(Skipped, Brackets),
    Lost,
}

/// Splits a stream of bytes. Its cost is linear in them, and its memory is bounded by the limits.
#[derive(Debug)]
pub struct Splitter {
    limits: Limits,
    state: State,
    /// Bytes of the stream, of which all before `start` are done with.
    buffer: Vec<u8>,
    /// The position of the value that is being read.
    start: usize,
    /// The position of the next byte to look at.
    seen: usize,
    /// The position of the last line that the value has begun.
    line: usize,
}

/// The bytes of a mark that some writers begin with. They are passed over one by one, as they may arrive so.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Splitter {
    /// Creates a splitter at the start of a stream.
    pub fn new(limits: Limits) -> Self {
        Self { limits, state: State::Between, buffer: Vec::new(), start: 0, seen: 0, line: 0 }
    }

    /// Takes bytes, and gives each part that they complete to `found`.
    pub fn push(&mut self, bytes: &[u8], found: &mut dyn FnMut(Frame)) {
        self.buffer.extend_from_slice(bytes);
        while self.seen < self.buffer.len() {
            match &self.state {
                State::Between => self.between(),
                State::Inside(_) => self.inside(found),
                State::Broken(..) => self.broken(found),
                State::Excess(..) => self.excess(found),
                State::Lost => self.seen = self.buffer.len(),
            }
        }
        self.forget();
    }

    /// Ends the stream. What is not complete by now is passed over.
    pub fn finish(&mut self, found: &mut dyn FnMut(Frame)) {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Between | State::Lost => {}
            State::Inside(_) => {
                self.salvage(self.buffer.len(), "the stream ends inside of it", found);
            }
            State::Broken(skipped, _) | State::Excess(skipped, _) => found(Frame::Skipped(skipped)),
        }
        self.start = self.buffer.len();
        self.forget();
    }

    /// Removes the bytes that are done with.
    fn forget(&mut self) {
        if !matches!(self.state, State::Inside(_)) {
            self.start = self.seen;
        }
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        self.line = self.line.saturating_sub(self.start);
        self.start = 0;
    }

    /// Begins a value at a position.
    fn begin(&mut self, at: usize, state: State) {
        (self.start, self.seen, self.line) = (at, at, at);
        self.state = state;
    }

    fn between(&mut self) {
        let first = self.buffer[self.seen];
        if first.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&first) {
            self.seen += 1;
            return;
        }
        let state = match first {
            b'{' | b'[' => State::Inside(Grammar::new()),
            _ => State::Broken(Skipped::new("not a JSON object", &[]), false),
        };
        self.begin(self.seen, state);
    }

    fn inside(&mut self, found: &mut dyn FnMut(Frame)) {
        let State::Inside(grammar) = &mut self.state else { return };
        loop {
            let room = (self.limits.message_bytes + 1).saturating_sub(self.seen - self.start);
            self.seen += grammar.plain(&self.buffer[self.seen..]).min(room);
            let Some(byte) = self.buffer.get(self.seen) else { return };
            let step = grammar.step(*byte);
            match step {
                Step::More if *byte == b'\n' => self.line = self.seen + 1,
                Step::More => {}
                Step::Done => {
                    self.seen += 1;
                    found(Frame::Message(text::decode(&self.buffer[self.start..self.seen])));
                    return self.begin(self.seen, State::Between);
                }
                Step::Wrong(reason) => return self.wrong(reason, found),
            }
            self.seen += 1;
            if self.seen - self.start > self.limits.message_bytes {
                return self.exceed(format!("longer than {} bytes", self.limits.message_bytes), found);
            }
            if grammar.depth() > self.limits.depth {
                return self.exceed(format!("deeper than {} brackets", self.limits.depth), found);
            }
        }
    }

    /// Gives up a value over a limit.
    fn exceed(&mut self, reason: String, found: &mut dyn FnMut(Frame)) {
        let bytes = &self.buffer[self.start..self.seen];
        let mut skipped = Skipped::new(&reason, bytes);
        if self.line == self.start {
            let mut brackets = Brackets::default();
            bytes.iter().for_each(|it| brackets.step(*it));
            skipped.loss = Loss::Message;
            self.state = State::Excess(skipped, brackets);
        } else {
            skipped.loss = Loss::Stream;
            self.state = State::Lost;
            found(Frame::Skipped(skipped));
        }
    }

    /// Gives up the value at the byte that was looked at last.
    fn wrong(&mut self, reason: &'static str, found: &mut dyn FnMut(Frame)) {
        if self.line == self.start {
            self.state = State::Broken(Skipped::new(reason, &self.buffer[self.start..self.seen]), false);
            return;
        }
        self.salvage(self.line, reason, found);
        self.begin(self.line, State::Between);
    }

    /// Gives the lines of the buffer up to `end` that are messages by themselves, and passes over the others.
    fn salvage(&self, end: usize, reason: &str, found: &mut dyn FnMut(Frame)) {
        let mut skipped: Option<Skipped> = None;
        for line in self.buffer[self.start..end].split_inclusive(|it| *it == b'\n') {
            if skipped.is_some() && is_message(line) {
                found(Frame::Skipped(skipped.take().unwrap_or_else(|| Skipped::new(reason, &[]))));
                found(Frame::Message(text::decode(line.trim_ascii())));
            } else {
                skipped.get_or_insert_with(|| Skipped::new(reason, &[])).extend(line);
            }
        }
        skipped.into_iter().for_each(|it| found(Frame::Skipped(it)));
    }

    fn broken(&mut self, found: &mut dyn FnMut(Frame)) {
        let State::Broken(skipped, is_anew) = &mut self.state else { return };
        let rest = &self.buffer[self.seen..];
        // A message may follow what a progress bar overwrites.
        let ends = |(at, byte): (usize, &u8)| match byte {
            b'\n' => Some(at + 1),
            b'{' | b'[' if at == 0 && *is_anew || at > 0 && rest[at - 1] == b'\r' => Some(at),
            _ => None,
        };
        let end = rest.iter().enumerate().find_map(ends);
        let taken = end.unwrap_or(rest.len());
        skipped.extend(rest[..taken].strip_suffix(b"\n").unwrap_or(&rest[..taken]));
        *is_anew = rest.ends_with(b"\r");
        self.seen += taken;
        if end.is_some() {
            self.skip(found);
        }
    }

    fn excess(&mut self, found: &mut dyn FnMut(Frame)) {
        let State::Excess(skipped, brackets) = &mut self.state else { return };
        let (taken, is_over) = brackets.step_to_end(&self.buffer[self.seen..]);
        skipped.extend(&self.buffer[self.seen..self.seen + taken]);
        self.seen += taken;
        if is_over {
            self.skip(found);
        }
    }

    fn skip(&mut self, found: &mut dyn FnMut(Frame)) {
        if let State::Broken(skipped, _) | State::Excess(skipped, _) =
            std::mem::replace(&mut self.state, State::Between)
            && skipped.head.trim_ascii() != b"null"
        {
            found(Frame::Skipped(skipped));
        }
        self.begin(self.seen, State::Between);
    }
}

impl Skipped {
    fn new(reason: &str, bytes: &[u8]) -> Self {
        let mut skipped = Self { reason: reason.to_owned(), head: Vec::new(), loss: Loss::Line };
        skipped.extend(bytes);
        skipped
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
    }

    /// Returns the start of the bytes as text.
    pub fn text(&self) -> String {
        text::decode(&self.head)
    }

    /// Returns the start of the bytes on one line, to show it.
    pub fn excerpt(&self) -> String {
        text::excerpt(&self.text())
    }
}

/// Returns true if a line holds one whole object and says that it is a message.
fn is_message(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let mut grammar = Grammar::new();
    let end = line.iter().position(|byte| grammar.step(*byte) != Step::More);
    line.starts_with(b"{")
        && end == Some(line.len() - 1)
        && line.ends_with(b"}")
        && line.windows(9).any(|it| it == b"\"jsonrpc\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { message_bytes: 60, depth: 6, bad_lines: 9 };

    /// Splits the chunks. A message is shown as it is, and what was passed over with its reason.
    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let (mut splitter, mut shown) = (Splitter::new(LIMITS), Vec::new());
        let mut show = |frame| match frame {
            Frame::Message(message) => shown.push(message),
            Frame::Skipped(it) => shown.push(format!("{}: {}", it.reason, it.excerpt())),
        };
        chunks.iter().for_each(|it| splitter.push(it, &mut show));
        splitter.finish(&mut show);
        shown
    }

    fn one(text: &str) -> Vec<String> {
        split(&[text.as_bytes()])
    }

    #[test]
    fn a_value_may_go_over_lines_and_a_line_may_hold_several() {
        assert_eq!(
            one("{\r\n \"a\":\n1\r\n}\r\n\r\n \n[]{}\n{}"),
            ["{\r\n \"a\":\n1\r\n}", "[]", "{}", "{}"]
        );
        assert_eq!(one("\u{feff}{}"), ["{}"]);
        assert!(one(" \n").is_empty());
    }

    #[test]
    fn a_line_that_is_no_json_costs_no_other() {
        let reason = "not a JSON object";
        assert_eq!(
            one("oops {}\n{}\n42\n\"hi\"\n"),
            [&format!("{reason}: oops {{}}"), "{}", &format!("{reason}: 42"), &format!("{reason}: \"hi\"")]
        );
        assert_eq!(one("null\n\0\n{}"), [&format!("{reason}: \\u{{0}}"), "{}"]);
        assert_eq!(one("{oops}\n{}"), ["a member needs a name in quotes: {oops}", "{}"]);
        assert_eq!(one("{} x\n{}"), ["{}", &format!("{reason}: x"), "{}"]);
    }

    #[test]
    fn a_value_that_is_never_closed_costs_its_first_line() {
        let message = r#"{"jsonrpc":"2.0","id":1}"#;
        let text = format!("{{\"a\":\n{message}\n{message}\n{{}}");
        let lost = "a comma or a closing bracket is missing: {\"a\":";
        assert_eq!(one(&text), [lost, message, message, "{}"]);
        assert_eq!(
            one("{\"a\":\"b\n{}"),
            ["a string goes over the end of the line or has a control character: {\"a\":\"b", "{}"]
        );
        assert_eq!(one("{\"a\":\n1"), ["the stream ends inside of it: {\"a\":\\n1"]);
    }

    #[test]
    fn what_is_too_large_is_read_to_its_end() {
        let long = format!("{{\"id\":7,\"a\":\"{}]\\\"}}\"}}", "x".repeat(90));
        assert_eq!(one(&(long.clone() + "{}"))[0], format!("longer than 60 bytes: {long}"));
        assert_eq!(one(&(long + "{}"))[1], "{}");
        assert_eq!(one("[[[[[[[]]]]]]][]"), ["deeper than 6 brackets: [[[[[[[]]]]]]]", "[]"]);
        assert_eq!(one("[[[[[[[[\n{}"), ["deeper than 6 brackets: [[[[[[[[", "{}"]);
        assert_eq!(one("[\n[[[[[[[[\n{}\n{}"), ["deeper than 6 brackets: [\\n[[[[[["]);
    }

    #[test]
    fn many_small_values_at_once_cost_linear_time() {
        let (mut splitter, mut count) = (Splitter::new(Limits::default()), 0);
        splitter.push("{\"a\":1}\n".repeat(200_000).as_bytes(), &mut |_| count += 1);
        assert_eq!(count, 200_000);
    }

    #[test]
    fn many_lines_that_are_never_closed_cost_linear_time() {
        let (mut splitter, mut count) = (Splitter::new(Limits::default()), 0);
        splitter.push("{\"a\":\n".repeat(200_000).as_bytes(), &mut |_| count += 1);
        assert_eq!(count, 1, "the stream is lost when it is too deep");
        let mut splitter = Splitter::new(Limits::default());
        splitter.push("{\"a\":\n}\n".repeat(200_000).as_bytes(), &mut |_| count += 1);
        assert_eq!(count, 400_001);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            text in r#"(\{"a":|\}|\[|\]|,|1|"b"|\n|\r\n|oops|é|null|\{"jsonrpc":1\}|\\|"){0,24}"#,
            cuts in prop::collection::vec(0_usize..200, 0..5),
        ) {
            let mut cuts: Vec<_> = cuts.into_iter().map(|it| it.min(text.len())).collect();
            cuts.sort_unstable();
            let (mut chunks, mut from) = (Vec::new(), 0);
            for to in cuts.into_iter().chain([text.len()]) {
                chunks.push(&text.as_bytes()[from..to]);
                from = to;
            }
            prop_assert_eq!(split(&chunks), split(&[text.as_bytes()]));
        }

        #[test]
        fn good_lines_arrive_among_any_others(
            before in r#"([a-z ]|\}|\]|,|"|\\|é){0,12}"#, value in r#"\{"jsonrpc":("[a-z{}\[]{0,9}"|\[1,2\]|null)\}"#,
        ) {
            let text = format!("{before}\n{value}\n{before}\n{value}");
            let arrived = one(&text).into_iter().filter(|it| *it == value).count();
            prop_assert_eq!(arrived, 2, "{}", text);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            split(&[&bytes]);
        }
    }
}
