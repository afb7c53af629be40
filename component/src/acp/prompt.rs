//! The attachments of a session's latest prompt, as selections. For editors that do not report the selection
//! themselves.

use std::path::{Path, PathBuf};

use ide_protocol::{Completeness, Reason, Selection, SelectionResult, Source};
use serde_json::Value;

use crate::acp::resource_uri::{self, FileRange, ResourceUri};

/// The maximum number of selections of one prompt.
const KEPT: usize = 16;

/// The maximum size of the text of one prompt's selections, in bytes. Selections beyond that have no text.
const TEXT: usize = 256 * 1024;

/// The maximum number of other attachments that are named.
const NAMED: usize = 4;

/// Returns the selections that the params of `session/prompt` attach, in a session with these folders.
pub(crate) fn selections(params: &Value, roots: &[PathBuf]) -> SelectionResult {
    let mut attached = Attached { roots, room: TEXT, ..Attached::default() };
    for block in params["prompt"].as_array().into_iter().flatten() {
        let (resource, text) = match block["type"].as_str() {
            Some("resource_link") => (block, None),
            Some("resource") => (&block["resource"], block["resource"]["text"].as_str()),
            _ => continue,
        };
        if let Some(uri) = resource["uri"].as_str() {
            attached.add(uri, text);
        }
    }
    attached.result()
}

/// The maximum size of the texts of one prompt that rules of skills are matched against, in bytes.
const WORDS: usize = 64 * 1024;

/// The words of a prompt, and the files that it attaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct PromptWords {
    pub(crate) text: String,
    /// The paths of files, as answers write them.
    pub(crate) files: Vec<String>,
}

impl PromptWords {
    /// Reads the params of `session/prompt`, in a session with these folders.
    pub(crate) fn of(params: &Value, roots: &[PathBuf]) -> Self {
        let mut words = Self::default();
        for block in params["prompt"].as_array().into_iter().flatten() {
            let uri = block["uri"].as_str().or_else(|| block["resource"]["uri"].as_str());
            match (block["text"].as_str(), uri.map(resource_uri::read)) {
                (Some(text), _) if words.text.len() + text.len() <= WORDS => {
                    words.text.push_str(text);
                    words.text.push('\n');
                }
                (_, Some(ResourceUri::Range(FileRange { path, .. }) | ResourceUri::File(path)))
                    if words.files.len() < KEPT =>
                {
                    words.files.push(spell(&path, roots).0);
                }
                _ => {}
            }
        }
        words
    }
}

/// The attachments found so far.
#[derive(Debug, Default)]
struct Attached<'a> {
    roots: &'a [PathBuf],
    /// The number of bytes of text that still fit.
    room: usize,
    selections: Vec<Selection>,
    files: Vec<PathBuf>,
    odd: Vec<(String, &'static str)>,
    /// The number of selections beyond the maximum.
    beyond: usize,
}

impl Attached<'_> {
    fn add(&mut self, uri: &str, text: Option<&str>) {
        match resource_uri::read(uri) {
            ResourceUri::Range(_) if self.selections.len() == KEPT => self.beyond += 1,
            ResourceUri::Range(stretch) => self.select(&stretch, text),
            ResourceUri::File(path) if self.files.len() < NAMED => self.files.push(path),
            ResourceUri::Unusable(why) if self.odd.len() < NAMED => {
                self.odd.push((uri.chars().take(200).collect(), why));
            }
            ResourceUri::File(_) | ResourceUri::Unusable(_) | ResourceUri::Other => {}
        }
    }

    fn select(&mut self, stretch: &FileRange, text: Option<&str>) {
        let FileRange { path, start, end, symbol } = stretch;
        let text = symbol.as_deref().or(text).filter(|it| it.len() <= self.room);
        self.room -= text.map_or(0, str::len);
        let text = text.map(|it| it.replace("\r\n", "\n"));
        let (path, external) = spell(path, self.roots);
        self.selections.push(Selection { path, start: *start, end: *end, text, external });
    }

    fn result(self) -> SelectionResult {
        let completeness = Completeness::with(Source("prompt".to_owned()), self.reasons());
        SelectionResult { completeness, selections: self.selections }
    }

    /// Returns what else is attached, where the selections are not all there is.
    fn reasons(&self) -> Vec<Reason> {
        let odd = |(uri, cause): &(String, &str)| Reason::OddAttachment {
            uri: uri.clone(),
            cause: (*cause).to_owned(),
        };
        let beyond = (self.beyond > 0).then_some(Reason::SelectionsCut { count: self.beyond });
        let whole = self.files.iter().filter(|_| self.selections.is_empty());
        let whole = whole.map(|it| Reason::WholeAttachment { path: spell(it, self.roots).0 });
        self.odd.iter().map(odd).chain(beyond).chain(whole).collect()
    }
}

/// Returns a path as answers write it, and whether it lies outside the session's folders.
fn spell(path: &Path, roots: &[PathBuf]) -> (String, bool) {
    let inside = roots.first().and_then(|root| path.strip_prefix(root).ok());
    let external = !roots.iter().any(|root| path.starts_with(root));
    (inside.unwrap_or(path).to_string_lossy().into_owned(), external)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(prompt: &Value) -> SelectionResult {
        selections(&json!({"sessionId": "s", "prompt": prompt}), &["/w".into(), "/more".into()])
    }

    fn link(uri: &str) -> Value {
        json!({"type": "resource_link", "uri": uri, "name": "it"})
    }

    fn embedded(uri: &str, text: &str) -> Value {
        json!({"type": "resource", "resource": {"uri": uri, "text": text, "mimeType": "text/plain"}})
    }

    #[test]
    fn links_and_embedded_resources_are_selections() {
        let prompt = json!([
            {"type": "text", "text": "What does file:///w/c.rs#L1 do?"},
            link("file:///w/src/a.rs#L2:3"),
            embedded("file:///w/b.rs#L1:1", "let x\r\n"),
            embedded("file:///more/c.rs#L1:1", "c"),
            link("file:///etc/passwd#L1:1"),
        ]);
        let described: Vec<_> = result(&prompt)
            .selections
            .into_iter()
            .map(|it| (it.path, it.start.line.get(), it.text, it.external))
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            described,
            [
                ("src/a.rs".to_owned(), 2, None, false),
                ("b.rs".to_owned(), 1, text("let x\n"), false),
                ("/more/c.rs".to_owned(), 1, text("c"), false),
                ("/etc/passwd".to_owned(), 1, None, true),
            ]
        );
    }

    #[test]
    fn what_is_kept_is_bounded_and_says_so() {
        let many: Vec<Value> = (1..=20).map(|line| link(&format!("file:///w/a.rs#L{line}"))).collect();
        let result_of_many = result(&json!(many));
        assert_eq!((result_of_many.selections.len(), result_of_many.completeness.is_complete()), (16, false));
        assert_eq!(result_of_many.completeness.note().as_deref(), Some("4 more selections are attached"));

        let huge = "x".repeat(TEXT);
        let prompt = json!([embedded("file:///w/a.rs#L1", &huge), embedded("file:///w/a.rs#L2", "y")]);
        let texts: Vec<_> = result(&prompt).selections.into_iter().map(|it| it.text.is_some()).collect();
        assert_eq!(texts, [true, false]);
    }

    #[test]
    fn what_is_attached_and_no_selection_is_named() {
        let prompt = json!([
            link("file:///w/src/a.rs"),
            link("file:///w/a.rs#L9:1"),
            link("https://example.org#L1"),
            {"type": "resource", "resource": {"blob": "AA==", "uri": 7}},
            "nonsense",
        ]);
        assert_eq!(
            result(&prompt).completeness.note().as_deref(),
            Some(
                "`file:///w/a.rs#L9:1` is attached, but its lines cannot be read; `src/a.rs` is attached whole, without lines"
            )
        );
        assert_eq!(result(&json!("nonsense")).completeness.note(), None);
    }
}
