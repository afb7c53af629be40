//! Places and names as text: `src/auth.rs:12:5`, `src/auth.rs:10-15`, `auth::User`.

use ide_protocol::{Column, FileRange, Line, Location};
use source_text::visible_line;

use crate::symbol::{Symbol, whole_lines};

/// A place as agents write it: `path:line`, `path:line:column` or `path:first-last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedPlace {
    path: String,
    first: Line,
    column: Option<Column>,
    last: Option<Line>,
}

impl ParsedPlace {
    /// Reads `path:line`, `path:line:column` and `path:first-last`. Text behind them, as grep prints it (`: text`),
    /// is ignored. `None` for other texts.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if name_at_place(text).is_some() {
            return None;
        }
        text.match_indices(':').find_map(|(at, _)| {
            let path = &text[..at];
            let is_path = !path.is_empty() && !path.ends_with(':');
            is_path.then(|| Self::read_numbers(path, &text[at + 1..])).flatten()
        })
    }

    fn read_numbers(path: &str, text: &str) -> Option<Self> {
        let (first, rest) = number(text)?;
        let first = Line::new(first)?;
        let spelled = |column, last| Some(Self { path: path.to_owned(), first, column, last });
        if let Some((last, "")) = rest.strip_prefix('-').and_then(number) {
            let last = Line::new(last).filter(|last| *last >= first)?;
            return spelled(None, Some(last));
        }
        match rest.strip_prefix(':') {
            None if rest.is_empty() => spelled(None, None),
            None => None,
            Some(rest) => {
                let column =
                    number(rest).filter(|(_, rest)| rest.is_empty() || rest.starts_with([':', '-', ' ']));
                spelled(column.and_then(|(column, _)| Column::new(column)), None)
            }
        }
    }

    /// Returns its start.
    pub(crate) fn location(self) -> Location {
        Location { path: self.path, line: self.first, column: self.column }
    }

    /// Returns its lines, whole.
    pub(crate) fn range(&self) -> FileRange {
        whole_lines(&self.path, self.first, self.last.unwrap_or(self.first))
    }
}

/// Splits `User@src/auth.rs:12` into the name and the place, of which only the path must be there. `None` for names
/// with an `@` of their own.
fn name_at_place(text: &str) -> Option<(&str, &str, Option<Line>, Option<Column>)> {
    let (name, place) = text.trim().split_once('@')?;
    if name.is_empty() || name.contains(['/', ' ', '"', ':']) && !name.contains("::") || place.is_empty() {
        return None;
    }
    match ParsedPlace::read(place) {
        Some(parsed) => Some((name, &place[..parsed.path.len()], Some(parsed.first), parsed.column)),
        None => place.contains(['.', '/']).then_some((name, place, None, None)),
    }
}

/// Returns the symbol that a text names: `User`, or `User@src/auth.rs:12` for one definition of that name.
pub(crate) fn symbol_of(text: &str) -> Symbol {
    match name_at_place(text) {
        Some((name, path, line, column)) => {
            Symbol { path: Some(path.to_owned()), line, column, ..Symbol::named(bare_name(name)) }
        }
        None => Symbol::named(text),
    }
}

/// Returns true if a text with a slash is a path, not a name with its path.
pub(crate) fn is_path(text: &str) -> bool {
    text.contains(['/', '\\']) && name_at_place(text).is_none()
}

/// Splits off the number at the start.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Writes a path or a name, in which nothing hides. The host reads such a path.
pub(crate) fn display_path(path: &str) -> String {
    visible_line(path, usize::MAX)
}

/// Writes a location: `src/auth.rs:12:5`.
pub(crate) fn display_location(location: &Location) -> String {
    let Location { path, line, column } = location;
    let path = display_path(path);
    match column {
        Some(column) => format!("{path}:{line}:{column}"),
        None => format!("{path}:{line}"),
    }
}

/// Writes lines: `src/auth.rs:10-15`, or `src/auth.rs:10` for a single line.
pub(crate) fn display_lines(path: &str, first: Line, last: Line) -> String {
    let path = display_path(path);
    if first == last { format!("{path}:{first}") } else { format!("{path}:{first}-{last}") }
}

/// Returns true if a path consists of the last components of another.
pub(crate) fn is_end_of(end: &str, path: &str) -> bool {
    let end = end.trim_start_matches("./");
    !end.is_empty() && path.strip_suffix(end).is_some_and(|it| it.ends_with('/'))
}

/// Removes the brackets of a call from a name. Those of C++'s `operator()` stay.
pub(crate) fn bare_name(text: &str) -> &str {
    let text = text.trim();
    let is_own = own_name(text) == "operator()";
    text.strip_suffix("()").filter(|_| !is_own).unwrap_or(text)
}

/// Returns the symbol's own name: `new` in `User::new`, `fn new`, `Vec<T>::new(x)`. The mark of a private name
/// belongs to it: `#count` in `Timer.#count`. The escape of a keyword does not: `type` in `r#type`.
pub(crate) fn own_name(written: &str) -> &str {
    if let Some(at) = marked_at(written) {
        return &written[at..];
    }
    let head = written.split('(').next().unwrap_or_default();
    let Some((_, word)) = words(head).last() else { return written };
    let at = head.rfind(word).unwrap_or_default();
    let is_marked = head[..at].strip_suffix('#').is_some_and(|it| it.is_empty() || it.ends_with('.'));
    if is_marked { &head[at - 1..at + word.len()] } else { word }
}

/// Returns the own name with the mark that ends it in Ruby or C#: `empty?` in `Stack#empty?`, `this[]` in
/// `Table.this[]`.
pub(crate) fn marked_name(written: &str) -> Option<&str> {
    let head = written.split('(').next().unwrap_or_default().trim_end();
    let plain = head.strip_suffix("[]").or_else(|| head.strip_suffix(['?', '!', '=']))?;
    let own = own_name(plain);
    plain.ends_with(own).then(|| &head[plain.len() - own.len()..])
}

/// Splits `auth::User`, `User.name`, `User#name`, `User.#name` into container and name.
pub(crate) fn split_qualified(name: &str) -> Option<(&str, &str)> {
    if let Some(at) = marked_at(name) {
        let (_, container) = words(&name[..at]).last()?;
        return Some((container, &name[at..]));
    }
    // In `User::r#type` the name is `r#type`, the escape of a keyword.
    let head = match name.rsplit_once("r#") {
        Some((head, _)) if head.is_empty() || head.ends_with([':', '.']) => head,
        _ => name,
    };
    let (at, separator) = ["::", ".", "#"].iter().filter_map(|it| Some((head.rfind(it)?, it))).max()?;
    let is_marked = *separator == "#" && name[..at].ends_with('.');
    let (at, separator) = if is_marked { (at - 1, &".") } else { (at, separator) };
    let (qualifier, last) = (&name[..at], &name[at + separator.len()..]);
    let generic = qualifier.find('<').filter(|at| *at > 0).unwrap_or(qualifier.len());
    let (_, container) = words(&qualifier[..generic]).last()?;
    let own = ["#", "r#"].iter().find_map(|it| last.strip_prefix(it)).unwrap_or(last);
    is_identifier(own).then_some((container, last))
}

/// Returns the start of the own name of an operator, a conversion or a destructor, which is more than a word:
/// `operator==`, `~User`, and in Ruby `<<`.
fn marked_at(name: &str) -> Option<usize> {
    signed_at(name).or_else(|| worded_at(name))
}

/// Returns the start of a name that consists of signs.
fn signed_at(name: &str) -> Option<usize> {
    let head = name.split('(').next().unwrap_or_default();
    let before = head.trim_end_matches(|it: char| "+-*/%<>=!~^&|[]@".contains(it));
    let is_whole = before.is_empty() || before.ends_with(['.', '#']) || before.ends_with("::");
    (is_whole && before.len() < head.len()).then_some(before.len())
}

fn worded_at(name: &str) -> Option<usize> {
    let at = name.rfind("operator").or_else(|| name.rfind('~'))?;
    let behind = name[at..].strip_prefix("operator").unwrap_or("=");
    let is_mark = |it: char| !is_word_char(it) && it != '.' && it != ':' && it != '(';
    let is_operator = behind.starts_with(is_mark) || behind.starts_with("()");
    (is_operator && !name[..at].ends_with(is_word_char)).then_some(at)
}

/// Returns the identifiers of a text, with the index of their first character, from 0.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 0;
    text.split_inclusive(|char| !is_word_char(char)).filter_map(move |piece| {
        let at = column;
        column += piece.chars().count();
        let word = piece.trim_end_matches(|char| !is_word_char(char));
        let is_name = word.starts_with(|char: char| !char.is_ascii_digit());
        is_name.then_some((at, word))
    })
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word_char)
}

fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

#[cfg(test)]
mod tests {
    use ide_protocol::Point;

    use super::*;

    fn location(text: &str) -> Option<String> {
        ParsedPlace::read(text).map(|it| display_location(&it.location()))
    }

    #[test]
    fn a_mark_may_end_a_name() {
        for (written, marked) in [
            ("run!", Some("run!")),
            ("Stack#empty?", Some("empty?")),
            ("def size=(size)", Some("size=")),
            ("Table.this[]", Some("this[]")),
            ("run", None),
            ("Stack::run()", None),
        ] {
            assert_eq!(marked_name(written), marked, "{written}");
        }
    }

    #[test]
    fn brackets_belong_to_one_operator() {
        for (written, bare) in
            [("total()", "total"), ("Call::operator()", "Call::operator()"), ("operator()()", "operator()")]
        {
            assert_eq!(bare_name(written), bare, "{written}");
        }
    }

    #[test]
    fn places_are_read_as_grep_and_compilers_print_them() {
        for (text, expected) in [
            ("src/a.rs:12", "src/a.rs:12"),
            (" src/a.rs:12:5 ", "src/a.rs:12:5"),
            ("src/a.rs:12: let x = 1;", "src/a.rs:12"),
            ("src/a.rs:12:    let x = 1;", "src/a.rs:12"),
            ("src/a.rs:12:5: error: no", "src/a.rs:12:5"),
            ("src/a.rs:12:5-9 call in f: x", "src/a.rs:12:5"),
            (r"C:\src\a.rs:3:4", r"C:\src\a.rs:3:4"),
            ("src/a.rs:10-15", "src/a.rs:10"),
            ("Makefile:7", "Makefile:7"),
        ] {
            assert_eq!(location(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn names_are_no_places() {
        for text in
            ["User", "auth::User", "std::vec::Vec", "a::1", "x:", ":12", "src/a.rs:0", "a:5-3", "a:1b"]
        {
            assert_eq!(location(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_of_lines_ends_where_the_next_line_starts() {
        let range = ParsedPlace::read("a.rs:10-15").unwrap().range();
        let point = |line| Point { line: Line::new(line).unwrap(), column: Column::FIRST };
        assert_eq!((range.start, range.end), (point(10), point(16)));
    }

    #[test]
    fn qualified_names_are_split_at_the_last_separator() {
        for (name, expected) in [
            ("auth::User", Some(("auth", "User"))),
            ("crate::auth::User::name", Some(("User", "name"))),
            ("User.name", Some(("User", "name"))),
            ("Vec<T>::len", Some(("Vec", "len"))),
            ("Timer#count", Some(("Timer", "count"))),
            ("Timer.#count", Some(("Timer", "#count"))),
            ("User::r#type", Some(("User", "r#type"))),
            ("r#type", None),
            ("geo::Vec::operator[]", Some(("Vec", "operator[]"))),
            ("operator[]", None),
            ("Shop::Stack#<<", Some(("Stack", "<<"))),
            ("Stack.[]=", Some(("Stack", "[]="))),
            ("<=>", None),
            ("Shape::~Shape", Some(("Shape", "~Shape"))),
            ("User", None),
            ("User::", None),
            ("::User", None),
        ] {
            assert_eq!(split_qualified(name), expected, "{name}");
        }
    }

    #[test]
    fn the_own_name_is_the_last_one() {
        for (written, own) in [
            ("User", "User"),
            ("auth::User", "User"),
            ("pub async fn hello(name: &str)", "hello"),
            ("Vec<T>::push", "push"),
            ("Timer#count", "count"),
            ("Timer.#count", "#count"),
            ("#count", "#count"),
            ("User::r#type", "type"),
            ("Vec::operator==", "operator=="),
            ("Shape::~Shape", "~Shape"),
            ("operator", "operator"),
            ("x.operator()", "operator()"),
            ("+", "+"),
            ("Stack#<<", "<<"),
            ("Vec<T>", "T"),
        ] {
            assert_eq!(own_name(written), own, "{written}");
        }
    }

    #[test]
    fn words_know_their_columns() {
        let found: Vec<_> = words("é fn a_1(2b, $x)").collect();
        assert_eq!(found, [(0, "é"), (2, "fn"), (5, "a_1"), (13, "$x")]);
    }

    #[test]
    fn a_path_ends_in_whole_names() {
        for (end, path, is_end) in [
            ("a.rs", "src/a.rs", true),
            ("./src/a.rs", "/w/src/a.rs", true),
            ("src/a.rs", "src/a.rs", false),
            ("src/a.rs", "mysrc/a.rs", false),
            ("/w/src/a.rs", "src/a.rs", false),
            ("", "src/", false),
        ] {
            assert_eq!(is_end_of(end, path), is_end, "{end} of {path}");
        }
    }
}
