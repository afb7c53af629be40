//! Values as JSON for an agent, all of which is valid as part of a program.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

/// Returns compact JSON of a value, or of any other data that serializes to JSON.
///
/// Unlike serde_json, it writes a backspace and a form feed as `\u0008` and `\u000c`. The language refuses
/// `\b` and `\f`, which usually mean parts of patterns.
///
/// # Panics
/// If `data` does not serialize to JSON, which every [`Value`](crate::Value) does.
pub fn show(data: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Readable(CompactFormatter));
    data.serialize(&mut serializer).expect("it serializes to JSON");
    String::from_utf8(out).expect("JSON is text")
}

struct Readable(CompactFormatter);

impl Formatter for Readable {
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
    }
}
