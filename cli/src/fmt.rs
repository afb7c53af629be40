//! `dialect fmt`: formats programs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dialect::{Outcome, explain, format};

use crate::arguments::Fmt;
use crate::failure::Failure;
use crate::output::{complain, say, write_out};
use crate::source::read;

const WOULD_CHANGE: u8 = 1;
const WRONG: u8 = 2;

pub(crate) fn run(arguments: &Fmt) -> Result<ExitCode, Failure> {
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &standard_input[..] } else { &arguments.files };
    let mut worst = 0;
    for file in files {
        worst = worst.max(one(file, arguments.check)?);
    }
    Ok(ExitCode::from(worst))
}

/// Formats one file, and returns the exit code.
fn one(file: &Path, check: bool) -> Result<u8, Failure> {
    let (source, formatted) = match laid_out(file) {
        Ok(texts) => texts,
        Err(problem) => {
            complain(&problem);
            return Ok(WRONG);
        }
    };
    let is_stdin = file == Path::new("-");
    match (check, is_stdin) {
        (true, _) if formatted == source => {}
        (true, _) => {
            say(&file.display().to_string())?;
            return Ok(WOULD_CHANGE);
        }
        (false, true) => write_out(&formatted)?,
        (false, false) if formatted != source => std::fs::write(file, &formatted)
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?,
        (false, false) => {}
    }
    Ok(0)
}

/// Returns the text of a file, and the text formatted.
fn laid_out(file: &Path) -> Result<(String, String), String> {
    let source = read(file)?;
    match format(&source) {
        Ok(formatted) => Ok((source, formatted)),
        Err(failures) => {
            let message = explain(&Outcome::Failure(failures), &source).text;
            Err(format!("{}: {message}", file.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_rewritten_checked_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let loose = file("loose.dialect", "count( [1,2] ) // two");
        assert_eq!(one(&loose, true).unwrap(), WOULD_CHANGE);
        assert_eq!(one(&loose, false).unwrap(), 0);
        assert_eq!(std::fs::read_to_string(&loose).unwrap(), "count([1, 2]) // two\n");
        assert_eq!(one(&loose, true).unwrap(), 0);
        let broken = file("broken.dialect", "count(");
        assert_eq!(one(&broken, false).unwrap(), WRONG);
        assert!(
            laid_out(&broken)
                .unwrap_err()
                .contains("broken.dialect: line 1, column 6: this `(` is never closed")
        );
        assert_eq!(one(&folder.path().join("absent"), false).unwrap(), WRONG);
    }
}
