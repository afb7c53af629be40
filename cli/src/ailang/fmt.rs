//! `ailang fmt`: formats documents.

use std::path::{Path, PathBuf};

use ailang::format;
use source_text::LineIndex;

use super::arguments::Fmt;
use super::documents::name;
use super::outcome::{ExitResult, WRONG, each_document};
use crate::failure::Failure;
use crate::output::{complain, say, write_out};
use crate::source::read;

pub(super) fn run(arguments: &Fmt) -> ExitResult {
    let standard_input = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() { &standard_input[..] } else { &arguments.files };
    Ok(each_document(files, |file| one(file, arguments.check)))
}

/// Formats one file, and returns the exit code.
fn one(file: &Path, check: bool) -> ExitResult {
    let source = read(file)?;
    let formatted = match format(&source) {
        Ok(formatted) => formatted,
        Err(refused) => {
            let index = LineIndex::new(&source);
            for diagnostic in &refused.diagnostics {
                complain(&diagnostic.show(&name(file), &source, &index));
            }
            complain(&format!("{} has syntax errors, so it stays unchanged", name(file)));
            return Ok(WRONG);
        }
    };
    if check {
        return report(file, formatted == source);
    }
    if file == Path::new("-") {
        write_out(&formatted)?;
    } else if formatted != source {
        let problem = |error| format!("{} cannot be written: {error}", file.display());
        std::fs::write(file, &formatted).map_err(problem)?;
    }
    Ok(0)
}

fn report(file: &Path, is_laid_out: bool) -> Result<u8, Failure> {
    if is_laid_out {
        return Ok(0);
    }
    say(&name(file))?;
    Ok(WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_rewritten_checked_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, code: &str| {
            let path = folder.path().join(name);
            let front = "---\nid: a\ntitle: A\nsummary: S\n---\n";
            std::fs::write(&path, format!("{front}\n<define>\n{code}\n</define>\n")).unwrap();
            path
        };
        let loose = file("loose.md", "type A={a:int}");
        assert_eq!(one(&loose, true).unwrap(), WRONG);
        assert_eq!(one(&loose, false).unwrap(), 0);
        assert!(
            std::fs::read_to_string(&loose).unwrap().contains("```typescript\ntype A = { a: int }\n```\n")
        );
        assert_eq!(one(&loose, true).unwrap(), 0);
        let broken = file("broken.md", "type A = {");
        let before = std::fs::read_to_string(&broken).unwrap();
        assert_eq!(one(&broken, false).unwrap(), WRONG);
        assert_eq!(std::fs::read_to_string(&broken).unwrap(), before);
        assert!(one(&folder.path().join("absent"), false).is_err());
    }
}
