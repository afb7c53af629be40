//! Completion: functions, constructors and bound names anywhere, parameters within their call, and paths and symbols of
//! the workspace between backticks.

mod paths;
mod symbols;

use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use component::Bindings;
use dialect::{Object, Parameter, Registry, Signature, print};

pub(super) use self::symbols::Symbols;
use super::entry::VOCABULARY;

/// The time that a keystroke waits for symbols, which another thread reads.
const SYMBOLS: Duration = Duration::from_millis(50);

/// The time that it waits for the entries of a folder. A busy machine takes longer for them than a person notices.
const ENTRIES: Duration = Duration::from_millis(500);

/// The longest value that is shown beside its name, in characters.
const LONGEST: usize = 60;

/// A text to show, and one to insert.
type Completion = (String, String);

/// Everything that can be completed.
pub(super) struct Completions {
    /// The folder that paths are relative to.
    pub(super) workspace: PathBuf,
    pub(super) bindings: Bindings,
    pub(super) symbols: Symbols,
}

impl Completions {
    /// Returns the offset in bytes of the word at the end of `before`, and its completions. `after` is the rest of the
    /// text.
    pub(super) fn complete(&self, before: &str, after: &str) -> (usize, Vec<Completion>) {
        match open_raw_text(before) {
            Some(start) => (start, self.texts(&before[start..], after.starts_with('`'))),
            None => names(&VOCABULARY, &self.bindings.list(), before),
        }
    }

    /// Returns the paths and the symbols that begin like that. `is_closed` if a backtick stands behind it.
    fn texts(&self, typed: &str, is_closed: bool) -> Vec<Completion> {
        let (workspace, path) = (self.workspace.clone(), typed.to_owned());
        let paths = in_time(move || paths::complete(&workspace, &path)).unwrap_or_default();
        let symbols = self.symbols.complete(typed, SYMBOLS);
        let insert = |text: String| match is_closed || text.ends_with('/') {
            true => (text.clone(), text),
            false => (text.clone(), format!("{text}`")),
        };
        let can_stand = |it: &String| !it.contains('`') && ailang::visible_line(it, usize::MAX) == *it;
        paths.into_iter().chain(symbols).filter(can_stand).map(insert).collect()
    }
}

/// Returns the result of a function that may block, if it comes within the deadline.
fn in_time<T: Send + 'static>(find: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, found) = sync_channel(1);
    std::thread::spawn(move || drop(sender.send(find()))); // nobody listens after the deadline
    found.recv_timeout(ENTRIES).ok()
}

/// Returns the offset behind the backtick of a raw text that is open at the end of `text`.
fn open_raw_text(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        let at = rest.find(['`', '"', '\'', '/'])?;
        let (mark, behind) = rest[at..].split_at(1);
        let end = match mark {
            "`" => behind.find('`').map(|it| it + 1).ok_or(text.len() - behind.len()),
            "/" if behind.starts_with('/') => Ok(behind.find('\n').unwrap_or(behind.len())),
            "/" if behind.starts_with('*') => Ok(behind.find("*/").map_or(behind.len(), |it| it + 2)),
            "/" => Ok(0),
            quote => Ok(end_of_quoted(behind, quote)),
        };
        match end {
            Ok(end) => rest = &behind[end..],
            Err(start) => return Some(start),
        }
    }
}

/// Returns the length of a text in quotes, with the closing one. It ends with its line at the latest.
fn end_of_quoted(text: &str, quote: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        if char == '\n' || !escaped && quote.starts_with(char) {
            return at + 1;
        }
        escaped = !escaped && char == '\\';
    }
    text.len()
}

/// Returns the offset in bytes of the word at the end of `text`, and the names that complete it.
fn names(registry: &Registry, bound: &Object, text: &str) -> (usize, Vec<Completion>) {
    let dialect::Completions { start, parameters, callables } = dialect::completions(registry, text);
    let word = text[start..].to_lowercase();
    let argument = |it: &Parameter| (it.to_string(), format!("{}=", it.name));
    let mut found: Vec<Completion> = parameters.into_iter().map(argument).collect();
    for (name, value) in bound.iter().filter(|(name, _)| name.to_lowercase().starts_with(&word)) {
        let value = ailang::visible_line(&print(registry, value), LONGEST);
        found.push((format!("{name} = {value}"), name.clone()));
    }
    found.extend(callables.into_iter().map(|it| (it.to_string(), opened(it))));
    (start, found)
}

/// Returns the name with its opening bracket, and the closing one where nothing is taken.
fn opened(signature: &Signature) -> String {
    let end = if signature.parameters.is_empty() { "()" } else { "(" };
    format!("{}{end}", signature.name)
}

#[cfg(test)]
mod tests {
    use dialect::Value;

    use super::*;

    fn inserted(text: &str) -> (usize, Vec<String>) {
        let bound = [("found".to_owned(), Value::from(1_u32)), ("other".to_owned(), "x".into())];
        let (start, found) = names(&VOCABULARY, &bound.into_iter().collect(), text);
        (start, found.into_iter().map(|(_, inserted)| inserted).collect())
    }

    #[test]
    fn names_are_completed() {
        assert_eq!(inserted("brief(findref"), (6, vec!["findReferences(".to_owned()]));
        assert_eq!(inserted("é.sour"), (3, vec!["source(".to_owned()]));
        assert!(inserted("").1.len() > 6);
        assert!(inserted("nosuch").1.is_empty());
    }

    #[test]
    fn parameters_are_completed_within_their_call() {
        assert_eq!(inserted("search(`a`, patt"), (12, vec!["pattern=".to_owned()]));
        assert_eq!(inserted("search(brief([1]), ext").1, ["extension="]);
        assert_eq!(inserted("search([ext").1, Vec::<String>::new());
    }

    #[test]
    fn bound_names_are_completed() {
        assert_eq!(inserted("brief(fou"), (6, vec!["found".to_owned()]));
        assert!(inserted("").1.contains(&"other".to_owned()));
    }

    #[test]
    fn raw_texts_are_found() {
        for (text, start) in [
            ("source(`", Some(8)),
            ("source(`Us", Some(8)),
            ("é(`a`, `b", Some(9)),
            ("source(`a`", None),
            ("source(\"`", None),
            ("source('\\'`", None),
            ("source(\"\\\"a\", `b", Some(15)),
            ("1 // `\n`a", Some(8)),
            ("1 /* ` */ + `a", Some(13)),
            ("1 / `a", Some(5)),
        ] {
            assert_eq!(open_raw_text(text), start, "{text}");
        }
    }

    #[test]
    fn paths_and_symbols_are_completed_between_backticks() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["src/user.rs", "src/us\u{1b}er.rs", "usage.md"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let symbols = Symbols::new(runtime.handle().clone(), |_| async {
            ["User", "useIt", "`odd", "Account"].map(str::to_owned).into()
        });
        let completions =
            Completions { workspace: folder.path().to_owned(), bindings: Bindings::default(), symbols };
        let inserted = |before: &str, after: &str| {
            let (start, found) = completions.complete(before, after);
            (start, found.into_iter().map(|(_, inserted)| inserted).collect::<Vec<_>>())
        };
        assert_eq!(inserted("f(`s", ""), (3, vec!["src/".to_owned()]));
        assert_eq!(inserted("f(`src/", "").1, ["src/user.rs`"]);
        assert_eq!(inserted("f(`us", "").1, ["usage.md`", "User`", "useIt`"]);
        assert_eq!(inserted("f(`Us", "`)").1, ["User", "useIt"]);
        assert!(inserted("f(`../", "").1.is_empty());
    }
}
