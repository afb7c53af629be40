//! Methods that operators and other syntax call without their name, as in `a + b`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Operation, Point, Reason};

use super::correction::{Correction, Query, Scope};
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::mentions::mentions;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::languages::{Language, ids};
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "operator-calls", languages: &[ids::PYTHON, ids::RUST, ids::C], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers],
    why: "No server lists `a + b` among the references to the method that it calls, except clangd 22.1, \
          which misses operators declared as friends",
    gaps: Some(|query, home| Box::pin(gaps(query, home))),
    ..Correction::NONE
};

/// Returns the reason that syntax calls the method, if it does.
async fn gaps(query: &Query<'_>, home: &BTreeSet<(PathBuf, Point)>) -> Result<Vec<Reason>, Problem> {
    let (asking, subject) = (query.asking(), query.subject);
    if let Some(reason) = befriended(asking, query.roots(), subject).await? {
        return Ok(vec![reason]);
    }
    let own = (subject.path.clone(), subject.point);
    let (path, point) = home.first().unwrap_or(&own);
    let Some(text) = asking.text(path).await else { return Ok(Vec::new()) };
    let language = asking.server.setup.language;
    Ok(unlisted(language, &subject.name, &text, point.line.index()).into_iter().collect())
}

/// The maximum number of friend declarations that are resolved in one file.
const FRIENDS: usize = 16;

/// The Rust traits whose methods operators and other syntax call.
const TRAITS: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
    "Index",
    "IndexMut",
    "Deref",
    "DerefMut",
    "Drop",
    "PartialEq",
    "PartialOrd",
    "Iterator",
    "IntoIterator",
    "Future",
    "Fn",
    "FnMut",
    "FnOnce",
    // `?`, `into`, `parse` and `format!` call these.
    "From",
    "TryFrom",
    "FromStr",
    "Display",
    "Debug",
];

/// Returns the reason that syntax calls the method that is defined on `line` (from 0) of `text`.
pub(crate) fn unlisted(language: &Language, name: &str, text: &Text, line: usize) -> Option<Reason> {
    let is_called_by_syntax = match language.id {
        ids::PYTHON => name.len() > 4 && name.starts_with("__") && name.ends_with("__"),
        ids::RUST => implemented(text, line).is_some_and(|it| TRAITS.contains(&it)),
        _ => false,
    };
    is_called_by_syntax.then(|| Reason::CalledBySyntax { name: name.to_owned() })
}

/// Returns `true` for the name of a C++ operator: `operator==`.
pub(crate) fn is_operator(language: &Language, name: &str) -> bool {
    language.declares_apart && name.strip_prefix("operator").is_some_and(|it| !it.is_empty())
}

/// Returns the reason for an operator that some file declares only as a friend. There, clangd does not list the
/// expressions that call it by its sign.
pub(crate) async fn befriended(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
) -> Result<Option<Reason>, Problem> {
    let name = &subject.name;
    if !is_operator(asking.server.setup.language, name) {
        return Ok(None);
    }
    for (path, lines) in mentions(asking, roots, "operator").await.lines {
        let Some(text) = asking.text(&path).await else { continue };
        let lines = lines.into_iter().filter_map(|it| Some((it, text.line(it)?)));
        let lines = lines.filter_map(|(line, code)| Some((line, code, named(code, name)?)));
        let lines: Vec<_> = lines.collect();
        if !lines.iter().all(|(_, code, at)| is_friend(&code[..*at])) {
            continue;
        }
        for (line, code, at) in lines.into_iter().take(FRIENDS) {
            let column = code[..at].chars().count();
            let at = Extent::within(line, column..column).start;
            let led = led_to(asking, &path, at).await?;
            let leads_home = |it: &Candidate| (&it.path, it.name_at.start) == (&subject.path, subject.point);
            if (&path, at) == (&subject.path, subject.point) || led.iter().any(leads_home) {
                let (name, server) = (name.clone(), asking.server.name().to_owned());
                return Ok(Some(Reason::FriendOperator { name, server }));
            }
        }
    }
    Ok(None)
}

/// Returns the byte offset at which a line names exactly this operator: `operator=` does not match
/// `operator==`.
fn named(line: &str, name: &str) -> Option<usize> {
    let names = |at: &usize| {
        let behind: String = line[*at..].chars().filter(|it| !it.is_whitespace()).collect();
        behind.strip_prefix(name).is_some_and(|it| it.starts_with(['(', '<']))
    };
    line.match_indices("operator").map(|(at, _)| at).find(names)
}

/// Returns `true` if the declaration before a name on its line contains `friend`.
fn is_friend(before: &str) -> bool {
    let own = before.rsplit([';', '{', '}']).next().unwrap_or_default();
    own.split_whitespace().any(|it| it == "friend")
}

/// Returns the trait of the `impl` block around a line: `Add` for `impl std::ops::Add<u32> for Sum {`. The
/// block is found by its indentation.
fn implemented(text: &Text, line: usize) -> Option<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = text.line(line)?;
    let mut above = (0..line).rev().filter_map(|it| text.line(it));
    let is_one_line = own.trim_start().starts_with("impl") && own.contains(" for ");
    let head = match is_one_line {
        true => own,
        false => above.find(|it| !it.trim().is_empty() && indent(it) < indent(own))?,
    }
    .trim();
    let (path, _) = head.strip_prefix("impl")?.split_once(" for ")?;
    let path = without_parameters(path).split('<').next()?;
    path.trim().rsplit("::").next()
}

/// Returns the text behind a leading parameter list, `<T: Into<u8>>`.
fn without_parameters(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.find(|it: char| {
        depth = match it {
            '<' => depth + 1,
            '>' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    });
    if text.starts_with('<') { end.map_or("", |it| &text[it + 1..]) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fallback::source::languages;

    fn is_said(file: &str, name: &str, text: &str) -> bool {
        let language = languages::of_file(file.as_ref()).unwrap();
        let line = text.lines().position(|it| it.contains(name)).unwrap();
        unlisted(language, name, &Text::from(text.to_owned()), line).is_some()
    }

    #[test]
    fn a_friend_is_declared_on_its_line() {
        let line = "struct P { friend bool operator ==(P a, P b); P operator-(P a); };";
        let is_friend = |name| named(line, name).map(|at| is_friend(&line[..at]));
        assert_eq!(is_friend("operator=="), Some(true));
        assert_eq!(is_friend("operator-"), Some(false));
        assert_eq!(is_friend("operator="), None);
    }

    #[test]
    fn what_syntax_calls_is_known() {
        assert!(is_said("a.py", "__add__", "class A:\n    def __add__(self): pass\n"));
        assert!(!is_said("a.py", "__all__x", "class A:\n    def __all__x(self): pass\n"));
        for head in
            ["impl Add for A {", "impl std::ops::Add<u32> for A {", "impl<T: Into<u8>> Add<T> for A<T> {"]
        {
            assert!(is_said(
                "a.rs",
                "add",
                &format!("{head}\n    type Output = A;\n    fn add() {{}}\n}}\n")
            ));
        }
        for head in ["impl A {", "impl<T: Add> Show for A<T> {", "trait Add {"] {
            assert!(!is_said("a.rs", "plus", &format!("{head}\n    fn plus() {{}}\n}}\n")), "{head}");
        }
    }
}
