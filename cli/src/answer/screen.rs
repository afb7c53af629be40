//! Values as people read them on a terminal: places as lines below their file, and no more than fits on the screen.
//!
//! Everything that comes from a workspace is escaped before colours are added.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::Value;
use source_text::{visible, visible_json, visible_line};

use super::laid_out;

/// The size where the terminal does not say its own.
const SIZE: (usize, usize) = (80, 24);

/// The lines that stay free for the question, the count and the next prompt.
const SPARE: usize = 4;

/// The fewest lines that are shown of a value.
const LEAST: usize = 8;

/// A terminal that an answer is printed to.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    width: usize,
    height: usize,
    is_coloured: bool,
    /// The workspace as seen from the current folder; empty where they are the same.
    folder: PathBuf,
    /// The way to see what does not fit.
    rest: &'static str,
}

/// A value in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) lines: Vec<String>,
    /// The last line, which is always shown: the number of places.
    count: Option<String>,
}

/// A place with the text of its line.
struct Place<'v> {
    path: &'v str,
    line: u64,
    column: Option<u64>,
    text: String,
}

impl Screen {
    /// Returns the terminal at standard output; `None` for a pipe or a file.
    pub(crate) fn of_output(workspace: &Path, rest: &'static str) -> Option<Self> {
        let stdout = std::io::stdout();
        if !stdout.is_terminal() {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(&stdout).ok().filter(|it| it.ws_col > 0 && it.ws_row > 0);
        let (width, height) = size.map_or(SIZE, |it| (it.ws_col.into(), it.ws_row.into()));
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|it| it == "dumb");
        let current = std::env::current_dir().and_then(|it| it.canonicalize()).unwrap_or_default();
        let folder = workspace.strip_prefix(&current).unwrap_or(workspace).to_owned();
        Some(Self { width, height, is_coloured: !is_set("NO_COLOR") && !is_dumb, folder, rest })
    }

    /// Returns a value in lines.
    pub(crate) fn shown(&self, value: &Value) -> Shown {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let places = match value {
            Value::String(text) => return Shown { lines: lines(&visible(text)), count: None },
            Value::Array(list) => places(list),
            value => Place::of(value).map(|it| vec![it]),
        };
        match places {
            Some(places) => self.grouped(&places),
            None => Shown { lines: lines(&laid_out(&visible_json(&value.to_string()))), count: None },
        }
    }

    /// Returns what fits of a value, and how to see the rest.
    pub(crate) fn fitting(&self, shown: &Shown) -> String {
        let rows = |line: &String| visible_width(line).div_ceil(self.width).max(1);
        let room = self.height.saturating_sub(SPARE).max(LEAST);
        let mut lines = shown.lines.clone();
        if lines.iter().map(rows).sum::<usize>() > room {
            let mut left = room;
            let fits = |line: &&String| {
                let fits = rows(line) <= left;
                left = left.saturating_sub(rows(line));
                fits
            };
            let kept = shown.lines.iter().take_while(fits).count().max(1);
            lines.truncate(kept);
            let more = shown.lines.len() - kept;
            let noun = if more == 1 { "line" } else { "lines" };
            lines.push(self.painted(DIM, &format!("… and {more} more {noun}; {}", self.rest)));
        }
        lines.into_iter().chain(shown.count.clone()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the whole value.
    pub(crate) fn whole(shown: &Shown) -> String {
        shown.lines.iter().chain(&shown.count).cloned().collect::<Vec<_>>().join("\n")
    }

    /// Returns a line that says what a name is bound to.
    pub(crate) fn bound(&self, name: &str, value: &Value) -> String {
        visible_line(&format!("{name} = {}", described(value)), self.width.max(20))
    }

    /// Returns the places below their files, as `rg` prints them.
    fn grouped(&self, places: &[Place<'_>]) -> Shown {
        let mut files: Vec<&str> = Vec::new();
        let mut of_file: BTreeMap<&str, Vec<&Place<'_>>> = BTreeMap::new();
        for place in places {
            let group = of_file.entry(place.path).or_default();
            if group.is_empty() {
                files.push(place.path);
            }
            group.push(place);
        }
        let mut lines = Vec::new();
        for file in &files {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(self.painted(PATH, &self.openable(file)));
            lines.extend(of_file[file].iter().map(|place| self.line(place)));
        }
        let count = (places.len() > 1).then(|| self.painted(DIM, &counted(places.len(), files.len())));
        Shown { lines, count }
    }

    fn line(&self, place: &Place<'_>) -> String {
        let column = place.column.map(|it| format!("{it}:")).unwrap_or_default();
        let start = format!("{}:{column}", place.line);
        let room = self.width.saturating_sub(start.len() + 1).max(LEAST);
        format!("{} {}", self.painted(LINE, &start), visible_line(place.text.trim(), room))
    }

    /// Returns a path of the workspace as the current folder sees it, so that a terminal can open it.
    fn openable(&self, path: &str) -> String {
        visible_line(&self.folder.join(path).to_string_lossy(), 4_096)
    }

    fn painted(&self, colour: &str, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

const PATH: &str = "35";
const LINE: &str = "32";
const DIM: &str = "2";

/// Returns the number of columns of a line without its colours.
fn visible_width(line: &str) -> usize {
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().chars().count();
    let rest = parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.chars().count()));
    first + rest.sum::<usize>()
}

/// Returns the places of a list; `None` if something else is among them.
fn places(list: &[Value]) -> Option<Vec<Place<'_>>> {
    let places: Option<Vec<Place<'_>>> = list.iter().map(Place::of).collect();
    places.filter(|it| !it.is_empty())
}

impl<'v> Place<'v> {
    /// Returns the place of a hit, a reference, a definition, a call or a diagnostic.
    fn of(value: &'v Value) -> Option<Self> {
        let at =
            [&value["nameAt"], &value["definedAt"], value].into_iter().find(|it| it["path"].is_string())?;
        let number = |key: &str| at["start"][key].as_u64().or_else(|| at[key].as_u64());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let text = match (value["severity"].as_str(), value["message"].as_str()) {
            (Some(severity), Some(message)) => format!("{severity}: {message}"),
            _ if at["text"].is_string() => text(&at["text"]),
            _ => [text(&value["kind"]), text(&value["name"])].join(" "),
        };
        Some(Self { path: at["path"].as_str()?, line: number("line")?, column: number("column"), text })
    }
}

fn counted(places: usize, files: usize) -> String {
    let places = if places == 1 { "1 place".to_owned() } else { format!("{places} places") };
    if files == 1 { format!("{places} in 1 file") } else { format!("{places} in {files} files") }
}

/// Describes a value in a few words; what is short stands for itself.
fn described(value: &Value) -> String {
    /// The longest value that stands for itself, in characters.
    const SHORT: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= SHORT {
        return text;
    }
    match value {
        Value::String(text) => match text.lines().count() {
            1 => format!("a text of {} characters", text.chars().count()),
            lines => format!("a text of {lines} lines"),
        },
        Value::Array(list) => match places(list) {
            Some(places) => {
                let files: std::collections::BTreeSet<&str> = places.iter().map(|it| it.path).collect();
                counted(places.len(), files.len())
            }
            None if list.len() == 1 => "a list of 1 value".to_owned(),
            None => format!("a list of {} values", list.len()),
        },
        value => match (Place::of(value), value.as_object()) {
            (Some(place), _) => {
                let column = place.column.map(|it| format!(":{it}")).unwrap_or_default();
                format!("{}:{}{column}: {}", place.path, place.line, place.text.trim())
            }
            (None, Some(fields)) => {
                format!("an object with {}", fields.keys().cloned().collect::<Vec<_>>().join(", "))
            }
            (None, None) => text,
        },
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    fn screen(is_coloured: bool) -> Screen {
        let rest = ":all shows them";
        Screen { width: 40, height: 12, is_coloured, folder: PathBuf::new(), rest }
    }

    fn hit(path: &str, line: u64, text: &str) -> Value {
        json!({"path": path, "start": {"line": line, "column": 5}, "end": {"line": line, "column": 9}, "text": text})
    }

    fn fitting(value: &Value) -> String {
        screen(false).fitting(&screen(false).shown(value))
    }

    #[test]
    fn places_stand_below_their_files() {
        let hits =
            json!([hit("a.rs", 1, "use x;"), hit("b.rs", 7, "\tx();"), hit("a.rs", 9, &"x".repeat(90))]);
        expect![[r#"
            a.rs
            1:5: use x;
            9:5: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…

            b.rs
            7:5: x();
            3 places in 2 files"#]]
        .assert_eq(&fitting(&hits));
        let coloured = screen(true).fitting(&screen(true).shown(&json!([hit("a.rs", 1, "x")])));
        assert_eq!(coloured, "\x1b[35ma.rs\x1b[0m\n\x1b[32m1:5:\x1b[0m x");
    }

    #[test]
    fn each_kind_of_place_is_one_line() {
        let at = hit("a.rs", 3, "struct User;");
        for (value, line) in [
            (
                json!({"name": "User", "kind": "struct", "definedAt": at, "path": "a.rs", "line": 2}),
                "3:5: struct User;",
            ),
            (json!({"name": "User", "kind": "struct", "path": "a.rs", "line": 2}), "2: struct User"),
            (
                json!({"caller": {"name": "f"}, "path": "a.rs", "line": 4, "column": 2, "text": "g()"}),
                "4:2: g()",
            ),
            (
                json!({"severity": "error", "message": "no\nsuch", "path": "a.rs", "start": {"line": 1, "column": 1}}),
                r"1:1: error: no\nsuch",
            ),
        ] {
            assert_eq!(fitting(&json!([value])), format!("a.rs\n{line}"));
        }
    }

    #[test]
    fn what_is_too_long_is_cut_with_a_remedy_and_the_count() {
        let hits: Vec<Value> = (1..=50).map(|line| hit("a.rs", line, "x")).collect();
        let text = fitting(&hits.clone().into());
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(
            text.ends_with("8: x\n… and 43 more lines; :all shows them\n50 places in 1 file")
                || text.contains("… and 43 more lines; :all shows them\n50 places in 1 file"),
            "{text}"
        );
        let whole = Screen::whole(&screen(false).shown(&hits.into()));
        assert_eq!(whole.lines().count(), 52);
        // A line that is wider than the screen takes several of its rows.
        let wide = fitting(&json!(format!("{}\nz", "y".repeat(100)).repeat(9)));
        assert!(wide.contains("more lines") && wide.lines().count() < 5, "{wide}");
    }

    #[test]
    fn other_values_are_formatted_and_texts_are_texts() {
        assert_eq!(fitting(&json!([1, 2])), "[1, 2]");
        assert_eq!(fitting(&json!("a\nb")), "a\nb");
        assert_eq!(fitting(&json!([])), "[]");
    }

    #[test]
    fn a_binding_is_one_line() {
        let hits: Vec<Value> = (1..=50).map(|line| hit("a.rs", line, "x")).collect();
        for (value, line) in [
            (hits.into(), "r = 50 places in 1 file"),
            (json!(3), "r = 3"),
            (json!("x".repeat(100)), "r = a text of 100 characters"),
            (json!("x\n".repeat(100)), "r = a text of 100 lines"),
            (hit("a.rs", 3, "let x = 1;"), "r = a.rs:3:5: let x = 1;"),
            (json!([&"x".repeat(50), &"y".repeat(50)]), "r = a list of 2 values"),
            (json!({"name": "x".repeat(70), "kind": 1}), "r = an object with name, kind"),
        ] {
            assert_eq!(screen(false).bound("r", &value), line);
        }
    }

    #[test]
    fn names_and_texts_give_no_orders_to_the_terminal() {
        let forged = "x.py:1: note\nSystem: fine\u{1b}]0;t\u{7}\u{202e}";
        for value in [json!([hit(forged, 1, forged)]), json!(forged), json!([forged]), json!({ "a": forged })]
        {
            let text = fitting(&value);
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        }
        let places = fitting(&json!([hit(forged, 1, forged)]));
        assert_eq!(places.lines().count(), 2, "{places}");
        assert!(!screen(false).bound("r", &json!([forged, 1])).contains('\u{1b}'));
    }

    #[test]
    fn paths_are_those_of_the_current_folder() {
        let in_folder = Screen { folder: "sub/dir".into(), ..screen(false) };
        assert_eq!(in_folder.shown(&json!([hit("a.rs", 1, "x")])).lines[0], "sub/dir/a.rs");
        assert_eq!(in_folder.shown(&json!([hit("/usr/a.rs", 1, "x")])).lines[0], "/usr/a.rs");
    }
}
