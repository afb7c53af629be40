//! Overriding and overridden methods, which not every server renames with a method.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ide_protocol::{Kept, Navigation, Operation, Point, Reason};

use super::correction::{Correction, Scope};
use crate::fallback::edits::FileChange;
use crate::fallback::operations::corrections::changed_lines::Changed;
use crate::fallback::operations::lookup::supertypes;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::of_node;
use crate::fallback::workspace::format_places::{NAMED, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "unrenamed-overrides", ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::Rename],
    why: "ty 0.0.105, basedpyright 1.40 and clangd 22.1 rename a method without the methods that override \
          it or that it overrides",
    renamed: Some(|query, renamed| {
        Box::pin(family(query.asking(), query.roots(), query.subject, renamed.files))
    }),
    ..Correction::NONE
};

/// The maximum number of types that are searched for overridden methods.
const TYPES: usize = 64;

/// Returns the reasons that list overriding and overridden methods that would keep the name.
pub(crate) async fn family(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
    files: &[FileChange],
) -> Result<Vec<Reason>, Problem> {
    let own = (subject.path.clone(), subject.point);
    if !is_method(asking, &own).await? {
        return Ok(Vec::new());
    }
    let overriding = overriding(asking, &own, &subject.name).await?;
    let overridden = overridden(asking, subject).await?;
    let mut beside = BTreeSet::new();
    for (path, extent) in &overridden {
        beside.extend(self::overriding(asking, &(path.clone(), extent.start), &subject.name).await?);
    }
    beside.retain(|it| {
        (&it.0, it.1.start) != (&own.0, own.1) && !overriding.contains(it) && !overridden.contains(it)
    });
    let changed = Changed::by(asking, files);
    let gap = |kept: Kept, methods: BTreeSet<(PathBuf, Extent)>| {
        let methods = methods.iter().filter(|(path, it)| !changed.has(path, it.start.line.index()));
        let places = places(roots, methods, NAMED);
        (!places.is_empty()).then(|| Reason::KeptRelatives { name: subject.name.clone(), kept, places })
    };
    let gaps =
        [gap(Kept::Overriding, overriding), gap(Kept::Overridden, overridden), gap(Kept::Siblings, beside)];
    Ok(gaps.into_iter().flatten().collect())
}

async fn is_method(asking: &QueryContext, (path, point): &(PathBuf, Point)) -> Result<bool, Problem> {
    let nodes = asking.outline(path).await?;
    Ok(outline::named_at(&nodes, *point).is_some_and(|it| is_member_kind(it.node.kind)))
}

fn is_member_kind(kind: &str) -> bool {
    matches!(kind, "function" | "method" | "property")
}

/// Returns the methods that override the one at this place.
async fn overriding(
    asking: &QueryContext,
    (path, point): &(PathBuf, Point),
    name: &str,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let mut found = BTreeSet::new();
    if !asking.provides("implementationProvider") {
        return Ok(found);
    }
    for target in asking.goto(Navigation::Implementations, path, *point).await? {
        let Some(extent) = asking.extent(&target.name).await else { continue };
        let path = target.name.path;
        let word = asking.text(&path).await.and_then(|it| it.word(extent));
        if word.as_deref() == Some(name) && is_method(asking, &(path.clone(), extent.start)).await? {
            found.insert((path, extent));
        }
    }
    Ok(found)
}

/// Returns the methods that the symbol overrides: those of its name in the supertypes of its class.
async fn overridden(
    asking: &QueryContext,
    subject: &Subject,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    let any = Name::any();
    let nodes = asking.outline(&subject.path).await?;
    let class = outline::named_at(&nodes, subject.point).and_then(|it| it.around.last().copied());
    let class = class.and_then(|class| outline::find(&nodes, |it| it.name_at == class.name_at));
    let class = class.filter(|it| matches!(it.node.kind, "class" | "struct" | "interface"));
    let mut types: Vec<_> = class.map(|it| of_node(&subject.path, &it, &any)).into_iter().collect();
    let (mut next, mut found) = (0, BTreeSet::new());
    while let Some(of) = types.get(next).filter(|_| next < TYPES).cloned() {
        next += 1;
        for base in supertypes::named(asking, &of).await? {
            if types.iter().any(|it| (&it.path, it.name_at) == (&base.path, base.name_at)) {
                continue;
            }
            let nodes = asking.outline(&base.path).await?;
            let members = outline::named_at(&nodes, base.name_at.start).map(|it| &it.node.children);
            let named = members.into_iter().flatten().filter(|it| it.name == subject.name);
            let methods = named.filter(|it| is_member_kind(it.kind));
            found.extend(methods.map(|it| (base.path.clone(), it.name_at)));
            types.push(base);
        }
    }
    Ok(found)
}
