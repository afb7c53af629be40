//! Definitions of one name: those that a question can be about, and those that are parts of one type.

use ide_protocol::Definition;

/// The subject of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Any symbol.
    #[default]
    Anything,
    /// Types, which extend and are extended.
    Types,
    /// Functions, which call and are called.
    Calls,
}

impl Subject {
    /// Splits definitions into those that are meant and the others. All are meant if none is.
    pub(super) fn part(self, found: Vec<Definition>) -> (Vec<Definition>, Vec<Definition>) {
        let has_code = |container: &Definition| {
            let is_beside = |it: &Definition| {
                it.container == container.container && it.name_at.path == container.name_at.path
            };
            found.iter().any(|it| is_code(&it.kind) && is_beside(it))
        };
        let is_meant = |it: &Definition| match self {
            Self::Anything => true,
            Self::Types => is_type(&it.kind),
            // In Java, a field and a method of a type may share a name.
            Self::Calls => !matches!(it.kind.as_str(), "field" | "property") || !has_code(it),
        };
        let (meant, others): (Vec<_>, Vec<_>) = found.iter().cloned().partition(is_meant);
        if meant.is_empty() { (others, meant) } else { (meant, others) }
    }

    /// Returns a word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Anything => "names",
            Self::Types => "types",
            Self::Calls => "calls",
        }
    }
}

/// Returns true if all are parts of one type, in any files: a class reopened in Ruby, or a `partial` one in C#.
pub(super) fn are_parts(found: &[Definition]) -> bool {
    let is_part = |it: &Definition| {
        let line = it.name_at.text.as_deref().unwrap_or_default();
        let is_open = match it.name_at.path.rsplit_once('.') {
            Some((_, "rb")) => true,
            Some((_, "cs")) => line.split_whitespace().any(|it| it == "partial"),
            _ => false,
        };
        is_open && (is_type(&it.kind) || it.kind == "module")
    };
    let what = |it: &Definition| (it.name.clone(), it.kind.clone(), it.container.clone());
    found.iter().all(|it| is_part(it) && what(it) == what(&found[0]))
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "class" | "struct" | "interface" | "enum" | "trait" | "typeAlias" | "object")
}

fn is_code(kind: &str) -> bool {
    matches!(kind, "function" | "method" | "constructor")
}
