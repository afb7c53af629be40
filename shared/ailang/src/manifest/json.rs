//! JSON values with their places.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use source_text::Span;

/// A JSON value with its source text.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonPiece<'a> {
    raw: &'a RawValue,
    /// The place in the manifest.
    pub(super) span: Span,
}

/// A name, its place, and its value.
pub(super) type JsonField<'a> = (String, Span, JsonPiece<'a>);

/// The names and values of an object in order, duplicates included.
struct Fields<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'a> JsonPiece<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// The place and the message of a syntax error.
    pub(super) fn read(source: &'a str) -> Result<Self, (Span, String)> {
        let start = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let text = &source[start..];
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) => Ok(Self::at(source, raw)),
            Err(error) => Err((place(source, start, &error), message(&error))),
        }
    }

    fn at(source: &str, raw: &'a RawValue) -> Self {
        let start = raw.get().as_ptr() as usize - source.as_ptr() as usize;
        Self { raw, span: Span::new(start, start + raw.get().len()) }
    }

    /// Returns the content of a string.
    pub(super) fn text(&self) -> Option<String> {
        serde_json::from_str(self.raw.get()).ok()
    }

    /// Returns the elements of an array.
    pub(super) fn elements(&self, source: &str) -> Option<Vec<Self>> {
        let elements: Vec<&'a RawValue> = serde_json::from_str(self.raw.get()).ok()?;
        Some(elements.into_iter().map(|raw| Self::at(source, raw)).collect())
    }

    /// Returns the names and values of an object, without names that cannot be decoded.
    pub(super) fn fields(&self, source: &str) -> Option<Vec<JsonField<'a>>> {
        let Fields(fields) = serde_json::from_str(self.raw.get()).ok()?;
        let field = |(name, value): (&'a RawValue, &'a RawValue)| {
            let name = Self::at(source, name);
            Some((name.text()?, name.span, Self::at(source, value)))
        };
        Some(fields.into_iter().filter_map(field).collect())
    }

    /// Returns the type as a noun.
    pub(super) fn kind(&self) -> &'static str {
        match self.raw.get().bytes().next() {
            Some(b'"') => "a text",
            Some(b'[') => "a list",
            Some(b'{') => "an object",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(InOrder).map(Fields)
    }
}

/// Returns the place of the character at which parsing stopped.
fn place(source: &str, start: usize, error: &serde_json::Error) -> Span {
    let text = &source[start..];
    let lines: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (start + lines + error.column().saturating_sub(1)).min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let length = source[at..].chars().next().filter(|char| *char != '\n').map_or(0, char::len_utf8);
    Span::new(at, at + length)
}

/// Returns the message without the position that serde_json appends.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_its_place() {
        let source = "\u{feff}{ \"a\\u0062\": [1, \"é\"], \"a\\u0062\": {} }";
        let whole = JsonPiece::read(source).expect("it is JSON");
        let fields = whole.fields(source).expect("it is an object");
        let names: Vec<&str> = fields.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["ab", "ab"]);
        assert_eq!(&source[fields[0].1.range()], "\"a\\u0062\"");
        let elements = fields[0].2.elements(source).expect("it is a list");
        assert_eq!(&source[elements[1].span.range()], "\"é\"");
        assert_eq!((elements[0].kind(), elements[1].text().as_deref()), ("a number", Some("é")));
    }

    #[test]
    fn what_is_no_json_has_a_place() {
        for (source, place) in [("{ \"a\": 1,\n }", 11), ("", 0), ("é", 0), ("{} x", 3), ("\u{feff}[1", 4)] {
            let (span, message) = JsonPiece::read(source).expect_err("it is not JSON");
            assert_eq!(span.start, place, "{source}: {message}");
        }
    }
}
