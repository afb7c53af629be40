//! The functions of files: `fs.read`, `fs.write`, and so on.

use script_protocol::Stub;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The object in programs that has the functions of files.
pub(super) const NAMESPACE: &str = "fs";

/// A function of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileFunction {
    Read,
    Exists,
    List,
    Write,
    Edit,
    Remove,
    Rename,
    Commit,
}

use FileFunction::{Commit, Edit, Exists, List, Read, Remove, Rename, Write};

/// The functions with their parameters.
const TABLE: &[(FileFunction, &str, &[&str])] = &[
    (Read, "read", &["path"]),
    (Exists, "exists", &["path"]),
    (List, "list", &["glob"]),
    (Write, "write", &["path", "text"]),
    (Edit, "edit", &["path", "find", "replace", "all"]),
    (Remove, "remove", &["path"]),
    (Rename, "rename", &["from", "to"]),
    (Commit, "commit", &[]),
];

/// Returns the stubs of the functions.
pub(super) fn stubs() -> impl Iterator<Item = Stub> {
    TABLE.iter().map(|(_, name, parameters)| Stub {
        namespace: NAMESPACE.into(),
        name: (*name).into(),
        parameters: parameters.iter().map(|it| (*it).to_owned()).collect(),
        ..Stub::default()
    })
}

impl FileFunction {
    pub(super) fn find(name: &str) -> Option<Self> {
        TABLE.iter().find(|(_, it, _)| *it == name).map(|it| it.0)
    }

    pub(super) fn changes(self) -> bool {
        matches!(self, Write | Edit | Remove | Rename | Commit)
    }

    fn row(self) -> &'static (FileFunction, &'static str, &'static [&'static str]) {
        TABLE.iter().find(|it| it.0 == self).expect("each has a row")
    }

    /// Returns the arguments by name.
    ///
    /// # Errors
    /// There are too many, or one is given twice.
    pub(super) fn arguments(
        self,
        positional: Vec<Value>,
        named: Map<String, Value>,
    ) -> Result<FileArguments, String> {
        let (_, name, parameters) = self.row();
        let usage = || format!("it is `fs.{name}({})`", parameters.join(", "));
        if positional.len() > parameters.len() {
            return Err(format!("too many arguments: {}", usage()));
        }
        let (positional, named) = match (positional.as_slice(), named.is_empty()) {
            // An object that is not known to be one of names.
            ([Value::Object(given)], true) => (Vec::new(), given.clone()),
            _ => (positional, named),
        };
        let mut given: Map<String, Value> =
            parameters.iter().map(|it| (*it).to_owned()).zip(positional).collect();
        given.extend(named);
        given.retain(|_, it| !it.is_null());
        if let Some(unknown) = given.keys().find(|it| !parameters.contains(&it.as_str())) {
            return Err(format!("there is no parameter `{unknown}`: {}", usage()));
        }
        if let (Read, Some(Value::Array(paths))) = (self, given.get("path")) {
            let texts =
                paths.iter().map(|it| it.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>();
            let paths =
                texts.ok_or_else(|| format!("`path` must be a string, or a list of them: {}", usage()))?;
            return Ok(FileArguments { paths: Some(paths), ..FileArguments::default() });
        }
        for (key, value) in &given {
            let (fits, wanted) = match key.as_str() {
                "all" => (value.is_boolean(), "a boolean"),
                "path" if self == Read => (value.is_string(), "a string, or a list of them"),
                _ => (value.is_string(), "a string"),
            };
            if !fits {
                return Err(format!("`{key}` must be {wanted}: {}", usage()));
            }
        }
        let required = parameters.iter().filter(|it| !matches!(**it, "all" | "glob"));
        if let Some(missing) = required.into_iter().find(|it| !given.contains_key(**it)) {
            return Err(format!("`{missing}` is missing: {}", usage()));
        }
        serde_json::from_value(Value::Object(given)).map_err(|error| format!("{error}: {}", usage()))
    }
}

/// The arguments of a function; those that it requires are there.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FileArguments {
    #[serde(default)]
    pub(super) path: String,
    /// The paths where there are several.
    #[serde(skip)]
    pub(super) paths: Option<Vec<String>>,
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) find: String,
    #[serde(default)]
    pub(super) replace: String,
    #[serde(default)]
    pub(super) all: bool,
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) to: String,
    pub(super) glob: Option<String>,
}

/// Replaces a part of a text, and returns the text with the number of replaced places.
///
/// # Errors
/// The part is not there, or there are several and not all of them are meant.
pub(super) fn replaced(text: &str, arguments: &FileArguments) -> Result<(String, usize), String> {
    let FileArguments { path, find, replace, all, .. } = arguments;
    if find.is_empty() {
        return Err("`find` is empty; use fs.write to give the file a text".to_owned());
    }
    let (mut old, mut new) = (find.clone(), replace.clone());
    if !text.contains(&old) && text.contains("\r\n") {
        let with_return = |it: &str| it.replace("\r\n", "\n").replace('\n', "\r\n");
        (old, new) = (with_return(&old), with_return(&new));
    }
    let places: Vec<usize> = text.match_indices(&old).map(|it| it.0).collect();
    match places.len() {
        0 => {
            let first = old.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
            let near = text.lines().position(|it| it.trim() == first);
            let near = near.map(|it| format!("; line {} is like its first line, with other blanks", it + 1));
            Err(format!("`{path}` does not have the text `find`{}", near.unwrap_or_default()))
        }
        1 => Ok((text.replacen(&old, &new, 1), 1)),
        count if *all => Ok((text.replace(&old, &new), count)),
        count => {
            let lines: Vec<String> =
                places.iter().take(5).map(|at| (text[..*at].matches('\n').count() + 1).to_string()).collect();
            let more = if count > 5 { ", …" } else { "" };
            Err(format!(
                "`{path}` has the text `find` {count} times (lines {}{more}): give more of the text around it, or pass \
                 all: true",
                lines.join(", ")
            ))
        }
    }
}

/// Returns a path in the form in which answers spell it, as far as the text of it tells: relative in the workspace, and
/// whole beside it.
pub(super) fn normal(path: &str, workspace: Option<&str>) -> String {
    let inside = workspace.and_then(|it| path.strip_prefix(it)?.strip_prefix('/')).unwrap_or(path);
    let normal = without_dots(inside);
    match workspace.filter(|_| normal == ".." || normal.starts_with("../")) {
        Some(workspace) => without_dots(&format!("{workspace}/{normal}")),
        None => normal,
    }
}

/// Removes `.` and `..` from a path by its text alone.
fn without_dots(inside: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in inside.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if inside.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_have_names_and_types() {
        let read = |function: FileFunction, positional: Value, named: Value| {
            let (Value::Array(positional), Value::Object(named)) = (positional, named) else { panic!() };
            function.arguments(positional, named)
        };
        let edit = read(Edit, json!(["a", "x", "y"]), json!({"all": true})).unwrap();
        assert_eq!((edit.path.as_str(), edit.all), ("a", true));
        let wrong = |it: Result<FileArguments, String>| it.unwrap_err();
        assert_eq!(
            wrong(read(Write, json!(["a", {"b": 1}]), json!({}))),
            "`text` must be a string: it is `fs.write(path, text)`"
        );
        assert_eq!(wrong(read(Read, json!([]), json!({}))), "`path` is missing: it is `fs.read(path)`");
        assert!(read(List, json!([]), json!({})).unwrap().glob.is_none());
        assert_eq!(read(Read, json!([["a", "b"]]), json!({})).unwrap().paths.unwrap(), ["a", "b"]);
        assert_eq!(read(Write, json!([{"path": "a", "text": "b"}]), json!({})).unwrap().text, "b");
        for named in [json!([{"path": "a", "content": "b"}]), json!([{"content": "b"}])] {
            let told = wrong(read(Write, named, json!({})));
            assert_eq!(told, "there is no parameter `content`: it is `fs.write(path, text)`");
        }
        assert!(wrong(read(Read, json!([["a", 1]]), json!({}))).contains("or a list of them"));
    }

    #[test]
    fn a_part_is_replaced_where_it_is_clear_which() {
        let edit = |text: &str, old: &str, all: bool| {
            let arguments = FileArguments {
                path: "a".into(),
                find: old.into(),
                replace: "N\nM".into(),
                all,
                ..FileArguments::default()
            };
            replaced(text, &arguments)
        };
        assert_eq!(edit("x y", "y", false), Ok(("x N\nM".into(), 1)));
        assert_eq!(edit("a\r\nb\r\n", "a\nb", false), Ok(("N\r\nM\r\n".into(), 1)));
        assert_eq!(edit("y y", "y", true), Ok(("N\nM N\nM".into(), 2)));
        assert!(edit("y\ny", "y", false).unwrap_err().contains("2 times (lines 1, 2)"));
        assert!(edit("  if x {\n", "if x {\n  y", false).unwrap_err().contains("line 1 is like"));
    }

    #[test]
    fn paths_are_spelled_as_in_answers() {
        for (path, expected) in [
            ("./a//b", "a/b"),
            ("a/../b", "b"),
            ("/w/a", "a"),
            ("/other", "/other"),
            ("../x", "/x"),
            ("a/../../x/y", "/x/y"),
        ] {
            assert_eq!(normal(path, Some("/w")), expected);
        }
    }
}
