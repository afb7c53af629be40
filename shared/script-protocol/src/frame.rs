//! Frames as bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The maximum length of a frame, in bytes.
pub const MAX_FRAME: usize = 8 * 1024 * 1024;

/// The length of a frame's length.
const HEADER: usize = 4;

/// The length of a frame is above [`MAX_FRAME`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a frame of {0} bytes is longer than {MAX_FRAME}")]
pub struct TooLong(pub usize);

/// Returns a frame as bytes.
///
/// # Errors
/// The frame is too long.
pub fn encode(frame: &impl Serialize) -> Result<Vec<u8>, TooLong> {
    let mut bytes = vec![0; HEADER];
    serde_json::to_writer(&mut bytes, frame).expect("frames are plain data, and memory takes them");
    let length = bytes.len() - HEADER;
    let header = u32::try_from(length).ok().filter(|_| length <= MAX_FRAME).ok_or(TooLong(length))?;
    bytes[..HEADER].copy_from_slice(&header.to_le_bytes());
    Ok(bytes)
}

/// Reads frames from bytes that arrive in pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next whole frame; `None` until it is there. What is no frame of that type is an error, after which
    /// the next frame can be read; a length that is not allowed is an error for good.
    ///
    /// # Errors
    /// The message says what is wrong.
    pub fn decode<Frame: DeserializeOwned>(&mut self) -> Result<Option<Frame>, String> {
        let rest = &self.bytes[self.start..];
        let Some((header, rest)) = rest.split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = usize::try_from(u32::from_le_bytes(*header)).unwrap_or(usize::MAX);
        if length > MAX_FRAME {
            return Err(TooLong(length).to_string());
        }
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        let read = serde_json::from_slice(frame).map_err(|error| error.to_string());
        self.start += HEADER + length;
        read.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::{Answered, CallOutcome, ToRuntime};

    fn answer(json: &str) -> ToRuntime {
        let value = RawValue::from_string(json.to_owned()).unwrap();
        ToRuntime::Answered(Answered {
            call: 7,
            outcome: CallOutcome::Success { value, mark: None, notes: Vec::new() },
        })
    }

    #[test]
    fn frames_arrive_in_any_pieces_and_values_keep_their_text() {
        let mut bytes = encode(&answer("[1.50, {\"b\":1,\"a\":2}]")).unwrap();
        bytes.extend(encode(&answer("null")).unwrap());
        let mut decoder = Decoder::default();
        let mut texts = Vec::new();
        for piece in bytes.chunks(3) {
            decoder.push(piece);
            while let Some(frame) = decoder.decode().unwrap() {
                let ToRuntime::Answered(Answered { call: 7, outcome: CallOutcome::Success { value, .. } }) =
                    frame
                else {
                    panic!("another frame")
                };
                texts.push(value.get().to_owned());
            }
        }
        assert_eq!(texts, ["[1.50, {\"b\":1,\"a\":2}]", "null"]);
    }

    #[test]
    fn a_frame_that_is_none_costs_itself_alone() {
        let mut decoder = Decoder::default();
        decoder.push(&[2, 0, 0, 0, b'{', b'}']);
        decoder.push(&encode(&answer("1")).unwrap());
        assert!(decoder.decode::<ToRuntime>().is_err());
        assert!(matches!(decoder.decode::<ToRuntime>(), Ok(Some(_))));
        decoder.push(&[0xff; 4]);
        assert!(decoder.decode::<ToRuntime>().is_err());
        assert_eq!(encode(&"x".repeat(MAX_FRAME)), Err(TooLong(MAX_FRAME + 2)));
    }
}
