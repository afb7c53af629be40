//! Texts that are too long to show.

use std::borrow::Cow;

/// Returns the first `most` characters (Unicode scalar values) of a text, with `…` if there are more.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Returns a text as [`shorten`] does. If characters are left out, the size of the whole text in bytes follows:
/// `abc… (20 bytes)`.
pub fn shorten_with_size(text: &str, most: usize) -> Cow<'_, str> {
    match shorten(text, most) {
        Cow::Borrowed(whole) => Cow::Borrowed(whole),
        Cow::Owned(start) => Cow::Owned(format!("{start} ({} bytes)", text.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_longer_texts_are_cut() {
        for (text, most, expected) in
            [("", 0, ""), ("a", 0, "…"), ("ab", 2, "ab"), ("ab", 1, "a…"), ("éé", 2, "éé"), ("éèê", 2, "éè…")]
        {
            assert_eq!(shorten(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn the_size_is_that_of_the_whole_text() {
        assert_eq!(shorten_with_size("éé", 2), "éé");
        assert_eq!(shorten_with_size("éè", 1), "é… (4 bytes)");
    }
}
