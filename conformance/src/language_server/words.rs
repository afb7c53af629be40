//! Code as the fake language server knows it: words, and the words before them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Keywords before a name that is being defined, with LSP's kind of symbol.
const KEYWORDS: [(&str, u32); 9] = [
    ("fn", 12),
    ("def", 12),
    ("class", 5),
    ("struct", 23),
    ("enum", 10),
    ("trait", 11),
    ("mod", 2),
    ("const", 14),
    ("type", 26),
];

/// A word of a file. Line and column count from 0, the column in UTF-16 units.
pub(super) struct Word {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    column: usize,
    pub(super) text: String,
    /// The kind of symbol that is defined here, if one is.
    pub(super) defines: Option<u32>,
}

/// The words of a workspace, read anew for each question.
pub(super) struct Words(pub(super) Vec<Word>);

impl Words {
    /// Those of the files on disk, or of what the client said that they hold.
    pub(super) fn of(root: &Path, open: &HashMap<PathBuf, String>) -> Self {
        let mut words = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                let (path, is_link) = (entry.path(), entry.file_type().is_ok_and(|it| it.is_symlink()));
                if is_link {
                    // It may lead anywhere, and around.
                } else if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "rs" || it == "py") {
                    let text = open.get(&path).cloned();
                    let text = text.or_else(|| std::fs::read_to_string(&path).ok()).unwrap_or_default();
                    read_words(&path, &text, &mut words);
                }
            }
        }
        words.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        Self(words)
    }

    pub(super) fn symbols(&self, query: &str) -> Value {
        let query = query.trim_end_matches(['#', '*']).to_lowercase();
        let found = self.definitions_where(|it| it.text.to_lowercase().contains(&query));
        found.map(|it| json!({"name": it.text, "kind": it.defines, "location": it.location()})).collect()
    }

    pub(super) fn symbols_of(&self, uri: &Value) -> Value {
        let file = path_of(uri.as_str().unwrap_or_default());
        let found = self.definitions_where(|it| it.file == file);
        let symbols = found.map(|it| {
            let line = json!({"start": {"line": it.line, "character": 0}, "end": {"line": it.line + 1, "character": 0}});
            json!({"name": it.text, "kind": it.defines, "range": line, "selectionRange": it.range()})
        });
        symbols.collect()
    }

    pub(super) fn definitions(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params) else { return json!([]) };
        self.definitions_where(|it| it.text == name).map(Word::location).collect()
    }

    pub(super) fn references(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params) else { return Value::Null };
        let with_declaration = params["context"]["includeDeclaration"] == true;
        let found = self.0.iter().filter(|it| it.text == name && (with_declaration || it.defines.is_none()));
        found.map(Word::location).collect()
    }

    /// In the older shape of the two.
    pub(super) fn renamed(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params) else { return Value::Null };
        let mut changes = json!({});
        for it in self.0.iter().filter(|it| it.text == name) {
            let edits = &mut changes[format!("file://{}", it.file.display())];
            let edit = json!({"range": it.range(), "newText": params["newName"]});
            match edits.as_array_mut() {
                Some(edits) => edits.push(edit),
                None => *edits = json!([edit]),
            }
        }
        json!({ "changes": changes })
    }

    pub(super) fn definitions_where(&self, is_wanted: impl Fn(&Word) -> bool) -> impl Iterator<Item = &Word> {
        self.0.iter().filter(move |it| it.defines.is_some() && is_wanted(it))
    }

    pub(super) fn word_at(&self, params: &Value) -> Option<&str> {
        self.index_at(params).map(|it| self.0[it].text.as_str())
    }

    pub(super) fn index_at(&self, params: &Value) -> Option<usize> {
        let file = path_of(params["textDocument"]["uri"].as_str()?);
        let line = usize::try_from(params["position"]["line"].as_u64()?).ok()?;
        let column = usize::try_from(params["position"]["character"].as_u64()?).ok()?;
        self.0.iter().position(|it| {
            it.file == file && it.line == line && (it.column..=it.column + it.width()).contains(&column)
        })
    }
}

impl Word {
    fn width(&self) -> usize {
        self.text.encode_utf16().count()
    }

    pub(super) fn range(&self) -> Value {
        let at = |character| json!({"line": self.line, "character": character});
        json!({"start": at(self.column), "end": at(self.column + self.width())})
    }

    pub(super) fn location(&self) -> Value {
        json!({"uri": format!("file://{}", self.file.display()), "range": self.range()})
    }
}

/// The path of a `file:` URI without escapes, which is what workspaces of tests have.
pub(super) fn path_of(uri: &str) -> PathBuf {
    PathBuf::from(uri.strip_prefix("file://").unwrap_or(uri))
}

fn read_words(file: &Path, text: &str, words: &mut Vec<Word>) {
    for (line, text) in text.lines().enumerate() {
        let code = text.split("//").next().unwrap_or_default();
        let mut keyword = None;
        for (column, word) in words_of(code) {
            let kind =
                keyword.and_then(|it| KEYWORDS.iter().find(|(word, _)| *word == it)).map(|(_, kind)| *kind);
            keyword = Some(word);
            words.push(Word {
                file: file.to_owned(),
                line,
                column: code[..column].encode_utf16().count(),
                text: word.to_owned(),
                defines: kind,
            });
        }
    }
}

/// The words of a line with the byte where each begins.
fn words_of(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    std::iter::from_fn(move || {
        let start = end + line[end..].find(is_word)?;
        end = line[start..].find(|c| !is_word(c)).map_or(line.len(), |length| start + length);
        Some((start, &line[start..end]))
    })
}
