//! Diagnostics and edits of the fake language server: the word `broken` is an error, and blanks at the end of a line
//! are untidy.

use serde_json::{Value, json};

use super::words::{Word, Words, path_of};

/// Commands that the server says to have: one asks for an edit, the other would run something.
pub(super) const COMMANDS: [&str; 2] = ["fake.applyFix", "fake.runTests"];

impl Words {
    /// Returns the diagnostics of a file.
    pub(super) fn wrong(&self, uri: &str) -> Value {
        let file = path_of(uri);
        self.0.iter().filter(|it| it.file == file && it.text == "broken").map(diagnostic).collect()
    }

    /// A fix of each error, said in each of the ways that there are; and what cannot be done.
    pub(super) fn actions(&self, params: &Value) -> Value {
        let uri = &params["textDocument"]["uri"];
        let wrong = params["context"]["diagnostics"].as_array().cloned().unwrap_or_default();
        let mut actions = Vec::new();
        for it in &wrong {
            let edit = json!({"changes": {uri.as_str().unwrap_or_default(): [{"range": it["range"], "newText": "mended"}]}});
            let command = |name: &str| json!({"title": name, "command": name, "arguments": [edit]});
            actions.extend([
                json!({"title": "Mend it", "kind": "quickfix", "isPreferred": true, "diagnostics": [it], "edit": edit}),
                json!({"title": "Mend it later", "kind": "quickfix", "diagnostics": [it], "data": edit}),
                json!({"title": "Mend it by a command", "kind": "quickfix", "command": command(COMMANDS[0])}),
                json!({"title": "Run its tests", "command": COMMANDS[1], "arguments": []}),
                json!({"title": "Ask the user", "kind": "quickfix", "command": command("editor.ask")}),
            ]);
        }
        let disabled = json!({"reason": "nothing is selected"});
        actions.push(json!({"title": "Extract it", "kind": "refactor.extract", "disabled": disabled}));
        json!(actions)
    }

    /// Without the blanks at the ends of its lines.
    pub(super) fn formatted(text: &str, range: &Value) -> Value {
        let line = |at: &str| range[at]["line"].as_u64().and_then(|it| usize::try_from(it).ok());
        let (first, last) = (line("start").unwrap_or(0), line("end").unwrap_or(usize::MAX));
        let untidy =
            text.lines().enumerate().filter(|(at, it)| (first..=last).contains(at) && it.trim_end() != *it);
        let edit = |(line, text): (usize, &str)| {
            let at = |text: &str| json!({"line": line, "character": text.encode_utf16().count()});
            json!({"range": {"start": at(text.trim_end()), "end": at(text)}, "newText": ""})
        };
        untidy.map(edit).collect()
    }

    /// A module is renamed with its file: in the newer shape of the two.
    pub(super) fn renamed_module(&self, params: &Value) -> Option<Value> {
        let name = self.word_at(params)?;
        let word = self.definitions_where(|it| it.text == name && it.defines == Some(2)).next()?;
        let (old, new) = (word.file.with_file_name(format!("{name}.rs")), params["newName"].as_str()?);
        let uri = |path: &std::path::Path| format!("file://{}", path.display());
        let texts = self.renamed(params);
        let texts = texts["changes"].as_object().into_iter().flatten();
        let texts =
            texts.map(|(uri, edits)| json!({"textDocument": {"uri": uri, "version": null}, "edits": edits}));
        let moved = json!({"kind": "rename", "oldUri": uri(&old), "newUri": uri(&old.with_file_name(format!("{new}.rs")))});
        Some(json!({"documentChanges": texts.chain([moved]).collect::<Vec<_>>()}))
    }
}

fn diagnostic(word: &Word) -> Value {
    json!({"range": word.range(), "severity": 1, "code": "E1", "source": "fake", "message": "this is broken"})
}
