//! The split of bytes into lines: a state machine without IO. Its cost is linear in the bytes, and its memory is
//! bounded.

use json_text::Envelope;

/// One line without its end.
#[derive(Debug)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// A line over the limit, of which only the envelope was kept.
    TooLong {
        envelope: Envelope,
        length: u64,
    },
}

/// Splits a stream of bytes into lines of at most `limit` bytes.
#[derive(Debug)]
pub(crate) struct Splitter {
    limit: usize,
    line: Vec<u8>,
    /// The envelope and length of a line that is over the limit.
    excess: Option<(Envelope, u64)>,
}

impl Splitter {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), excess: None }
    }

    /// Takes bytes, and gives each completed line to `found`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut found: impl FnMut(Line)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            found(self.take());
        }
        self.extend(bytes);
    }

    /// Returns the last line when the stream ends without a line break.
    pub(crate) fn end(mut self) -> Option<Line> {
        let is_empty = self.line.is_empty() && self.excess.is_none();
        (!is_empty).then(|| self.take())
    }

    fn extend(&mut self, bytes: &[u8]) {
        if let Some((envelope, length)) = &mut self.excess {
            envelope.read(bytes);
            *length += bytes.len() as u64;
        } else if self.line.len() + bytes.len() <= self.limit {
            self.line.extend_from_slice(bytes);
        } else {
            let mut envelope = Envelope::default();
            let line = std::mem::take(&mut self.line);
            envelope.read(&line);
            envelope.read(bytes);
            self.excess = Some((envelope, (line.len() + bytes.len()) as u64));
        }
    }

    fn take(&mut self) -> Line {
        match self.excess.take() {
            Some((envelope, length)) => Line::TooLong { envelope, length },
            None => {
                let mut line = std::mem::take(&mut self.line);
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                Line::Whole(line)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let (mut splitter, mut lines) = (Splitter::new(limit), Vec::new());
        chunks.iter().for_each(|it| splitter.push(it, |line| lines.push(line)));
        lines.extend(splitter.end());
        lines.into_iter().map(show).collect()
    }

    fn show(line: Line) -> String {
        match line {
            Line::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Line::TooLong { envelope, length } => format!("{length} bytes of {:?}", envelope.id()),
        }
    }

    #[test]
    fn the_end_of_a_line_is_not_part_of_it() {
        assert_eq!(split(9, &[b"one\r\n\ntwo\nth", b"ree"]), ["one", "", "two", "three"]);
        assert_eq!(split(9, &[b"", b"\n"]), [""]);
        assert!(split(9, &[]).is_empty());
    }

    #[test]
    fn a_line_over_the_limit_keeps_its_id_and_the_next_line() {
        let lines = split(5, &[b"12345\n{\"text\":\"ab", b"cdef\",\"id\":7}\nnext\n"]);
        assert_eq!(lines, ["12345", "24 bytes of Some(\"7\")", "next"]);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[ab\n\r]{0,40}", cuts in prop::collection::vec(0_usize..40, 0..4)) {
            let mut cuts: Vec<_> = cuts.into_iter().map(|it| it.min(text.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for to in cuts.into_iter().chain([text.len()]) {
                chunks.push(&text.as_bytes()[from..to]);
                from = to;
            }
            prop_assert_eq!(split(6, &chunks), split(6, &[text.as_bytes()]));
        }
    }
}
