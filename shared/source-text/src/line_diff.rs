//! The lines in which two texts differ.

use std::collections::HashMap;
use std::ops::Range;

use dissimilar::Chunk;

use crate::LineIndex;

/// The maximum number of lines that are compared; longer texts become one hunk. The comparison takes quadratic time.
const COMPARED: usize = 4_000;

/// Lines that replace others, counted from 0. A range may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the first text.
    pub old: Range<usize>,
    /// The lines of the second text.
    pub new: Range<usize>,
}

impl Hunk {
    /// Splits off the unchanged lines, which the comparison includes where they are few.
    fn apart(self, before: &[&str], after: &[&str]) -> Vec<Self> {
        if self.old.len() != self.new.len() {
            return vec![self];
        }
        let mut hunks: Vec<Self> = Vec::new();
        for (old, new) in self.old.zip(self.new).filter(|(old, new)| before[*old] != after[*new]) {
            match hunks.last_mut().filter(|it| it.old.end == old) {
                Some(hunk) => (hunk.old.end, hunk.new.end) = (old + 1, new + 1),
                None => hunks.push(Self { old: old..old + 1, new: new..new + 1 }),
            }
        }
        hunks
    }
}

/// Returns the differing lines of two texts, in their order. Each line becomes one character, and the characters are
/// compared.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (old, new) = (lines(before), lines(after));
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let whole = Hunk { old: start..old.len() - same, new: start..new.len() - same };
    let (rest, instead) = (&old[whole.old.clone()], &new[whole.new.clone()]);
    if rest.is_empty() && instead.is_empty() {
        return Vec::new();
    }
    // A comparison takes in what stands between changes that are near to each other; where lines stay where they
    // are, as in a rename, there is nothing to compare.
    let paired = rest.len() == instead.len()
        && rest.iter().zip(instead).filter(|(a, b)| a == b).count() * 2 >= rest.len();
    if paired || rest.len() + instead.len() > COMPARED {
        return whole.apart(&old, &new);
    }
    let mut letters = HashMap::new();
    let (before, after) = (spelled(rest, &mut letters), spelled(instead, &mut letters));
    let (mut hunks, mut hunk) = (Vec::new(), None::<Hunk>);
    let (mut at_old, mut at_new) = (start, start);
    for chunk in dissimilar::diff(&before, &after) {
        let open = || Hunk { old: at_old..at_old, new: at_new..at_new };
        match chunk {
            Chunk::Equal(text) => {
                let count = text.chars().count();
                hunks.extend(hunk.take());
                (at_old, at_new) = (at_old + count, at_new + count);
            }
            Chunk::Delete(text) => {
                let hunk = hunk.get_or_insert_with(open);
                at_old += text.chars().count();
                hunk.old.end = at_old;
            }
            Chunk::Insert(text) => {
                let hunk = hunk.get_or_insert_with(open);
                at_new += text.chars().count();
                hunk.new.end = at_new;
            }
        }
    }
    hunks.extend(hunk);
    hunks.into_iter().flat_map(|it| it.apart(&old, &new)).collect()
}

fn lines(text: &str) -> Vec<&str> {
    LineIndex::new(text).whole_lines(text).collect()
}

/// Maps each line to a character; equal lines have the same one.
fn spelled<'text>(lines: &[&'text str], letters: &mut HashMap<&'text str, char>) -> String {
    let letter = |line: &&'text str| {
        let next = u32::try_from(letters.len()).ok().and_then(|it| char::from_u32(FIRST + it));
        *letters.entry(line).or_insert(next.expect("there are fewer lines than characters"))
    };
    lines.iter().map(letter).collect()
}

/// The first character of the mapping: from here on, no character ends a word.
const FIRST: u32 = 0x2_0000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn hunks_make_one_text_of_the_other(before in "([abc]\r?\n){0,12}[a-c]?", after in "([abc]\r?\n){0,12}[a-c]?") {
            let (old, new) = (lines(&before), lines(&after));
            let (mut made, mut at) = (Vec::new(), 0);
            for hunk in hunks(&before, &after) {
                made.extend_from_slice(&old[at..hunk.old.start]);
                made.extend_from_slice(&new[hunk.new.clone()]);
                at = hunk.old.end;
            }
            made.extend_from_slice(&old[at..]);
            prop_assert_eq!(made.concat(), after);
        }
    }

    #[test]
    fn large_texts_are_compared_in_time() {
        let before: String = (0..60_000).map(|it| format!("{it}\n")).collect();
        let after: String = (0..60_000).map(|it| format!("{}\n", it * 7 % 60_001)).collect();
        assert_eq!(hunks(&before, &after).len(), 1);
    }
}
