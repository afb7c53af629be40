//! Tells interface documents from other Markdown, without parsing them.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::time::SystemTime;

use unpoisoned::lock;

/// The part of a file that is read. Documents begin with their definitions.
const READ: u64 = 64 * 1024;

/// The maximum number of remembered files. Beyond it all are forgotten.
const REMEMBERED: usize = 10_000;

/// The fields of front matter that only interface documents have. An `id` is common.
const FIELDS: [&str; 3] = ["ailang:", "loading:", "size_hints:"];

/// A state of a file that was read, with the verdict.
type Verdict = (SystemTime, u64, bool);

static VERDICTS: LazyLock<Mutex<HashMap<PathBuf, Verdict>>> = LazyLock::new(Mutex::default);

/// Returns whether a file is an interface document. A file that was seen before is not read again until it changes.
pub(super) fn is_document(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    let Some((changed, length)) = state(&metadata) else { return false };
    if let Some(known) = lock(&VERDICTS).get(path).filter(|it| (it.0, it.1) == (changed, length)) {
        return known.2;
    }
    let is_document = reads_so(path).unwrap_or_default();
    let mut verdicts = lock(&VERDICTS);
    if verdicts.len() >= REMEMBERED {
        verdicts.clear();
    }
    verdicts.insert(path.to_owned(), (changed, length, is_document));
    is_document
}

/// Returns the state of a file; `None` for what is no file.
fn state(metadata: &Metadata) -> Option<(SystemTime, u64)> {
    metadata.is_file().then(|| Some((metadata.modified().ok()?, metadata.len()))).flatten()
}

fn reads_so(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(READ).read_to_end(&mut start)?;
    Ok(declares_tools(&String::from_utf8_lossy(&start)))
}

/// Returns whether a text is an interface document: its front matter has a field that other Markdown does not have, or a
/// `<define>` or an `<example>` stands on a line outside of fences.
fn declares_tools(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Lone carriage returns end lines too.
    let mut lines = text.split(['\n', '\r']);
    if lines.clone().next().is_some_and(|it| it.trim_end() == "---") {
        let mut fields = lines.by_ref().skip(1).take_while(|it| !matches!(it.trim_end(), "---" | "..."));
        if fields.any(|it| FIELDS.iter().any(|name| it.starts_with(name))) {
            return true;
        }
    }
    let mut fence: Option<&str> = None;
    for line in lines {
        match (fence, fence_of(line)) {
            (None, None) if is_block(line) => return true,
            (None, opened) => fence = opened,
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim() == mark => fence = None,
            (Some(_), _) => {}
        }
    }
    false
}

/// Returns the mark of a line that opens or closes a fence.
fn fence_of(line: &str) -> Option<&str> {
    let line = indented(line)?;
    let mark = line.chars().next().filter(|it| matches!(it, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| &line[..length])
}

/// Returns whether a line is the opening tag of a block.
fn is_block(line: &str) -> bool {
    let Some(line) = indented(line).map(str::trim_end) else { return false };
    let tag = line.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or_default();
    matches!(tag.split_whitespace().next(), Some("define" | "example"))
}

/// Returns a line without its indentation; `None` for indented code.
fn indented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_declares_tools_and_other_markdown_does_not() {
        for (text, is_document) in [
            ("---\nid: a\nailang: \"0.3\"\n---\n", true),
            ("\u{feff}---\r\nid: a\r\n---\r\n\r\n<define>\r\n", true),
            ("# A\n\n  <example id=\"one\" tool=\"f\">\n", true),
            ("~~~\n```\n~~~\n<define>\n", true),
            ("---\nid: a page of a site\ntitle: ailang\n---\n# A\n", false),
            ("The tag `<define>`:\n\n```md\n<define>\n```\n", false),
            ("````md\n```\n<define>\n````\n", false),
            ("    <define>\n", false),
            ("<defined>\n<define> is a tag\n", false),
            ("", false),
        ] {
            assert_eq!(declares_tools(text), is_document, "{text}");
        }
    }

    #[test]
    fn the_documents_of_the_corpus_are_told_from_other_markdown() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in ["shared/ailang/corpus/valid", "shared/ailang/corpus/skills"] {
            let mut count = 0;
            for entry in root.join(folder).read_dir().unwrap().flatten() {
                let path = entry.path();
                assert!(is_document(&path) && is_document(&path), "{}", path.display());
                count += 1;
            }
            assert!(count > 3, "{folder}");
        }
        for file in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "shared/ailang/Cargo.toml", "missing.md"]
        {
            assert!(!is_document(&root.join(file)), "{file}");
        }
    }

    #[test]
    fn a_changed_file_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.md");
        for (text, is_interface) in
            [("# A\n", false), ("<define>\n</define>\n", true), ("# Another\n", false)]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(is_document(&file), is_interface, "{text}");
        }
        std::fs::remove_file(&file).unwrap();
        assert!(!is_document(&file) && !is_document(folder.path()));
    }
}
