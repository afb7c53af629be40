//! Program texts from an argument, a file or standard input. They have to be UTF-8.

use std::io::Read;
use std::path::Path;

/// Reads the text of a file; `-` is standard input.
///
/// # Errors
/// A message when it cannot be read, or is not UTF-8, with the position.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let (name, result) = if path == Path::new("-") {
        ("standard input".to_owned(), std::io::stdin().read_to_end(&mut bytes))
    } else {
        let result = std::fs::File::open(path).and_then(|mut it| it.read_to_end(&mut bytes));
        (path.display().to_string(), result)
    };
    result.map_err(|error| format!("{name} cannot be read: {error}"))?;
    text(bytes).map_err(|problem| format!("{name} is not UTF-8: {problem}"))
}

/// Reads the text of a file; `None` if there is no file.
///
/// # Errors
/// A message when it cannot be read, or is not UTF-8.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}

/// Converts bytes to text.
///
/// # Errors
/// The first byte that is not UTF-8, with its line and column, counted in characters from 1.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}: the byte 0x{:02x}", error.as_bytes()[valid])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf_8_is_refused_with_its_place() {
        assert_eq!(text("é".into()), Ok("é".to_owned()));
        let problem = text(b"a\n\xc3\xa9b\xff\xfe".to_vec()).unwrap_err();
        assert_eq!(problem, "line 2, column 3: the byte 0xff");
        let problem = text(b"cut \xe2\x82".to_vec()).unwrap_err();
        assert_eq!(problem, "line 1, column 5: the byte 0xe2");
    }
}
