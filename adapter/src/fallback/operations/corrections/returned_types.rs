//! The return type of a function and the payload of an enum's variant, as the code names them.

use std::path::PathBuf;

use ide_protocol::{Operation, Point, Reason};

use super::correction::{Correction, Scope};
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::is_code;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::syntactic::syntax_facts;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope =
    Scope { id: "returned-types", languages: &[ids::RUST, ids::PYTHON], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::TypeDefinitions],
    why: "ty 0.0.105 and rust-analyzer 1.95 find no type definition for a function, and none for an enum's \
          variant; the return type in the signature and the payload are used",
    ..Correction::NONE
};

/// The return type of a function or the payload of a variant, as it is written.
#[derive(Debug)]
pub(crate) struct ReturnType {
    /// The name of the function or variant.
    pub(crate) name: String,
    /// `true` for a variant.
    is_variant: bool,
    pub(crate) path: PathBuf,
    /// The text of the type; `None` if none is written.
    written: Option<String>,
    /// The positions of the names in it. A variant without payload has the name of its enum.
    pub(crate) names: Vec<Point>,
}

impl ReturnType {
    /// Returns a remark on a type that is not written, or of which no definition is known.
    pub(crate) fn remark(&self, is_known: bool) -> Option<Reason> {
        let name = self.name.clone();
        match self.written.clone() {
            None if self.is_variant => None,
            None => Some(Reason::UnwrittenType { name }),
            Some(written) if !is_known => {
                Some(Reason::UnknownType { name, written, is_held: self.is_variant })
            }
            Some(_) => None,
        }
    }
}

/// Returns the return type of the function at the subject. Returns `None` if it is no function, or if the
/// server resolves its type.
pub(crate) async fn by(asking: &QueryContext, subject: &Subject) -> Result<Option<ReturnType>, Problem> {
    let language = asking.server.setup.language;
    if !SCOPE.applies(asking) {
        return Ok(None);
    }
    let found = led_to(asking, &subject.path, subject.point).await?;
    if let Some(variant) = found.iter().find(|it| it.kind == "enumMember" && language.id == ids::RUST) {
        return payload(asking, variant).await;
    }
    let Some(function) = found.into_iter().find(|it| is_code(&it.kind) && it.kind != "constructor") else {
        return Ok(None);
    };
    let Some((text, syntax)) = file_syntax::syntax(asking, &function.path).await else { return Ok(None) };
    let at = syntax_facts::offset(&text, function.name_at.start);
    let own = syntax.outline(&text).definitions.iter().find(|it| it.name_at.start == at);
    let Some((start, signature)) =
        own.and_then(|it| Some((it.name_at.end, text.as_str().get(it.name_at.end..it.signature.end)?)))
    else {
        return Ok(None);
    };
    let behind = returned(signature);
    let mut names = Vec::new();
    for (column, word) in behind.map(|(at, written)| words(at, written)).unwrap_or_default() {
        if language.is_name(word) || word == "Self" {
            names.push(text.point(start + column));
        }
    }
    let written = behind.map(|(_, it)| it.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(Some(ReturnType { name: function.name, is_variant: false, path: function.path, written, names }))
}

/// Returns what a variant holds, or the name of its enum if it holds nothing.
async fn payload(asking: &QueryContext, variant: &Candidate) -> Result<Option<ReturnType>, Problem> {
    let Some(text) = asking.text(&variant.path).await else { return Ok(None) };
    let [start, end] = [variant.name_at.end, variant.whole.end].map(|it| syntax_facts::offset(&text, it));
    let held = text.as_str().get(start..end).unwrap_or_default();
    let held = held.trim_end().trim_end_matches(',');
    let is_payload = held.trim_start().starts_with(['(', '{']);
    let names = match is_payload {
        true => words(start, held)
            .into_iter()
            .filter(|(_, word)| asking.server.setup.language.is_name(word))
            .map(|(at, _)| text.point(at))
            .collect(),
        false => {
            let nodes = asking.outline(&variant.path).await?;
            let own = outline::named_at(&nodes, variant.name_at.start);
            own.and_then(|it| it.around.last().map(|it| it.name_at.start)).into_iter().collect()
        }
    };
    let written = is_payload.then(|| held.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(Some(ReturnType {
        name: variant.name.clone(),
        is_variant: true,
        path: variant.path.clone(),
        written,
        names,
    }))
}

/// Returns the return type in a signature, and its byte offset. The signature starts behind the function's
/// name; the type ends before a clause or a body.
fn returned(signature: &str) -> Option<(usize, &str)> {
    let (mut depth, mut before, mut start) = (0i32, ' ', None);
    for (at, char) in signature.char_indices() {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '<' if start.is_none() => depth += 1,
            '>' if before == '-' && depth == 0 && start.is_none() => start = Some(at + 1),
            '>' if before != '-' && start.is_none() => depth -= 1,
            _ => {}
        }
        before = char;
    }
    let written = &signature[start?..];
    let end = written.find([';', '{']).unwrap_or(written.len());
    let end = written[..end]
        .find("where")
        .filter(|it| written[..*it].ends_with(char::is_whitespace))
        .unwrap_or(end);
    let written = &written[..end];
    let plain = written.trim_end().trim_end_matches(':').trim_end();
    let lead = plain.len() - plain.trim_start().len();
    (!plain.trim().is_empty()).then(|| (start.unwrap_or_default() + lead, plain.trim_start()))
}

/// Returns the words of a text that starts at the offset `from`, each with its offset.
fn words(from: usize, text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(|it: char| !it.is_alphanumeric() && it != '_') {
        let word = piece.trim_end_matches(|it: char| !it.is_alphanumeric() && it != '_');
        if !word.is_empty() {
            words.push((from + at, word));
        }
        at += piece.len();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_type_stands_behind_the_arrow() {
        for (signature, expected) in [
            ("(u: &User) -> Result<Role, String>", Some("Result<Role, String>")),
            ("<F: Fn(u32) -> u32>(f: F) -> Vec<User>\nwhere\n    F: Send", Some("Vec<User>")),
            ("(self, f: Callable[[int], str]) -> \"Context\":", Some("\"Context\"")),
            ("(f: impl Fn() -> u32)", None),
            ("(x)", None),
            ("() -> ", None),
            ("", None),
        ] {
            let found = returned(signature);
            assert_eq!(found.map(|(_, it)| it), expected, "{signature}");
            assert!(found.is_none_or(|(at, it)| signature[at..].starts_with(it)), "{signature}");
        }
        assert_eq!(words(3, "é: Result<Role>"), [(3, "é"), (7, "Result"), (14, "Role")]);
    }
}
