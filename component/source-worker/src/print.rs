//! The printed text of the source.

use std::borrow::Cow;

use monty_types::{ExcType, MontyException, PrintWriterCallback};

/// The maximum of what one call prints, in bytes.
const PRINTED: usize = 64 * 1024;

/// The text that one call has printed.
#[derive(Debug, Default)]
pub(crate) struct Printed(pub(crate) String);

impl Printed {
    fn push(&mut self, text: &str) -> Result<(), MontyException> {
        if self.0.len() + text.len() > PRINTED {
            let why = format!("stopped: it printed more than {PRINTED} bytes");
            return Err(MontyException::new(ExcType::RuntimeError, Some(why)));
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.push(&output)
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push(end.encode_utf8(&mut [0; 4]))
    }
}
