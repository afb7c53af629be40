//! Symbols that C and C++ declare twice, which a server treats as two places or two symbols.
//!
//! These are a declaration and its definition, and a type's tag and the same name from a `typedef`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ide_protocol::{Operation, Point};
use regex::Regex;

use super::correction::{Correction, Query, Scope, Uses};
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::operations::lookup::mentions::extents;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, scan_for};
use crate::fallback::source::languages::ids;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;
use crate::fallback::syntactic::candidate::Candidate;
use crate::fallback::syntactic::syntax_facts::offset;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "declared-apart", languages: &[ids::C], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[
        Operation::Definitions,
        Operation::References,
        Operation::Callers,
        Operation::Implementations,
    ],
    why: "clangd 22.1 treats a declaration, a `typedef` and a template specialization as separate symbols \
          and lists the references to each separately",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    ..Correction::NONE
};

/// Adds the uses of the symbol's other declarations and names.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, Subject { path, point, name }) = (query.asking(), query.subject);
    let mut twins = twins(asking, path, *point, name).await?;
    twins.extend(specialised(asking, query.roots(), path, *point, name).await?);
    for (path, point) in &twins {
        let listed = asking.references(path, *point, query.include_declaration).await?;
        uses.extents.extend(extents(asking, &listed.unwrap_or_default()).await?);
    }
    if !query.include_declaration {
        uses.extents.retain(|(path, it)| !twins.contains(&(path.clone(), it.start)));
    }
    uses.home.extend(twins);
    Ok(())
}

/// Replaces each declaration among the candidates by its definition, and drops a type's `typedef` name.
pub(crate) async fn defined(asking: &QueryContext, found: Vec<Candidate>) -> Result<Vec<Candidate>, Problem> {
    if !SCOPE.applies(asking) {
        return Ok(found);
    }
    let mut defined: Vec<Candidate> = Vec::new();
    let mut aliases = Vec::new();
    for candidate in found {
        let Some(text) = asking.text(&candidate.path).await else { continue };
        let pair = pairs(&text, &candidate.name).into_iter().find(|it| it.alias == candidate.name_at.start);
        let declared = match &pair {
            Some(pair) => Some(pair.tag),
            None => is_declaration(&text, &candidate).then_some(candidate.name_at.start),
        };
        let others = match declared.filter(|_| candidate.loaded) {
            Some(declared) => led_to(asking, &candidate.path, declared).await?,
            None => Vec::new(),
        };
        let is_elsewhere = |it: &Candidate| it.name == candidate.name && identity(it) != identity(&candidate);
        let other = others.into_iter().find(|it| is_elsewhere(it) && (pair.is_none() || is_type(&it.kind)));
        let is_alias = pair.is_some() && other.is_none();
        let other = other.map(|it| Candidate { fit: candidate.fit, ..it }).unwrap_or(candidate);
        let kept = if is_alias { &mut aliases } else { &mut defined };
        if !kept.iter().any(|it| identity(it) == identity(&other)) {
            kept.push(other);
        }
    }
    // A `typedef` name is kept only if its type is defined nowhere.
    let mut types = Vec::new();
    for it in &defined {
        types.push(is_type(&it.kind) && !is_declared(asking, it).await);
    }
    if types.contains(&true) {
        return Ok(defined);
    }
    if !aliases.is_empty() {
        defined.retain(|it| !is_type(&it.kind));
    }
    defined.extend(aliases);
    Ok(defined)
}

/// Returns the positions of a type's other names: its tag, and its `typedef` names.
pub(crate) async fn twins(
    asking: &QueryContext,
    path: &Path,
    point: Point,
    name: &str,
) -> Result<BTreeSet<(PathBuf, Point)>, Problem> {
    let mut twins = BTreeSet::new();
    let Some(text) = asking.text(path).await.filter(|_| asking.server.setup.language.declares_apart) else {
        return Ok(twins);
    };
    let own = (path.to_owned(), point);
    if let Some(pair) = pairs(&text, name).into_iter().find(|it| it.alias == point) {
        twins.insert((own.0.clone(), pair.tag));
        for other in led_to(asking, path, pair.tag).await? {
            twins.insert((other.path, other.name_at.start));
        }
        twins.remove(&own);
        return Ok(twins);
    }
    let nodes = asking.outline(path).await?;
    let own_node = outline::named_at(&nodes, point);
    if !own_node.is_some_and(|it| is_type(it.node.kind)) {
        return Ok(twins);
    }
    let uses = asking.references(path, point, true).await?.unwrap_or_default();
    let uses = extents(asking, &uses).await?;
    let places: BTreeSet<_> =
        uses.into_iter().map(|(path, it)| (path, it.start)).chain([own.clone()]).collect();
    let files: BTreeSet<_> = places.iter().map(|(path, _)| path.clone()).collect();
    for path in files {
        let Some(text) = asking.text(&path).await else { continue };
        for Pair { tag, alias } in pairs(&text, name) {
            if places.contains(&(path.clone(), tag)) {
                twins.extend([(path.clone(), tag), (path.clone(), alias)]);
            }
        }
    }
    twins.remove(&own);
    Ok(twins)
}

/// Returns the positions of a template's specializations: `class Box<void>` beside `class Box`. A server
/// treats these as separate types.
pub(crate) async fn specialised(
    asking: &QueryContext,
    roots: &SessionFolders,
    path: &Path,
    point: Point,
    name: &str,
) -> Result<BTreeSet<(PathBuf, Point)>, Problem> {
    let mut specialised = BTreeSet::new();
    if !SCOPE.applies(asking) {
        return Ok(specialised);
    }
    let own = outline::named_at(&asking.outline(path).await?, point)
        .filter(|it| is_type(it.node.kind) && it.node.name == name)
        .map(|it| qualified(&it));
    let Some(own) = own else { return Ok(specialised) };
    let defining = scan_for(asking, roots, name, word_scan::definitions).await;
    for path in defining.lines.into_keys() {
        let nodes = asking.outline(&path).await?;
        let of_own = outline::all(&nodes).into_iter().filter(|it| {
            is_type(it.node.kind)
                && qualified(it).split_once('<').is_some_and(|(template, _)| template == own)
        });
        specialised.extend(of_own.map(|it| (path.clone(), it.node.name_at.start)));
    }
    Ok(specialised)
}

/// Returns the name with the names of everything around it.
fn qualified(found: &outline::NestedNode<'_>) -> String {
    let around = found.around.iter().map(|it| it.name.as_str());
    let all: Vec<_> = around.chain(found.node.owner.as_deref()).chain([found.node.name.as_str()]).collect();
    all.join("::")
}

/// Returns `true` for a declaration whose definition is or may be elsewhere.
pub(crate) fn is_declaration(text: &Text, candidate: &Candidate) -> bool {
    let code = code_of(text, candidate.whole);
    match candidate.kind.as_str() {
        "function" | "method" | "constructor" | "operator" => {
            let is_given = |it: &str| code.split('=').skip(1).any(|given| given.trim_start().starts_with(it));
            !code.contains('{') && !["default", "delete", "0"].into_iter().any(is_given)
        }
        "struct" | "class" | "enum" | "union" => {
            !code.contains('{') && !code.trim_start().starts_with("typedef")
        }
        _ => {
            let begins = |it: &str| {
                code.split_whitespace().take_while(|word| !word.contains('=')).any(|word| word == it)
            };
            let is_member = candidate.container.is_some() && begins("static");
            begins("extern") || is_member && !begins("inline") && !begins("constexpr") && !code.contains('{')
        }
    }
}

async fn is_declared(asking: &QueryContext, candidate: &Candidate) -> bool {
    let text = asking.text(&candidate.path).await;
    text.is_some_and(|it| is_declaration(&it, candidate))
}

fn is_type(kind: &str) -> bool {
    matches!(kind, "struct" | "class" | "enum" | "union")
}

fn identity(candidate: &Candidate) -> (&Path, Point, &str) {
    (&candidate.path, candidate.name_at.start, &candidate.name)
}

fn code_of(text: &Text, whole: Extent) -> &str {
    text.as_str().get(offset(text, whole.start)..offset(text, whole.end)).unwrap_or_default()
}

/// The two positions of a type's name.
#[derive(Debug, PartialEq, Eq)]
struct Pair {
    tag: Point,
    alias: Point,
}

/// Returns the places where a `typedef` repeats a type's tag: `typedef struct user user;`, `typedef struct
/// user { … } user;`.
fn pairs(text: &Text, name: &str) -> Vec<Pair> {
    let code = text.as_str();
    if !code.contains("typedef") {
        return Vec::new();
    }
    let name = regex::escape(name);
    let pattern = format!(r"\btypedef\s+(?:struct|union|enum|class)\s+({name})\b");
    let Ok(head) = Regex::new(&pattern) else { return Vec::new() };
    let Ok(end) = Regex::new(&format!(r"^\s*({name})\s*;")) else { return Vec::new() };
    let pair = |tag: Range<usize>| {
        let behind = &code[tag.end..];
        let body = behind.len() - behind.trim_start().len();
        let from =
            tag.end + if behind[body..].starts_with('{') { body + closing(&behind[body..])? } else { 0 };
        let alias = end.captures(&code[from..])?.get(1)?.start() + from;
        Some(Pair { tag: text.point(tag.start), alias: text.point(alias) })
    };
    head.captures_iter(code).filter_map(|it| pair(it.get(1)?.range())).collect()
}

/// Returns the byte offset behind the brace that closes the one at the start of the text.
fn closing(code: &str) -> Option<usize> {
    let mut depth = 0_usize;
    code.bytes()
        .position(|byte| {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .map(|it| it + 1)
}

#[cfg(test)]
mod tests {
    use ide_protocol::{Column, Line};

    use super::*;

    #[test]
    fn a_typedef_may_give_a_type_its_own_name() {
        let text: Text = concat!(
            "typedef struct user user;\n",
            "typedef struct user {\n  struct { int a; } b;\n} user;\n",
            "typedef struct user other;\n",
            "typedef struct { int c; } user;\n",
        )
        .to_owned()
        .into();
        let at = |line, column| Point { line: Line::from_index(line), column: Column::from_index(column) };
        let expected = [Pair { tag: at(0, 15), alias: at(0, 20) }, Pair { tag: at(1, 15), alias: at(3, 2) }];
        assert_eq!(pairs(&text, "user"), expected);
    }
}
