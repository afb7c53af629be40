//! The types that a definition extends or implements, as the head of the definition names them.

use ide_protocol::{Column, Line, Navigation, Point};

use super::by_place::{led_to, there};
use crate::fallback::session::query_context::{Asking, Problem};
use crate::fallback::source::languages::Language;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::Candidate;

/// How many lines of a head are read.
const LINES: usize = 20;

/// The types that are named so, each once. In Rust these are the traits of the blocks `impl` as well.
pub(super) async fn named(asking: &Asking, of: &Candidate) -> Result<Vec<Candidate>, Problem> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut heads = vec![(of.path.clone(), of.whole, of.name_at.end, false)];
    if asking.server.setup.language.id == "rust" && matches!(of.kind.as_str(), "struct" | "enum") {
        heads.clear();
        for target in asking.goto(Navigation::Implementations, &of.path, of.name_at.start).await? {
            if let Some(block) = there(asking, &target, None).await?.filter(|it| it.name.contains(" for ")) {
                heads.push((block.path, block.whole, block.whole.start, true));
            }
        }
    }
    for (path, whole, from, is_impl) in heads {
        let Some(text) = asking.text(&path).await else { continue };
        for point in bases(asking.server.setup.language, &text, whole, from, is_impl) {
            for base in led_to(asking, &path, point).await? {
                let is_type = matches!(
                    base.kind.as_str(),
                    "class" | "struct" | "interface" | "enum" | "object" | "typeAlias"
                );
                let is_new = !found.iter().any(|it| it.path == base.path && it.name_at == base.name_at);
                if is_type && is_new && (&base.path, base.name_at) != (&of.path, of.name_at) {
                    found.push(base);
                }
            }
        }
    }
    Ok(found)
}

/// Where names stand in a head from a point on, those in type arguments and after `=` aside; of an `impl`, those before
/// its `for`.
fn bases(language: &Language, text: &Text, whole: Extent, from: Point, is_impl: bool) -> Vec<Point> {
    let (mut points, mut depth) = (Vec::new(), 0i32);
    let last = whole.end.line.index().min(from.line.index() + LINES);
    for index in from.line.index()..=last {
        let line = text.line(index).unwrap_or_default();
        let start = if index == from.line.index() { from.column.index() } else { 0 };
        let names = language.words(line);
        let mut before = ' ';
        for (column, char) in line.chars().enumerate().skip(start) {
            let name = names.iter().find(|(_, columns)| columns.start == column);
            match (char, name) {
                ('{', _) => return points,
                ('<' | '[', _) => depth += 1,
                ('>', _) if before == '-' => return points,
                ('>' | ']', _) => depth -= 1,
                (_, Some((word, _))) if is_impl && word == "for" => return points,
                (_, Some((word, _))) if word == "where" => return points,
                (_, Some(_)) if depth == 0 && before != '=' => {
                    points.push(Point { line: Line::from_index(index), column: Column::from_index(column) });
                }
                _ => {}
            }
            if !char.is_whitespace() {
                before = char;
            }
        }
        if line.trim_end().ends_with([':', ';']) {
            return points;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::source::languages::LANGUAGES;

    fn names(code: &str, column: usize, is_impl: bool) -> String {
        let text = Text::from(code.to_owned());
        let point = |line, column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let whole = Extent { start: point(0, 0), end: point(code.lines().count(), 0) };
        let points = bases(&LANGUAGES[0], &text, whole, point(0, column), is_impl);
        let word = |it: &Point| {
            let all = LANGUAGES[0].words(text.line(it.line.index()).unwrap());
            all.into_iter().find(|(_, columns)| columns.start == it.column.index()).unwrap().0
        };
        points.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn heads_name_their_bases() {
        for (code, column, expected) in [
            (
                "class Tile(Square, Generic[T], metaclass=Meta):\n    x: Other\n",
                10,
                "Square Generic metaclass",
            ),
            ("class A extends B<C> implements D,\n  E {\n  f: F;\n}\n", 7, "extends B implements D E"),
            ("pub trait Shape: Named + Sized where Self: X {\n", 15, "Named Sized"),
            ("class A:\n    b = B\n", 7, ""),
        ] {
            assert_eq!(names(code, column, false), expected, "{code}");
        }
        assert_eq!(names("impl<T> fmt::Display for User<T> {", 0, true), "impl fmt Display");
    }
}
