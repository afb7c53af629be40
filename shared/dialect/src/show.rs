//! Values as JSON for an agent, all of which is valid as part of a program.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use source_text::visible_json;

/// Returns compact JSON of a value, or of any other data that serializes to JSON.
///
/// Unlike serde_json, it writes a backspace and a form feed as `\u0008` and `\u000c`: the language refuses
/// `\b` and `\f`, which usually mean parts of patterns. It escapes all characters that hide or reorder text.
///
/// # Panics
/// If `data` does not serialize to JSON, which every [`Value`](crate::Value) does.
pub fn show(data: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Readable(CompactFormatter));
    data.serialize(&mut serializer).expect("it serializes to JSON");
    String::from_utf8(out).expect("JSON is text")
}

/// Returns the start of [`show`] of the data, and an ellipsis if that has more bytes than these. Takes no more
/// time for more data.
///
/// # Panics
/// If `data` does not serialize to JSON, which every [`Value`](crate::Value) does.
pub fn show_start(data: &impl Serialize, bytes: usize) -> String {
    let mut out = Start { text: Vec::new(), room: bytes };
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Readable(CompactFormatter));
    let is_whole = match data.serialize(&mut serializer) {
        Ok(()) => true,
        Err(error) if error.is_io() => false,
        Err(error) => panic!("it serializes to JSON: {error}"),
    };
    // A character that was cut is not valid, and neither is what is behind it.
    let text = String::from_utf8_lossy(&out.text);
    if is_whole {
        text.into_owned()
    } else {
        format!("{}…", text.trim_end_matches(char::REPLACEMENT_CHARACTER))
    }
}

/// The start of what is written; it refuses the rest.
struct Start {
    text: Vec<u8>,
    room: usize,
}

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fitting = bytes.len().min(self.room - self.text.len());
        self.text.extend_from_slice(&bytes[..fitting]);
        // Nothing written is an error of the caller's `write_all`.
        Ok(fitting)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Readable(CompactFormatter);

impl Formatter for Readable {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.0.write_string_fragment(writer, &visible_json(fragment))
    }

    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let escape = match escape {
            CharEscape::Backspace => CharEscape::AsciiControl(0x08),
            CharEscape::FormFeed => CharEscape::AsciiControl(0x0c),
            other => other,
        };
        self.0.write_char_escape(writer, escape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_read_again() {
        let text = "\u{8}\u{c}\n\"\\\u{1}é";
        assert_eq!(show(&text), r#""\u0008\u000c\n\"\\\u0001é""#);
        let hidden = "a\u{202e}b\u{7f}\u{9b}\u{e0041}";
        assert_eq!(show(&hidden), r#""a\u202eb\u007f\u009b\udb40\udc41""#);
        assert_eq!(serde_json::from_str::<String>(&show(&hidden)).expect("it is JSON"), hidden);
    }

    #[test]
    fn only_the_start_is_shown() {
        assert_eq!(show_start(&["éé"], 8), r#"["éé"]"#);
        assert_eq!(show_start(&["éé"], 7), r#"["éé"…"#);
        assert_eq!(show_start(&["éé"], 3), r#"["…"#);
    }
}
