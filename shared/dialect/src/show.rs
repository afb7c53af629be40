//! Values as the JSON that an agent reads, all of which can be sent back as part of a program.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

/// Compact JSON of a value, or of anything else that serializes to JSON.
///
/// It differs from serde_json's own in one thing: a backspace and a form feed are written `\u0008` and
/// `\u000c`, since the language refuses `\b` and `\f`, by which patterns usually mean something else.
///
/// # Panics
/// When `data` does not serialize to JSON, which every [`Value`](crate::Value) does.
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
