//! Definitions that are pieces of one symbol.
//!
//! Pieces are the signatures of an overloaded function, setters and deleters of a property, and TypeScript's
//! merged declarations. The same name alone is not enough: functions in the branches of an `if` are separate.

use std::path::Path;

use ide_protocol::{Operation, Point, Reason};
use syntax::{Definition, Kind, Outline};

use super::correction::{Correction, Scope};
use crate::fallback::operations::lookup::candidates::DefinitionAnswer;
use crate::fallback::session::query_context::{QueryContext, file_syntax};
use crate::fallback::source::languages;
use crate::fallback::source::languages::ids;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::format_places::places;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "overloads", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Definitions],
    why: "Servers list each overload signature, each accessor of a property and each part of a merged \
          declaration as a separate definition",
    ..Correction::NONE
};

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A signature without a body of its own.
    Signature,
    /// A setter or deleter of a property that another definition reads.
    Accessor,
    /// Another declaration of the same symbol.
    Declaration,
}

/// Returns the kind of piece that is named at `name_at`, and the position of the whole symbol's name. Returns
/// `None` for a definition that is no piece.
pub(crate) async fn piece_of(asking: &QueryContext, path: &Path, name_at: Point) -> Option<(Piece, Point)> {
    if !SCOPE.applies(asking) {
        return None;
    }
    if !asking.server.setup.language.has_overloads {
        return None;
    }
    let (text, syntax) = file_syntax::syntax(asking, path).await?;
    let at = offset(&text, name_at);
    let rules = Rules::of(path, text.as_str())?;
    let (piece, whole) = rules.piece_of(syntax.outline(&text), at)?;
    Some((piece, text.point(whole.name_at.start)))
}

/// Splits candidates into whole definitions and pieces of them. Overload signatures are dropped.
pub(crate) async fn wholes(
    asking: &QueryContext,
    found: Vec<Candidate>,
) -> (Vec<Candidate>, Vec<(Piece, Candidate)>) {
    let (mut wholes, mut pieces) = (Vec::new(), Vec::new());
    for candidate in &found {
        let is_beside = |it: &Candidate| it.path == candidate.path && it.name_at != candidate.name_at;
        let piece = match found.iter().any(is_beside) {
            true => piece_of(asking, &candidate.path, candidate.name_at.start).await,
            false => None,
        };
        let is_whole = |at: Point| found.iter().any(|it| it.path == candidate.path && it.name_at.start == at);
        match piece.filter(|(_, whole)| is_whole(*whole)) {
            Some((Piece::Signature, _)) => {}
            Some((piece, _)) => pieces.push((piece, candidate.clone())),
            None => wholes.push(candidate.clone()),
        }
    }
    (wholes, pieces)
}

/// Adds remarks that list the pieces of the chosen definitions: accessors, and merged declarations.
pub(crate) fn tell(roots: &SessionFolders, answer: &mut DefinitionAnswer, pieces: &[(Piece, Candidate)]) {
    for piece in [Piece::Accessor, Piece::Declaration] {
        let is_of = |it: &&Candidate| {
            let mut chosen = answer.candidates.iter();
            chosen.any(|other| (&other.path, &other.container) == (&it.path, &it.container))
        };
        let all = pieces.iter().filter(|it| it.0 == piece).map(|it| &it.1).filter(is_of);
        let all: Vec<_> = all.collect();
        if let Some(first) = all.first() {
            let at: Vec<_> = all.iter().map(|it| (it.path.clone(), it.name_at)).collect();
            let (name, places) = (first.name.clone(), places(roots, &at, 5));
            answer.reasons.push(match piece {
                Piece::Accessor => Reason::OtherAccessor { name, places },
                _ => Reason::MergedDeclarations { name, places },
            });
        }
    }
}

/// Returns `true` if `one` is a piece of a definition, or if one of `others` is a piece of it.
pub(crate) async fn is_whole_or_piece_of(
    asking: &QueryContext,
    one: &Candidate,
    others: impl Iterator<Item = &Candidate>,
) -> bool {
    if piece_of(asking, &one.path, one.name_at.start).await.is_some() {
        return true;
    }
    for other in others {
        let piece = piece_of(asking, &other.path, other.name_at.start).await;
        if piece.is_some_and(|(_, whole)| whole == one.name_at.start) {
            return true;
        }
    }
    false
}

/// The syntax by which a language marks pieces.
enum Rules<'text> {
    /// Decorators; `overload` holds the names under which `typing.overload` is imported.
    Python { text: &'text str, overload: Vec<&'text str> },
    /// A missing body, and the modifiers before the name.
    TypeScript { text: &'text str },
}

impl<'text> Rules<'text> {
    fn of(path: &Path, text: &'text str) -> Option<Self> {
        match languages::language_of(path)?.id() {
            ids::PYTHON => {
                let behind = text.split("overload as ").skip(1);
                let aliases =
                    behind.filter_map(|it| it.split(|it: char| !it.is_alphanumeric() && it != '_').next());
                Some(Self::Python { text, overload: ["overload"].into_iter().chain(aliases).collect() })
            }
            ids::TYPESCRIPT | ids::TSX | ids::JAVASCRIPT => Some(Self::TypeScript { text }),
            _ => None,
        }
    }

    fn piece_of<'outline>(
        &self,
        outline: &'outline Outline,
        at: usize,
    ) -> Option<(Piece, &'outline Definition)> {
        let own = outline.definitions.iter().position(|it| it.name_at.start == at)?;
        let own = &outline.definitions[own];
        let is_alike =
            |it: &&Definition| it.name == own.name && is_code(it) && are_together(outline, it, own);
        let alike: Vec<_> = outline.definitions.iter().filter(is_alike).collect();
        if self.is_accessor(own) {
            let mut others = alike.into_iter().filter(|it| !self.is_accessor(it));
            // In Python an accessor follows the property that it completes.
            let read = match self {
                Self::Python { .. } => others.rfind(|it| it.name_at.start < at),
                Self::TypeScript { .. } => {
                    others.find(|it| self.reads(it) && self.is_static(it) == self.is_static(own))
                }
            };
            return read.map(|it| (Piece::Accessor, it));
        }
        if let Self::TypeScript { .. } = self
            && let Some(whole) = merged(outline, own)
        {
            return Some((Piece::Declaration, whole));
        }
        if !self.is_signature(own) {
            return None;
        }
        let mut later = alike.into_iter().filter(|it| it.name_at.start > at);
        let body = later.clone().find(|it| !self.is_signature(it) && !self.is_accessor(it));
        body.or_else(|| later.next_back()).map(|it| (Piece::Signature, it))
    }

    fn is_signature(&self, definition: &Definition) -> bool {
        match self {
            Self::Python { overload, .. } => self
                .decorators(definition)
                .any(|it| it.rsplit('.').next().is_some_and(|it| overload.contains(&it))),
            Self::TypeScript { .. } => is_code(definition) && !definition.has_body,
        }
    }

    /// Returns `true` for accessors such as `@title.setter` and `set title(value)`.
    fn is_accessor(&self, definition: &Definition) -> bool {
        let is_decorated = self.decorators(definition).any(|it| {
            it.rsplit_once('.').is_some_and(|(of, way)| {
                of == definition.name && matches!(way, "getter" | "setter" | "deleter")
            })
        });
        is_decorated || self.modifiers(definition).next_back() == Some("set")
    }

    fn reads(&self, definition: &Definition) -> bool {
        self.modifiers(definition).next_back() == Some("get")
    }

    fn is_static(&self, definition: &Definition) -> bool {
        self.modifiers(definition).any(|it| it == "static")
    }

    /// Returns the words before the name.
    fn modifiers(&self, definition: &Definition) -> impl DoubleEndedIterator<Item = &'text str> {
        let before = match self {
            Self::Python { .. } => None,
            Self::TypeScript { text } => text.get(definition.signature.start..definition.name_at.start),
        };
        before.unwrap_or_default().split_whitespace()
    }

    /// Returns the decorators' names, without arguments.
    fn decorators(&self, definition: &Definition) -> impl Iterator<Item = &'text str> {
        let before = match self {
            Self::Python { text, .. } => text.get(definition.whole.start..definition.signature.start),
            Self::TypeScript { .. } => None,
        };
        let names = before.unwrap_or_default().lines().filter_map(|it| it.trim_start().strip_prefix('@'));
        names.map(|it| it.split(['(', '#']).next().unwrap_or_default().trim())
    }
}

/// Returns the main declaration that TypeScript merges this one into; `None` if this one is the main one.
/// TypeScript merges declarations of one name in one scope.
/// <https://www.typescriptlang.org/docs/handbook/declaration-merging.html>
fn merged<'outline>(outline: &'outline Outline, own: &Definition) -> Option<&'outline Definition> {
    if own.parent.is_some_and(|it| is_code(&outline.definitions[it])) {
        return None; // there may be blocks in between
    }
    let alike = outline.definitions.iter().filter(|it| it.name == own.name && it.parent == own.parent);
    let first = alike.min_by_key(|it| {
        let is_signature = it.kind == Kind::Function && !it.has_body;
        (rank(it.kind), is_signature, it.name_at.start)
    })?;
    (first.name_at != own.name_at && merge(first.kind, own.kind)).then_some(first)
}

/// Returns the rank of a kind among merged declarations; the lowest is the main one.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Class => 0,
        Kind::Function => 1,
        Kind::Interface => 2,
        Kind::Enum => 3,
        Kind::Type => 4,
        Kind::Constant | Kind::Variable => 5,
        Kind::Module | Kind::Namespace => 6,
        _ => 7,
    }
}

/// Returns `true` if a declaration of kind `other` merges into a main one of kind `first`. Declarations that
/// do not merge stand in different blocks.
fn merge(first: Kind, other: Kind) -> bool {
    let is_type = |it| matches!(it, Kind::Interface | Kind::Type);
    let is_value = |it| matches!(it, Kind::Function | Kind::Constant | Kind::Variable);
    match other {
        Kind::Module | Kind::Namespace => rank(first) <= rank(other),
        Kind::Interface => matches!(first, Kind::Class | Kind::Function | Kind::Interface),
        Kind::Type => first == Kind::Function,
        Kind::Enum => first == Kind::Enum,
        _ => is_value(other) && is_type(first),
    }
}

fn is_code(definition: &Definition) -> bool {
    definition.kind.is_callable() || definition.kind == Kind::Property
}

/// Returns `true` if both stand in the same definition. An interface may be written in several parts.
fn are_together(outline: &Outline, one: &Definition, other: &Definition) -> bool {
    let is_in_interface =
        |it: &Definition| it.parent.is_some_and(|it| outline.definitions[it].kind == Kind::Interface);
    one.parent == other.parent
        || is_in_interface(one)
            && is_in_interface(other)
            && outline.container(one) == outline.container(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the line of each definition of `f`, with the line of the whole that it is a piece of.
    fn pieces(path: &str, text: &str) -> String {
        let outline = syntax::outline(languages::language_of(path.as_ref()).unwrap(), text);
        let rules = Rules::of(path.as_ref(), text).unwrap();
        let line = |it: &Definition| text[..it.name_at.start].lines().count();
        let own = outline.definitions.iter().filter(|it| it.name == "f");
        let pieces = own.map(|it| match rules.piece_of(&outline, it.name_at.start) {
            Some((piece, whole)) => format!("{}: {piece:?} of {}", line(it), line(whole)),
            None => line(it).to_string(),
        });
        pieces.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn pieces_are_told_by_how_they_are_written() {
        for (path, text, expected) in [
            ("a.py", "if a:\n    def f(): ...\nelse:\n    def f(): ...\n", "2, 4"),
            (
                "a.py",
                "@overload\ndef f(): ...\n@t.overload\ndef f(): ...\ndef f(): pass\n",
                "2: Signature of 5, 4: Signature of 5, 5",
            ),
            (
                "a.py",
                "from typing import overload as o\n@o\ndef f(): ...\ndef f(): pass\n",
                "3: Signature of 4, 4",
            ),
            ("a.pyi", "@overload\ndef f(): ...\n@overload\ndef f(): ...\n", "2: Signature of 4, 4"),
            (
                "a.py",
                "class A:\n    @property\n    def f(self): pass\n    @f.setter\n    def f(self, v): pass\n    @f.deleter\n    def f(self): pass\n",
                "3, 5: Accessor of 3, 7: Accessor of 3",
            ),
            ("a.py", "def a():\n    def f(): pass\ndef b():\n    def f(): pass\n", "2, 4"),
            (
                "a.ts",
                "function f(a: 1): 1;\nfunction f(a: 2): 2;\nfunction f(a: any) {}\n",
                "1: Signature of 3, 2: Signature of 3, 3",
            ),
            (
                "a.ts",
                "class A {\n  set f(v) {}\n  get f() {}\n  static set f(v) {}\n  f2() {}\n}\n",
                "2: Accessor of 3, 3, 4",
            ),
            ("a.ts", "if (a) {\n  function f() {}\n} else {\n  function f() {}\n}\n", "2, 4"),
            (
                "a.ts",
                "interface I {\n  f(): 1;\n}\ninterface J {\n  f(): 1;\n}\ninterface I {\n  f(a: 1): 2;\n}\n",
                "2: Signature of 8, 5, 8",
            ),
            (
                "a.ts",
                "interface f {}\nconst f = 1;\nnamespace f {}\ninterface f {}\n",
                "1, 2: Declaration of 1, 3: Declaration of 1, 4: Declaration of 1",
            ),
            ("a.ts", "type f = 1;\nfunction f() {}\n", "1: Declaration of 2, 2"),
            (
                "a.ts",
                "function f(): 1;\nfunction f() {}\nnamespace f {}\n",
                "1: Signature of 2, 2, 3: Declaration of 2",
            ),
            ("a.ts", "class f {}\nconst f = 2;\nconst f = 3;\n", "1, 2, 3"),
            ("a.ts", "namespace a {\n  type f = 1;\n}\nnamespace b {\n  const f = 2;\n}\n", "2, 5"),
            ("a.ts", "function a() {\n  interface f {}\n  interface f {}\n}\n", "2, 3"),
        ] {
            assert_eq!(pieces(path, text), expected, "{text}");
        }
    }
}
