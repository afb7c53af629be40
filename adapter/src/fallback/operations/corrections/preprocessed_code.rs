//! Definitions in code that the preprocessor excludes from this compilation, which a compiling server does
//! not see.

use std::path::Path;

use ide_protocol::Operation;

use super::correction::{Correction, Scope};
use crate::fallback::servers::run::macros::directive;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Node;
use crate::fallback::source::text::Text;
use crate::fallback::workspace::index::file_symbols::{entries, nodes};

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "preprocessed-code", servers: |it| it.guesses, ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Definitions, Operation::Outline],
    why: "clangd 22.1 lists no symbols in code that `#if` excludes from this compilation",
    ..Correction::NONE
};

/// Returns the top-level definitions between `#if` and `#endif` that the syntax shows and the server does not
/// list. Returns none for languages without a preprocessor.
pub(crate) async fn left_out(asking: &QueryContext, path: &Path) -> Result<Vec<Node>, Problem> {
    if !SCOPE.applies(asking) {
        return Ok(Vec::new());
    }
    let Some(text) = asking.text(path).await else { return Ok(Vec::new()) };
    let conditional = conditional_lines(&text);
    if !conditional.contains(&true) {
        return Ok(Vec::new());
    }
    let Some((text, syntax)) = file_syntax::syntax(asking, path).await else { return Ok(Vec::new()) };
    let written = nodes(&entries(&text, syntax.outline(&text)));
    let listed = asking.outline(path).await?;
    let listed = outline::all(&listed);
    let is_listed = |it: &Node| listed.iter().any(|found| found.node.name_at.start == it.name_at.start);
    let is_left_out =
        |it: &Node| conditional.get(it.name_at.start.line.index()) == Some(&true) && !is_listed(it);
    Ok(written.into_iter().filter(|it| is_told(it.kind)).filter(is_left_out).collect())
}

/// Returns `true` for kinds that the server lists in all code that it compiles.
fn is_told(kind: &str) -> bool {
    matches!(kind, "function" | "method" | "class" | "struct" | "enum" | "union")
}

/// Returns for each line, from 0, `true` if it stands between `#if` and `#endif`. A header's include guard
/// does not count.
fn conditional_lines(text: &Text) -> Vec<bool> {
    let mut depth = 0_usize;
    let mut guarded = None;
    let mut lines = Vec::with_capacity(text.line_count());
    for number in 0..text.line_count() {
        match text.line(number).and_then(directive) {
            Some(("if" | "ifdef", _)) => depth += 1,
            Some(("ifndef", name)) => {
                depth += 1;
                let next = text.line(number + 1).and_then(directive);
                if depth == 1 && guarded.is_none() && next == Some(("define", name)) {
                    guarded = Some(number);
                    depth = 0;
                }
            }
            Some(("endif", _)) => depth = depth.saturating_sub(1),
            _ => {}
        }
        lines.push(depth > 0);
    }
    lines
}

#[cfg(test)]
mod tests {

    use super::*;

    fn text(text: &str) -> Text {
        text.to_owned().into()
    }

    #[test]
    fn a_guard_leaves_nothing_out() {
        let guarded = text(
            "#ifndef A_H\n#define A_H\nint a;\n# ifdef B\nint b;\n# else\nint c;\n# endif\nint d;\n#endif\n",
        );
        let conditional = conditional_lines(&guarded);
        let lines: Vec<_> = (0..conditional.len()).filter(|it| conditional[*it]).collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        assert_eq!(
            conditional_lines(&text("#if X\nint a;\n#endif\nint b;\n")),
            [true, true, false, false, false][..4]
        );
    }
}
