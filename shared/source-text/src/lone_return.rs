//! Carriage returns without a line feed, for readers that end lines at line feeds alone.

/// Replaces each lone `\r` by `\n`, so that such readers end lines where [`LineIndex`](crate::LineIndex) does; `next` is
/// the byte behind these. Every other byte stays where it is.
pub fn feed_lone_returns(bytes: &mut [u8], next: Option<u8>) {
    let mut from = 0;
    while let Some(at) = first(bytes, from, next) {
        bytes[at] = b'\n';
        from = at + 1;
    }
}

/// Returns `true` if there is a lone `\r`.
pub fn has_lone_return(bytes: &[u8]) -> bool {
    first(bytes, 0, None).is_some()
}

/// Returns the first lone `\r` from there on.
fn first(bytes: &[u8], from: usize, next: Option<u8>) -> Option<usize> {
    let is_lone = |at: &usize| bytes.get(at + 1).copied().or(next) != Some(b'\n');
    memchr::memchr_iter(b'\r', &bytes[from..]).map(|it| from + it).find(is_lone)
}
