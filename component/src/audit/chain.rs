//! The hash chain: each line holds the hash of the line before it, and its own. Pure, on bytes.

use sha2::{Digest, Sha256};

use super::entry::Entry;

/// The hash that the first line holds in place of a previous one.
pub(super) const ORIGIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const SEAL: &str = ",\"hash\":\"";
const END: &str = "\"}";

/// The end of a chain, which the next line continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) hash: String,
}

impl Head {
    pub(super) fn origin() -> Self {
        Self { seq: 0, hash: ORIGIN.to_owned() }
    }
}

/// The result of a verification that found no broken line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of entries.
    pub entries: u64,
    /// The number of the first entry. It is more than 1 where older files were dropped for their size.
    pub first: u64,
    /// The number of entries behind the end that `audit.head.json` keeps. Nothing shows whether more of these are
    /// missing.
    pub later: u64,
}

impl Default for Verified {
    /// Returns the result for a log without entries.
    fn default() -> Self {
        Self { entries: 0, first: 1, later: 0 }
    }
}

/// The first line that breaks the chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Broken {
    /// The number of the line in its file, from 1.
    pub line: usize,
    /// The reason, in words.
    pub reason: String,
}

/// Returns the line of an entry, with its line break.
pub(super) fn write(entry: &Entry) -> String {
    let mut line = serde_json::to_string(entry).expect("entries are plain data");
    line.pop();
    let seal = hash(line.as_bytes());
    format!("{line}{SEAL}{seal}{END}\n")
}

/// Reads a line without its break. Returns its entry, and the head that the next line has to continue.
pub(super) fn read(line: &[u8]) -> Result<(Entry, Head), String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let sealed = text.strip_suffix(END).and_then(|it| it.rsplit_once(SEAL));
    let (content, seal) = sealed.ok_or_else(|| "it does not end in its hash".to_owned())?;
    if seal != hash(content.as_bytes()) {
        return Err("it is not what was written: its hash does not match".to_owned());
    }
    let entry: Entry =
        serde_json::from_str(text).map_err(|error| format!("it cannot be parsed as an entry: {error}"))?;
    let head = Head { seq: entry.seq, hash: hash(line) };
    Ok((entry, head))
}

/// Verifies a file that continues `before`. `None` means that the lines before it are not known.
pub(super) fn follow(
    bytes: &[u8],
    mut before: Option<Head>,
    mut each: impl FnMut(Entry),
) -> Result<Option<Head>, Broken> {
    let mut rest = bytes;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let broken = |reason: String| Broken { line: number, reason };
        let end = rest.iter().position(|it| *it == b'\n');
        let end = end.ok_or_else(|| broken("it is not finished".to_owned()))?;
        let (entry, head) = read(&rest[..end]).map_err(broken)?;
        if let Some(before) = &before {
            check(&entry, before).map_err(broken)?;
        }
        each(entry);
        before = Some(head);
        rest = &rest[end + 1..];
    }
    Ok(before)
}

fn check(entry: &Entry, before: &Head) -> Result<(), String> {
    if entry.seq != before.seq + 1 {
        return Err(format!("it is entry {}, and entry {} is due", entry.seq, before.seq + 1));
    }
    if entry.prev != before.hash {
        return Err("the line before it was changed or replaced".to_owned());
    }
    Ok(())
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::audit::entry::{Action, By, Event};

    fn chain(capabilities: &[String]) -> Vec<u8> {
        let mut head = Head::origin();
        let mut bytes = Vec::new();
        for capability in capabilities {
            let event = Event {
                session: Some("s".to_owned()),
                workspace: None,
                capability: capability.clone(),
                params: json!({"paths": [["a"]]}),
                action: Action::Used,
                tool: None,
                document: None,
                document_hash: None,
                scope: Some("once".to_owned()),
                by: By::Grant,
                arguments: Some(json!({"text": 1.50})),
                reason: None,
                measured: None,
            };
            let (seq, prev) = (head.seq + 1, head.hash);
            let line = write(&Entry { seq, prev, ts: 7, torn: None, event });
            head = read(line.trim_end().as_bytes()).unwrap().1;
            bytes.extend(line.into_bytes());
        }
        bytes
    }

    fn verify(bytes: &[u8]) -> Result<usize, Broken> {
        let mut entries = 0;
        follow(bytes, Some(Head::origin()), |_| entries += 1)?;
        Ok(entries)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_flipped_bit_is_noticed(
            names in prop::collection::vec(any::<String>(), 1..5), place in any::<prop::sample::Index>(), bit in 0u32..8,
        ) {
            let mut bytes = chain(&names);
            prop_assert_eq!(verify(&bytes), Ok(names.len()));
            let place = place.index(bytes.len());
            bytes[place] ^= 1u8 << bit;
            prop_assert!(verify(&bytes).is_err());
        }

        #[test]
        fn between_two_lines_the_chain_may_end(names in prop::collection::vec("[a-z]{1,9}", 1..3)) {
            let bytes = chain(&names);
            for end in 0..=bytes.len() {
                let is_between = end == 0 || bytes[end - 1] == b'\n';
                prop_assert_eq!(verify(&bytes[..end]).is_ok(), is_between);
            }
        }
    }

    #[test]
    fn lines_that_are_missing_doubled_or_swapped_are_noticed() {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let text = String::from_utf8(chain(&names)).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (order, line) in [(vec![1, 2], 1), (vec![0, 2], 2), (vec![0, 0, 1], 2), (vec![0, 2, 1], 2)] {
            let text: String = order.iter().map(|it| lines[*it]).collect();
            assert_eq!(verify(text.as_bytes()).unwrap_err().line, line, "{order:?}");
        }
    }
}
