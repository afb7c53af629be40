//! The newest part of the log, in which single entries are looked up.

use memchr::memmem;

use super::chain::{self, Head};
use super::entry::{Action, Entry, Seal};

/// The files of the log back to some entry, and the end of the chain that was kept.
#[derive(Debug)]
pub(crate) struct Record {
    /// The contents of the files, the oldest first.
    pub(super) files: Vec<Vec<u8>>,
    pub(super) kept: Option<Head>,
}

impl Record {
    /// Returns the entry that a seal names. `None` unless its line is unchanged, the next line holds its hash, and
    /// the end that was kept is not before it.
    pub(crate) fn entry(&self, seal: &Seal) -> Option<Entry> {
        let kept = self.kept.as_ref().filter(|it| seal.seq <= it.seq)?;
        let mut lines = self.lines_from(seal.seq)?;
        let (entry, head) = chain::read(lines.next()?).ok()?;
        let said_behind = match lines.next() {
            Some(next) => chain::read(next).ok()?.0.prev,
            None => kept.hash.clone(),
        };
        (entry.seq == seal.seq && head.hash == seal.hash && said_behind == head.hash).then_some(entry)
    }

    /// Returns the entries after that one which revoked something. A damaged line is `None`.
    pub(crate) fn revoked_after(&self, seq: u64) -> impl Iterator<Item = Option<Entry>> {
        let word = format!("\"action\":{}", serde_json::json!(Action::Revoked));
        let finder = memmem::Finder::new(word.as_bytes()).into_owned();
        let lines = self.lines_from(seq).into_iter().flatten().skip(1);
        let revoking = lines.filter(move |it| finder.find(it).is_some());
        revoking.map(|it| chain::read(it).ok().map(|(entry, _)| entry)).filter(|it| {
            // The text of an argument may contain the same word.
            it.as_ref().is_none_or(|it| it.event.action == Action::Revoked)
        })
    }

    /// Returns the finished lines from the entry with that number on.
    fn lines_from(&self, seq: u64) -> Option<impl Iterator<Item = &[u8]>> {
        let start = format!("{{\"seq\":{seq},");
        let finder = memmem::Finder::new(start.as_bytes());
        let find = |bytes: &[u8]| {
            finder.find_iter(bytes).find(|at| *at == 0 || bytes[*at - 1] == b'\n') // otherwise it is inside a text
        };
        let (index, at) = self.files.iter().enumerate().find_map(|(index, it)| Some((index, find(it)?)))?;
        let rest = [&self.files[index][at..]].into_iter();
        let rest = rest.chain(self.files[index + 1..].iter().map(Vec::as_slice));
        Some(rest.flat_map(lines))
    }
}

/// Returns the finished lines of a file, without their breaks.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end])
}

/// Returns the number of the first entry of a file.
pub(super) fn first(bytes: &[u8]) -> Option<u64> {
    let (entry, _) = chain::read(lines(bytes).next()?).ok()?;
    Some(entry.seq)
}
