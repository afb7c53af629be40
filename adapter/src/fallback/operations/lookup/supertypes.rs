//! The supertypes that the head of a definition names.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use ide_protocol::{Column, Line, Navigation, Point};

use super::leads::{led_to, there};
use crate::fallback::operations::lookup::supertypes;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::{Language, PartRule, SupertypeRule};
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::Candidate;

/// The maximum number of lines of a head.
const LINES: usize = 20;

/// Returns the distinct supertypes that the head names. In Rust these include the traits of `impl` blocks.
pub(crate) async fn named(asking: &QueryContext, of: &Candidate) -> Result<Vec<Candidate>, Problem> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut heads = vec![(of.path.clone(), of.whole, of.name_at.end, false)];
    if asking.server.setup.language.supertypes == SupertypeRule::Blocks
        && matches!(of.kind.as_str(), "struct" | "enum")
    {
        heads.clear();
        for target in asking.goto(Navigation::Implementations, &of.path, of.name_at.start).await? {
            if let Some(block) = there(asking, &target, None).await?.filter(|it| it.name.contains(" for ")) {
                heads.push((block.path, block.whole, block.whole.start, true));
            }
        }
    }
    if asking.server.setup.language.parts == PartRule::Merged {
        // An interface may be written in several pieces.
        let pieces = led_to(asking, &of.path, of.name_at.start).await?;
        let others = pieces.into_iter().filter(|it| place(it) != place(of) && it.name == of.name);
        heads.extend(others.map(|it| (it.path, it.whole, it.name_at.end, false)));
    }
    for (path, whole, from, is_impl) in heads {
        let Some(text) = asking.text(&path).await else { continue };
        for point in base_names(asking.server.setup.language, &text, whole, from, is_impl) {
            for base in led_to(asking, &path, point).await? {
                let is_new = !found.iter().any(|it| it.path == base.path && it.name_at == base.name_at);
                if is_type(&base.kind) && is_new && (&base.path, base.name_at) != (&of.path, of.name_at) {
                    found.push(base);
                }
            }
        }
    }
    Ok(found)
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "interface" | "enum" | "object" | "typeAlias")
}

/// The words of a head that are no names.
const KEYWORDS: &[&str] = &["abstract", "extends", "implements"];

/// Returns the names in the head of a definition that lead to no type, such as a function that makes one.
pub(crate) async fn unfollowed(asking: &QueryContext, of: &Candidate) -> Result<Vec<Place>, Problem> {
    let (mut left, language) = (Vec::new(), asking.server.setup.language);
    let Some(text) = asking.text(&of.path).await else { return Ok(left) };
    for point in base_names(language, &text, of.whole, of.name_at.end, false) {
        let word = language.word_at(text.line(point.line.index()).unwrap_or_default(), point.column.index());
        if word.is_some_and(|(word, _)| KEYWORDS.contains(&word.as_str())) {
            continue;
        }
        let bases = led_to(asking, &of.path, point).await?;
        let is_followed =
            |it: &Candidate| is_type(&it.kind) || matches!(it.kind.as_str(), "module" | "namespace");
        if !bases.iter().any(is_followed) {
            left.push((of.path.clone(), point));
        }
    }
    Ok(left)
}

/// Returns the positions of the names in a head, without type arguments and names after `=`. For an `impl`,
/// stops at `for`.
fn base_names(language: &Language, text: &Text, whole: Extent, from: Point, is_impl: bool) -> Vec<Point> {
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

/// The maximum number of types visited.
const TYPES: usize = 64;

/// The types by position, each with the positions of its direct supertypes, in order.
pub(crate) type Bases = BTreeMap<Place, (Candidate, Vec<Place>)>;

pub(crate) type Place = (PathBuf, Point);

/// Returns all supertypes, direct and indirect, in member lookup order.
pub(crate) async fn above(asking: &QueryContext, of: Candidate) -> Result<Vec<Candidate>, Problem> {
    let own = place(&of);
    let bases = bases(asking, of).await?;
    let places = in_order(&bases, &own).into_iter().filter(|it| *it != own);
    Ok(places.filter_map(|it| bases.get(&it)).map(|(base, _)| base.clone()).collect())
}

/// Returns `true` if a type extends another one, directly or not.
pub(crate) async fn extends(
    asking: &QueryContext,
    of: Candidate,
    other: &Candidate,
) -> Result<bool, Problem> {
    Ok(above(asking, of).await?.iter().any(|it| place(it) == place(other)))
}

/// Collects the type and all its supertypes.
pub(crate) async fn bases(asking: &QueryContext, of: Candidate) -> Result<Bases, Problem> {
    let (mut bases, mut left) = (Bases::new(), VecDeque::from([of]));
    while let Some(next) = left.pop_front() {
        if bases.contains_key(&place(&next)) || bases.len() == TYPES {
            continue;
        }
        let named = supertypes::named(asking, &next).await?;
        bases.insert(place(&next), (next, named.iter().map(place).collect()));
        left.extend(named);
    }
    Ok(bases)
}

/// Returns the member lookup order: each type before its supertypes, those in their order. A shared supertype
/// comes after all its subtypes.
pub(crate) fn in_order(bases: &Bases, of: &Place) -> Vec<Place> {
    let (mut order, mut left) = (Vec::new(), vec![of.clone()]);
    // Cyclic inheritance would never end.
    while let Some(next) = left.pop()
        && order.len() < TYPES * TYPES
    {
        let named = bases.get(&next).map(|(_, named)| named.as_slice()).unwrap_or_default();
        left.extend(named.iter().rev().cloned());
        order.push(next);
    }
    let is_last = |at: &usize| !order[at + 1..].contains(&order[*at]);
    (0..order.len()).filter(is_last).map(|at| order[at].clone()).collect()
}

pub(crate) fn place(candidate: &Candidate) -> Place {
    (candidate.path.clone(), candidate.name_at.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::source::languages::LANGUAGES;
    use crate::fallback::source::names::Fit;

    fn names(code: &str, column: usize, is_impl: bool) -> String {
        let text = Text::from(code.to_owned());
        let point = |line, column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let whole = Extent { start: point(0, 0), end: point(code.lines().count(), 0) };
        let points = base_names(&LANGUAGES[0], &text, whole, point(0, column), is_impl);
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

    #[test]
    fn types_come_before_what_they_extend() {
        let place =
            |line: usize| (PathBuf::from("a"), Point { line: Line::from_index(line), column: Column::FIRST });
        let candidate = |line: usize| {
            let extent = Extent::at(place(line).1);
            let (path, name, kind) = ("a".into(), line.to_string(), "class".to_owned());
            let (whole, name_at, container, fit) = (extent, extent, None, Fit::Exact);
            Candidate { path, name, kind, whole, name_at, container, fit, is_local: false, loaded: true }
        };
        let order = |bases: &[(usize, &[usize])]| {
            let all = bases.iter().map(|(it, named)| {
                (place(*it), (candidate(*it), named.iter().map(|it| place(*it)).collect()))
            });
            let order = in_order(&all.collect(), &place(0));
            order.iter().map(|it| it.1.line.index()).collect::<Vec<_>>()
        };
        assert_eq!(order(&[(0, &[1, 2]), (1, &[3]), (2, &[]), (3, &[])]), [0, 1, 3, 2]);
        assert_eq!(order(&[(0, &[1, 2]), (1, &[3]), (2, &[3]), (3, &[])]), [0, 1, 2, 3]);
        assert_eq!(order(&[(0, &[1]), (1, &[0])]).len(), 2);
    }
}
